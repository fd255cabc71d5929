// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real files and devices, by io_uring or, where that is refused, by threads.
//!
//! Each has an engine of its own: what is removed takes its buffers along, and a flush reaches the
//! file whose client asked for it.

use super::contract::{Backend, Ended, Extent, Opened, Opener};
use super::held::Held;
use crate::config::{self, ExportSource};
use crate::disk::{DiskState, ExportKey, Piece};
use base::{Op, SECTOR_BYTES};
use blk::{Command, DeviceLimits, IoError, Tag};
use disk_io::{Buffer, Completion, Engine, EngineError, EngineKind, EngineSettings, Io};
use disk_io::{LARGEST_DISCARD_SECTORS, LENT_MAX, SubmitError, Target};
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Sectors of the scheduler's space that files are placed in: more than any disk has.
const SPACE_SECTORS: u64 = 1 << 54;

/// The memory of its own that an engine keeps for what cannot be done with the buffers of requests.
const KEPT_BYTES: u64 = 8 << 20;

/// What is given back at a time beyond that: the disk's thread does it, in about a millisecond.
const GIVEN_BACK_BYTES: u64 = 16 << 20;

/// How long memory is not used that is given back.
const UNUSED_NS: u64 = 1_000_000_000;

/// The most spare places that are one tenant's, for what hangs.
const SPARE_OF_ONE_MAX: u32 = 128;

/// Files and devices of one disk.
pub struct Files {
    limits: DeviceLimits,
    largest_bytes: u32,
    description: String,
    files: Vec<Option<Served>>,
    /// By tag: what of a command is still on its way, and its first error.
    parts: Vec<Parts>,
    completions: Vec<Completion>,
    /// Buffers between their requests and an engine; empty in between.
    lent: Vec<Buffer>,
    /// When to look for memory that is not used any more; none while engines have little.
    look_ns: Option<u64>,
}

struct Served {
    key: ExportKey,
    engine: Engine,
    /// Let go when the engine has done what it was asked for.
    held: Arc<Held>,
    start_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
struct Parts {
    left: u32,
    result: Result<(), IoError>,
    /// The engine has the buffers of its requests.
    lent: bool,
}

impl Parts {
    /// One part, on its way.
    const ONE: Parts = Parts { left: 1, result: Ok(()), lent: false };
}

impl Files {
    /// A disk that is given `depth` commands at a time, none longer than `largest_bytes`.
    pub fn new(description: String, rotational: bool, depth: u32, largest_bytes: u32) -> Files {
        let mut limits = DeviceLimits::new(depth.max(1), rotational);
        limits.capacity_sectors = SPACE_SECTORS;
        limits.max_discard_sectors = LARGEST_DISCARD_SECTORS;
        limits.max_sectors = largest_bytes / SECTOR_BYTES as u32;
        Files {
            limits,
            largest_bytes,
            description,
            files: Vec::new(),
            parts: Vec::new(),
            completions: Vec::new(),
            lent: Vec::new(),
            look_ns: None,
        }
    }

    /// Gives memory back that a burst has left, if that is due.
    fn give_back_unused(&mut self, now_ns: u64) {
        if self.look_ns.is_some_and(|look_ns| look_ns <= now_ns) {
            self.look_ns = None;
            for served in self.files.iter_mut().flatten() {
                served.engine.give_back_unused(KEPT_BYTES, GIVEN_BACK_BYTES);
            }
        }
        let has_more = |served: &Served| served.engine.used_bytes() > KEPT_BYTES;
        if self.look_ns.is_none() && self.files.iter().flatten().any(has_more) {
            self.look_ns = Some(now_ns + UNUSED_NS);
        }
    }

    fn engine_of(&self, target: &Target) -> Result<Engine, EngineError> {
        let engine = |kind| {
            let longest_bytes = self.largest_bytes;
            let depth = self.limits.depth + self.spare();
            target.small_engine(EngineSettings { depth, longest_bytes, kind: Some(kind) })
        };
        // Through the page cache, too: what is cached is copied at once, the rest is waited for.
        let kind = if target.in_memory() { EngineKind::Inline } else { EngineKind::IoUring };
        engine(kind).or_else(|refused| {
            let path = target.path().display();
            tracing::info!(%path, "{refused}: I/O is done by threads");
            engine(EngineKind::Threads)
        })
    }

