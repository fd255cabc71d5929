// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events on their way from the kernel's pages into the figures, and into a recording.

use crate::error::TopError;
use crate::recording::{Recorded, Recording};
use live::{BlockEvent, Decoder, Monitor, Page, Snapshot, ThreadOwners, Watched};

/// Puts events in their order, and hands them to the figures and to a recording.
///
/// ```
/// use live::{Decoder, Owner, Page, ThreadOwners};
/// # use live::{DeviceId, Watched};
/// use top::{Feed, TopError};
///
/// struct Dd;
///
/// impl ThreadOwners for Dd {
///     fn owner(&mut self, thread: u32) -> Option<Owner> {
///         Some(Owner { process: thread, name: "dd".into(), group: None, is_kernel: false })
///     }
/// }
///
/// # fn look(formats: impl Fn(&str) -> String, watched: Watched, pages: &[&[u8]])
/// #     -> Result<(), TopError> {
/// // `formats` tells the kernel's files `format`, `pages` are read from its buffers.
/// let mut feed = Feed::new(&[watched], Decoder::new(formats)?, Dd, 0);
/// for page in pages {
///     feed.read(page);
/// }
/// feed.take(u64::MAX)?;
/// let snapshot = feed.snapshot(2_000_000_000);
/// println!("{} I/Os", snapshot.disks[0].all.ios);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Feed<O> {
    decoder: Decoder,
    monitor: Monitor,
    owners: O,
    recording: Option<Recording>,
    /// Events that were read too early: others that happened before may not have been read.
    early: Vec<BlockEvent>,
}

impl<O: ThreadOwners> Feed<O> {
    /// Takes events of disks from a time on, by a decoder of the kernel that they are of.
    ///
    /// # Parameters
    /// * `owners`: tells which process each thread belongs to.
    /// * `now_ns`: when the first interval begins, on the clock of the events.
    pub fn new(watched: &[Watched], decoder: Decoder, owners: O, now_ns: u64) -> Self {
        let monitor = Monitor::new(watched, now_ns);
        Feed { decoder, monitor, owners, recording: None, early: Vec::new() }
    }

    /// Writes all that comes to a recording, too, until [`Feed::end_recording`]; one that there was
    /// is dropped.
    pub fn record(&mut self, recording: Recording) {
        self.recording = Some(recording);
    }

    /// Reads a page of the kernel's buffer of a processor. Its events count when they are taken;
    /// bytes that are no page are passed over.
    pub fn read(&mut self, page: &[u8]) {
        let Some(page) = Page::new(page) else { return };
        let lost = page.lost_events();
        self.monitor.lost(lost, page.time_ns());
        if let Some(recording) = &mut self.recording {
            recording.lost(lost);
        }
        let decoder = &self.decoder;
        self.early.extend(page.filter_map(|(time_ns, event)| decoder.decode(time_ns, event)));
    }

    /// Takes the events that happened up to a time, in their order. It is one before which no event
    /// can come any more: of processors that are read one after the other, when the first was.
    ///
    /// # Errors
    /// [`TopError::Recording`] if the recording cannot be written.
    pub fn take(&mut self, until_ns: u64) -> Result<(), TopError> {
        self.early.sort_by_key(|event| event.time_ns);
        let ready = self.early.partition_point(|event| event.time_ns <= until_ns);
        for event in self.early.drain(..ready) {
            let Some((disk, who)) = self.monitor.take(&event, &mut self.owners) else {
                continue;
            };
            if let Some(recording) = &mut self.recording {
                recording.add(&event, disk, who)?;
            }
        }
        Ok(())
    }

    /// Ends an interval, and begins the next.
    pub fn snapshot(&mut self, now_ns: u64) -> Snapshot {
        self.monitor.snapshot(now_ns)
    }

    /// Ends the recording, if there is one.
    ///
    /// # Errors
    /// [`TopError::Recording`] if it cannot be written.
    pub fn end_recording(&mut self) -> Result<Option<Recorded>, TopError> {
        self.recording.take().map(Recording::end).transpose()
    }
}
