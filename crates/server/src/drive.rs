// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk at work: what its clients ask goes to the backend as the scheduler decides, and what the
//! backend has done goes back.

use crate::backend::{Backend, Ended, Extent, Opened};
use crate::config;
use crate::disk::{DiskState, ExportKey, StateError};
use crate::hanging::{Hanging, Placed};
use base::{Op, SECTOR_BYTES};
use blk::{Command, Tag};
use disk_io::Throttle;
use std::io;
use std::num::NonZeroU64;

/// How late the thread of a disk that is held to a rate may come, while commands wait, and the rate
/// is kept all the same: some milliseconds, as a processor has other work for.
const LATE_NS: u64 = 10_000_000;

/// The most extents that clients are told of between two looks at what else has happened: files are
/// asked by two calls for each, in the thread of the disk, for which its other clients wait.
const EXTENTS_OF_TURN: usize = 512;

/// A disk at work.
pub struct ServedDisk {
    /// Its clients and its scheduler.
    pub state: DiskState,
    /// What does the commands.
    pub backend: Box<dyn Backend>,
    throttle: Option<Throttle<Ended>>,
    /// The throttle took none when the scheduler was last to be asked for a command.
    waits_for_throttle: bool,
    /// When a command may end on the slower disk, by its tag.
    releases_ns: Vec<u64>,
    ended: Vec<Ended>,
    hanging: Hanging,
    /// What the backend did at once has made room for more, at this time.
    goes_on_ns: Option<u64>,
    /// Extents that may still be looked for in this turn.
    extents: usize,
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

impl ServedDisk {
    /// A disk under a scheduler, held to a rate if one is given.
    ///
    /// # Errors
    /// There is no such scheduler.
    pub fn new(
        backend: Box<dyn Backend>,
        scheduler: &str,
        rate_bytes_per_s: Option<NonZeroU64>,
    ) -> Result<ServedDisk, StateError> {
        Ok(ServedDisk {
            state: DiskState::new(scheduler, backend.limits())?,
            hanging: Hanging::new(backend.spare()),
            backend,
            throttle: rate_bytes_per_s.map(Throttle::new),
            waits_for_throttle: false,
            releases_ns: Vec::new(),
            ended: Vec::new(),
            goes_on_ns: None,
            extents: EXTENTS_OF_TURN,
        })
    }

    /// It was looked what else has happened: clients may ask again what is stored.
    pub fn begin_turn(&mut self) {
        self.extents = EXTENTS_OF_TURN;
    }

    /// Whether a client may ask now what is stored. It may not if so many extents were looked for
    /// since [`ServedDisk::begin_turn`] that others would wait for it.
    pub fn may_look_for_extents(&self) -> bool {
        self.extents > 0
    }

    /// What is stored in a part of an export: extents without gaps from `offset_bytes` on, at most
    /// `most`, or fewer if not so many may be looked for; none if the disk cannot say.
    pub fn extents(
        &mut self,
        export: ExportKey,
        (offset_bytes, length_bytes): (u64, u64),
        most: usize,
    ) -> Vec<Extent> {
        let most = most.min(self.extents).max(1);
        let found = self.backend.extents(export, offset_bytes, length_bytes, most);
        let found = found.unwrap_or_default();
        self.extents = self.extents.saturating_sub(found.len().max(1));
        found
    }

    /// Opens what an export serves, and serves it. That can take seconds: where there are clients,
    /// another thread opens it ([`Backend::opener`]), and then it is [placed](Self::place_export).
    ///
    /// # Errors
    /// It cannot be opened, or its tenant is unknown.
    pub fn add_export(&mut self, spec: &config::Export) -> Result<ExportKey, ExportError> {
        let opened = (self.backend.opener())(spec).map_err(ExportError::Open)?;
        self.place_export(spec, opened)
    }

    /// Serves an export for which this was opened.
    ///
    /// # Errors
    /// Its tenant is unknown, or there is no room.
    pub fn place_export(
        &mut self,
        spec: &config::Export,
        opened: Opened,
    ) -> Result<ExportKey, ExportError> {
        let key = self.state.add_export(spec, opened.size_bytes, opened.block_bytes)?;
        let placed = self.backend.place(key, self.state.start_sector(key), opened);
        placed.map_err(|error| {
            self.state.withdraw_export(key);
            ExportError::Open(error)
        })?;
        Ok(key)
    }

    /// Does what is due at this time: ends what has ended, lets timers fire, hands commands to the
    /// backend, at most as many as it takes at a time. To be called when clients have said all that
    /// they have to say.
    ///
    /// # Errors
    /// The backend cannot go on.
    pub fn step(&mut self, now_ns: u64) -> io::Result<()> {
        if self.state.next_timer_ns().is_some_and(|timer_ns| timer_ns <= now_ns) {
            self.state.on_timer(now_ns);
        }
        self.state.tell_left_out(now_ns);
        self.collect(now_ns)?;
        if self.hanging.look_ns().is_some_and(|look_ns| look_ns <= now_ns) {
            self.look_for_hanging(now_ns);
        }
        self.goes_on_ns = None;
        // What a backend does at once makes room for more, after what else has happened meanwhile.
        if self.dispatch(now_ns) && self.collect(now_ns)? {
            self.goes_on_ns = Some(now_ns);
        }
        Ok(())
    }

