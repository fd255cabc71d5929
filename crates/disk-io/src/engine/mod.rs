// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many reads, writes, discards and flushes at a time, on one file or device.
//!
//! [`Engine::submit`] takes a request under a tag of the caller's; [`Engine::wait`] sleeps until a
//! request has ended or the time is over, whichever is first, and says how it ended. What the
//! kernel does only in part is continued before it is reported.

mod call;
mod error;
mod inline;
mod memory;
mod request;
mod ring;
#[cfg(test)]
mod tests;
mod threads;
mod transfer;
mod used;

pub use error::{EngineError, IoError, SubmitError};
pub use memory::LENT_MAX;
pub use request::{Io, LARGEST_DISCARD_SECTORS};

use crate::buffer::Buffer;
use crate::pattern::Pattern;
use base::Op;
use inline::Inline;
use memory::Memory;
use ring::Ring;
use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;
use threads::Threads;
use transfer::{Next, Piece, PieceOutcome, Source, Transfer};
use used::Used;

/// A request that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The tag it was submitted under.
    pub tag: u32,
    /// The request that has ended.
    pub io: Io,
    /// Done wholly, or why not.
    pub result: Result<(), IoError>,
    slot: u32,
}

/// How the engine does its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// By io_uring, without threads of its own.
    IoUring,
    /// By `preadv` and `pwritev` in a pool of threads.
    Threads,
    /// By the same in the thread that submits, which waits for each: for files in memory.
    Inline,
}

impl EngineKind {
    /// Its name in results and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::IoUring => "io_uring",
            EngineKind::Threads => "threads",
            EngineKind::Inline => "inline",
        }
    }
}

/// What an engine is made for.
#[derive(Debug, Clone, Copy)]
pub struct EngineSettings {
    /// Requests in flight at most, from 1.
    pub depth: u32,
    /// The longest request, in bytes.
    pub longest_bytes: u32,
    /// How to work; `None` leaves it to the engine: io_uring, and threads where that is refused
    /// or `O_DIRECT` is.
    pub kind: Option<EngineKind>,
}

/// What may be asked of the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Geometry {
    /// Where it ends, in bytes.
    pub(crate) capacity_bytes: u64,
    /// Offsets and lengths are multiples of this, in bytes.
    pub(crate) block_bytes: u32,
    /// The page cache is bypassed.
    pub(crate) direct: bool,
}

/// Requests in flight on one file.
pub struct Engine {
    backend: Backend,
    geometry: Geometry,
    longest_bytes: u32,
    slots: Vec<Option<Flight>>,
    /// Slots without a request; the last one freed is used first, its buffer is warm.
    free: Vec<u32>,
    /// Slots whose own memory was written to.
    used: Used,
    /// Filled by the backend, emptied by `wait`; kept so that waiting allocates nothing.
    outcomes: Vec<PieceOutcome>,
    refused: Option<io::Error>,
}

enum Backend {
    Ring(Box<Ring>),
    Threads(Threads),
    Inline(Inline),
}

#[derive(Clone, Copy)]
struct Flight {
    tag: u32,
    transfer: Transfer,
}

impl Engine {
    /// An engine on `file`.
    pub(crate) fn new(
        file: Arc<File>,
        geometry: Geometry,
        settings: EngineSettings,
    ) -> Result<Engine, EngineError> {
        let (backend, refused) = Backend::choose(file, geometry, settings)?;
        Ok(Engine {
            backend,
            geometry,
            longest_bytes: settings.longest_bytes,
            slots: vec![None; settings.depth as usize],
            free: (0..settings.depth).rev().collect(),
            used: Used::new(settings.depth as usize),
            outcomes: Vec::with_capacity(settings.depth as usize),
            refused,
        })
    }

    /// Makes the memory and the data that requests use, which else their first ones do: whoever
    /// measures them does not measure that.
    pub(crate) fn make_all(&mut self) {
        for slot in 0..self.slots.len() as u32 {
            let (memory, pattern) = self.backend.memory_mut(slot);
            memory.own_mut();
            pattern.make();
        }
    }

    /// Whether it uses io_uring or threads.
    pub fn kind(&self) -> EngineKind {
        match self.backend {
            Backend::Ring(_) => EngineKind::IoUring,
            Backend::Threads(_) => EngineKind::Threads,
            Backend::Inline(_) => EngineKind::Inline,
        }
    }

    /// Why io_uring was refused, if it was tried and was not asked for by name.
    pub fn io_uring_refused(&self) -> Option<&io::Error> {
        self.refused.as_ref()
    }

