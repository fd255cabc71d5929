// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk in memory that takes as long as a modelled one: anyone can try a slow disk anywhere.

use super::contract::{Backend, Ended, Extent, Opened, Opener};
use super::memory::Memory;
use crate::config::ExportSource;
use crate::disk::{DiskState, ExportKey, Piece};
use base::{Op, SECTOR_BYTES};
use blk::{Command, DeviceLimits, IoError, Tag};
use device::{CommandError, Completion, Device, ModelKind, Profile};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::BorrowedFd;

/// Where the platters of a modelled hard disk stand at the start.
const SEED: u64 = 1;

/// The exports have no blocks of their own: any sector may be written.
const BLOCK_BYTES: u32 = SECTOR_BYTES as u32;

/// A modelled disk and its contents.
pub struct Emulated {
    device: Device,
    memory: Memory,
    limits: DeviceLimits,
    description: String,
    /// The first byte of each export.
    starts: BTreeMap<ExportKey, u64>,
    /// Its size, in bytes.
    sizes: BTreeMap<ExportKey, u64>,
    commands: Vec<Option<Command>>,
    completions: Vec<Completion>,
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
            memory: Memory::default(),
            limits,
            description: format!("{}, emulated: {}", profile.name(), profile.description()),
            starts: BTreeMap::new(),
            sizes: BTreeMap::new(),
            commands: Vec::new(),
            completions: Vec::new(),
        }
    }

    fn start_bytes(command: Command) -> u64 {
        command.sector * SECTOR_BYTES
    }

    /// The memory reads as what the command writes.
    fn store(&mut self, command: Command, state: &DiskState) {
        let mut at = Self::start_bytes(command);
        for piece in state.pieces(command.tag) {
            let length = match piece {
                Piece::Data(data) => {
                    self.memory.write(at, data);
                    data.len() as u64
                }
                Piece::Zeros(length) => {
                    self.memory.clear(at, length as u64);
                    length as u64
                }
            };
            at += length;
        }
    }
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
            ExportSource::Emulated { size_bytes, .. } => Ok(Opened::new(size_bytes, BLOCK_BYTES)),
            ExportSource::Path(_) => {
                Err(format!("export `{}` is a file, and the disk is emulated", export.name))
            }
        })
    }

    fn place(&mut self, key: ExportKey, start_sector: u64, opened: Opened) -> Result<(), String> {
        self.starts.insert(key, start_sector * SECTOR_BYTES);
        self.sizes.insert(key, opened.size_bytes);
        Ok(())
    }

    fn close(&mut self, key: ExportKey) {
        if let (Some(start), Some(size)) = (self.starts.remove(&key), self.sizes.remove(&key)) {
            self.memory.clear(start, size);
        }
    }

    fn submit(
        &mut self,
        now_ns: u64,
        command: Command,
        state: &mut DiskState,
    ) -> Result<(), IoError> {
        match command.op {
            Op::Write => self.store(command, state),
            Op::Discard => {
                let length = u64::from(command.sectors) * SECTOR_BYTES;
                self.memory.clear(Self::start_bytes(command), length);
            }
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
            if let Some(command) = command.filter(|command| command.op == Op::Read) {
                let start = Self::start_bytes(command);
                state.fill(tag, |place, into| self.memory.read(start + place as u64, into));
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
        let start = self.starts.get(&key).ok_or(io::ErrorKind::NotFound)?;
        Ok(self.memory.extents(start + offset_bytes, length_bytes, most))
    }
}
