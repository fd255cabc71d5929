// SPDX-License-Identifier: MIT OR Apache-2.0
//! The entries of a process of a trace: in memory, and those of a large trace in a scratch file,
//! from which a replay reads them block by block. So a trace of any size needs no more memory than
//! [`MOST_IN_MEMORY`] of them.

use std::io;
use std::num::NonZeroU32;
use std::sync::Arc;

use crate::recorded::entry::{Due, TraceEntry, TraceKind};
use crate::recorded::scratch_file::ScratchFile;

/// Entries of all processes that are kept in memory: 64 MiB.
pub(super) const MOST_IN_MEMORY: usize = 2 << 20;

/// Entries that are written and read together: 16 KiB.
const BLOCK_ENTRIES: usize = 512;

/// Bytes of an entry in the file.
const ENTRY_BYTES: usize = 32;

/// The I/Os of a process, in order.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    blocks: Vec<Block>,
    /// Those behind the last whole block.
    tail: Vec<TraceEntry>,
}

#[derive(Clone, Debug)]
enum Block {
    Memory(Box<[TraceEntry]>),
    /// In the scratch file, from this byte on.
    Scratch(Arc<ScratchFile>, u64),
}

/// Where entries go while a trace is read: the room that is left, and the file for the others.
#[derive(Debug)]
pub(super) struct Scratch {
    room: usize,
    file: Option<Arc<ScratchFile>>,
    used_bytes: u64,
}

impl Scratch {
    /// Keeps that number of entries in memory.
    pub(super) fn new(most_in_memory: usize) -> Scratch {
        Scratch { room: most_in_memory, file: None, used_bytes: 0 }
    }

    fn write(&mut self, entries: &[TraceEntry]) -> io::Result<Block> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(self.file.insert(Arc::new(ScratchFile::create()?))),
        };
        let bytes = entries.iter().map(encode).collect::<Vec<_>>();
        let bytes = bytes.as_flattened();
        file.write_all_at(bytes, self.used_bytes)?;
        let block = Block::Scratch(file, self.used_bytes);
        self.used_bytes += bytes.len() as u64;
        Ok(block)
    }
}

impl Entries {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.blocks.len() * BLOCK_ENTRIES + self.tail.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds one at the end.
    pub(super) fn push(&mut self, entry: TraceEntry, scratch: &mut Scratch) -> io::Result<()> {
        self.tail.push(entry);
        if self.tail.len() < BLOCK_ENTRIES {
            return Ok(());
        }
        let block = match scratch.room.checked_sub(BLOCK_ENTRIES) {
            Some(room) => {
                scratch.room = room;
                Block::Memory(self.tail.as_slice().into())
            }
            None => scratch.write(&self.tail)?,
        };
        self.blocks.push(block);
        self.tail.clear();
        Ok(())
    }

    /// All of them.
    ///
    /// # Errors
    /// The scratch file cannot be read.
    #[cfg(test)]
    pub(crate) fn to_vec(&self) -> io::Result<Vec<TraceEntry>> {
        let mut reader = EntryReader::default();
        (0..self.len()).filter_map(|index| reader.get(self, index).transpose()).collect()
    }
}

/// Reads entries one after the other.
#[derive(Debug, Default)]
pub(crate) struct EntryReader {
    /// The number of the block that was read last, and what it holds.
    block: Option<usize>,
    entries: Vec<TraceEntry>,
}

impl EntryReader {
    /// The entry at a position; none behind the end.
    ///
    /// # Errors
    /// The scratch file cannot be read.
    pub(crate) fn get(&mut self, all: &Entries, index: usize) -> io::Result<Option<TraceEntry>> {
        let (number, place) = (index / BLOCK_ENTRIES, index % BLOCK_ENTRIES);
        match all.blocks.get(number) {
            None if number > all.blocks.len() => Ok(None),
            None => Ok(all.tail.get(place).copied()),
            Some(Block::Memory(entries)) => Ok(entries.get(place).copied()),
            Some(Block::Scratch(file, at_bytes)) => {
                if self.block != Some(number) {
                    self.block = None;
                    let mut bytes = vec![0; BLOCK_ENTRIES * ENTRY_BYTES];
                    file.read_exact_at(&mut bytes, *at_bytes)?;
                    self.entries = bytes.as_chunks().0.iter().map(decode).collect();
                    self.block = Some(number);
                }
                Ok(self.entries.get(place).copied())
            }
        }
    }
}

/// The kinds, in the order of their numbers in the file.
const KINDS: [TraceKind; 6] = [
    TraceKind::Read,
    TraceKind::ReadAhead,
    TraceKind::Write,
    TraceKind::WriteBack,
    TraceKind::Sync,
    TraceKind::DataSync,
];

fn encode(entry: &TraceEntry) -> [u8; ENTRY_BYTES] {
    let (tag, ns, waits_for) = match entry.due {
        Due::AtOnce => (0, 0, 0),
        Due::Delayed(ns) => (1, ns, 0),
        Due::At(ns) => (2, ns, 0),
        Due::Gap { gap_ns, waits_for } => (3, gap_ns, waits_for.map_or(0, NonZeroU32::get)),
    };
    let kind = KINDS.iter().position(|kind| *kind == entry.kind).unwrap_or(0);
    let mut bytes = [0; ENTRY_BYTES];
    bytes[..8].copy_from_slice(&ns.to_le_bytes());
    bytes[8..16].copy_from_slice(&entry.offset_bytes.to_le_bytes());
    bytes[16..20].copy_from_slice(&entry.length_bytes.to_le_bytes());
    bytes[20..24].copy_from_slice(&waits_for.to_le_bytes());
    bytes[24..26].copy_from_slice(&entry.file.to_le_bytes());
    bytes[26..29].copy_from_slice(&[tag, kind as u8, u8::from(entry.metadata)]);
    bytes
}

fn decode(bytes: &[u8; ENTRY_BYTES]) -> TraceEntry {
    let (ns, waits_for) = (u64::from_le_bytes(part(bytes, 0)), u32::from_le_bytes(part(bytes, 20)));
    TraceEntry {
        due: match bytes[26] {
            0 => Due::AtOnce,
            1 => Due::Delayed(ns),
            2 => Due::At(ns),
            _ => Due::Gap { gap_ns: ns, waits_for: NonZeroU32::new(waits_for) },
        },
        kind: KINDS[usize::from(bytes[27]) % KINDS.len()],
        metadata: bytes[28] != 0,
        file: u16::from_le_bytes(part(bytes, 24)),
        length_bytes: u32::from_le_bytes(part(bytes, 16)),
        offset_bytes: u64::from_le_bytes(part(bytes, 8)),
    }
}

/// The bytes of a number, from that place on.
fn part<const LENGTH: usize>(bytes: &[u8; ENTRY_BYTES], start: usize) -> [u8; LENGTH] {
    std::array::from_fn(|place| bytes[start + place])
}
