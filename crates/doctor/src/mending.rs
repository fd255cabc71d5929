// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands and lines that give groups weights and disks elevators.

use crate::governor::Governor;
use crate::machine::DiskSeen;
use crate::tree::{Group, Tree};

/// What gives a group a weight: systemd, if that made the group and does not squeeze the weight,
/// else the file that the governor of the disk reads.
pub(crate) fn give_weight(governor: &Governor, tree: &Tree, group: &Group, weight: u32) -> String {
    let arrives = match governor {
        Governor::Elevator { .. } => tree.by_systemd(weight) == weight,
        Governor::IoCost | Governor::Nobody { .. } => true,
    };
    match group.is_unit() && arrives {
        true => format!("systemctl set-property {} IOWeight={weight}", group.name()),
        false => format!("echo {weight} >{}", governor.weight_file(tree, group)),
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