    /// When [`ServedDisk::step`] is wanted, if no client and no descriptor has news before.
    pub fn next_event_ns(&self) -> Option<u64> {
        let release_ns = self.throttle.as_ref().and_then(Throttle::next_release_ns);
        let waited_for = self.throttle.as_ref().filter(|_| self.waits_for_throttle);
        let takes_one_ns = waited_for.map(Throttle::last_begins_ns);
        let times = [self.state.next_timer_ns(), self.backend.next_event_ns(), release_ns];
        let times = times.into_iter().chain([self.hanging.look_ns(), self.state.next_log_ns()]);
        let times = times.chain([takes_one_ns, self.goes_on_ns]);
        times.flatten().min()
    }

    /// Whether the scheduler had anything to do.
    fn dispatch(&mut self, now_ns: u64) -> bool {
        let mut any = false;
        let mut held_back = Vec::new();
        while let Some(command) = self.next_command(now_ns) {
            any = true;
            let owner = self.state.owner_of(command.tag);
            if self.hanging.holds_back(owner, command) {
                held_back.push(command.tag);
            } else {
                let since_ns = self.hand_over(now_ns, command);
                self.hanging.handed_over(owner, since_ns);
            }
        }
        for tag in held_back {
            self.state.set_overdue(now_ns, tag);
        }
        self.hand_over_held_back(now_ns);
        any
    }

    /// What the scheduler chooses next. A disk that is held to a rate has one command that it
    /// serves, and the next one: others would wait where no scheduler can choose.
    fn next_command(&mut self, now_ns: u64) -> Option<Command> {
        let takes_one = |throttle: &Throttle<Ended>| throttle.last_begins_ns() <= now_ns;
        if !self.throttle.as_ref().is_none_or(takes_one) {
            self.waits_for_throttle = true;
            return None;
        }
        let command = self.state.next_command(now_ns);
        // If nothing is to be done the time that the disk is free is lost to it.
        self.waits_for_throttle &= command.is_some();
        command
    }

    /// Gives a command to the backend. Returns from when on it is waited for: a slower disk than
    /// the backend would begin with it then, at the earliest.
    fn hand_over(&mut self, now_ns: u64, command: Command) -> u64 {
        let tag = command.tag;
        let mut since_ns = now_ns;
        if let Some(throttle) = &mut self.throttle {
            let bytes = u64::from(command.sectors) * SECTOR_BYTES;
            if self.releases_ns.len() <= tag.index() {
                self.releases_ns.resize(tag.index() + 1, 0);
            }
            since_ns = match command.op {
                Op::Read | Op::Write => {
                    let late_ns = if self.waits_for_throttle { LATE_NS } else { 0 };
                    throttle.start(now_ns.saturating_sub(late_ns), bytes)
                }
                Op::Discard | Op::Flush => now_ns,
            };
            self.releases_ns[tag.index()] = since_ns;
        }
        if let Err(error) = self.backend.submit(now_ns, command, &mut self.state) {
            self.ended.push(Ended { tag, result: Err(error) });
        }
        since_ns
    }

    /// From when on a command is waited for: a slower disk than the backend would have ended it
    /// then, at the earliest.
    fn since_ns(&self, tag: Tag) -> u64 {
        let release_ns = self.releases_ns.get(tag.index()).copied().unwrap_or_default();
        self.state.dispatched_ns(tag).max(release_ns)
    }

    /// No client waits any longer for what has been in the backend for too long.
    fn look_for_hanging(&mut self, now_ns: u64) {
        let mut placed: Vec<Placed> = self.state.placed().collect();
        for one in &mut placed {
            one.since_ns = self.since_ns(one.tag);
        }
        placed.sort_by_key(|one| (one.since_ns, one.tag));
        for tag in self.hanging.look(now_ns, &placed) {
            self.state.log_hang(now_ns, tag, self.since_ns(tag));
            self.state.set_overdue(now_ns, tag);
        }
    }

    /// Ends what has ended; whether anything has.
    fn collect(&mut self, now_ns: u64) -> io::Result<bool> {
        let mut any = false;
        self.backend.collect(now_ns, &mut self.state, &mut self.ended)?;
        // What had been held back and follows now may be refused at once.
        while !self.ended.is_empty() {
            let mut ended = std::mem::take(&mut self.ended);
            for one in ended.drain(..) {
                match &mut self.throttle {
                    Some(throttle) => throttle.hold(self.releases_ns[one.tag.index()], one),
                    None => {
                        any = true;
                        self.end(now_ns, one);
                    }
                }
            }
            if self.ended.is_empty() {
                self.ended = ended;
                break;
            }
        }
        while let Some(one) = self.throttle.as_mut().and_then(|held| held.release(now_ns)) {
            any = true;
            self.end(now_ns, one);
        }
        Ok(any)
    }

    fn end(&mut self, now_ns: u64, Ended { tag, result }: Ended) {
        let spare_since_ns = self.hanging.came_back(now_ns, tag);
        let since_ns = spare_since_ns.unwrap_or_else(|| self.since_ns(tag));
        self.state.log_end_of_hang(now_ns, tag, since_ns);
        self.state.complete(now_ns, tag, result);
        if spare_since_ns.is_some() {
            self.hand_over_held_back(now_ns);
        }
    }

    fn hand_over_held_back(&mut self, now_ns: u64) {
        while let Some((owner, command)) = self.hanging.next_held_back() {
            let since_ns = self.hand_over(now_ns, command);
            self.hanging.put_in_spare_place(owner, command.tag, since_ns);
        }
    }
}

#[cfg(test)]
#[path = "drive_tests.rs"]
mod tests;
