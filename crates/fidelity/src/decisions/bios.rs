// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a log does not have of a host that merges: bios.
//!
//! A bio that comes while requests wait is offered to some of them first: to the one that was
//! merged into last (or inserted, if there is none), and to those that it continues. Whether that
//! is allowed is asked before it is known whether the two are adjacent, and asking may merge
//! queues (spec 2.7). If the bio becomes part of a request, the only trace of it in the log is
//! that request's size.

use super::log::LogLine;
use bfq::{NewRequest, RequestId, Scheduler, Sector, Sectors, Side, Time, why::Observer};
use std::collections::{BTreeMap, BTreeSet};

/// Offers bios to waiting requests.
#[derive(Debug)]
pub(crate) struct Bios {
    waiting: BTreeMap<RequestId, NewRequest>,
    /// The request that the next bio is offered to first.
    hint: Option<RequestId>,
    /// Allocations, by line, whose bios were offered in vain.
    offered: BTreeSet<usize>,
    /// What is issued, in this order, and how much of it was dispatched.
    issues: Vec<Issue>,
    dispatched: usize,
}

#[derive(Debug)]
struct Issue {
    sector: u64,
    sectors: u32,
    text: String,
}

/// A waiting request that grew.
pub(crate) struct Growth {
    pub survivor: RequestId,
    /// What the log calls it now.
    pub text: String,
    /// The requests that it absorbed.
    pub absorbed: Vec<RequestId>,
}

impl Bios {
    pub fn new(lines: &[LogLine]) -> Self {
        let issue = |line: &LogLine| {
            let (.., sector, sectors) = line.request().filter(|_| line.event == "issue")?;
            Some(Issue { sector, sectors, text: line.fields.join(",") })
        };
        Bios {
            waiting: BTreeMap::new(),
            hint: None,
            offered: BTreeSet::new(),
            issues: lines.iter().filter_map(issue).collect(),
            dispatched: 0,
        }
    }

    /// A request was inserted.
    pub fn inserted(&mut self, id: RequestId, new: NewRequest) {
        self.waiting.insert(id, new);
        self.hint.get_or_insert(id);
    }

    /// A request was dispatched, or absorbed by another one.
    pub fn gone(&mut self, id: RequestId) {
        self.waiting.remove(&id);
        self.hint = self.hint.filter(|&hint| hint != id);
    }

    /// Offers the bio whose request is allocated in line `allocation` after all, unless that was
    /// done before. `kin` is whether the host would merge it with a request of another process.
    pub fn offer<O: Observer>(
        &mut self,
        scheduler: &mut Scheduler<O>,
        now: Time,
        allocation: usize,
        bio: &NewRequest,
        kin: impl Fn(&NewRequest) -> bool,
    ) {
        if !self.offered.insert(allocation) {
            return;
        }
        let kin = |other: &NewRequest| {
            (other.operation, other.sync) == (bio.operation, bio.sync) && kin(other)
        };
        let found = |fits: &dyn Fn(&NewRequest) -> bool| {
            let mut found = self.waiting.iter().filter(|(_, other)| kin(other) && fits(other));
            found.next().map(|(&id, _)| id)
        };
        let hint = self.hint.filter(|hint| self.waiting.get(hint).is_some_and(kin));
        let back = found(&|other| other.end() == bio.start());
        let front = found(&|other| other.start() == bio.end());
        for id in [hint, back, front].into_iter().flatten() {
            scheduler.allows_merge(now, bio, id);
        }
    }

    /// Before a dispatch: if what is issued next has grown while it waited, it grows now.
    pub fn grow_next<O: Observer>(
        &mut self,
        scheduler: &mut Scheduler<O>,
        now: Time,
    ) -> Option<Growth> {
        let &Issue { sector, sectors, ref text } = self.issues.get(self.dispatched)?;
        let text = text.clone();
        let end = Sector::at(sector) + Sectors::from(sectors);
        let is_part = |other: &NewRequest| other.sector >= sector && other.end() <= end;
        let mut parts: Vec<_> = self.waiting.iter().filter(|(_, other)| is_part(other)).collect();
        parts.sort_by_key(|(_, other)| other.sector);
        let (survivor, grown) = parts.first().map(|&(&id, &new)| (id, new))?;
        if (grown.sector, grown.sectors) == (sector, sectors) {
            return None;
        }
        let absorbed: Vec<RequestId> = parts[1..].iter().map(|&(&id, _)| id).collect();
        // The requests are there, and they wait, so nothing is refused.
        for &id in &absorbed {
            let _ = scheduler.coalesced(now, survivor, id, sectors);
            self.gone(id);
        }
        let side = if grown.sector > sector { Side::Front } else { Side::Back };
        let _ = scheduler.merged(now, survivor, side, sector, sectors);
        self.waiting.insert(survivor, NewRequest { sector, sectors, ..grown });
        Some(Growth { survivor, text, absorbed })
    }

    /// A dispatch gave a request.
    pub fn dispatched(&mut self, id: RequestId) {
        self.dispatched += 1;
        self.gone(id);
    }
}
