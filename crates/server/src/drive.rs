// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk at work: what its clients ask goes to the backend as the scheduler decides, and what the
//! backend has done goes back.

use crate::backend::{Backend, Ended};
use crate::config;
use crate::disk::{ExportKey, State, StateError};
use base::{Op, SECTOR_BYTES};
use disk_io::Throttle;
use std::io;
use std::num::NonZeroU64;

/// A disk at work.
pub struct Disk {
    /// Its clients and its scheduler.
    pub state: State,
    /// What does the commands.
    pub backend: Box<dyn Backend>,
    throttle: Option<Throttle<Ended>>,
    /// When a command may end on the slower disk, by its tag.
    releases_ns: Vec<u64>,
    ended: Vec<Ended>,
}

/// Why an export cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// It cannot be opened.
    #[error("{0}")]
    Open(String),
    /// The disk does not take it.
    #[error(transparent)]
    State(#[from] StateError),
}

impl Disk {
    /// A disk under a scheduler, held to a rate if one is given.
    ///
    /// # Errors
    /// There is no such scheduler.
    pub fn new(
        backend: Box<dyn Backend>,
        scheduler: &str,
        rate_bytes_per_s: Option<NonZeroU64>,
    ) -> Result<Disk, StateError> {
        Ok(Disk {
            state: State::new(scheduler, backend.limits())?,
            backend,
            throttle: rate_bytes_per_s.map(Throttle::new),
            releases_ns: Vec::new(),
            ended: Vec::new(),
        })
    }

    /// Serves an export.
    ///
    /// # Errors
    /// It cannot be opened, or its tenant is unknown.
    pub fn add_export(&mut self, spec: &config::Export) -> Result<ExportKey, ExportError> {
        let opened = self.backend.open(spec).map_err(ExportError::Open)?;
        let added = self.state.add_export(spec, opened.size_bytes, opened.block_bytes);
        match added {
            Ok(key) => {
                self.backend.place(key, self.state.start_sector(key));
                Ok(key)
            }
            Err(error) => {
                self.backend.close(None);
                Err(error.into())
            }
        }
    }

    /// Does what is due at this time: ends what has ended, lets timers fire, hands commands to the
    /// backend. To be called when clients have said all that they have to say.
    ///
    /// # Errors
    /// The backend cannot go on.
    pub fn step(&mut self, now_ns: u64) -> io::Result<()> {
        if self.state.next_timer_ns().is_some_and(|timer_ns| timer_ns <= now_ns) {
            self.state.on_timer(now_ns);
        }
        self.collect(now_ns)?;
        // What a backend does at once makes room for more.
        while self.dispatch(now_ns) {
            self.collect(now_ns)?;
        }
        Ok(())
    }

    /// When [`Disk::step`] is wanted, if no client and no descriptor has news before.
    pub fn next_event_ns(&self) -> Option<u64> {
        let release_ns = self.throttle.as_ref().and_then(Throttle::next_release_ns);
        let times = [self.state.next_timer_ns(), self.backend.next_event_ns(), release_ns];
        times.into_iter().flatten().min()
    }

    /// Whether anything was handed over.
    fn dispatch(&mut self, now_ns: u64) -> bool {
        let mut any = false;
        while let Some(command) = self.state.next_command(now_ns) {
            any = true;
            let tag = command.tag;
            if let Some(throttle) = &mut self.throttle {
                let bytes = u64::from(command.sectors) * SECTOR_BYTES;
                if self.releases_ns.len() <= tag.index() {
                    self.releases_ns.resize(tag.index() + 1, 0);
                }
                self.releases_ns[tag.index()] = match command.op {
                    Op::Read | Op::Write => throttle.start(now_ns, bytes),
                    Op::Discard | Op::Flush => now_ns,
                };
            }
            if let Err(error) = self.backend.submit(now_ns, command, &self.state) {
                self.ended.push(Ended { tag, result: Err(error) });
            }
        }
        any
    }

    fn collect(&mut self, now_ns: u64) -> io::Result<()> {
        self.backend.collect(now_ns, &mut self.state, &mut self.ended)?;
        for ended in self.ended.drain(..) {
            match &mut self.throttle {
                Some(throttle) => throttle.hold(self.releases_ns[ended.tag.index()], ended),
                None => self.state.complete(now_ns, ended.tag, ended.result),
            }
        }
        while let Some(ended) = self.throttle.as_mut().and_then(|held| held.release(now_ns)) {
            self.state.complete(now_ns, ended.tag, ended.result);
        }
        Ok(())
    }
}
