// SPDX-License-Identifier: MIT OR Apache-2.0
//! Levels of the tree above a weight: what is beside takes most before the weight counts.

use crate::finding::Finding;
use crate::governor::Governor;
use crate::mending::{give_weight, write};
use crate::rule::{Look, Rule};
use crate::view::{Shared, View};
use crate::weight::{DEFAULT, OF_A_PROCESS};
use base::shell::quoted;

/// What takes this part of a level is told.
const HALF: f64 = 0.5;

pub(super) const SIBLING_TREE: Rule = Rule {
    name: "sibling-tree-takes-half",
    title: "A sibling tree takes half or more before the weight counts",
    about: "A weight divides what the group above gets. system.slice, user.slice and machine.slice \
            weigh the same unless they are set otherwise, however many units are in each: a \
            service of weight 1000 has no part of what the users' sessions take.",
    look: Look::AtDisk(sibling_tree),
};

fn sibling_tree(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Some(shared) = view.groups.as_ref().filter(|_| view.governor.weighs()) else {
        return Vec::new();
    };
    // Who was given less than others have is not to have more of the disk.
    let mut weighted = view.weighted();
    weighted.retain(|&place| shared.asked_weight[place] > DEFAULT);
    let halved = weighted.iter().filter_map(|&place| {
        // Alone on its level it is another matter, which another rule tells.
        shared.part_of_level(place).filter(|&part| part < 1.0)?;
        let above = shared.tree.line_of(place).skip(1);
        let mut levels = above.filter(|&above| shared.group(above).parent.is_some());
        let level = levels.find(|&above| {
            let others = unasked_rivals(shared, above).into_iter();
            let others: f64 = others.filter_map(|rival| shared.part_of_level(rival)).sum();
            others >= HALF && !shared.has_asked(above)
        })?;
        Some((place, level))
    });
    // The heaviest group has the most to lose.
    let Some((place, level)) = halved.max_by_key(|&(place, _)| shared.asked_weight[place]) else {
        return Vec::new();
    };
    let rivals = unasked_rivals(shared, level);
    let Some(&rival) = rivals.iter().max_by_key(|&&rival| shared.weight[rival]) else {
        return Vec::new();
    };
    let (group, above) = (shared.group(place), shared.group(level));
    let (file, line) = shared.evidence(view.machine, place);
    let part = shared.part_of_level(place).unwrap_or(1.0);
    let names: Vec<&str> = rivals.iter().map(|&rival| shared.group(rival).path.as_str()).collect();
    let found = rule
        .found_on(view)
        .saw(file, line)
        .saw(shared.governor_file(&view.governor, level), DEFAULT)
        .saw(shared.governor_file(&view.governor, rival), shared.weight[rival].unwrap_or(DEFAULT))
        .of_group(&group.path, Some(part), shared.real[place])
        .follows(format!(
            "Its weight counts within {} alone, which gets {:.0} % of the disk beside {}: {:.0} % \
             of that is {:.0} %.",
            above.path,
            shared.real[level].unwrap_or(0.0) * 100.0,
            names.join(", "),
            part * 100.0,
            shared.real[place].unwrap_or(0.0) * 100.0
        ));
    vec![weighing_down(found, &view.governor, shared, &rivals)]
}

/// The groups beside one that were given no weight: what a weight gives to a group is meant.
fn unasked_rivals(shared: &Shared<'_>, place: usize) -> Vec<usize> {
    shared.rivals(place).into_iter().filter(|&rival| !shared.has_asked(rival)).collect()
}

/// With lesser weights for what is beside; systemd does not squeeze those.
fn weighing_down(
    found: Finding,
    governor: &Governor,
    shared: &Shared<'_>,
    rivals: &[usize],
) -> Finding {
    const LITTLE: u32 = 20;
    let line = |&rival: &usize| give_weight(governor, shared.tree, shared.group(rival), LITTLE);
    found.mends(rivals.iter().flat_map(line))
}

pub(super) const PROCESSES_BESIDE: Rule = Rule {
    name: "processes-beside-groups",
    title: "Processes outside of groups compete with groups",
    about: "A process that is directly in a group competes with the groups in there, one by one, \
            each with the weight 40 (ioprio 4). In version 1, and in the root group, that is where \
            processes are that were not put anywhere.",
    look: Look::AtDisk(processes_beside),
};

fn processes_beside(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Some(shared) = &view.groups else { return Vec::new() };
    if !view.governor.is_elevator() {
        return Vec::new();
    }
    let parent_of = |place: usize| shared.group(place).parent.unwrap_or(0);
    let beside = view
        .weighted()
        .into_iter()
        .filter(|&place| !shared.processes_beside(view.machine, parent_of(place)).is_empty());
    let Some(place) = beside.max_by_key(|&place| shared.asked_weight[place]) else {
        return Vec::new();
    };
    let above = shared.group(parent_of(place));
    let folder = shared.tree.folder_of(above);
    let others = format!("{}/others", folder.trim_end_matches('/'));
    let using = shared.processes_beside(view.machine, parent_of(place));
    let shown = using.iter().take(5).map(|one| format!("{} ({})", one.name, one.pid));
    let shown = shown.collect::<Vec<_>>().join(", ");
    let (file, line) = shared.evidence(view.machine, place);
    vec![
        rule.found_on(view)
            .saw(format!("{folder}/cgroup.procs"), shown)
            .saw(file, line)
            .of_group(&shared.group(place).path, None, None)
            .follows(format!(
                "Processes that use disks, {} of them, are in {} itself. While one uses this disk \
                 it weighs {OF_A_PROCESS} beside the groups; which of them do is not known, so the \
                 predicted shares are without them.",
                using.len(),
                above.path
            ))
            .mend(format!(
                "mkdir {} && {}",
                quoted(&others),
                write("PID", &format!("{others}/cgroup.procs"))
            )),
    ]
}
