// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands and lines that give groups weights and disks elevators.

use crate::governor::Governor;
use crate::tree::{GroupSeen, Tree};
use crate::unit::{Manager, manager_below};
use base::shell::quoted;
use host::{Candidate, Disk, UdevRules};

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

/// What makes an elevator the disk's, and that of all of its paths: commands for now, and the lines
/// that do it at each start.
pub(crate) fn choose_elevator(disk: &Disk, chosen: &Candidate) -> (Vec<String>, Vec<String>) {
    let tunables = chosen.tunables.iter();
    let tunables = tunables.map(|(name, value)| (format!("iosched/{name}"), value.as_str()));
    let scheduler = ("scheduler".to_owned(), chosen.scheduler.as_str());
    let settings: Vec<(String, &str)> = std::iter::once(scheduler).chain(tunables).collect();
    let of_disk = |name: &str| {
        let files = settings.iter();
        let file = |file: &str| format!("/sys/block/{name}/queue/{file}");
        files.map(|(name, value)| write(value, &file(name))).collect::<Vec<_>>()
    };
    let commands = disk.names().flat_map(of_disk).collect();
    let name = disk.name_in_files();
    let lasting = match UdevRules::of(disk, chosen) {
        Some(rules) => {
            let file = format!("/etc/udev/rules.d/60-{name}-scheduler.rules");
            rules.lines.into_iter().map(|line| format!("{file}: {line}")).collect()
        }
        // Udev is not told of these disks.
        None => {
            let file = format!("/etc/tmpfiles.d/60-{name}-scheduler.conf");
            let of_disk = |disk: &str| {
                let settings = settings.iter();
                let line = |(name, value): &(String, &str)| {
                    format!("{file}: w /sys/block/{disk}/queue/{name} - - - - {value}")
                };
                settings.map(line).collect::<Vec<_>>()
            };
            disk.names().flat_map(of_disk).collect()
        }
    };
    (commands, lasting)
}
