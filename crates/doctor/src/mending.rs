// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands and lines that give groups weights and disks elevators.

use crate::governor::Governor;
use crate::machine::DiskSeen;
use crate::tree::{GroupSeen, Tree};
use crate::unit::{Manager, manager_below};
use base::shell::quoted;

/// The command that writes a value to a file. In names of groups are backslashes and whatever those
/// chose who made them.
pub(crate) fn write(value: impl ToString, file: &str) -> String {
    format!("echo {} >{}", quoted(value.to_string()), quoted(file))
}

/// What gives a group a weight: the manager that made it, if it is a unit and the weight is not
/// squeezed, else the file that the governor of the disk reads, which takes no more than its most.
pub(crate) fn give_weight(
    governor: &Governor,
    tree: &Tree,
    group: &GroupSeen,
    weight: u32,
) -> Vec<String> {
    let arrives = match governor {
        Governor::Elevator { .. } => tree.by_systemd(weight) == weight,
        Governor::IoCost | Governor::Nobody { .. } => true,
    };
    let manager = manager_below(group.path_above()).filter(|_| group.is_unit() && arrives);
    let Some(manager) = manager else {
        let taken = governor.taken(weight);
        return vec![write(taken, &governor.weight_file(tree, group))];
    };
    let name = group.name();
    let quoted_name = quoted(name);
    let is_transient = name.ends_with(".scope") || name.starts_with("run-");
    let systemctl = match manager {
        Manager::User(user) => {
            format!("sudo -u '#{user}' XDG_RUNTIME_DIR=/run/user/{user} systemctl --user")
        }
        Manager::System => "systemctl".to_owned(),
    };
    let run_time = if is_transient { " --runtime" } else { "" };
    let mut lines =
        vec![format!("{systemctl} set-property{run_time} {quoted_name} IOWeight={weight}")];
    if name.starts_with("run-") {
        let kind = if name.ends_with(".scope") { " --scope" } else { "" };
        lines.push(format!("The next one: systemd-run{kind} -p IOWeight={weight} COMMAND"));
    }
    lines
}

/// What makes an elevator the disk's: commands for now, and the line that does it at each start.
/// Without `low_latency` only where bfq would begin with it.
pub(crate) fn choose_elevator(
    seen: &DiskSeen,
    elevator: &str,
    without_low_latency: bool,
) -> (Vec<String>, String) {
    let name = &seen.disk.name;
    let mut commands = vec![write(elevator, &seen.setting("scheduler"))];
    let mut rule = format!(
        "/etc/udev/rules.d/60-{name}-scheduler.rules: ACTION==\"add|change\", \
         KERNEL==\"{name}\", ATTR{{queue/scheduler}}=\"{elevator}\""
    );
    if without_low_latency {
        commands.push(write(0, &seen.setting("iosched/low_latency")));
        rule += ", ATTR{queue/iosched/low_latency}=\"0\"";
    }
    (commands, rule)
}
