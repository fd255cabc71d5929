// SPDX-License-Identifier: MIT OR Apache-2.0
//! Buffered writes that are charged to the root group.

use crate::finding::Finding;
use crate::mending::write;
use crate::rule::{Look, Rule};
use crate::view::View;
use host::CgroupVersion;

pub(super) const CHARGED_TO_ROOT: Rule = Rule {
    name: "buffered-writes-charged-to-root",
    title: "Buffered writes do not count as the group's",
    about: "A write into the page cache reaches the disk later, from a thread of the kernel. It \
            counts as the group's only in version 2, with the controllers io and memory both \
            enabled for the group, on ext2, ext4, btrfs, f2fs and xfs \
            (Documentation/admin-guide/cgroup-v2.rst). Otherwise it is the root group's, or that \
            of a group above.",
    look: Look::AtDisk(charged_to_root),
};

/// The filesystems that tell whose a page is.
const TELLING: [&str; 5] = ["ext2", "ext4", "btrfs", "f2fs", "xfs"];

/// Whether a filesystem is what the firmware starts the machine from: vfat by the firmware's
/// standard, and no place where groups write.
fn is_for_firmware(folder: &str, kind: &str) -> bool {
    kind == "vfat" && ["/efi", "/boot", "/boot/efi"].contains(&folder)
}

fn charged_to_root(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let Some(shared) = view.groups.as_ref().filter(|_| view.governor.weighs()) else {
        return Vec::new();
    };
    let weighted = view.weighted();
    let Some(&first) = weighted.first() else { return Vec::new() };
    let group = shared.group(first);
    if shared.tree.version == CgroupVersion::V1 {
        let file = format!("/proc/mounts, {}", shared.tree.folder);
        return vec![
            rule.found_on(view)
                .saw(file, "cgroup version 1, blkio")
                .follows(
                    "All buffered writes, whoever made them, are the root group's: weights count \
                     for reads and for direct and synchronous writes. Who dirtied the pages is not \
                     known.",
                )
                .mend("Kernel command line: cgroup_no_v1=io systemd.unified_cgroup_hierarchy=1"),
        ];
    }
    let mut findings = Vec::new();
    let lacks_memory = |&&place: &&usize| {
        let parent = shared.group(place).parent.map(|parent| shared.group(parent));
        parent.is_some_and(|parent| !parent.hands_down.iter().any(|name| name == "memory"))
    };
    if let Some(&place) = weighted.iter().find(lacks_memory) {
        let group = shared.group(place);
        let parent = shared.group(group.parent.unwrap_or(0));
        let file = format!("{}/cgroup.subtree_control", shared.tree.folder_of(parent));
        findings.push(
            rule.found_on(view)
                .saw(file.clone(), parent.hands_down.join(" "))
                .of_group(&group.path, None, None)
                .follows(
                    "Without the controller memory it is not known whose pages are written back: \
                     buffered writes of the group count as those of a group above.",
                )
                .mend(write("+memory", &file)),
        );
    }
    for (folder, kind) in &view.seen.filesystems {
        if !TELLING.contains(&kind.as_str()) && !is_for_firmware(folder, kind) {
            findings.push(
                rule.found_on(view)
                    .saw("/proc/self/mountinfo", format!("{folder} {kind}"))
                    .of_group(&group.path, None, None)
                    .follows(format!(
                        "{kind} does not tell whose pages it writes back: buffered writes to \
                         {folder} are the root group's."
                    ))
                    .mend(format!("Keep what groups write on {}", TELLING.join(", "))),
            );
        }
    }
    findings
}
