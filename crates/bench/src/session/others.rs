// SPDX-License-Identifier: MIT OR Apache-2.0
//! What others do on the disk and on the processors while a cell is measured.
//!
//! What the disk moved and the workers did not, others did. The disk beneath a loop device may move
//! less than the workers asked for, as its file is cached, but not more. Of processor time only
//! that in user space can be told apart: threads of the kernel work for any process that does I/O.

use super::error::SessionError;
use super::processors::{Processors, TICK_NS};
use crate::model::Others;
use crate::scenarios::{COMMAND_JOB, ScaledJob, Scenario};
use host::{Disk, DiskCounters, TargetKind};
use std::time::{Duration, Instant};

/// Filesystems that write more than they are told to, at any time.
const WRITE_ELSEWHERE: [&str; 3] = ["btrfs", "bcachefs", "f2fs"];

/// The counters at an instant.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    at: Instant,
    pub(super) processors: Processors,
    own_user_ns: u64,
    moved: Moved,
}

/// Bytes read and written since the machine started.
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    disk_bytes: u64,
    beneath_bytes: u64,
}

impl Reading {
    /// Reads all counters.
    ///
    /// # Errors
    /// A file of the system cannot be read.
    pub(super) fn take(disk: &Disk) -> Result<Self, SessionError> {
        let moved =
            |disk: &Disk| DiskCounters::of(disk).map(|all| all.read_bytes + all.written_bytes);
        Ok(Reading {
            at: Instant::now(),
            processors: Processors::read()?,
            own_user_ns: own_user_ns()?,
            moved: Moved {
                disk_bytes: moved(disk)?,
                beneath_bytes: disk.beneath.as_deref().map(moved).transpose()?.unwrap_or(0),
            },
        })
    }

    /// What others did from here to a later reading, if that is worth a word.
    ///
    /// # Parameters
    /// * `own_bytes`: what the workers moved; none where what they cause cannot be told.
    pub(super) fn others_until(&self, later: &Reading, own_bytes: Option<u64>) -> Option<Others> {
        let own_user_ns = later.own_user_ns.saturating_sub(self.own_user_ns);
        let processors =
            self.processors.others_percent(&later.processors, own_user_ns, later.at - self.at);
        let io =
            own_bytes.map_or(0.0, |own_bytes| self.moved.others_percent(&later.moved, own_bytes));
        Others::noteworthy(io, processors)
    }
}

impl Moved {
    /// The part of all that was moved that was not ours, on the disk or on the one beneath.
    fn others_percent(&self, later: &Moved, own_bytes: u64) -> f64 {
        let part = |before: u64, after: u64| {
            let all_bytes = after.saturating_sub(before);
            100.0 * all_bytes.saturating_sub(own_bytes) as f64 / all_bytes.max(1) as f64
        };
        let on_disk = part(self.disk_bytes, later.disk_bytes);
        on_disk.max(part(self.beneath_bytes, later.beneath_bytes))
    }
}

impl Processors {
    /// The part of all processors that others had in user space; `own_ns` is what we had.
    fn others_percent(&self, later: &Processors, own_ns: u64, elapsed: Duration) -> f64 {
        let all_ns = elapsed.as_nanos() as f64 * self.count.max(1) as f64;
        let user_ns = later.user_ns.saturating_sub(self.user_ns);
        100.0 * user_ns.saturating_sub(own_ns) as f64 / all_ns.max(1.0)
    }
}

/// Whether all that a scenario makes the disk move is what its workers report. A command reports
/// nothing, the page cache reads ahead and writes later, a mirror writes everything twice, and a
/// filesystem writes for itself when it syncs.
pub(super) fn reports_all(scenario: &Scenario, jobs: &[ScaledJob], disk: &Disk) -> bool {
    let syncs =
        |one: &ScaledJob| one.job.fsync_every_writes.or(one.job.fdatasync_every_writes).is_some();
    let filesystem = disk.filesystem.as_deref().unwrap_or_default();
    let is_device = disk.target.kind == TargetKind::BlockDevice;
    !scenario.awaited.contains(&COMMAND_JOB)
        && disk.companions.is_empty()
        && !jobs.iter().any(|one| one.job.buffered)
        && !jobs.iter().any(|one| syncs(one) && !(is_device && disk.beneath.is_none()))
        && !WRITE_ELSEWHERE.contains(&filesystem)
}

/// Our time in user space, and that of processes of ours that have ended.
fn own_user_ns() -> Result<u64, SessionError> {
    const PATH: &str = "/proc/self/stat";
    let text = std::fs::read_to_string(PATH)
        .map_err(|source| SessionError::System { doing: format!("reading {PATH}"), source })?;
    Ok(user_ticks(&text) * TICK_NS)
}

/// The fields utime and cutime, the 14th and 16th of proc(5). The name before them may have spaces.
fn user_ticks(text: &str) -> u64 {
    const BEHIND_NAME: usize = 3;
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let field = |number: usize| {
        let value = fields.split_whitespace().nth(number - BEHIND_NAME);
        value.and_then(|value| value.parse::<u64>().ok()).unwrap_or(0)
    };
    field(14) + field(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_did_not_move_others_did() {
        let before = Moved { disk_bytes: 1000, beneath_bytes: 500 };
        for (disk_bytes, beneath_bytes, own_bytes, percent) in [
            (1200, 500, 200, 0.0),
            (1200, 500, 150, 25.0),
            (1200, 600, 200, 0.0), // half of it was cached
            (1200, 900, 200, 50.0),
            (1000, 500, 0, 0.0),
        ] {
            let found = before.others_percent(&Moved { disk_bytes, beneath_bytes }, own_bytes);
            assert_eq!(found, percent, "{disk_bytes}, {beneath_bytes}");
        }
    }

    #[test]
    fn time_in_user_space_is_ours_or_that_of_others() {
        let read_at = Instant::now();
        let of = |user_ns| Processors { read_at, idle_ns: 0, user_ns, count: 4 };
        let percent = |own| of(100).others_percent(&of(300), own, Duration::from_nanos(100));
        assert_eq!((percent(0), percent(100), percent(999)), (50.0, 25.0, 0.0));
    }

    #[test]
    fn the_name_of_a_process_may_be_anything() {
        let text = "7 (a ) b) S 1 7 7 0 -1 4194304 9 9 0 0 30 40 500 600 20 0 1 0 99";
        assert_eq!(user_ticks(text), 530);
    }
}
