// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decisions of a disk's scheduler at work in the kernel: a file of debugfs, which the module
//! of this project makes.

use crate::choice::SchedulerChoice;
use base::suggest::meant_or_all;
use bfq::PolicyName;
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::ops::ControlFlow;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait when all was read.
const POLL: Duration = Duration::from_millis(20);

/// How much is read at once, at most.
const CHUNK_BYTES: usize = 1 << 16;

/// What reading a part of a stream has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Bytes of the stream were there and have been read.
    Read,
    /// There is nothing at present.
    Nothing,
    /// The scheduler is detached.
    Ended,
}

/// The stream of a disk's decisions, open for reading.
#[derive(Debug)]
pub struct Decisions {
    path: PathBuf,
    file: File,
}

/// Why there is no stream of a disk's scheduler.
#[derive(Debug, thiserror::Error)]
pub enum DecisionsError {
    /// There is no such disk.
    #[error("{disk}: no such disk{}", meant_or_all(disk, known))]
    NoDisk {
        /// What was asked for.
        disk: String,
        /// The disks that there are.
        known: Vec<String>,
    },
    /// It is a part of a disk.
    #[error("{disk}: a partition has no scheduler; expected its disk, {whole}")]
    Partition {
        /// Name of the partition.
        disk: String,
        /// The disk that it is on.
        whole: String,
    },
    /// Another scheduler has it.
    #[error(
        "{disk}: its scheduler is {scheduler}; expected {}: \
         echo bfq > /sys/block/{disk}/queue/scheduler",
        policies()
    )]
    OtherScheduler {
        /// Name of the disk.
        disk: String,
        /// The scheduler that has it.
        scheduler: String,
    },
    /// The file may not be seen.
    #[error("{disk}: only root may look at a scheduler at work")]
    NotRoot {
        /// Name of the disk.
        disk: String,
    },
    /// There is no debugfs.
    #[error("debugfs is not mounted: mount -t debugfs none /sys/kernel/debug")]
    NoDebugfs,
    /// It is bfq, but has no such file.
    #[error(
        "{disk}: its bfq is the kernel's own, which cannot be looked at; expected the \
         module of this project (docs/kernel.md)"
    )]
    StockModule {
        /// Name of the disk.
        disk: String,
    },
    /// Another program reads it.
    #[error("{disk}: another process is looking at it; one can at a time")]
    Busy {
        /// Name of the disk.
        disk: String,
    },
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl Decisions {
    /// Opens the stream of a disk; `sys` is where sysfs is mounted.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(sys: &Path, disk: &str) -> Result<Self, DecisionsError> {
        let name = disk.strip_prefix("/dev/").unwrap_or(disk).replace('/', "!");
        check_disk(sys, &name)?;
        let path = sys.join("kernel/debug/bfq").join(&name).join("decisions");
        let options = OFlags::NONBLOCK.bits() as i32;
        let opened = OpenOptions::new().read(true).custom_flags(options).open(&path);
        match opened {
            Ok(file) => Ok(Self { path, file }),
            Err(error) => Err(why_not(sys, name, path, error)),
        }
    }

    /// The file that is read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads for `length`, or until the scheduler is detached, or until `watch`, which is told the
    /// time since the start, ends it.
    ///
    /// # Errors
    /// If reading fails.
    pub fn read_for(
        mut self,
        length: Duration,
        watch: &mut dyn FnMut(Duration) -> ControlFlow<()>,
    ) -> Result<Vec<u8>, DecisionsError> {
        let start = Instant::now();
        let mut bytes = Vec::new();
        loop {
            let elapsed = start.elapsed();
            if elapsed >= length || watch(elapsed).is_break() {
                return Ok(bytes);
            }
            match self.read_some(&mut bytes)? {
                Progress::Read => {}
                Progress::Nothing => std::thread::sleep(POLL.min(length - elapsed)),
                Progress::Ended => return Ok(bytes),
            }
        }
    }

    /// Reads a part of what there is, without waiting.
    ///
    /// # Errors
    /// If reading fails.
    pub fn read_some(&mut self, bytes: &mut Vec<u8>) -> Result<Progress, DecisionsError> {
        let before = bytes.len();
        bytes.resize(before + CHUNK_BYTES, 0);
        let read = loop {
            match self.file.read(&mut bytes[before..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        bytes.truncate(before + read.as_ref().map_or(0, |read| *read));
        match read {
            Ok(0) => Ok(Progress::Ended),
            Ok(_) => Ok(Progress::Read),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(Progress::Nothing),
            Err(source) => Err(DecisionsError::Unreadable { path: self.path.clone(), source }),
        }
    }
}

/// The elevators of the module, one for each policy, for people.
fn policies() -> String {
    let names: Vec<_> = PolicyName::ALL.iter().map(|policy| policy.name()).collect();
    names.join(" or ")
}

/// Whether it is a disk that an elevator of the module has.
fn check_disk(sys: &Path, disk: &str) -> Result<(), DecisionsError> {
    let disk = disk.to_owned();
    let Ok(schedulers) = fs::read_to_string(sys.join("block").join(&disk).join("queue/scheduler"))
    else {
        return Err(match whole_disk(sys, &disk) {
            Some(whole) => DecisionsError::Partition { disk, whole },
            None => DecisionsError::NoDisk { disk: disk.replace('!', "/"), known: disks(sys) },
        });
    };
    let scheduler = SchedulerChoice::in_force(&schedulers);
    match PolicyName::from_name(scheduler) {
        Some(_) => Ok(()),
        None => Err(DecisionsError::OtherScheduler { disk, scheduler: scheduler.to_owned() }),
    }
}

/// The disk that a partition is on.
fn whole_disk(sys: &Path, partition: &str) -> Option<String> {
    let mut disks = disks(sys).into_iter();
    disks.find(|disk| sys.join("block").join(disk).join(partition).is_dir())
}

fn disks(sys: &Path) -> Vec<String> {
    let entries = fs::read_dir(sys.join("block")).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn why_not(sys: &Path, disk: String, path: PathBuf, source: std::io::Error) -> DecisionsError {
    let debugfs = sys.join("kernel/debug");
    let is_empty = || fs::read_dir(&debugfs).is_ok_and(|mut entries| entries.next().is_none());
    match source.kind() {
        ErrorKind::PermissionDenied => DecisionsError::NotRoot { disk },
        ErrorKind::ResourceBusy => DecisionsError::Busy { disk },
        ErrorKind::NotFound if !debugfs.is_dir() || is_empty() => DecisionsError::NoDebugfs,
        ErrorKind::NotFound => DecisionsError::StockModule { disk },
        _ => DecisionsError::Unreadable { path, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sysfs with three disks: sda (one partition) under mq-deadline, sdb under bfq, sdc tfq.
    fn sys() -> tempfile::TempDir {
        let sys = tempfile::tempdir().unwrap();
        for (disk, scheduler) in [
            ("sda", "none [mq-deadline] bfq tfq\n"),
            ("sdb", "none mq-deadline [bfq] tfq\n"),
            ("sdc", "none mq-deadline bfq [tfq]\n"),
        ] {
            let queue = sys.path().join("block").join(disk).join("queue");
            fs::create_dir_all(&queue).unwrap();
            fs::write(queue.join("scheduler"), scheduler).unwrap();
        }
        fs::create_dir(sys.path().join("block/sda/sda1")).unwrap();
        fs::create_dir_all(sys.path().join("kernel/debug")).unwrap();
        sys
    }

    fn refusal(sys: &Path, disk: &str) -> String {
        Decisions::open(sys, disk).unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_be_looked_at_says_why() {
        let sys = sys();
        for (disk, text) in [
            ("sdx", "sdx: no such disk; did you mean `sda`?"),
            ("../x", "../x: no such disk; there are: sda, sdb, sdc"),
            ("/dev/sda1", "sda1: a partition has no scheduler; expected its disk, sda"),
            (
                "/dev/sda",
                "sda: its scheduler is mq-deadline; expected bfq or tfq: \
                 echo bfq > /sys/block/sda/queue/scheduler",
            ),
            ("sdb", "debugfs is not mounted: mount -t debugfs none /sys/kernel/debug"),
            ("sdc", "debugfs is not mounted: mount -t debugfs none /sys/kernel/debug"),
        ] {
            assert_eq!(refusal(sys.path(), disk), text);
        }
        fs::create_dir(sys.path().join("kernel/debug/block")).unwrap();
        assert!(refusal(sys.path(), "sdb").contains("the kernel's own"));
    }

    #[test]
    fn all_that_is_there_is_read() {
        let sys = sys();
        let folder = sys.path().join("kernel/debug/bfq/sdb");
        fs::create_dir_all(&folder).unwrap();
        let content: Vec<u8> = (0..200_000_u32).map(|number| number as u8).collect();
        fs::write(folder.join("decisions"), &content).unwrap();
        let stream = Decisions::open(sys.path(), "sdb").unwrap();
        let read = stream.read_for(Duration::from_secs(60), &mut |_| ControlFlow::Continue(()));
        assert!(read.unwrap() == content);
        let stream = Decisions::open(sys.path(), "sdb").unwrap();
        let read = stream.read_for(Duration::from_secs(60), &mut |_| ControlFlow::Break(()));
        assert!(read.unwrap().is_empty());
    }
}