    /// Requests submitted and not yet reported.
    pub fn in_flight(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Takes a request; [`Engine::wait`] reports its end under the same tag.
    ///
    /// # Errors
    /// The request does not fit the target or the engine; nothing was done.
    pub fn submit(&mut self, tag: u32, io: Io) -> Result<(), SubmitError> {
        let slot = self.take_slot(io)?;
        // A read uses the slot's own buffer.
        let source = if io.op == Op::Write { Source::Pattern } else { Source::Buffer };
        if io.op == Op::Read {
            self.used.uses(slot);
        }
        self.start(slot, tag, Transfer::new(io, source));
        Ok(())
    }

    /// Takes a write of other data: `fill` is given those of the pattern and changes them as it
    /// likes. It is not called if the request is refused.
    ///
    /// # Errors
    /// As for [`Engine::submit`].
    pub fn submit_filled(
        &mut self,
        tag: u32,
        io: Io,
        fill: impl FnOnce(&mut [u8]),
    ) -> Result<(), SubmitError> {
        let slot = self.take_slot(io)?;
        self.used.uses(slot);
        let length = io.length_bytes as usize;
        let (memory, pattern) = self.backend.memory_mut(slot);
        let data = &mut memory.own_mut()[..length];
        data.copy_from_slice(pattern.at(io.offset_bytes, length));
        fill(data);
        self.start(slot, tag, Transfer::new(io, Source::Buffer));
        Ok(())
    }

    /// Takes a write of data of the caller's own: `fill` is given what is left in the buffer from
    /// another request, and writes all of it. It is not called if the request is refused.
    ///
    /// # Errors
    /// As for [`Engine::submit`].
    pub fn submit_data(
        &mut self,
        tag: u32,
        io: Io,
        fill: impl FnOnce(&mut [u8]),
    ) -> Result<(), SubmitError> {
        let slot = self.take_slot(io)?;
        self.used.uses(slot);
        fill(&mut self.backend.memory_mut(slot).0.own_mut()[..io.length_bytes as usize]);
        self.start(slot, tag, Transfer::new(io, Source::Buffer));
        Ok(())
    }

    /// Takes a read or write whose data are not copied: they lie, one after the other, in buffers
    /// that the caller lends until [`Engine::take_back`]. They are taken out of `buffers`, if the
    /// request is not refused.
    ///
    /// # Errors
    /// As for [`Engine::submit`].
    ///
    /// # Panics
    /// If these are more than [`LENT_MAX`] buffers, or not together as long as the request.
    pub fn submit_lent(
        &mut self,
        tag: u32,
        io: Io,
        buffers: &mut Vec<Buffer>,
    ) -> Result<(), SubmitError> {
        assert!(buffers.len() <= LENT_MAX, "{} buffers", buffers.len());
        let length: usize = buffers.iter().map(|buffer| buffer.len()).sum();
        assert_eq!(length, io.length_bytes as usize, "the buffers are as long as their request");
        let slot = self.take_slot(io)?;
        self.backend.memory_mut(slot).0.lend(buffers);
        self.start(slot, tag, Transfer::new(io, Source::Lent));
        Ok(())
    }

    /// Gives back what was lent to a request that has ended: adds it to `buffers`. Later than the
    /// next request is submitted they may be gone.
    pub fn take_back(&mut self, completion: &Completion, buffers: &mut Vec<Buffer>) {
        self.backend.memory_mut(completion.slot).0.give_back(buffers);
    }

    /// Can be read when [`Engine::wait`] has something to report, for whoever waits for other
    /// things as well. What was submitted has to be handed over by [`Engine::wait`] first. There
    /// is none if all has ended by then.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        match &self.backend {
            Backend::Ring(ring) => Some(ring.descriptor()),
            Backend::Threads(threads) => Some(threads.descriptor()),
            Backend::Inline(_) => None,
        }
    }

    fn take_slot(&mut self, io: Io) -> Result<u32, SubmitError> {
        if io.op != Op::Flush {
            self.check(io)?;
        }
        let depth = self.slots.len() as u32;
        self.free.pop().ok_or(SubmitError::Full { depth })
    }

    fn start(&mut self, slot: u32, tag: u32, transfer: Transfer) {
        self.slots[slot as usize] = Some(Flight { tag, transfer });
        self.backend.start(slot, transfer.piece());
    }

    /// Hands over what was submitted and waits for a request to end, at most for `timeout`; adds
    /// those that have ended to `completions`. It may come back early with none: when a signal
    /// came, or when a request had to be continued.
    ///
    /// # Errors
    /// The kernel does not report completions any more.
    pub fn wait(
        &mut self,
        timeout: Duration,
        completions: &mut Vec<Completion>,
    ) -> Result<(), EngineError> {
        self.backend.wait(timeout, &mut self.outcomes).map_err(EngineError::Wait)?;
        let mut outcomes = std::mem::take(&mut self.outcomes);
        for PieceOutcome { slot, result } in outcomes.drain(..) {
            let flight = self.slots[slot as usize].as_mut().expect("an outcome has its request");
            match flight.transfer.after(result, self.geometry.block_bytes) {
                Next::Continue => {
                    let piece = flight.transfer.piece();
                    self.backend.start(slot, piece);
                }
                Next::Ended(result) => {
                    let (tag, io) = (flight.tag, flight.transfer.io());
                    self.slots[slot as usize] = None;
                    self.free.push(slot);
                    completions.push(Completion { tag, io, result, slot });
                }
            }
        }
        self.outcomes = outcomes;
        Ok(())
    }

    /// What a read into the engine's own memory has read. Good until the next request is
    /// submitted, which may use the same buffer.
    pub fn data(&self, completion: &Completion) -> &[u8] {
        let bytes = self.backend.memory(completion.slot).map_or(&[][..], Memory::own);
        &bytes[..bytes.len().min(completion.io.length_bytes as usize)]
    }

    /// The memory of the engine's own that it takes of the system's, in bytes.
    pub fn used_bytes(&self) -> u64 {
        self.used.count() as u64 * u64::from(self.longest_bytes)
    }

    /// Gives memory back to the system that no request has used since the last call, as that of a
    /// burst: at most `most_bytes`, and as long as the engine takes more than `kept_bytes`. What
    /// reads have read may be gone then.
    pub fn give_back_unused(&mut self, kept_bytes: u64, most_bytes: u64) {
        let slots = |bytes: u64| usize::try_from(bytes / u64::from(self.longest_bytes.max(1)));
        let [kept, most] = [kept_bytes, most_bytes].map(|bytes| slots(bytes).unwrap_or(usize::MAX));
        // The last one freed is used first, so that those in front are used least.
        for slot in self.used.look(&self.free, kept, most) {
            *self.backend.memory_mut(slot).0 = Memory::new(self.longest_bytes as usize);
        }
    }

    fn check(&self, io: Io) -> Result<(), SubmitError> {
        let Io { offset_bytes, length_bytes, .. } = io;
        let Geometry { capacity_bytes, block_bytes, .. } = self.geometry;
        let longest_bytes = self.longest_bytes;
        if length_bytes == 0 {
            return Err(SubmitError::Empty);
        }
        if !offset_bytes.is_multiple_of(u64::from(block_bytes))
            || !length_bytes.is_multiple_of(block_bytes)
        {
            return Err(SubmitError::Misaligned { offset_bytes, length_bytes, block_bytes });
        }
        if length_bytes > longest_bytes && io.op != Op::Discard {
            return Err(SubmitError::TooLong { length_bytes, longest_bytes });
        }
        match offset_bytes.checked_add(u64::from(length_bytes)) {
            Some(end) if end <= capacity_bytes => Ok(()),
            _ => Err(SubmitError::BeyondEnd { offset_bytes, length_bytes, capacity_bytes }),
        }
    }
}

