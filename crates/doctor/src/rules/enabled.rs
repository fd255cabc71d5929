// SPDX-License-Identifier: MIT OR Apache-2.0
//! Controllers that are not handed down the tree, so that a weight has no file.

use crate::finding::Finding;
use crate::machine::Machine;
use crate::mending::write;
use crate::rule::{Look, Rule};
use host::CgroupVersion;

pub(super) const NOT_ENABLED: Rule = Rule {
    name: "controller-not-enabled",
    title: "The controller io is not enabled down to the group",
    about: "In version 2 a group has weights for disks only if each group above hands the \
            controller io down. Without it the processes count as the group above.",
    look: Look::AtMachine(not_enabled),
};

fn not_enabled(rule: &Rule, machine: &Machine) -> Vec<Finding> {
    let Some(tree) = machine.tree.as_ref().filter(|tree| tree.version == CgroupVersion::V2) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for (place, group) in tree.groups.iter().enumerate() {
        let asked = machine.unit_weight_of(group);
        let Some(asked) = asked.filter(|_| !group.governs) else { continue };
        let hands_down = |place: usize| tree.groups[place].hands_down.iter().any(|c| c == "io");
        let line: Vec<usize> = tree.line_of(place).skip(1).collect();
        // The topmost is to be mended first.
        let Some(&gap) = line.iter().rev().find(|&&above| !hands_down(above)) else { continue };
        let above = &tree.groups[gap];
        let file = format!("{}/cgroup.subtree_control", tree.folder_of(above));
        let found = rule
            .found()
            .saw(asked.file.clone(), &asked.line)
            .saw(file, above.hands_down.join(" "))
            .of_group(&group.path, None, None)
            .follows(format!(
                "{} has no weight: its processes share the disk as a part of {}.",
                group.path, above.path
            ));
        let gaps = line.iter().rev().filter(|&&above| !hands_down(above));
        let enable = |&above: &usize| {
            let folder = tree.folder_of(&tree.groups[above]);
            write("+io", &format!("{folder}/cgroup.subtree_control"))
        };
        let mut found = found.mends(gaps.map(enable));
        if above.name().starts_with("user@") {
            found = found.mend(
                "/etc/systemd/system/user@.service.d/delegate.conf: [Service] Delegate=cpu io \
                 memory pids",
            );
        }
        findings.push(found);
    }
    findings
}
