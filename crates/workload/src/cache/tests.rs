// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of the page cache, rule by rule, on a bench: a device that ends each transfer after a
//! fixed time (or one after the other), processes, and the flusher.

mod properties;
mod reading;
mod writing;

use std::collections::BTreeMap;

use super::*;
use crate::io::Ticket;

const MS: u64 = 1_000_000;

/// A process, or the flusher.
const FLUSHER: u32 = u32::MAX;

struct Bench {
    cache: PageCache,
    now_ns: u64,
    /// How long a transfer takes, ns.
    latency_ns: u64,
    /// How long writing a page takes the device, ns, one transfer after the other; 0: as above.
    ns_per_page: u64,
    busy_until_ns: u64,
    on_device: BTreeMap<(u64, u64), TransferId>,
    /// The transfer of that number (from 0) fails.
    failing: Option<u64>,
    transfers: u64,
    /// Operations under way, with when to step them.
    running: Vec<(OperationId, u32, u64)>,
    flusher_at_ns: u64,
    /// Results of operations, with when they ended.
    ended: Vec<(u32, u64, Result<(), i32>)>,
    log: Vec<String>,
}

/// A bench whose files have these numbers of pages, end to end; process n has file n open.
fn bench(settings: &str, file_pages: &[u64]) -> Bench {
    let mut start_bytes = 0;
    let files = file_pages.iter().map(|pages| {
        let file = Region { start_bytes, length_bytes: pages * PAGE_BYTES };
        start_bytes += file.length_bytes;
        OpenFile::new(file)
    });
    bench_of(settings, &files.collect::<Vec<_>>())
}

fn bench_of(settings: &str, files: &[OpenFile]) -> Bench {
    let settings = CacheSettings::parse(settings).unwrap();
    Bench {
        cache: PageCache::new(&settings, 128, 1280, files),
        now_ns: 0,
        latency_ns: MS,
        ns_per_page: 0,
        busy_until_ns: 0,
        on_device: BTreeMap::new(),
        failing: None,
        transfers: 0,
        running: Vec::new(),
        flusher_at_ns: u64::MAX,
        ended: Vec::new(),
        log: Vec::new(),
    }
}

impl Bench {
    /// Begins an I/O of pages.
    fn begin(&mut self, process: u32, kind: IoKind, pages: Range<u64>) {
        let bytes = pages.start * PAGE_BYTES..pages.end * PAGE_BYTES;
        self.begin_bytes(process, kind, bytes);
    }

    fn begin_bytes(&mut self, process: u32, kind: IoKind, bytes: Range<u64>) {
        let length_bytes = (bytes.end - bytes.start) as u32;
        let io = Io::new(Ticket(0), kind, bytes.start, length_bytes);
        let operation = self.cache.begin(process, &io);
        self.running.push((operation, process, self.now_ns));
    }

    fn read(&mut self, process: u32, pages: Range<u64>) -> &mut Self {
        self.begin(process, IoKind::Read, pages);
        self.run()
    }

    fn write(&mut self, process: u32, pages: Range<u64>) -> &mut Self {
        self.begin(process, IoKind::Write, pages);
        self.run()
    }

    fn fsync(&mut self, process: u32) -> &mut Self {
        self.begin(process, IoKind::Fsync, 0..0);
        self.run()
    }

    fn drop_pages(&mut self, process: u32, pages: Range<u64>) -> &mut Self {
        let region = Region {
            start_bytes: pages.start * PAGE_BYTES,
            length_bytes: (pages.end - pages.start) * PAGE_BYTES,
        };
        let operation = self.cache.begin_drop(process, region);
        self.running.push((operation, process, self.now_ns));
        self.run()
    }

    /// Goes on until all operations have ended.
    fn run(&mut self) -> &mut Self {
        while self.instant() {
            self.now_ns = self.next_ns().expect("the operations stand still");
        }
        self
    }

    /// Goes on up to a time, the flusher too.
    fn run_until(&mut self, end_ns: u64) -> &mut Self {
        loop {
            self.instant();
            match self.next_ns() {
                Some(next_ns) if next_ns <= end_ns => self.now_ns = next_ns,
                _ => break,
            }
        }
        self.now_ns = end_ns;
        self
    }