impl Backend {
    /// What was asked for, or the best there is, and why it is not io_uring if that was refused.
    fn choose(
        file: Arc<File>,
        geometry: Geometry,
        settings: EngineSettings,
    ) -> Result<(Backend, Option<io::Error>), EngineError> {
        let EngineSettings { depth, longest_bytes, kind } = settings;
        let threads = |file| {
            Threads::new(file, depth, longest_bytes)
                .map(Backend::Threads)
                .map_err(EngineError::Threads)
        };
        // Through the page cache io_uring copies in the submitter's context whatever is cached,
        // and holds up the others meanwhile.
        let kind = kind.or((!geometry.direct).then_some(EngineKind::Threads));
        if kind == Some(EngineKind::Threads) {
            return Ok((threads(file)?, None));
        }
        if kind == Some(EngineKind::Inline) {
            return Ok((Backend::Inline(Inline::new(file, depth, longest_bytes)), None));
        }
        match Ring::new(Arc::clone(&file), depth, longest_bytes) {
            Ok(ring) => Ok((Backend::Ring(Box::new(ring)), None)),
            Err(error) if kind.is_some() => Err(EngineError::IoUring(error)),
            Err(error) => Ok((threads(file)?, Some(error))),
        }
    }

    fn start(&mut self, slot: u32, piece: Piece) {
        match self {
            Backend::Ring(ring) => ring.start(slot, piece),
            Backend::Threads(threads) => threads.start(slot, piece),
            Backend::Inline(inline) => inline.start(slot, piece),
        }
    }

    fn wait(&mut self, timeout: Duration, out: &mut Vec<PieceOutcome>) -> io::Result<()> {
        match self {
            Backend::Ring(ring) => ring.wait(timeout, out),
            Backend::Threads(threads) => threads.wait(timeout, out),
            Backend::Inline(inline) => {
                inline.wait(timeout, out);
                Ok(())
            }
        }
    }

    fn memory_mut(&mut self, slot: u32) -> (&mut Memory, &Pattern) {
        match self {
            Backend::Ring(ring) => ring.memory_mut(slot),
            Backend::Threads(threads) => threads.memory_mut(slot),
            Backend::Inline(inline) => inline.memory_mut(slot),
        }
    }

    fn memory(&self, slot: u32) -> Option<&Memory> {
        match self {
            Backend::Ring(ring) => ring.memory(slot),
            Backend::Threads(threads) => threads.memory(slot),
            Backend::Inline(inline) => Some(inline.memory(slot)),
        }
    }
}
