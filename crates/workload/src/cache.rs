// SPDX-License-Identifier: MIT OR Apache-2.0
//! A model of the page cache, for jobs with `direct=0`: which pages a buffered read or write finds,
//! what is read ahead, and when what was written reaches the device.
//!
//! A [`PageCache`] stands between the processes and the block layer. It has no clock, does no I/O
//! and holds no data; it is a function of what it is told.
//!
//! 1. A process [`begin`](PageCache::begin)s an [`Io`] and [`step`](PageCache::step)s it: each step
//!    says what comes next. [`Progress::Transfer`]: the process gives this to the device, and steps
//!    again. [`Progress::Sleep`], [`Progress::Wait`]: it steps again then, or when
//!    [`take_woken`](PageCache::take_woken) names the operation. [`Progress::Done`]: the I/O has
//!    ended.
//! 2. The host's flusher thread does the same with [`flusher_step`](PageCache::flusher_step).
//! 3. When a transfer has [`ended`](PageCache::ended), the processes that waited for its pages are
//!    woken.
//!
//! What is modelled, what is not, and where the numbers come from: `docs/page-cache.md`.
//!
//! ```
//! use workload::cache::{CacheSettings, OpenFile, PageCache, Progress};
//! use workload::{Io, IoKind, Region, Ticket};
//!
//! let file = Region { start_bytes: 0, length_bytes: 1 << 20 };
//! let mut cache = PageCache::new(&CacheSettings::default(), 128, 1280, &[OpenFile::new(file)]);
//! let read = Io::new(Ticket(0), IoKind::Read, 0, 4096);
//! let operation = cache.begin(0, &read);
//! let Progress::Transfer(transfer) = cache.step(0, operation) else { panic!("nothing is cached") };
//! assert_eq!((transfer.length_bytes, transfer.read_ahead), (16 << 10, true));
//! assert_eq!(cache.step(0, operation), Progress::Wait);
//! cache.ended(1_000_000, transfer.id, Ok(()));
//! assert!(cache.take_woken().is_some());
//! ```

mod files;
mod flusher;
mod memory;
mod operation;
mod pages;
mod progress;
mod read_ahead;
mod reading;
mod settings;
mod statistics;
mod steps;
mod throttle;
mod writeback;
mod writing;

#[cfg(test)]
mod tests;

use crate::cache::files::page_range;
use base::PAGE_BYTES;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use crate::io::{Io, IoKind};
use crate::layout::Region;

use files::Files;
use flusher::Flusher;
use memory::{Dropped, Memory};
use operation::Operation;
use pages::{Flag, Pages};
use read_ahead::ReadAhead;
use statistics::Counts;
use throttle::{Limits, Rates, Writer};

pub use crate::advice::Advice;
pub use progress::{OperationId, Progress, Transfer, TransferId, TransferKind, Woken};
pub use settings::{
    CACHE_SETTINGS, CacheSettingError, CacheSettingSpec, CacheSettings, DirtyLimit,
};
pub use statistics::CacheStatistic;

/// A file that a process has open.
#[derive(Clone, Copy, Debug)]
pub struct OpenFile {
    /// Where the file lies on the target. Files that overlap are one file.
    pub file: Region,
    /// What the process told of how it will read.
    pub advice: Advice,
}

impl OpenFile {
    /// A file opened without advice.
    pub fn new(file: Region) -> OpenFile {
        OpenFile { file, advice: Advice::Normal }
    }
}

/// A transfer on its way.
#[derive(Clone, Debug)]
struct OnItsWay {
    kind: TransferKind,
    pages: Range<u64>,
    /// The operation that waits for it, if it is a flush.
    operation: Option<OperationId>,
}

/// What the cache knows of a process.
#[derive(Debug)]
struct Opened {
    file: usize,
    read_ahead: ReadAhead,
    writer: Writer,
    /// Until when its CPU copies, ns: one operation after the other, however many are under way.
    copies_until_ns: u64,
}

/// The page cache of a target; see the [module](self).
#[derive(Debug)]
pub struct PageCache {
    pages: Pages,
    memory: Memory,
    files: Files,
    opened: Vec<Opened>,
    operations: Vec<Operation>,
    free_operations: Vec<OperationId>,
    transfers: Vec<OnItsWay>,
    free_transfers: Vec<TransferId>,
    /// Who waits for which page.
    waiting: BTreeSet<(u64, OperationId)>,
    woken: VecDeque<Woken>,
    limits: Limits,
    rates: Rates,
    flusher: Flusher,
    counts: Counts,
}

impl PageCache {
    /// An empty cache. Process n has the n-th of the `opened` files open; `read_ahead_kb` and
    /// `max_sectors_kb` are the block layer's settings, KiB.
    pub fn new(
        settings: &CacheSettings,
        read_ahead_kb: u32,
        max_sectors_kb: u32,
        opened: &[OpenFile],
    ) -> PageCache {
        let pages_of = |kb: u32| u64::from(kb) * 1024 / PAGE_BYTES;
        let memory_pages = u64::from(settings.memory_mb) * ((1 << 20) / PAGE_BYTES);
        let files = Files::new(opened.iter().map(|open| open.file));
        let (most, largest) = (pages_of(read_ahead_kb), pages_of(max_sectors_kb));
        let opened = opened.iter().map(|open| Opened {
            file: files.at(open.file.start_bytes / PAGE_BYTES),
            read_ahead: ReadAhead::new(page_range(open.file), open.advice, most, largest),
            writer: Writer::default(),
            copies_until_ns: 0,
        });
        PageCache {
            opened: opened.collect(),
            pages: Pages::default(),
            memory: Memory::new(memory_pages),
            files,
            operations: Vec::new(),
            free_operations: Vec::new(),
            transfers: Vec::new(),
            free_transfers: Vec::new(),
            waiting: BTreeSet::new(),
            woken: VecDeque::new(),
            limits: Limits::new(
                settings.dirty_background.pages(memory_pages),
                settings.dirty.pages(memory_pages),
            ),
            rates: Rates::new(),
            flusher: Flusher::new(settings),
            counts: Counts::default(),
        }
    }

