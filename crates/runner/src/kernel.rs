// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads that belong to no process of a job: the flusher, and a caller of sync(2).

use crate::buffered::{Carried, Running, submit, transfer_of};
use crate::error::RunnerError;
use base::IoprioValue;
use blk::{BlockLayer, GroupId, IoError, ProcessId, ProcessSpec, Submission};
use workload::cache::{CacheSettings, OpenFile, PageCache, Progress, TransferId, Woken};

const MS_NS: u64 = 1_000_000;

/// The page cache and the threads that work for it. They are in the root group: a kernel without
/// cgroup writeback does not know whose pages it writes.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub cache: PageCache,
    /// How many processes the jobs have; the numbers of the threads follow.
    processes: u32,
    flusher: Thread,
    syncer: Option<Syncer>,
}

#[derive(Debug)]
struct Thread {
    id: ProcessId,
    /// The layer keeps its last bio until there is a request for it.
    asleep: bool,
    /// Listed among those that go on in this instant.
    due: bool,
}

/// A process that calls sync(2) again and again.
#[derive(Debug)]
struct Syncer {
    thread: Thread,
    interval_ns: u64,
    /// The next call, ns.
    at_ns: u64,
    call: Option<Running>,
}

impl Thread {
    fn new(layer: &mut BlockLayer, name: &str) -> Result<Thread, RunnerError> {
        let (group, ioprio) = (GroupId::ROOT, IoprioValue::default());
        let id = layer.add_process(0, ProcessSpec { group, ioprio, name: name.to_owned() })?;
        Ok(Thread { id, asleep: false, due: false })
    }
}

impl Kernel {
    /// Threads that a kernel may have.
    pub(crate) const THREADS: usize = 2;

    /// The kernel of a run whose processes have these files open.
    pub(crate) fn new(
        settings: &CacheSettings,
        layer: &mut BlockLayer,
        opened: &[OpenFile],
    ) -> Result<Kernel, RunnerError> {
        let read_ahead_kb = layer.settings().read_ahead_kb;
        let max_sectors_kb = layer.settings().max_sectors(layer.limits()) / 2;
        let cache = PageCache::new(settings, read_ahead_kb, max_sectors_kb, opened);
        let flusher = Thread::new(layer, "flusher")?;
        let interval_ns = u64::from(settings.sync_interval_ms) * MS_NS;
        let syncer = match interval_ns {
            0 => None,
            _ => Some(Syncer {
                thread: Thread::new(layer, "sync")?,
                interval_ns,
                at_ns: interval_ns,
                call: None,
            }),
        };
        Ok(Kernel { cache, processes: opened.len() as u32, flusher, syncer })
    }

    /// The threads' ids in the layer, with their numbers.
    pub(crate) fn ids(&self) -> impl Iterator<Item = (ProcessId, u32)> {
        let syncer = self.syncer.as_ref().map(|syncer| (syncer.thread.id, self.processes + 1));
        [(self.flusher.id, self.processes)].into_iter().chain(syncer)
    }

    /// When a thread wants to go on for the first time, ns, and its number.
    pub(crate) fn first_wake(&self) -> Option<(u64, u32)> {
        self.syncer.as_ref().map(|syncer| (syncer.at_ns, self.processes + 1))
    }

    fn thread(&mut self, number: u32) -> Option<&mut Thread> {
        match number - self.processes {
            0 => Some(&mut self.flusher),
            _ => self.syncer.as_mut().map(|syncer| &mut syncer.thread),
        }
    }

    /// Takes note that a thread is listed; false if it was already.
    pub(crate) fn make_due(&mut self, number: u32) -> bool {
        self.thread(number).is_some_and(|thread| !std::mem::replace(&mut thread.due, true))
    }

    /// The layer has a request for a thread.
    pub(crate) fn awaken(&mut self, number: u32) {
        if let Some(thread) = self.thread(number) {
            thread.asleep = false;
        }
    }

    /// If the I/O of a bio's token is a transfer: it has ended. Says so.
    pub(crate) fn ended(&mut self, now_ns: u64, io: u32, result: Result<(), IoError>) -> bool {
        let Some(transfer) = transfer_of(io) else { return false };
        let result = result.map_err(|error| error.errno());
        self.cache.ended(now_ns, TransferId(transfer), result);
        true
    }

    /// The number of the next process or thread that the cache has something for.
    pub(crate) fn take_woken(&mut self) -> Option<(u32, Woken)> {
        let woken = self.cache.take_woken()?;
        let number = match woken {
            Woken::Process(number, _) => number,
            Woken::Flusher => self.processes,
        };
        if let (Woken::Process(number, operation), Some(syncer)) = (woken, &mut self.syncer)
            && number > self.processes
            && let Some(call) = &mut syncer.call
            && call.id == operation
        {
            call.wake();
        }
        Some((number, woken))
    }

    /// Lets a thread do its work. Returns when it wants to go on, ns, if it is not woken.
    pub(crate) fn go_on(
        &mut self,
        now_ns: u64,
        number: u32,
        layer: &mut BlockLayer,
    ) -> Option<u64> {
        match self.thread(number) {
            Some(thread) => {
                thread.due = false;
                if thread.asleep {
                    return None;
                }
            }
            None => return None,
        }
        if number == self.processes { self.flush(now_ns, layer) } else { self.sync(now_ns, layer) }
    }

    /// The flusher writes until it has nothing to write or no request for it.
    fn flush(&mut self, now_ns: u64, layer: &mut BlockLayer) -> Option<u64> {
        let id = self.flusher.id;
        layer.plug(id);
        let next = loop {
            match self.cache.flusher_step(now_ns) {
                Progress::Transfer(transfer) => {
                    let submission = submit(now_ns, layer, self.processes, id, &transfer);
                    if submission == Submission::Sleeping {
                        self.flusher.asleep = true;
                        break None;
                    }
                }
                Progress::Sleep { until_ns } => break Some(until_ns),
                Progress::Wait | Progress::Done(_) => break None,
            }
        };
        layer.unplug(now_ns, id);
        next
    }

    fn sync(&mut self, now_ns: u64, layer: &mut BlockLayer) -> Option<u64> {
        let number = self.processes + 1;
        let Some(syncer) = &mut self.syncer else { return None };
        if syncer.call.is_none() && syncer.at_ns <= now_ns {
            syncer.call = Some(Running::new(self.cache.begin_sync(number), None, now_ns));
        }
        let Some(call) = &mut syncer.call else { return Some(syncer.at_ns) };
        match call.carry_on(now_ns, layer, &mut self.cache, number, syncer.thread.id) {
            Carried::On => None,
            Carried::Asleep => {
                syncer.thread.asleep = true;
                None
            }
            Carried::Ended(_) => {
                syncer.call = None;
                syncer.at_ns = now_ns + syncer.interval_ns;
                Some(syncer.at_ns)
            }
        }
    }
}
