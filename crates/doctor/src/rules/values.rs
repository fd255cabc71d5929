// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weights whose value is not the one that was written: in a file that nobody reads, pressed into
//! another range, or for the time of the start only.

use crate::finding::Finding;
use crate::governor::Governor;
use crate::mending::give_weight;
use crate::rule::{Look, Rule};
use crate::view::{Shared, View};
use crate::weight::{DEFAULT, MOST_OF_BFQ, MOST_OF_IO};

pub(super) const UNREAD_FILE: Rule = Rule {
    name: "weight-in-file-nobody-reads",
    title: "The weight is in a file that nobody reads here",
    about: "io.weight is the file of io.cost, io.bfq.weight that of bfq. Container runtimes and \
            scripts write one of them; the disk may be governed by the other.",
    look: Look::AtDisk(unread_file),
};

fn unread_file(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Some(shared) = view.groups.as_ref().filter(|_| view.governor.weighs()) else {
        return Vec::new();
    };
    let lost = |&place: &usize| {
        shared.weight[place] == Some(DEFAULT)
            && !is_squeezed(view, shared, place)
            && view.machine.unit_weight_of(shared.group(place)).is_none()
    };
    let lost: Vec<usize> = view.weighted().into_iter().filter(lost).collect();
    let Some(worst) = shared.most_lost(&lost) else { return Vec::new() };
    let group = shared.group(worst);
    let asked = shared.asked_weight[worst];
    let (file, line) = shared.evidence(view.machine, worst);
    let read = shared.governor_file(&view.governor, worst);
    let (most, reader) = match view.governor {
        Governor::IoCost => (MOST_OF_IO, "io.cost"),
        _ => (MOST_OF_BFQ, view.seen.disk.current.as_str()),
    };
    let others = match lost.len() {
        1 => String::new(),
        number => format!(" The same is so of {} more groups.", number - 1),
    };
    let found = rule
        .found_on(view)
        .saw(file, line)
        .saw(read.clone(), DEFAULT)
        .of_group(&group.path, shared.asked[worst], shared.real[worst])
        .follows(format!(
            "{reader} decides, and reads the other file: the group weighs {DEFAULT} \
                          there, like all that say nothing.{others}"
        ));
    let default = |weights: &Option<crate::weight::Weights>| {
        weights.as_ref().is_some_and(|weights| weights.of_disks.is_empty())
    };
    let is_plain = match view.governor {
        Governor::IoCost => default(&group.io_weight),
        _ => default(&group.bfq_weight),
    };
    let weight = asked.min(most);
    vec![match is_plain {
        true => found.set(read.clone(), shared.text_of_default(&view.governor), weight),
        false => found.mend(format!("echo {weight} >{read}")),
    }]
}

pub(super) const SQUEEZED: Rule = Rule {
    name: "weight-squeezed",
    title: "systemd squeezes the weight",
    about: "systemd presses IOWeight= above 100 into what bfq takes: 200 becomes 109, 1000 becomes \
            181; in version 1 nothing above 200 is told apart. Up to 100 a weight of version 2 \
            stays what it is, so the proportion survives if the heaviest unit has 100 and the \
            others less.",
    look: Look::AtDisk(squeezed),
};

/// Whether bfq reads of a group what systemd makes of the weight that was asked for.
fn is_squeezed(view: &View<'_>, shared: &Shared<'_>, place: usize) -> bool {
    let asked = shared.asked_weight[place];
    let arrives = shared.tree.by_systemd(asked);
    view.governor.is_elevator() && arrives != asked && shared.weight[place] == Some(arrives)
}

fn squeezed(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Some(shared) = &view.groups else { return Vec::new() };
    let weighted = view.weighted().into_iter();
    let squeezed: Vec<usize> = weighted.filter(|&place| is_squeezed(view, shared, place)).collect();
    let Some(worst) = shared.most_lost(&squeezed) else { return Vec::new() };
    let group = shared.group(worst);
    let (file, line) = shared.evidence(view.machine, worst);
    let weight = shared.weight[worst].unwrap_or(DEFAULT);
    let asked = shared.asked_weight[worst];
    let worth = if weight == DEFAULT { "no more than" } else { "little more than" };
    let found = rule
        .found_on(view)
        .saw(file, line)
        .saw(shared.governor_file(&view.governor, worst), weight)
        .of_group(&group.path, shared.asked[worst], shared.real[worst])
        .follows(format!(
            "The weight {asked} arrived as {weight}. Beside groups of {DEFAULT} it is worth \
             {worth} theirs."
        ));
    vec![found.mends(in_proportion(&view.governor, shared, worst))]
}

/// The weights of a level such that the heaviest has 100, which is not squeezed.
fn in_proportion(governor: &Governor, shared: &Shared<'_>, worst: usize) -> Vec<String> {
    let level: Vec<usize> = shared.rivals(worst).into_iter().chain([worst]).collect();
    let most = level.iter().map(|&place| shared.asked_weight[place]).max().unwrap_or(DEFAULT);
    let scaled = |place: usize| {
        let weight = f64::from(shared.asked_weight[place]) * f64::from(DEFAULT) / f64::from(most);
        (weight.round() as u32).max(1)
    };
    let line =
        |&place: &usize| give_weight(governor, shared.tree, shared.group(place), scaled(place));
    level.iter().flat_map(line).collect()
}

pub(super) const STARTUP_ONLY: Rule = Rule {
    name: "weight-of-start-only",
    title: "The weight holds only while the machine starts",
    about: "StartupIOWeight= counts while the machine starts and shuts down; between, the unit \
            weighs what IOWeight= says, or 100.",
    look: Look::AtDisk(startup_only),
};

fn startup_only(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Some(shared) = &view.groups else { return Vec::new() };
    let asking = view.weighted().into_iter().filter_map(|place| {
        let unit = view.machine.units.of(shared.group(place));
        let startup = unit.startup_weight?;
        (unit.weight.is_none() && shared.weight[place] == Some(DEFAULT)).then_some((place, startup))
    });
    let found = asking.map(|(place, startup)| {
        let group = shared.group(place);
        rule.found_on(view)
            .saw(startup.file.clone(), &startup.line)
            .saw(shared.governor_file(&view.governor, place), DEFAULT)
            .of_group(&group.path, shared.asked[place], shared.real[place])
            .follows(format!("The machine has started: the unit weighs {DEFAULT} now."))
            .mends(give_weight(&view.governor, shared.tree, group, startup.weight))
            .mend(format!("{}: IOWeight={}", startup.file, startup.weight))
    });
    found.collect()
}
