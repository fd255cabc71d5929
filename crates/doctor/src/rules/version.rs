// SPDX-License-Identifier: MIT OR Apache-2.0
//! Both versions of control groups at once.

use crate::finding::Finding;
use crate::machine::Machine;
use crate::process::ProcessSeen;
use crate::rule::{Look, Rule};
use host::CgroupVersion;

pub(super) const V1_BESIDE_V2: Rule = Rule {
    name: "v1-beside-v2",
    title: "Version 1 governs block I/O, and the processes are sorted in version 2",
    about: "A controller is in one hierarchy. Where blkio is mounted in version 1, groups of \
            version 2 have no weights, and a process counts for the disk by its group in version 1.",
    look: Look::AtMachine(v1_beside_v2),
};

fn v1_beside_v2(rule: &Rule, machine: &Machine) -> Vec<Finding> {
    let Some(tree) = machine.tree.as_ref().filter(|tree| tree.version == CgroupVersion::V1) else {
        return Vec::new();
    };
    let is_lost = |process: &&ProcessSeen| {
        !process.is_kernel && process.group == "/" && process.unified_group != "/"
    };
    let lost: Vec<&ProcessSeen> = machine.processes.iter().filter(is_lost).collect();
    let Some(first) = lost.first().filter(|_| machine.has_other_tree) else { return Vec::new() };
    vec![
        rule.found()
            .saw(
                format!("/proc/{}/cgroup", first.pid),
                format!("blkio:/ and 0::{}", first.unified_group),
            )
            .saw("/proc/self/mountinfo", format!("cgroup … blkio at {}", tree.folder))
            .follows(format!(
                "Processes that have groups of their own in version 2, {} of them, are in the root \
                 group for block I/O: for the disk they are not told apart.",
                lost.len()
            ))
            .mend("Kernel command line: cgroup_no_v1=io systemd.unified_cgroup_hierarchy=1"),
    ]
}
