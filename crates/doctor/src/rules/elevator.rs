// SPDX-License-Identifier: MIT OR Apache-2.0
//! The elevator: one that ignores weights, none on a slow disk, low_latency on a server.

use crate::finding::{Finding, Fix};
use crate::governor::{Governor, is_weighing};
use crate::mending::{choose_elevator, write};
use crate::rule::{Look, Rule};
use crate::view::View;
use host::Disk;

pub(super) const IGNORES_WEIGHTS: Rule = Rule {
    name: "elevator-ignores-weights",
    title: "The elevator ignores weights",
    about: "Only bfq, tfq and io.cost share a disk by the weights of groups. Under none, \
            mq-deadline and kyber who has more requests waiting gets more, whatever the files say.",
    look: Look::AtDisk(ignores_weights),
};

fn ignores_weights(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Governor::Nobody { elevator } = &view.governor else { return Vec::new() };
    // The disk beneath a loop device decides; if it is looked at it tells that itself.
    let beneath = view.seen.disk.beneath.as_deref();
    let is_told = |disk: &Disk| view.machine.disks.iter().any(|other| other.disk.name == disk.name);
    if beneath.is_some_and(|disk| is_weighing(&disk.current) || is_told(disk)) {
        return Vec::new();
    }
    let Some(shared) = &view.groups else { return Vec::new() };
    // Who is alone on a disk gets all of it under any elevator.
    let mut weighted = view.weighted();
    weighted.retain(|&place| shared.real[place] != Some(1.0));
    let Some(worst) = shared.most_lost(&weighted) else { return Vec::new() };
    let (file, line) = shared.evidence(view.machine, worst);
    let groups = match weighted.len() {
        1 => "a group".to_owned(),
        number => format!("{number} groups"),
    };
    let found = rule
        .found_on(view)
        .saw(view.seen.setting("scheduler"), view.seen.schedulers())
        .saw(file, line)
        .of_group(&shared.group(worst).path, shared.asked[worst], shared.real[worst])
        .follows(format!(
            "{elevator} serves requests whoever sent them: the weights of {groups} have no effect. \
             Loads of the same kind get the same each; one that keeps more requests waiting gets \
             more than that."
        ));
    vec![match beneath {
        None => choosing(found, view, "bfq"),
        Some(disk) => {
            found.mend(write("bfq", &format!("/sys/block/{}/queue/scheduler", disk.name)))
        }
    }]
}

/// With the elevator that mends it, which may have to be loaded.
fn choosing(found: Finding, view: &View<'_>, elevator: &str) -> Finding {
    // What bfq starts with would bend the weights that it is chosen for.
    let is_for_weights = elevator == "bfq" && !view.weighted().is_empty();
    let without_low_latency = is_for_weights && !view.machine.has_screen;
    let tunables = if without_low_latency { ":low_latency=0" } else { "" };
    let candidate = format!("{elevator}{tunables}");
    let chosen = candidate.parse().expect("a name, perhaps with tunables");
    let (commands, lasting) = choose_elevator(&view.seen.disk, &chosen);
    let is_there = view.seen.disk.schedulers.iter().any(|name| name == elevator);
    let found = match is_there {
        true => found.fixed_by(Fix::Elevator { candidate }, commands),
        false => found.mend(format!("modprobe {elevator}")).mends(commands),
    };
    found.mends(lasting)
}

pub(super) const NONE_ON_SLOW_DISK: Rule = Rule {
    name: "none-on-slow-disk",
    title: "A slow disk has no scheduler",
    about: "A disk with moving parts, or a memory card, serves one request at a time; without a \
            scheduler a program that reads waits behind all that others have queued.",
    look: Look::AtDisk(none_on_slow_disk),
};

fn none_on_slow_disk(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let disk = &view.seen.disk;
    let is_slow = ["rotating disk", "memory card"].contains(&disk.kind());
    if disk.current != "none"
        || !is_slow
        || disk.schedulers.len() < 2
        || !view.weighted().is_empty()
    {
        return Vec::new();
    }
    let offered = |name: &&str| disk.schedulers.iter().any(|other| other == name);
    let better = ["bfq", "mq-deadline"].into_iter().find(offered).unwrap_or("bfq");
    let found = rule
        .found_on(view)
        .saw(view.seen.setting("scheduler"), view.seen.schedulers())
        .saw(view.seen.setting("rotational"), u8::from(disk.rotational))
        .follows(
            "Requests reach the disk in the order in which they come. Programs that wait for one \
             read after the other are held up by those that queue many; weights have no effect.",
        );
    vec![choosing(found, view, better)]
}

pub(super) const LOW_LATENCY: Rule = Rule {
    name: "low-latency-on-server",
    title: "low_latency bends the weights of a server",
    about: "With low_latency bfq multiplies the weight of programs that have just started, or that \
            look as if a user waited for them, by up to 30 for seconds. On a desktop that is its \
            purpose; between services with weights it bends the shares.",
    look: Look::AtDisk(low_latency),
};

fn low_latency(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let is_on = view.seen.low_latency == Some(1);
    let weighs = view.governor.is_elevator();
    let weighted = view.weighted();
    let Some(&first) = weighted.first() else { return Vec::new() };
    let Some(shared) = view.groups.as_ref().filter(|_| is_on && weighs && !view.machine.has_screen)
    else {
        return Vec::new();
    };
    let found = rule
        .found_on(view)
        .saw(view.seen.setting("iosched/low_latency"), 1)
        .saw(shared.governor_file(&view.governor, first), shared.weight[first].unwrap_or_default())
        .follows(
            "No program draws on a screen here, and groups have weights. Processes that start or \
             wait are preferred for seconds at a time, by as much as is not known beforehand: \
             shares differ from what is predicted meanwhile.",
        );
    vec![found.set(view.seen.setting("iosched/low_latency"), 1, 0)]
}
