// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk in memory that takes as long as a modelled one: anyone can try a slow disk anywhere.

use super::contract::{Backend, Ended, Extent, Opened, Opener};
use super::memory::Memory;
use crate::config::ExportSource;
use crate::disk::{DiskState, ExportKey, Piece};
use base::{Op, SECTOR_BYTES};
use blk::{Command, DeviceLimits, IoError, Tag};
use device::{CommandError, Completion, Device, ModelKind, Profile};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::BorrowedFd;
use std::rc::Rc;

/// Where the platters of a modelled hard disk stand at the start.
const SEED: u64 = 1;

/// The exports have no blocks of their own: any sector may be written.
const BLOCK_BYTES: u32 = SECTOR_BYTES as u32;

/// A modelled disk and its contents.
pub struct Emulated {
    device: Device,
    limits: DeviceLimits,
    description: String,
    parts: BTreeMap<ExportKey, Part>,
    commands: Vec<Option<Command>>,
    completions: Vec<Completion>,
}

/// What an export has of the disk.
struct Part {
    /// Its first byte.
    start_bytes: u64,
    size_bytes: u64,
    /// An export that is served otherwise from now on is there twice, until the clients of what it
    /// was have left: both have the same memory.
    memory: Rc<RefCell<Memory>>,
}

impl Emulated {
    /// A disk of this profile, which takes at most `depth` commands at a time, if given.
    pub fn new(profile: &Profile, depth: Option<u32>) -> Emulated {
        let device = Device::from_profile(profile, SEED);
        let depth = depth.unwrap_or(u32::MAX).clamp(1, device.depth());
        let mut limits = DeviceLimits::new(depth, device.rotational());
        limits.capacity_sectors = device.capacity_sectors();
        if profile.model() == ModelKind::HardDisk {
            limits.max_discard_sectors = 0;
        }
        Emulated {
            device,
            limits,
            description: format!("{}, emulated: {}", profile.name(), profile.description()),
            parts: BTreeMap::new(),
            commands: Vec::new(),
            completions: Vec::new(),
        }
    }

    /// The memory reads as what the command writes.
    fn store(&self, command: Command, state: &DiskState) {
        let Some((memory, mut at)) = place_of(&self.parts, command, state) else { return };
        let mut memory = memory.borrow_mut();
        for piece in state.pieces(command.tag) {
            let length = match piece {
                Piece::Data(data) => {
                    memory.write(at, data);
                    data.len() as u64
                }
                Piece::Zeros(length) => {
                    memory.clear(at, length as u64);
                    length as u64
                }
            };
            at += length;
        }
    }

    /// The memory reads as zeros where the command discards.
    fn discard(&self, command: Command, state: &DiskState) {
        if let Some((memory, at)) = place_of(&self.parts, command, state) {
            memory.borrow_mut().clear(at, u64::from(command.sectors) * SECTOR_BYTES);
        }
    }
}

/// The memory that a command with sectors is about, and where in it the command begins.
fn place_of<'a>(
    parts: &'a BTreeMap<ExportKey, Part>,
    command: Command,
    state: &DiskState,
) -> Option<(&'a RefCell<Memory>, u64)> {
    let part = parts.get(&state.export_of(command.tag))?;
    Some((&part.memory, command.sector * SECTOR_BYTES - part.start_bytes))
}

impl Backend for Emulated {
    fn limits(&self) -> DeviceLimits {
        self.limits
    }

    /// What is emulated does not hang.
    fn spare(&self) -> u32 {
        0
    }

    fn description(&self) -> String {
        self.description.clone()
    }

    fn opener(&self) -> Opener {
        Box::new(|export| match export.source {
            ExportSource::Emulated { size_bytes, .. } => {
                let rest_bytes = size_bytes % SECTOR_BYTES;
                if rest_bytes > 0 {
                    tracing::warn!(
                        export = export.name,
                        "its last {rest_bytes} bytes are not served: its size is no multiple of \
                         {SECTOR_BYTES}"
                    );
                }
                Ok(Opened::new(size_bytes - rest_bytes, BLOCK_BYTES))
            }
            ExportSource::Path(_) => {
                Err(format!("export `{}` is a file, and the disk is emulated", export.name))
            }
        })
    }

    fn place(&mut self, key: ExportKey, start_sector: u64, opened: Opened) -> Result<(), String> {
        let Opened { size_bytes, replaces, .. } = opened;
        let replaced = replaces.and_then(|key| self.parts.get(&key));
        let replaced = replaced.filter(|part| part.size_bytes == size_bytes);
        let memory = replaced.map(|part| Rc::clone(&part.memory)).unwrap_or_default();
        let start_bytes = start_sector * SECTOR_BYTES;
        self.parts.insert(key, Part { start_bytes, size_bytes, memory });
        Ok(())
    }

    fn close(&mut self, key: ExportKey) {
        self.parts.remove(&key);
    }

    fn submit(
        &mut self,
        now_ns: u64,
        command: Command,
        state: &mut DiskState,
    ) -> Result<(), IoError> {
        match command.op {
            Op::Write => self.store(command, state),
            Op::Discard => self.discard(command, state),
            Op::Read | Op::Flush => {}
        }
        let Command { tag, op, sector, sectors } = command;
        let told = device::Command { tag: tag.0, op, sector, sectors };
        self.device.submit(now_ns, told).map_err(|_| IoError::Io)?;
        if self.commands.len() <= tag.index() {
            self.commands.resize(tag.index() + 1, None);
        }
        self.commands[tag.index()] = Some(command);
        Ok(())
    }

    fn collect(
        &mut self,
        now_ns: u64,
        state: &mut DiskState,
        ended: &mut Vec<Ended>,
    ) -> io::Result<()> {
        self.device.advance(now_ns, &mut self.completions);
        for completion in self.completions.drain(..) {
            let tag = Tag(completion.tag);
            let command = self.commands[tag.index()].take();
            let read = command.filter(|command| command.op == Op::Read);
            if let Some((memory, at)) = read.and_then(|read| place_of(&self.parts, read, state)) {
                state.fill(tag, |place, into| memory.borrow().read(at + place as u64, into));
            }
            let result = completion.result.map_err(|error| match error {
                CommandError::OutOfRange | CommandError::Empty => IoError::BeyondEnd,
                CommandError::Unsupported => IoError::NotSupported,
            });
            ended.push(Ended { tag, result });
        }
        Ok(())
    }

    fn next_event_ns(&self) -> Option<u64> {
        self.device.next_event_ns()
    }

    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        Vec::new()
    }

    fn extents(
        &self,
        key: ExportKey,
        offset_bytes: u64,
        length_bytes: u64,
        most: usize,
    ) -> io::Result<Vec<Extent>> {
        let part = self.parts.get(&key).ok_or(io::ErrorKind::NotFound)?;
        Ok(part.memory.borrow().extents(offset_bytes, length_bytes, most))
    }
}