    /// A process begins an I/O; a sync is one of its whole file.
    pub fn begin(&mut self, process: u32, io: &Io) -> OperationId {
        let file = self.opened[process as usize].file;
        let operation = Operation::of(process, io, self.files[file].pages.clone());
        let id = self.add(operation);
        match io.kind {
            IoKind::Read => self.read_begins(id, io.offset_bytes),
            IoKind::Fsync | IoKind::Fdatasync => self.counts.syncs += 1,
            IoKind::Write | IoKind::Trim => {}
        }
        id
    }

    /// A process drops its part of the file from the cache, as `POSIX_FADV_DONTNEED` does: clean
    /// pages go at once, the writing of dirty ones is begun.
    pub fn begin_drop(&mut self, process: u32, region: Region) -> OperationId {
        self.add(Operation::drop(process, page_range(region)))
    }

    /// A process calls sync(2). It may be one that has no file open.
    pub fn begin_sync(&mut self, process: u32) -> OperationId {
        let operation = self.add(Operation::sync_all(process, self.files.span()));
        self.counts.syncs += 1;
        self.flusher.write_all_for(operation, self.files.span());
        self.wake_flusher();
        operation
    }

    /// Who can go on, the first to be woken first.
    pub fn take_woken(&mut self) -> Option<Woken> {
        let woken = self.woken.pop_front()?;
        if woken == Woken::Flusher {
            self.flusher.is_woken = false;
        }
        Some(woken)
    }

    /// A transfer has ended, with an errno if it failed.
    ///
    /// Pages that could not be read leave the cache, and processes that waited for one of them
    /// fail. Pages that could not be written count as written; the next sync of their file fails.
    pub fn ended(&mut self, now_ns: u64, id: TransferId, result: Result<(), i32>) {
        self.free_transfers.push(id);
        let transfer = &mut self.transfers[id.0 as usize];
        let (kind, pages) = (transfer.kind, transfer.pages.clone());
        match kind {
            TransferKind::Flush => {
                if let Some(operation) = transfer.operation {
                    self.wake(operation, result);
                }
                return;
            }
            TransferKind::Read => {
                self.pages.clear(Flag::Reading, pages.clone());
                if result.is_err() {
                    self.memory.failed(&mut self.pages, pages.clone());
                }
            }
            TransferKind::Write => self.written(now_ns, pages.clone(), result),
        }
        let result = if kind == TransferKind::Read { result } else { Ok(()) };
        while let Some(&entry) = self.waiting.range((pages.start, OperationId(0))..).next() {
            if entry.0 >= pages.end {
                break;
            }
            self.waiting.remove(&entry);
            self.wake(entry.1, result);
        }
    }

    /// What the cache counted.
    pub fn statistics(&self) -> Vec<CacheStatistic> {
        let dirty_left_pages = self.files.dirty;
        Counts { dirty_left_pages, ..self.counts.clone() }.all()
    }

    fn add(&mut self, operation: Operation) -> OperationId {
        match self.free_operations.pop() {
            Some(id) => {
                self.operations[id.0 as usize] = operation;
                id
            }
            None => {
                self.operations.push(operation);
                OperationId(self.operations.len() as u32 - 1)
            }
        }
    }

    fn wake(&mut self, id: OperationId, result: Result<(), i32>) {
        let operation = &mut self.operations[id.0 as usize];
        operation.woken(result);
        self.woken.push_back(Woken::Process(operation.process, id));
    }

    fn wake_flusher(&mut self) {
        if !self.flusher.is_woken {
            self.flusher.is_woken = true;
            self.woken.push_back(Woken::Flusher);
        }
    }

    /// A transfer that begins now.
    fn transfer(&mut self, kind: TransferKind, pages: Range<u64>, sync: bool) -> Transfer {
        let (offset_bytes, length_bytes) = match kind {
            TransferKind::Flush => (0, 0),
            _ => {
                let start_bytes = pages.start * PAGE_BYTES;
                let end_bytes = (pages.end * PAGE_BYTES).min(self.files.end_bytes(pages.start));
                (start_bytes, end_bytes - start_bytes)
            }
        };
        let on_its_way = OnItsWay { kind, pages, operation: None };
        let id = match self.free_transfers.pop() {
            Some(id) => {
                self.transfers[id.0 as usize] = on_its_way;
                id
            }
            None => {
                self.transfers.push(on_its_way);
                TransferId(self.transfers.len() as u32 - 1)
            }
        };
        Transfer { id, kind, offset_bytes, length_bytes, sync, read_ahead: false }
    }

    /// Pages come into the cache; others may have to go.
    fn cache(&mut self, pages: Range<u64>) {
        let Dropped { pages, wasted } = self.memory.add(&mut self.pages, pages);
        self.counts.evicted_pages += pages;
        self.counts.read_ahead_wasted += wasted;
        self.counts.cached_max_pages = self.counts.cached_max_pages.max(self.memory.cached());
    }
}
