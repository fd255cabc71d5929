// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that is to be known of a target before it is measured, as a page for people.

use super::cgroups::Cgroups;
use super::disk::Disk;
use super::error::HostError;
use super::layers::Layer;
use super::load::{DiskCounters, Load};
use super::needs::{Need, Needs, Wants};
use super::root::Host;
use super::target::TargetKind;
use std::fmt;
use std::thread;
use std::time::Duration;

/// What was found out about a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// The disk behind it.
    pub disk: Disk,
    /// The release of the kernel.
    pub kernel: String,
    /// Where control groups for block I/O are made.
    pub cgroups: Option<Cgroups>,
    /// What the disk did while it was watched.
    pub load: Load,
    /// What is missing for a full run.
    pub needs: Needs,
}

impl Survey {
    /// Looks at a disk, and watches it for a while.
    ///
    /// # Errors
    /// If the system's tables cannot be read.
    pub fn of(host: &Host, disk: Disk, wants: &Wants, watch: Duration) -> Result<Self, HostError> {
        let before = DiskCounters::of(&disk)?;
        thread::sleep(watch);
        let load = before.load_until(&DiskCounters::of(&disk)?, watch);
        Ok(Survey {
            kernel: host.kernel_release()?,
            cgroups: Cgroups::find(host)?,
            needs: Needs::of(host, &disk, wants, Some(load))?,
            load,
            disk,
        })
    }
}

/// Where the second column begins.
const LABEL_WIDTH: usize = 11;

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let disk = &self.disk;
        let groups = self.cgroups.as_ref().map_or_else(|| "none".to_owned(), Cgroups::to_string);
        let others = disk.companions.iter();
        let others = others.map(|other| format!("{} (scheduler {})", other.name, other.current));
        let beneath = disk.beneath.as_deref();
        let rows = [
            ("target", Some(target_in_words(disk))),
            ("disk", Some(disk.to_string())),
            ("by way of", (disk.layers.len() > 1).then(|| way_in_words(&disk.layers))),
            ("with", list(others)),
            ("beneath", beneath.map(|below| format!("{below}, scheduler {}", below.current))),
            ("blocks", Some(blocks_in_words(disk))),
            ("queue", Some(queue_in_words(disk))),
            ("scheduler", Some(format!("{}, of {}", disk.current, disk.schedulers.join(", ")))),
            ("groups", Some(groups)),
            ("kernel", Some(self.kernel.clone())),
            ("now", Some(self.load.to_string())),
        ];
        for (label, text) in rows {
            if let Some(text) = text {
                writeln!(f, "{label:LABEL_WIDTH$}{text}")?;
            }
        }
        if self.needs.iter().next().is_none() {
            return writeln!(f, "\nNothing is missing for a full run.");
        }
        self.needs.iter().try_for_each(|need| write_need(f, need))
    }
}

fn write_need(f: &mut fmt::Formatter<'_>, need: &Need) -> fmt::Result {
    let without = need.without.as_deref().unwrap_or("Nothing is measured.");
    writeln!(f)?;
    for (label, text) in
        [("missing", &*need.missing), ("to do", &need.remedy), ("without", without)]
    {
        writeln!(f, "{label:LABEL_WIDTH$}{text}")?;
    }
    Ok(())
}

fn target_in_words(disk: &Disk) -> String {
    let what = match disk.target.kind {
        TargetKind::Directory => "a folder",
        TargetKind::File => "a file",
        TargetKind::BlockDevice => "a block device",
    };
    let filesystem = disk.filesystem.iter().map(|name| format!(" on {name}")).collect::<String>();
    format!("{}, {what}{filesystem}", disk.target.path.display())
}

fn way_in_words(layers: &[Layer]) -> String {
    list(layers.iter().map(Layer::to_string)).unwrap_or_default()
}

fn list(words: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn blocks_in_words(disk: &Disk) -> String {
    let (logical, physical) = (disk.logical_block_bytes, disk.physical_block_bytes);
    let cache = if disk.write_back { "write-back cache" } else { "no write-back cache" };
    format!(
        "{logical} bytes ({physical} physical), requests up to {} kB, read-ahead {} kB, {cache}",
        disk.max_sectors_kb, disk.read_ahead_kb
    )
}

fn queue_in_words(disk: &Disk) -> String {
    let queues = if disk.hw_queues == 1 { "queue" } else { "queues" };
    let depth = disk.queue_depth.map(|depth| format!("; the disk takes {depth} at a time"));
    format!(
        "{} hardware {queues} of {} requests{}",
        disk.hw_queues,
        disk.nr_requests,
        depth.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fake::{Fake, target};

    #[test]
    fn a_survey_reads_as_a_page() {
        let fake = Fake::new();
        fake.device("8:0", "sda", "none [mq-deadline] bfq");
        fake.partition("8:2", "sda2", "sda");
        for (name, value) in [
            ("device/model", "ST2000DM008"),
            ("device/queue_depth", "32"),
            ("queue/nr_requests", "64"),
            ("queue/logical_block_size", "512"),
            ("queue/physical_block_size", "4096"),
            ("queue/max_sectors_kb", "1280"),
            ("queue/read_ahead_kb", "128"),
            ("queue/write_cache", "write back"),
        ] {
            fake.file(&format!("sys/devices/sda/{name}"), value);
        }
        fake.file("proc/sys/kernel/osrelease", "6.1.0-56-amd64\n");
        fake.file("proc/self/mountinfo", "22 1 8:2 / /srv rw - ext4 /dev/sda2 rw\n");
        let of = target("/srv/no-such-folder", TargetKind::Directory, "8:2");
        let disk = Disk::of(&fake.host(), of).unwrap();
        let wants = Wants { scratch_bytes: 1 << 30, allow_write: false, journals: "/".into() };
        let survey = Survey::of(&fake.host(), disk, &wants, Duration::ZERO).unwrap();
        let page = survey.to_string();
        let expected = "\
target     /srv/no-such-folder, a folder on ext4
disk       sda: ST2000DM008, rotating disk, 1.0 MB
by way of  partition sda2, sda
blocks     512 bytes (4096 physical), requests up to 1280 kB, read-ahead 128 kB, write-back cache
queue      1 hardware queue of 64 requests; the disk takes 32 at a time
scheduler  mq-deadline, of none, mq-deadline, bfq
groups     none
kernel     6.1.0-56-amd64
now        busy 0 % of the time, 0 I/Os and 0 B a second

missing    No scratch file can be made in /srv/no-such-folder: No such file or directory";
        assert!(page.starts_with(expected), "{page}");
        assert!(page.contains("\nwithout    Nothing is measured.\n"), "{page}");
        assert!(page.contains("\nwithout    Scenarios with groups are left out.\n"), "{page}");
    }
}