    /// Begins a flush of all exports whose clients asked for it; each is told how its own ended.
    fn flush(&mut self, tag: Tag, state: &mut DiskState) -> Result<(), IoError> {
        let mut keys: Vec<ExportKey> = state.exports_of(tag).collect();
        keys.sort_unstable();
        keys.dedup();
        let io = Io { op: Op::Flush, offset_bytes: 0, length_bytes: 0 };
        let mut left = 0;
        for key in keys {
            let served = self.files.get_mut(key.place).and_then(Option::as_mut);
            match served.map(|served| served.engine.submit(tag.0, io)) {
                Some(Ok(())) => left += 1,
                Some(Err(error)) => {
                    tracing::error!("the engine refuses a flush: {error}");
                    state.fail_flush(tag, key, IoError::Io);
                }
                None => state.fail_flush(tag, key, IoError::DeviceGone),
            }
        }
        self.parts[tag.index()] = Parts { left, ..Parts::ONE };
        // Each export has its own error, and none is on its way that could tell the end.
        if left == 0 { Err(IoError::Io) } else { Ok(()) }
    }
}

impl Backend for Files {
    fn limits(&self) -> DeviceLimits {
        self.limits
    }

    fn spare(&self) -> u32 {
        2 * self.limits.depth.min(SPARE_OF_ONE_MAX)
    }

    fn description(&self) -> String {
        self.description.clone()
    }

    fn opener(&self) -> Opener {
        let held = self.files.iter().flatten().map(|served| Arc::clone(&served.held));
        let held: Vec<Arc<Held>> = held.collect();
        Box::new(move |export| open(export, &held))
    }

    fn place(&mut self, key: ExportKey, start_sector: u64, opened: Opened) -> Result<(), String> {
        let Some(held) = opened.file else { return Ok(()) };
        // In the thread that uses it: the kernel interrupts the one that has made a ring when that
        // is closed.
        let engine = self.engine_of(&held.target).map_err(|error| error.to_string())?;
        if self.files.len() <= key.place {
            self.files.resize_with(key.place + 1, || None);
        }
        let start_bytes = start_sector * SECTOR_BYTES;
        self.files[key.place] = Some(Served { key, engine, held: Arc::from(held), start_bytes });
        Ok(())
    }

    fn close(&mut self, key: ExportKey) {
        self.files[key.place] = None;
    }

    fn submit(&mut self, _: u64, command: Command, state: &mut DiskState) -> Result<(), IoError> {
        let Command { tag, op, sector, sectors } = command;
        if self.parts.len() <= tag.index() {
            self.parts.resize(tag.index() + 1, Parts::ONE);
        }
        self.parts[tag.index()] = Parts::ONE;
        if op == Op::Flush {
            return self.flush(tag, state);
        }
        let served = self.files.get_mut(state.export_of(tag).place).and_then(Option::as_mut);
        let served = served.ok_or(IoError::DeviceGone)?;
        let io = Io {
            op,
            offset_bytes: sector * SECTOR_BYTES - served.start_bytes,
            length_bytes: u32::try_from(u64::from(sectors) * SECTOR_BYTES)
                .map_err(|_| IoError::BeyondEnd)?,
        };
        let lent = op != Op::Discard && state.lend(tag, LENT_MAX, &mut self.lent);
        self.parts[tag.index()].lent = lent;
        let submitted = if lent {
            let submitted = served.engine.submit_lent(tag.0, io, &mut self.lent);
            // If it was refused, they are still here.
            state.take_back(tag, &mut self.lent);
            submitted
        } else {
            submit_copied(&mut served.engine, tag, io, state)
        };
        submitted.map_err(|error| {
            tracing::error!(?command, "the engine refuses a command: {error}");
            IoError::Io
        })
    }

