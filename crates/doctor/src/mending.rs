// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands and lines that give groups weights and disks elevators.

use crate::machine::DiskSeen;
use crate::tree::{Group, Tree};

/// What gives a group a weight: through systemd if that made the group, else the file itself.
pub(crate) fn give_weight(tree: &Tree, group: &Group, weight: u32) -> String {
    match group.is_unit() {
        true => format!("systemctl set-property {} IOWeight={weight}", group.name()),
        false => format!("echo {weight} >{}", tree.bfq_weight_file(group)),
    }
}

/// What makes an elevator the disk's, now and at each start.
pub(crate) fn choose_elevator(seen: &DiskSeen, elevator: &str) -> [String; 2] {
    let name = &seen.disk.name;
    [
        format!("echo {elevator} >{}", seen.setting("scheduler")),
        format!(
            "/etc/udev/rules.d/60-{name}-scheduler.rules: ACTION==\"add|change\", \
             KERNEL==\"{name}\", ATTR{{queue/scheduler}}=\"{elevator}\""
        ),
    ]
}