    fn next_ns(&self) -> Option<u64> {
        let steps = self.running.iter().map(|&(_, _, at_ns)| at_ns);
        let device = self.on_device.keys().map(|&(at_ns, _)| at_ns);
        let all = steps.chain(device).chain([self.flusher_at_ns]);
        all.filter(|&at_ns| at_ns < u64::MAX).min()
    }

    /// All that happens now. Says whether operations are under way.
    fn instant(&mut self) -> bool {
        while let Some((&(at_ns, number), &id)) = self.on_device.first_key_value() {
            if at_ns > self.now_ns {
                break;
            }
            self.on_device.remove(&(at_ns, number));
            let result = if self.failing == Some(number) { Err(5) } else { Ok(()) };
            self.cache.ended(self.now_ns, id, result);
        }
        loop {
            let mut is_quiet = true;
            while let Some(woken) = self.cache.take_woken() {
                match woken {
                    Woken::Flusher => self.flusher_at_ns = self.now_ns,
                    Woken::Process(_, id) => {
                        let entry = self.running.iter_mut().find(|entry| entry.0 == id);
                        entry.expect("it is under way").2 = self.now_ns;
                    }
                }
            }
            while self.flusher_at_ns <= self.now_ns {
                is_quiet = false;
                let progress = self.cache.flusher_step(self.now_ns);
                self.flusher_at_ns = self.carry_out(FLUSHER, progress).unwrap_or(self.now_ns);
            }
            for index in (0..self.running.len()).rev() {
                let (id, process, mut at_ns) = self.running[index];
                while at_ns <= self.now_ns {
                    is_quiet = false;
                    let progress = self.cache.step(self.now_ns, id);
                    if let Progress::Done(result) = progress {
                        self.ended.push((process, self.now_ns, result));
                        self.running.remove(index);
                        break;
                    }
                    at_ns = self.carry_out(process, progress).unwrap_or(self.now_ns);
                    self.running[index].2 = at_ns;
                }
            }
            if is_quiet {
                return !self.running.is_empty();
            }
        }
    }

    /// Does what a step says; returns when to step again, if not at once.
    fn carry_out(&mut self, who: u32, progress: Progress) -> Option<u64> {
        match progress {
            Progress::Sleep { until_ns } => Some(until_ns),
            Progress::Wait => Some(u64::MAX),
            Progress::Done(_) => panic!("only operations end"),
            Progress::Transfer(transfer) => {
                self.log(who, &transfer);
                let pages = transfer.length_bytes.div_ceil(PAGE_BYTES);
                let end_ns = if self.ns_per_page == 0 {
                    self.now_ns + self.latency_ns
                } else {
                    self.busy_until_ns.max(self.now_ns) + pages * self.ns_per_page
                };
                self.busy_until_ns = end_ns;
                self.on_device.insert((end_ns, self.transfers), transfer.id);
                self.transfers += 1;
                None
            }
        }
    }

    fn log(&mut self, who: u32, transfer: &Transfer) {
        let letters = match (transfer.kind, transfer.sync, transfer.read_ahead) {
            (TransferKind::Read, _, true) => "RA",
            (TransferKind::Read, ..) => "R",
            (TransferKind::Write, true, _) => "WS",
            (TransferKind::Write, ..) => "W",
            (TransferKind::Flush, ..) => "F",
        };
        let who = if who == FLUSHER { "flusher".to_owned() } else { format!("p{who}") };
        let start = transfer.offset_bytes / PAGE_BYTES;
        let pages = transfer.length_bytes.div_ceil(PAGE_BYTES);
        self.log.push(match transfer.kind {
            TransferKind::Flush => format!("{who} {letters}"),
            _ => format!("{who} {letters} {start}+{pages}"),
        });
    }

    /// What was submitted since the last call.
    fn submitted(&mut self) -> String {
        std::mem::take(&mut self.log).join(", ")
    }

    fn count(&self, name: &str) -> u64 {
        let statistics = self.cache.statistics();
        statistics.iter().find(|row| row.name == name).expect(name).value
    }
}
