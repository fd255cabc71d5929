// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weights that are not where the processes compete: below, or above.

use crate::finding::Finding;
use crate::machine::Machine;
use crate::mending::{give_weight, write};
use crate::rule::{Look, Rule};
use crate::view::View;
use crate::weight::{DEFAULT, MOST_OF_BFQ};
use host::CgroupVersion;

pub(super) const ALONE_ON_ITS_LEVEL: Rule = Rule {
    name: "weight-below-the-fork",
    title: "The weight is set below where groups compete",
    about: "A weight counts among the groups right beside. On a group that is alone in the one \
            above it (as a container in its scope: podman issue 24207) it divides nothing; what \
            competes is the group above, which was given no weight.",
    look: Look::AtDisk(alone),
};

fn alone(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Some(shared) = view.groups.as_ref().filter(|_| view.governor.weighs()) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for place in view.weighted() {
        let is_alone = |&place: &usize| shared.part_of_level(place) == Some(1.0);
        let fork = shared.tree.line_of(place).find(|place| !is_alone(place));
        let Some(fork) = fork.filter(|&fork| fork != place && shared.group(fork).parent.is_some())
        else {
            continue;
        };
        if shared.has_asked(fork) {
            continue;
        }
        let (group, above) = (shared.group(place), shared.group(fork));
        let weight = shared.asked_weight[place];
        let rivals = shared.rivals(fork).into_iter().map(|rival| shared.asked_weight[rival]);
        let meant = f64::from(weight) / (f64::from(weight) + f64::from(rivals.sum::<u32>()));
        let parent = above.parent.and_then(|parent| shared.real[parent]);
        let (file, line) = shared.evidence(view.machine, place);
        findings.push(
            rule.found_on(view)
                .saw(file, line)
                .saw(shared.governor_file(&view.governor, fork), DEFAULT)
                .of_group(&group.path, parent.map(|whole| whole * meant), shared.real[place])
                .follows(format!(
                    "Nothing competes with {} in the group above it. Its processes compete as a \
                     part of {}, which weighs {DEFAULT}.",
                    group.path, above.path
                ))
                .mends(give_weight(&view.governor, shared.tree, above, weight)),
        );
    }
    findings
}

pub(super) const NO_PROCESS: Rule = Rule {
    name: "weight-away-from-processes",
    title: "The weight is on a group without the processes",
    about: "A group without processes uses no disk, whatever it weighs. And the containers of an \
            engine are no part of its service: a weight of docker.service is that of the engine \
            alone.",
    look: Look::AtMachine(no_process),
};

/// Services whose work is done in groups elsewhere, and how the names of these begin.
const ENGINES: [(&str, &str); 4] = [
    ("docker.service", "docker-"),
    ("containerd.service", "cri-containerd-"),
    ("crio.service", "crio-"),
    ("libvirtd.service", "machine-qemu"),
];

fn no_process(rule: &Rule, machine: &Machine) -> Vec<Finding> {
    let Some(tree) = &machine.tree else { return Vec::new() };
    let mut findings = Vec::new();
    for group in tree.groups.iter().filter(|group| group.parent.is_some()) {
        let weights = [
            (tree.bfq_weight_file(group), &group.bfq_weight),
            (tree.io_weight_file(group), &group.io_weight),
        ];
        let set = weights.into_iter().find_map(|(file, weights)| {
            let weight = weights.as_ref()?.default;
            (weight != DEFAULT).then_some((file, weight))
        });
        let Some((file, weight)) = set else { continue };
        let found = rule.found().saw(file, weight).of_group(&group.path, None, None);
        if !machine.is_populated(group) {
            let folder = tree.folder_of(group);
            let (file, text) = match tree.version {
                CgroupVersion::V1 => (format!("{folder}/cgroup.procs"), "empty"),
                CgroupVersion::V2 => (format!("{folder}/cgroup.events"), "populated 0"),
            };
            findings.push(
                found
                    .saw(file, text)
                    .follows("No process is in it or below: the weight divides nothing.")
                    .mend(
                        "Give the weight to the group that has the processes: cat /proc/PID/cgroup",
                    ),
            );
            continue;
        }
        let Some((_, prefix)) = ENGINES.iter().find(|(name, _)| *name == group.name()) else {
            continue;
        };
        let elsewhere = tree.groups.iter().filter(|other| {
            other.name().starts_with(prefix)
                && !other.path.starts_with(&group.path)
                && other.bfq_weight.as_ref().is_none_or(|weights| weights.default == DEFAULT)
        });
        let elsewhere: Vec<_> = elsewhere.collect();
        if let Some(first) = elsewhere.first() {
            findings.push(
                found
                    .saw(tree.bfq_weight_file(first), DEFAULT)
                    .follows(format!(
                        "What it starts is in groups that are not below it, such as {}; each \
                         weighs {DEFAULT}.",
                        first.path
                    ))
                    .mend(write(weight.min(MOST_OF_BFQ), &tree.bfq_weight_file(first))),
            );
        }
    }
    findings
}
