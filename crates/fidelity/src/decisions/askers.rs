// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who asks for a place in the pool: a log says what was answered, and not to whom.
//!
//! A process asks before each of its allocations. The allocation follows at once, unless the
//! process has to wait for a place: others may ask and allocate meanwhile.

use super::log::LogLine;
use base::Operation;
use std::collections::BTreeMap;

/// A line of a log that allocates a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allocation {
    /// Its position among the lines.
    pub at: usize,
    /// The number of the process.
    pub process: u32,
    /// Whether the request reads, writes or discards.
    pub operation: Operation,
    /// The process waits for it.
    pub sync: bool,
}

#[derive(Debug, Default)]
struct Asker {
    allocations: Vec<Allocation>,
    /// How many of them it has asked for.
    asked: usize,
    /// The most requests that it has on their way at any time.
    most: usize,
}

impl Asker {
    /// The allocation that it may ask for at line `at`: one that has as many requests as it ever
    /// has asks for no more.
    fn open(&self, at: usize, on_their_way: usize) -> Option<Allocation> {
        let allocated = self.allocations.partition_point(|allocation| allocation.at <= at);
        let waiting = self.asked.saturating_sub(allocated);
        let next = self.allocations.get(self.asked.max(allocated))?;
        (on_their_way + waiting < self.most).then_some(*next)
    }
}

/// All processes of a log that ask.
#[derive(Debug)]
pub(crate) struct Askers {
    askers: BTreeMap<u32, Asker>,
}

impl Askers {
    pub fn new(lines: &[LogLine]) -> Self {
        let mut askers: BTreeMap<u32, Asker> = BTreeMap::new();
        let mut owners: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut on_their_way: BTreeMap<u32, usize> = BTreeMap::new();
        for (at, line) in lines.iter().enumerate() {
            let text = line.fields.join(",");
            if line.event == "allocate"
                && let Ok(process) = line.queue.parse()
                && let Some((operation, sync, ..)) = line.request()
            {
                let asker = askers.entry(process).or_default();
                asker.allocations.push(Allocation { at, process, operation, sync });
                owners.entry(text).or_default().push(process);
                let count = on_their_way.entry(process).or_default();
                *count += 1;
                asker.most = asker.most.max(*count);
            } else if line.event == "complete"
                && let Some(process) = owners.get_mut(&text).and_then(Vec::pop)
            {
                *on_their_way.entry(process).or_default() -= 1;
            }
        }
        Askers { askers }
    }

    /// The allocation that the question at line `at` is about. `on_their_way` is how many requests
    /// a process has there, `fits` whether the answer can be one to it, and `last_completed` whose
    /// request completed last.
    pub fn next(
        &mut self,
        lines: &[LogLine],
        at: usize,
        on_their_way: impl Fn(u32) -> usize,
        fits: impl Fn(&Allocation) -> bool,
        last_completed: Option<u32>,
    ) -> Option<Allocation> {
        let open = self.askers.iter();
        let open = open.filter_map(|(&number, asker)| asker.open(at, on_their_way(number)));
        let mut candidates: Vec<Allocation> = open.filter(fits).collect();
        candidates.sort_by_key(|allocation| allocation.at);
        let first = *candidates.first()?;
        let next_question = lines[at + 1..].iter().position(|line| line.event == "request_limit");
        let answered_at_once = next_question.is_none_or(|ahead| first.at <= at + ahead);
        let last = candidates.iter().find(|one| Some(one.process) == last_completed);
        let chosen = if answered_at_once { first } else { *last.unwrap_or(&first) };
        if let Some(asker) = self.askers.get_mut(&chosen.process) {
            let allocated = asker.allocations.partition_point(|allocation| allocation.at <= at);
            asker.asked = asker.asked.max(allocated) + 1;
        }
        Some(chosen)
    }
}
