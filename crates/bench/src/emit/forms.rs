// SPDX-License-Identifier: MIT OR Apache-2.0
//! The texts for udev, systemd, TuneD and systemd-tmpfiles.

use super::comment::comment;
use super::form::EmitError;
use host::{Candidate, Disk, UdevRules};
use std::path::Path;

/// What is written where: a scheduler and its tunables, for the disks of a target.
pub(super) struct Setting<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) disk: &'a Disk,
    /// Why, a line each.
    pub(super) why: Vec<String>,
}

impl Setting<'_> {
    /// The comment at the top: why, where to put it, and more.
    fn head(&self, more: &[String]) -> String {
        comment(&[&self.why[..], more].concat())
    }

    /// The disks' folders of settings.
    fn queues(&self) -> Vec<String> {
        self.disk.queues().map(|queue| queue.display().to_string()).collect()
    }

    /// Files and what is written to them, in this order: a scheduler brings its tunables.
    fn writes(&self) -> Vec<(String, &str)> {
        let mut writes = Vec::new();
        for queue in self.queues() {
            writes.push((format!("{queue}/scheduler"), self.candidate.scheduler.as_str()));
            let tunables = self.candidate.tunables.iter();
            writes.extend(
                tunables.map(|(name, value)| (format!("{queue}/iosched/{name}"), value.as_str())),
            );
        }
        writes
    }

    /// A rule of udev.
    ///
    /// # Errors
    /// [`EmitError::Hidden`].
    pub(super) fn udev(&self) -> Result<String, EmitError> {
        let Some(rules) = UdevRules::of(self.disk, self.candidate) else {
            return Err(EmitError::Hidden { name: self.disk.name.clone() });
        };
        let name = self.disk.name_in_files();
        let mut head = vec![format!(
            "Put this into /etc/udev/rules.d/60-io-scheduler-{name}.rules; then \
             `udevadm control --reload` and `udevadm trigger --action=change {}`.",
            parent(&self.disk.queue)
        )];
        if rules.is_by_name {
            head.push(
                "A disk without a serial number is known by its name here, which may be another \
                 after a boot: look at `udevadm info -a` for something that stays."
                    .to_owned(),
            );
        }
        Ok(self.head(&head) + &rules.lines.join("\n") + "\n")
    }

    pub(super) fn systemd(&self) -> String {
        let name = self.disk.name_in_files();
        let unit = unit_of(&self.disk.visible_name());
        let mut text = self.head(&[format!(
            "Put this into /etc/systemd/system/io-scheduler-{name}.service; then \
             `systemctl daemon-reload` and `systemctl enable --now io-scheduler-{name}`. It goes by \
             the disk's name; where that may change, --emit udev is better."
        )]);
        let writes: Vec<String> = self
            .writes()
            .iter()
            .map(|(file, value)| format!("ExecStart=/bin/sh -c 'echo {value} >{file}'"))
            .collect();
        text += &format!(
            "[Unit]\n\
             Description=I/O scheduler {} for {name}\n\
             Requires={unit}\n\
             After={unit}\n\
             \n\
             [Service]\n\
             Type=oneshot\n\
             RemainAfterExit=yes\n\
             {}\n\
             \n\
             [Install]\n\
             WantedBy={unit}\n",
            self.candidate.scheduler,
            writes.join("\n"),
        );
        text
    }

    pub(super) fn tuned(&self) -> String {
        let name = self.disk.name_in_files();
        let mut text = self.head(&[format!(
            "Put this into /etc/tuned/io-scheduler-{name}/tuned.conf (TuneD 2.23 and later: \
             /etc/tuned/profiles/io-scheduler-{name}/tuned.conf); then add it to the profile in use: \
             `tuned-adm profile THAT_PROFILE io-scheduler-{name}`."
        )]);
        let scheduler = &self.candidate.scheduler;
        text += &format!("[main]\nsummary=I/O scheduler {scheduler} for {name}\n");
        // TuneD knows the disks that udev knows: of hidden ones it can write the files.
        let is_hidden = self.disk.is_hidden();
        if !is_hidden {
            text += &format!(
                "\n[disk]\ndevices={}\nelevator={scheduler}\n",
                self.disk.names().collect::<Vec<_>>().join(",")
            );
        }
        if is_hidden {
            text += "\n[sysfs]\n";
        } else if !self.candidate.tunables.is_empty() {
            text += "\n# Behind [disk]: the tunables come with their scheduler.\n[sysfs]\n";
        }
        let is_told = |(file, _): &&(String, &str)| is_hidden || file.contains("/iosched/");
        for (file, value) in self.writes().iter().filter(is_told) {
            text += &format!("{file}={value}\n");
        }
        text
    }

    pub(super) fn sysctl_like(&self) -> String {
        let name = self.disk.name_in_files();
        let writes = self.writes();
        let now: Vec<String> =
            writes.iter().map(|(file, value)| format!("echo {value} >{file}")).collect();
        let mut text = self.head(&[
            format!(
                "Put this into /etc/tmpfiles.d/io-scheduler-{name}.conf, from which \
                 systemd-tmpfiles writes it at each boot. It goes by the disk's name; where that \
                 may change, or the disk comes late, --emit udev is better."
            ),
            format!("At once, as root: {}", now.join("; ")),
        ]);
        for (file, value) in &writes {
            text += &format!("w {file} - - - - {value}\n");
        }
        text
    }
}

/// The folder of the disk that a folder of settings belongs to.
fn parent(queue: &Path) -> String {
    queue.parent().unwrap_or(queue).display().to_string()
}

/// systemd's name of the device: its path in /dev (a `!` of sysfs is a `/` there), escaped.
fn unit_of(name: &str) -> String {
    let escaped = |letter: char| match letter {
        '!' => "-".to_owned(),
        ':' | '_' | '.' => letter.to_string(),
        _ if letter.is_ascii_alphanumeric() => letter.to_string(),
        _ => letter.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
    };
    format!("dev-{}.device", name.chars().map(escaped).collect::<String>())
}
