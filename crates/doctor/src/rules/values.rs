// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weights whose value is not the one that was written: in a file that is not read, only in a unit
//! file, pressed into another range, or for the time of the start only.

use crate::finding::Finding;
use crate::governor::Governor;
use crate::mending::{give_weight, write};
use crate::rule::{Look, Rule};
use crate::view::{Shared, View};
use crate::weight::DEFAULT;

pub(super) const UNREAD_FILE: Rule = Rule {
    name: "weight-in-file-nobody-reads",
    title: "The weight is in a file that is not read here",
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
    let (file, line) = shared.evidence(view.machine, worst);
    let reader = match view.governor {
        Governor::IoCost => "io.cost",
        _ => view.seen.disk.current.as_str(),
    };
    let others = same_of_others(lost.len());
    let found = rule
        .found_on(view)
        .saw(file, line)
        .saw(shared.governor_file(&view.governor, worst), DEFAULT)
        .of_group(&shared.group(worst).path, shared.asked[worst], shared.real[worst])
        .follows(format!(
            "{reader} decides, and reads the other file: the group weighs {DEFAULT} \
                          there, like all that say nothing.{others}"
        ));
    let rest = lost.into_iter().filter(|&place| place != worst);
    vec![giving_read_weights(found, view, shared, [worst].into_iter().chain(rest))]
}

/// The sentence that says of how many more groups a finding is, of `number` in all.
fn same_of_others(number: usize) -> String {
    match number {
        1 => String::new(),
        2 => " The same is so of another group.".to_owned(),
        number => format!(" The same is so of {} more groups.", number - 1),
    }
}

/// With what writes the weights of groups to the file that is read: those that `--fix` can write
/// first, which are of groups without a weight for one disk only.
fn giving_read_weights(
    found: Finding,
    view: &View<'_>,
    shared: &Shared<'_>,
    groups: impl Iterator<Item = usize>,
) -> Finding {
    let is_plain = |&place: &usize| {
        let group = shared.group(place);
        let weights = match view.governor {
            Governor::IoCost => &group.io_weight,
            _ => &group.bfq_weight,
        };
        weights.as_ref().is_some_and(|weights| weights.of_disks.is_empty())
    };
    let (plain, others): (Vec<usize>, Vec<usize>) = groups.partition(is_plain);
    let file = |place| shared.governor_file(&view.governor, place);
    let weight = |place: usize| view.governor.taken(shared.asked_weight[place]);
    let seen = shared.text_of_default(&view.governor);
    let found = plain.into_iter().fold(found, |found, at| found.set(file(at), &seen, weight(at)));
    found.mends(others.into_iter().map(|at| write(weight(at), &file(at))))
}

pub(super) const NOT_ARRIVED: Rule = Rule {
    name: "unit-weight-not-arrived",
    title: "The unit's weight has not arrived",
    about: "systemd writes IOWeight= to the files of a group when the unit starts. A weight for \
            bfq does not arrive if bfq was loaded after that, if systemd is older than 247, if the \
            unit file has changed without a `systemctl daemon-reload`, or if another \
            weight was written over it.",
    look: Look::AtDisk(not_arrived),
};

fn not_arrived(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Some(shared) = view.groups.as_ref().filter(|_| view.governor.weighs()) else {
        return Vec::new();
    };
    let wanting = (1..shared.tree.groups.len()).filter(|&place| shared.contest.wants[place]);
    let lost: Vec<usize> = wanting.filter(|&place| has_not_arrived(view, shared, place)).collect();
    let Some(worst) = shared.most_lost(&lost) else { return Vec::new() };
    let group = shared.group(worst);
    let asked = shared.asked_weight[worst];
    let weight = shared.weight[worst].unwrap_or(DEFAULT);
    let (file, line) = shared.evidence(view.machine, worst);
    let others = same_of_others(lost.len());
    let found = rule
        .found_on(view)
        .saw(file, line)
        .saw(shared.governor_file(&view.governor, worst), weight)
        .of_group(&group.path, shared.asked[worst], shared.real[worst])
        .follows(format!(
            "The unit asks for {asked}, and the group weighs {weight}, which is not what systemd \
             makes of it.{others}"
        ));
    let rest = lost.into_iter().filter(|&place| place != worst);
    let lines = [worst].into_iter().chain(rest).flat_map(|place| {
        let (group, asked) = (shared.group(place), shared.asked_weight[place]);
        give_weight(&view.governor, shared.tree, group, asked)
    });
    vec![found.mends(lines)]
}

/// Whether a group weighs neither what its unit asks for nor what systemd makes of that. A weight
/// for a single disk is a user's own, or that of `IODeviceWeight=`.
fn has_not_arrived(view: &View<'_>, shared: &Shared<'_>, place: usize) -> bool {
    let group = shared.group(place);
    let unit = view.machine.units.of(group);
    let Some(weight) = shared.weight[place] else { return false };
    let arrives = |asked: u32| weight == asked || is_what_arrives(view, shared, asked, weight);
    let has_own_line = match view.governor {
        Governor::IoCost => &group.io_weight,
        _ => &group.bfq_weight,
    };
    let has_own_line =
        has_own_line.as_ref().is_some_and(|weights| weights.of_disks.contains_key(&shared.device));
    match (unit.weight, unit.startup_weight) {
        _ if has_own_line => false,
        (None, None) => false,
        // What holds between start and end is 100, and another rule's.
        (None, Some(startup)) => weight != DEFAULT && !arrives(startup.weight),
        (Some(asked), None) => !arrives(asked.weight),
        (Some(asked), Some(startup)) => !arrives(asked.weight) && !arrives(startup.weight),
    }
}

/// Whether a weight is what the elevator's file has after systemd has written another one.
fn is_what_arrives(view: &View<'_>, shared: &Shared<'_>, asked: u32, weight: u32) -> bool {
    view.governor.is_elevator() && shared.tree.by_systemd(asked) == weight
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
    shared.weight[place]
        .is_some_and(|weight| weight != asked && is_what_arrives(view, shared, asked, weight))
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