    fn collect(
        &mut self,
        now_ns: u64,
        state: &mut DiskState,
        ended: &mut Vec<Ended>,
    ) -> io::Result<()> {
        for served in self.files.iter_mut().flatten() {
            if served.engine.in_flight() == 0 {
                continue;
            }
            let waited = served.engine.wait(Duration::ZERO, &mut self.completions);
            waited.map_err(io::Error::other)?;
            for completion in self.completions.drain(..) {
                let tag = Tag(completion.tag);
                if self.parts[tag.index()].lent {
                    served.engine.take_back(&completion, &mut self.lent);
                    state.take_back(tag, &mut self.lent);
                } else if completion.io.op == Op::Read && completion.result.is_ok() {
                    let data = served.engine.data(&completion);
                    state.fill(tag, |place, into| {
                        into.copy_from_slice(&data[place..place + into.len()]);
                    });
                }
                let parts = &mut self.parts[tag.index()];
                parts.left -= 1;
                match completion.result.map_err(IoError::from) {
                    Err(error) if completion.io.op == Op::Flush => {
                        state.fail_flush(tag, served.key, error);
                    }
                    result => parts.result = parts.result.and(result),
                }
                if parts.left == 0 {
                    ended.push(Ended { tag, result: parts.result });
                }
            }
        }
        self.give_back_unused(now_ns);
        Ok(())
    }

    fn next_event_ns(&self) -> Option<u64> {
        self.look_ns
    }

    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        self.files.iter().flatten().filter_map(|served| served.engine.descriptor()).collect()
    }

    fn extents(
        &self,
        key: ExportKey,
        offset_bytes: u64,
        length_bytes: u64,
        most: usize,
    ) -> io::Result<Vec<Extent>> {
        let served = self.files.get(key.place).and_then(Option::as_ref);
        let target = &served.ok_or(io::ErrorKind::NotFound)?.held.target;
        let end = offset_bytes + length_bytes;
        let (mut place, mut extents) = (offset_bytes, Vec::new());
        while place < end && extents.len() < most {
            let stored = target.stored(place)?;
            let until = stored.until_bytes.min(end);
            if until <= place {
                break;
            }
            extents.push(Extent { length_bytes: until - place, is_hole: stored.is_hole });
            place = until;
        }
        Ok(extents)
    }
}

/// Opens what an export of a disk serves that has others open already.
fn open(export: &config::Export, others: &[Arc<Held>]) -> Result<Opened, String> {
    let ExportSource::Path(path) = &export.source else {
        return Err(format!("export `{}` is emulated, and the disk is not", export.name));
    };
    let held = Held::open(path, !export.read_only, others)?;
    let (size_bytes, block_bytes) = (held.target.capacity_bytes(), held.target.block_bytes());
    warn_of_rest(path, size_bytes, block_bytes);
    Ok(Opened { file: Some(Box::new(held)), ..Opened::new(size_bytes, block_bytes) })
}

/// Clients see whole blocks: what a file has beyond the last one is not served, which is said.
fn warn_of_rest(path: &Path, served_bytes: u64, block_bytes: u32) {
    let file_bytes = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    let rest_bytes = file_bytes.map_or(0, |file| file.len().saturating_sub(served_bytes));
    if rest_bytes > 0 {
        let path = path.display();
        tracing::warn!(
            %path,
            "its last {rest_bytes} bytes are not served: its size is no multiple of {block_bytes}"
        );
    }
}

/// Submits what cannot be done with the buffers of its requests: zeros, and parts of a request.
fn submit_copied(
    engine: &mut Engine,
    tag: Tag,
    io: Io,
    state: &DiskState,
) -> Result<(), SubmitError> {
    if io.op != Op::Write {
        return engine.submit(tag.0, io);
    }
    engine.submit_data(tag.0, io, |mut data| {
        for piece in state.pieces(tag) {
            let length = match piece {
                Piece::Data(piece) => piece.len(),
                Piece::Zeros(length) => length,
            };
            let (now, rest) = data.split_at_mut(length);
            match piece {
                Piece::Data(piece) => now.copy_from_slice(piece),
                Piece::Zeros(_) => now.fill(0),
            }
            data = rest;
        }
    })
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
