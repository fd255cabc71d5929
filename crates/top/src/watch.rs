// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks that are watched: the kernel's events, and what is joined with them.

use crate::disks::Disks;
use crate::error::TopError;
use crate::feed::Feed;
use crate::metrics::Metrics;
use crate::processes::Processes;
use crate::reasons::{Interval, Reasons, Told};
use crate::recording::{Recorded, Recording};
use host::{Host, Tracing, now_ns};
use live::{Decoder, DeviceId, Snapshot};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// How often the kernel's buffers are to be emptied.
pub const POLL: Duration = Duration::from_millis(50);

/// How often while sense is made of decisions: mostly there are few, or none.
const WHILE_TELLING: Duration = Duration::from_millis(5);

/// The kernel's events, and the figures that are made of them. [`Watch::poll`] is called every
/// [`POLL`], [`Watch::snapshot`] at the end of an interval.
#[derive(Debug)]
pub struct Watch {
    tracing: Tracing,
    feed: Feed<Processes>,
    disks: Disks,
    reasons: Reasons,
    metrics: Option<Metrics>,
}

impl Watch {
    /// Begins to watch disks, all if none is wanted.
    ///
    /// # Parameters
    /// * `wanted`: their names, or a folder, file or device on each.
    /// * `journals`: the folder where it is written down what is to be removed if the program is
    ///   killed; `bfq top --restore` does that.
    ///
    /// # Errors
    /// [`TopError::Machine`] if there is no such disk, or none at all; [`TopError::Tracing`] and
    /// [`TopError::Format`] if there is no tracing, or the system refuses it.
    pub fn start(host: &Host, wanted: &[PathBuf], journals: &Path) -> Result<Self, TopError> {
        let disks = Disks::find(host, wanted)?;
        let watched = disks.watched();
        let names: Vec<&str> = watched.iter().map(|disk| disk.name.as_str()).collect();
        let devices = watched
            .iter()
            .flat_map(|disk| std::iter::once(disk.device).chain(disk.partitions.iter().copied()));
        let filter = filter(&devices.collect::<Vec<_>>());
        let events = Decoder::EVENTS.map(|(event, _)| event);
        let tracing =
            Tracing::start(host, journals, &names.join(", "), &events, filter.as_deref())?;
        let decoder = Decoder::new(|event| tracing.format(event))?;
        let processes = Processes::of(host, disks.version());
        Ok(Watch {
            reasons: Reasons::of(&host.path("/sys"), names.into_iter()),
            feed: Feed::new(&watched, decoder, processes, now_ns()),
            tracing,
            disks,
            metrics: None,
        })
    }

    /// Whether what is due to groups is a part of what a container gets: the groups above its own
    /// cannot be seen from within.
    pub fn is_in_container(&self) -> bool {
        self.disks.is_in_container()
    }

    /// Writes all that comes to a trace, too.
    ///
    /// # Errors
    /// [`TopError::Recording`] if the file cannot be made.
    pub fn record(&mut self, path: &Path) -> Result<(), TopError> {
        self.feed.record(Recording::begin(path)?);
        Ok(())
    }

    /// Serves totals and each interval.
    pub fn serve(&mut self, metrics: Metrics) {
        self.metrics = Some(metrics);
    }

    /// Takes what has happened up to now.
    ///
    /// # Errors
    /// [`TopError::Tracing`] if the instance of tracing was taken away, [`TopError::Recording`] if
    /// the recording cannot be written.
    pub fn poll(&mut self) -> Result<(), TopError> {
        // What is older than this has been written to the buffers when they are read.
        let until_ns = now_ns();
        let feed = &mut self.feed;
        self.tracing.read(|page| feed.read(page))?;
        self.reasons.poll();
        self.feed.take(until_ns)
    }

    /// Ends an interval.
    ///
    /// # Errors
    /// As [`Watch::poll`], which goes on meanwhile.
    pub fn snapshot(&mut self) -> Result<Snapshot, TopError> {
        let mut snapshot = self.feed.snapshot(now_ns());
        self.disks.complete(&mut snapshot);
        for told in self.reasons()? {
            told.add_to(&mut snapshot);
        }
        if let Some(metrics) = &mut self.metrics {
            metrics.add(&snapshot);
        }
        Ok(snapshot)
    }

    /// What was decided in the interval. The kernel's buffers are emptied while sense is made of
    /// it.
    fn reasons(&mut self) -> Result<Vec<Told>, TopError> {
        let ended = self.reasons.end_interval();
        thread::scope(|scope| {
            let telling = scope.spawn(|| ended.into_iter().map(Interval::tell).collect());
            while !telling.is_finished() {
                self.poll()?;
                thread::sleep(WHILE_TELLING);
            }
            telling.join().map_err(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Ends the recording, if there is one; disks are watched on.
    ///
    /// # Errors
    /// [`TopError::Recording`] if it cannot be written.
    pub fn end_recording(&mut self) -> Result<Option<Recorded>, TopError> {
        self.feed.end_recording()
    }

    /// Ends it all, and leaves the kernel as it was.
    ///
    /// # Errors
    /// [`TopError::NotRestored`] if the instance of tracing cannot be removed,
    /// [`TopError::Recording`] if a recording that goes on cannot be written.
    pub fn end(mut self) -> Result<(), TopError> {
        let recorded = self.end_recording();
        self.tracing.end()?;
        recorded.map(drop)
    }
}

/// The kernel takes filters of less than a page, which are those of some 220 devices.
const LONGEST_FILTER_BYTES: usize = 4000;

/// The filter of the kernel that lets events of these devices through; none if it would be too
/// long: then all come, and [`Feed::take`] passes over those of others.
fn filter(devices: &[DeviceId]) -> Option<String> {
    let terms: Vec<String> = devices.iter().map(|device| format!("dev == {}", device.0)).collect();
    let filter = terms.join(" || ");
    (filter.len() <= LONGEST_FILTER_BYTES).then_some(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_more_disks_than_a_filter_can_name_all_events_come() {
        let devices = |count| (0..count).map(|minor| DeviceId::new(259, minor)).collect::<Vec<_>>();
        assert_eq!(filter(&devices(1)).as_deref(), Some("dev == 271581184"));
        assert!(filter(&devices(150)).is_some());
        assert_eq!(filter(&devices(300)), None);
    }
}
