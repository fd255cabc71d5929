// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's trace events, from an instance of tracing of our own: no other tracing is
//! disturbed, and none disturbs it.

use crate::error::HostError;
use crate::files::{names_in, read_if_any};
use crate::mounts::Mounts;
use crate::restore::{Journal, NotRestored, RestoreError};
use crate::root::Host;
use rustix::fs::OFlags;
use rustix::time::{ClockId, clock_gettime};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The most that the kernel keeps for each processor until it is read, kB.
const BUFFER_KB: &str = "4096";

/// Pages of the kernel's buffer are no longer than this.
const LONGEST_PAGE_BYTES: usize = 1 << 16;

/// An instance of tracing, removed when this is dropped.
#[derive(Debug)]
pub struct Tracing {
    folder: PathBuf,
    /// The buffers of the processors.
    pipes: Vec<File>,
    journal: Journal,
}

/// Why the kernel cannot be traced.
#[derive(Debug, thiserror::Error)]
pub enum TracingError {
    /// There is no tracefs.
    #[error("tracefs is not mounted: mount -t tracefs none /sys/kernel/tracing")]
    NotMounted,
    /// It may not be used.
    #[error(
        "{}: permission denied; tracing needs root, or CAP_DAC_OVERRIDE and a kernel that is \
         not locked down: sudo bfq top",
        path.display()
    )]
    NotAllowed {
        /// What may not be opened.
        path: PathBuf,
    },
    /// The kernel has no such events.
    #[error("the kernel has no trace event {event}; expected CONFIG_BLK_DEV_IO_TRACE")]
    NoEvent {
        /// Name of the event.
        event: String,
    },
    /// Something of tracing cannot be set or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// What is made cannot be written down, or not be made.
    #[error(transparent)]
    Journal(#[from] RestoreError),
    /// The machine cannot be looked at.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl Tracing {
    /// Begins to trace events of the group `block`; of each, those that `filter` lets through, or
    /// all without one.
    ///
    /// # Parameters
    /// * `journals`: where it is written down what is to be removed if we are killed.
    /// * `disks`: what is looked at, for people.
    ///
    /// # Errors
    /// [`TracingError`].
    pub fn start(
        host: &Host,
        journals: &Path,
        disks: &str,
        events: &[&str],
        filter: Option<&str>,
    ) -> Result<Self, TracingError> {
        let tracefs = tracefs(host)?;
        let instances = tracefs.join("instances");
        if let Err(source) = fs::read_dir(&instances) {
            return Err(refused(instances, source));
        }
        for event in events {
            if !tracefs.join("events/block").join(event).exists() {
                return Err(TracingError::NoEvent { event: (*event).to_owned() });
            }
        }
        let mut journal = Journal::to_look(host, journals, disks)?;
        let folder = journal.make_trace_instance(&tracefs)?;
        let mut tracing = Tracing { folder, pipes: Vec::new(), journal };
        tracing.set("trace_clock", "mono")?;
        tracing.set("buffer_size_kb", BUFFER_KB)?;
        for cpu in names_in(&tracing.folder.join("per_cpu"))? {
            let path = tracing.folder.join("per_cpu").join(cpu).join("trace_pipe_raw");
            let options = OFlags::NONBLOCK.bits() as i32;
            let pipe = OpenOptions::new().read(true).custom_flags(options).open(&path);
            tracing.pipes.push(pipe.map_err(|source| refused(path, source))?);
        }
        for event in events {
            if let Some(filter) = filter {
                tracing.set(&format!("events/block/{event}/filter"), filter)?;
            }
            tracing.set(&format!("events/block/{event}/enable"), "1")?;
        }
        Ok(tracing)
    }

    /// The layout of an event, as the kernel tells it.
    pub fn format(&self, event: &str) -> String {
        let path = self.folder.join("events/block").join(event).join("format");
        read_if_any(&path).unwrap_or_default()
    }

    /// Reads all pages that there are, and hands each on.
    ///
    /// # Errors
    /// If reading fails: the instance was removed.
    pub fn read(&mut self, mut take: impl FnMut(&[u8])) -> Result<(), TracingError> {
        let mut page = vec![0; LONGEST_PAGE_BYTES];
        for pipe in &mut self.pipes {
            loop {
                match pipe.read(&mut page) {
                    Ok(0) => break,
                    Ok(read) => take(&page[..read]),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(source) => {
                        return Err(TracingError::Io { path: self.folder.clone(), source });
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends tracing and removes the instance.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn end(mut self) -> Result<(), NotRestored> {
        self.pipes.clear();
        self.journal.restore()
    }

    fn set(&self, file: &str, value: &str) -> Result<(), TracingError> {
        let path = self.folder.join(file);
        fs::write(&path, value).map_err(|source| refused(path, source))
    }
}

/// Where tracefs is mounted: at its place, or anywhere.
fn tracefs(host: &Host) -> Result<PathBuf, TracingError> {
    let usual = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"].map(|path| host.path(path));
    let mut places = usual.to_vec();
    let mounts = Mounts::read(host)?;
    let mounted = mounts.iter().filter(|mount| mount.filesystem == "tracefs");
    places.extend(mounted.map(|mount| host.path(&mount.folder)));
    for place in places {
        match fs::metadata(place.join("instances")) {
            Ok(_) => return Ok(place),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Err(TracingError::NotAllowed { path: place });
            }
            Err(_) => {}
        }
    }
    Err(TracingError::NotMounted)
}

fn refused(path: PathBuf, source: std::io::Error) -> TracingError {
    match source.kind() {
        ErrorKind::PermissionDenied => TracingError::NotAllowed { path },
        _ => TracingError::Io { path, source },
    }
}

/// The time of the kernel's monotonic clock, by which events are told, ns.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fake::Fake;

    fn refusal(fake: &Fake) -> String {
        let journals = fake.path("journals");
        let events = ["block_rq_issue"];
        Tracing::start(&fake.host(), &journals, "sda", &events, None).unwrap_err().to_string()
    }

    #[test]
    fn what_is_missing_is_told() {
        let fake = Fake::new();
        assert_eq!(refusal(&fake), TracingError::NotMounted.to_string());
        fs::create_dir_all(fake.path("sys/kernel/debug/tracing/instances")).unwrap();
        assert!(refusal(&fake).starts_with("the kernel has no trace event block_rq_issue"));
    }
}
