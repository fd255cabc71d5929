// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is watched: the kernel's events on their way into the figures.

use super::disks::Disks;
use super::metrics::Metrics;
use super::processes::Processes;
use super::reasons::{Interval, Reasons, Told};
use super::recording::Recording;
use crate::failure::Failure;
use host::{Host, Tracing, TracingError, now_ns};
use live::{Decoder, DeviceId, Event, Monitor, Page, Snapshot};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// How often the kernel's buffers are emptied.
pub const POLL: Duration = Duration::from_millis(50);

/// How often while sense is made of decisions: mostly there are few, or none.
const WHILE_TELLING: Duration = Duration::from_millis(5);

/// The kernel's events, and the figures that are made of them.
pub struct Watch {
    tracing: Tracing,
    decoder: Decoder,
    monitor: Monitor,
    processes: Processes,
    disks: Disks,
    reasons: Reasons,
    recording: Option<Recording>,
    metrics: Option<Metrics>,
    /// Events that were read too early: others that happened before may not have been read.
    early: Vec<Event>,
}

impl Watch {
    /// Begins to watch disks, all if none is wanted.
    ///
    /// # Errors
    /// With exit code 2 if there is no such disk or no tracing, with 1 if the system refuses it.
    pub fn start(host: &Host, wanted: &[PathBuf], journals: &Path) -> Result<Self, Failure> {
        let disks = Disks::find(host, wanted)?;
        let watched = disks.watched();
        let names: Vec<&str> = watched.iter().map(|disk| disk.name.as_str()).collect();
        let devices = watched
            .iter()
            .flat_map(|disk| std::iter::once(disk.device).chain(disk.partitions.iter().copied()));
        let filter = filter(&devices.collect::<Vec<_>>());
        let events = Decoder::EVENTS.map(|(event, _)| event);
        let tracing = Tracing::start(host, journals, &names.join(", "), &events, filter.as_deref());
        let tracing = tracing.map_err(refusal)?;
        let decoder = Decoder::new(|event| tracing.format(event)).map_err(Failure::usage)?;
        Ok(Watch {
            reasons: Reasons::of(&host.path("/sys"), names.into_iter()),
            processes: Processes::of(host, disks.version()),
            monitor: Monitor::new(&watched, now_ns()),
            tracing,
            decoder,
            disks,
            recording: None,
            metrics: None,
            early: Vec::new(),
        })
    }

    /// Writes all that comes to a trace, too.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn record(&mut self, path: &Path) -> Result<(), Failure> {
        self.recording = Some(Recording::begin(path)?);
        Ok(())
    }

    /// Serves totals and each interval.
    pub fn serve(&mut self, metrics: Metrics) {
        self.metrics = Some(metrics);
    }

    /// Takes what has happened up to now.
    ///
    /// # Errors
    /// If the instance of tracing was taken away, or the recording cannot be written.
    pub fn poll(&mut self) -> Result<(), Failure> {
        // What is older than this has been written to the buffers when they are read.
        let until_ns = now_ns();
        let (decoder, early, mut lost) = (&self.decoder, &mut self.early, 0);
        let read = self.tracing.read(|bytes| {
            let Some(page) = Page::new(bytes) else { return };
            lost += page.lost_events();
            early.extend(page.filter_map(|(time_ns, event)| decoder.decode(time_ns, event)));
        });
        read.map_err(Failure::run)?;
        self.reasons.poll();
        self.monitor.lost(lost);
        if let Some(recording) = &mut self.recording {
            recording.lost(lost);
        }
        self.early.sort_by_key(|event| event.time_ns);
        let ready = self.early.partition_point(|event| event.time_ns <= until_ns);
        for event in self.early.drain(..ready) {
            let Some((disk, who)) = self.monitor.take(&event, &mut self.processes) else {
                continue;
            };
            if let Some(recording) = &mut self.recording {
                recording.add(&event, disk, who)?;
            }
        }
        Ok(())
    }

    /// Ends an interval.
    ///
    /// # Errors
    /// As [`Watch::poll`], which goes on meanwhile.
    pub fn snapshot(&mut self) -> Result<Snapshot, Failure> {
        let mut snapshot = self.monitor.snapshot(now_ns());
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
    fn reasons(&mut self) -> Result<Vec<Told>, Failure> {
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

    /// Ends it all, and leaves the kernel as it was.
    ///
    /// # Errors
    /// If the recording cannot be written or the instance of tracing not be removed.
    pub fn end(self) -> Result<(), Failure> {
        let recorded = self.recording.map_or(Ok(()), Recording::end);
        self.tracing.end().map_err(Failure::run)?;
        recorded
    }
}

/// The kernel takes filters of less than a page, which are those of some 220 devices.
const LONGEST_FILTER_BYTES: usize = 4000;

/// The filter of the kernel that lets events of these devices through; none if it would be too
/// long: then all come, and [`Monitor::take`] passes over those of others.
fn filter(devices: &[DeviceId]) -> Option<String> {
    let terms: Vec<String> = devices.iter().map(|device| format!("dev == {}", device.0)).collect();
    let filter = terms.join(" || ");
    (filter.len() <= LONGEST_FILTER_BYTES).then_some(filter)
}

/// Without the right or the means to trace, the command line is what can be changed.
fn refusal(error: TracingError) -> Failure {
    match error {
        TracingError::Io { .. } => Failure::run(error),
        other => Failure::usage(other),
    }
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
