// SPDX-License-Identifier: MIT OR Apache-2.0
//! Other controllers that act on the disk beside the one that shares by weights.

use crate::finding::Finding;
use crate::governor::Governor;
use crate::mending::write;
use crate::rule::{Look, Rule};
use crate::tree::GroupSeen;
use crate::view::View;

pub(super) const IO_COST: Rule = Rule {
    name: "io-cost-beside",
    title: "io.cost is active beside the elevator",
    about: "io.cost holds requests back by io.weight before the elevator sees them; what it holds \
            back the elevator cannot share out by io.bfq.weight.",
    look: Look::AtDisk(io_cost),
};

fn io_cost(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Some(shared) = &view.groups else { return Vec::new() };
    let Governor::Elevator { name } = &view.governor else { return Vec::new() };
    if !shared.tree.io_cost.contains(&shared.device) {
        return Vec::new();
    }
    let file = format!("{}/io.cost.qos", shared.tree.folder.trim_end_matches('/'));
    vec![
        rule.found_on(view)
            .saw(file.clone(), format!("{} enable=1", shared.device))
            .saw(view.seen.setting("scheduler"), view.seen.schedulers())
            .follows(format!(
                "Two share the disk one after the other, io.cost by io.weight and {name} by \
                 io.bfq.weight. The share of a group is at most the lesser of both; what it is \
                 cannot be predicted."
            ))
            .mend(format!(
                "{}  # {name} decides then",
                write(format!("{} enable=0", shared.device), &file)
            ))
            .mend(format!(
                "{}  # instead of that, not besides: io.cost decides then",
                write("none", &view.seen.setting("scheduler"))
            )),
    ]
}

pub(super) const IO_LATENCY: Rule = Rule {
    name: "io-latency-beside",
    title: "io.latency throttles beside weights",
    about: "A group with a target in io.latency has others throttled while it waits longer than \
            that, whatever they weigh.",
    look: Look::AtDisk(io_latency),
};

fn io_latency(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Some(shared) = view.groups.as_ref().filter(|_| view.governor.weighs()) else {
        return Vec::new();
    };
    let targets = |group: &GroupSeen| group.latency_targets.get(&shared.device).cloned();
    let having = shared.tree.groups.iter().filter_map(|group| Some((group, targets(group)?)));
    let found = having.map(|(group, target)| {
        let file = format!("{}/io.latency", shared.tree.folder_of(group));
        rule.found_on(view)
            .saw(file.clone(), format!("{} {target}", shared.device))
            .of_group(&group.path, None, None)
            .follows(
                "While this group misses its target, groups with a larger target or none get less \
                 than their weights say: how much less is not known beforehand.",
            )
            .mend(write(format!("{} target=0", shared.device), &file))
    });
    found.collect()
}

pub(super) const WRITEBACK_THROTTLING: Rule = Rule {
    name: "wbt-beside-weights",
    title: "Writeback is throttled beside the elevator",
    about: "The kernel turns its throttling of writeback (wbt) off where bfq is chosen, as it \
            holds writes back whatever their group weighs. Here it has been turned on again. Linux \
            before 6.2 does not tell whether it is on.",
    look: Look::AtDisk(writeback_throttling),
};

fn writeback_throttling(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let is_weighing = view.governor.is_elevator();
    let Some(latency) = view.seen.wbt_lat_usec.filter(|&latency| latency > 0 && is_weighing) else {
        return Vec::new();
    };
    let found = rule
        .found_on(view)
        .saw(view.seen.setting("wbt_lat_usec"), latency)
        .saw(view.seen.setting("scheduler"), view.seen.schedulers())
        .follows(
            "Buffered writes wait before they reach the elevator: a heavy group that writes gets \
             less than its share.",
        );
    vec![found.set(view.seen.setting("wbt_lat_usec"), latency, 0)]
}
