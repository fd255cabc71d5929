// SPDX-License-Identifier: MIT OR Apache-2.0
//! From bio to request: splitting, tags, sleepers, plugs, insertion (peers.md §1.1, bfq.md §3.22).

use crate::bio::{Bio, IoError, Submission};
use crate::bios::{BioSlot, BioState};
use crate::free_tags::TagSearch;
use crate::identity::Submitter;
use crate::ids::{ProcessId, Tag};
use crate::layer::BlockLayer;
use crate::request::{Request, TagState};
use crate::settings::{NoMerges, SubmitterRuns};
use crate::sleepers::{Sleeper, Woken};
use base::Op;

/// The most requests that a plug holds.
const PLUG_REQUESTS: u32 = 32;
/// Behind a request of this size, sectors, the plug is flushed: waiting for more gains nothing.
const PLUG_FLUSH_SECTORS: u32 = 256;

impl BlockLayer {
    /// A process begins a batch: its requests are collected until [`unplug`](BlockLayer::unplug),
    /// or until there are 32 of them or the last one is large (128 KiB), or until it has to sleep.
    pub fn plug(&mut self, process: ProcessId) {
        if let Some(process) = self.identities.process_mut(Some(process)) {
            process.plugged = true;
        }
    }

    /// The batch is over: its requests go to the elevator in the order of their submission. Nothing
    /// happens without plug.
    pub fn unplug(&mut self, now_ns: u64, process: ProcessId) {
        if let Some(entry) = self.identities.process_mut(Some(process)) {
            entry.plugged = false;
            self.flush_plug(now_ns, process);
            self.let_woken_look(now_ns);
        }
    }

    /// A process submits a bio. One that is larger than a request can be is split, and ends when
    /// all its parts have; one that the device cannot do, or without any sectors, ends at once.
    // Inlined, as the host then need not write the bio to memory first.
    #[inline(always)]
    pub fn submit(&mut self, now_ns: u64, mut bio: Bio) -> Submission {
        self.counters.bios += 1;
        let (submitter, counted) = self.identities.bio_begins(bio.process);
        let slot = self.bios.add(BioState { counted, ..BioState::new(bio, now_ns) });
        bio.process = submitter.process;
        if bio.op != Op::Flush
            && let Some(result) = self.result_at_once(&bio)
        {
            self.end_bio(now_ns, slot, result, now_ns);
            return Submission::Queued;
        }
        let submission = if bio.sectors > self.max_sectors(bio.op) {
            self.counters.bios_split += 1;
            self.bios[slot].parts = 1;
            self.submit_parts(now_ns, slot, bio.sector)
        } else {
            self.submit_whole(now_ns, slot, &bio, &submitter)
        };
        self.let_woken_look(now_ns);
        submission
    }

    /// Whether any of [`take_completed`](BlockLayer::take_completed),
    /// [`take_roused`](BlockLayer::take_roused) and [`take_woken`](BlockLayer::take_woken) may
    /// have an answer.
    #[inline]
    pub fn has_news(&self) -> bool {
        self.bios.has_ended() || !self.woken.is_empty() || self.sleepers.has_woken()
    }

    /// A sleeper whose bio has found its place: it may submit on.
    pub fn take_woken(&mut self) -> Option<ProcessId> {
        self.woken.pop_front()
    }

    /// A sleeper that was woken and is to [`look`](BlockLayer::look) for a tag when its process has
    /// the CPU; those without a process, or whose process is gone, look at once. Only under
    /// [`TagSearch::Linux6_1`](crate::TagSearch); otherwise sleepers look as
    /// soon as they are woken.
    #[inline]
    pub fn take_roused(&mut self, now_ns: u64) -> Option<ProcessId> {
        if self.sleepers.has_woken() { self.next_roused(now_ns) } else { None }
    }

    fn next_roused(&mut self, now_ns: u64) -> Option<ProcessId> {
        loop {
            let bio = self.sleepers.take_roused()?;
            if let Some(process) = self.live(self.bios[bio].bio.process) {
                return Some(process);
            }
            if let Some(woken) = self.sleepers.take_woken_of(|other| other == bio) {
                self.let_look(now_ns, woken);
            }
        }
    }

    /// A sleeper that was roused looks for a tag. Returns whether its bio has found a place; false
    /// also if it was not roused.
    pub fn look(&mut self, now_ns: u64, process: ProcessId) -> bool {
        let bios = &self.bios;
        let of_process = |bio| bios[bio].bio.process == Some(process);
        let Some(woken) = self.sleepers.take_woken_of(of_process) else { return false };
        self.run_at_once(now_ns);
        let before = self.woken.len();
        self.let_look(now_ns, woken);
        let found = self.woken.len() > before;
        self.woken.truncate(before);
        found
    }

    fn result_at_once(&self, bio: &Bio) -> Option<Result<(), IoError>> {
        let end = bio.sector.checked_add(u64::from(bio.sectors));
        if end.is_none_or(|end| end > self.limits.capacity_sectors) {
            Some(Err(IoError::BeyondEnd))
        } else if bio.op == Op::Discard && self.limits.max_discard_sectors == 0 {
            Some(Err(IoError::NotSupported))
        } else if bio.sectors == 0 {
            Some(Ok(()))
        } else {
            None
        }
    }

    /// Submits the parts of the bio `whole` from the sector `from` on.
    fn submit_parts(&mut self, now_ns: u64, whole: BioSlot, mut from: u64) -> Submission {
        let bio = self.bios[whole].bio;
        while from < bio.end_sector() {
            let left = bio.end_sector() - from;
            let sectors = left.min(u64::from(self.max_sectors(bio.op))) as u32;
            let mut part = Bio { sector: from, sectors, ..bio };
            self.bios[whole].parts += 1;
            let slot = self.bios.add(BioState { whole, ..BioState::new(part, now_ns) });
            let submitter = self.identities.submitter(bio.process);
            part.process = submitter.process;
            if self.submit_whole(now_ns, slot, &part, &submitter) == Submission::Sleeping {
                return Submission::Sleeping;
            }
            from += u64::from(sectors);
        }
        self.bios[whole].queued_ns = now_ns;
        self.end_part(now_ns, whole, now_ns);
        Submission::Queued
    }

    /// Finds a place for a bio (or part) that fits one request: an existing request, a new one, or
    /// the line of sleepers. `bio` names its process only if that exists.
    #[inline(always)]
    fn submit_whole(
        &mut self,
        now_ns: u64,
        slot: BioSlot,
        bio: &Bio,
        submitter: &Submitter,
    ) -> Submission {
        if bio.op == Op::Flush {
            if self.share_flush(now_ns, slot) {
                return Submission::Queued;
            }
        } else if self.settings.nomerges != NoMerges::Off
            && self.merge_bio(now_ns, slot, bio, submitter)
        {
            return Submission::Queued;
        }
        let limit = self.tag_limit(now_ns, bio, submitter.process);
        if let Some(tag) = self.pool.allocate(limit) {
            self.begin_request(now_ns, tag, slot, bio, now_ns, submitter);
            return Submission::Queued;
        }
        self.counters.sleeps += 1;
        self.ask_for_run(now_ns);
        self.sleepers.lie_down(Sleeper { bio: slot, limit });
        if let Some(process) = bio.process {
            self.flush_plug(now_ns, process);
        }
        Submission::Sleeping
    }

    /// The number below which the tag of a new request for `bio` has to be. `process` is the bio's,
    /// if that exists.
    #[inline]
    pub(super) fn tag_limit(&mut self, now_ns: u64, bio: &Bio, process: Option<ProcessId>) -> u32 {
        if bio.op == Op::Flush {
            return u32::MAX;
        }
        let mut ask = || self.elevator.allowed_requests(now_ns, process, bio.op, bio.sync);
        if self.only_queues {
            debug_assert_eq!(ask(), u32::MAX, "it only queues, and has a limit");
            return u32::MAX;
        }
        ask().max(1)
    }

    /// The process, unless it has gone: elevators are never told of processes that they were
    /// told to forget.
    pub(super) fn live(&self, process: Option<ProcessId>) -> Option<ProcessId> {
        self.identities.process(process).and(process)
    }

    /// Makes the allocated `tag` a request for the bio of the slot and sends it on its way.
    #[inline(always)]
    fn begin_request(
        &mut self,
        now_ns: u64,
        tag: Tag,
        slot: BioSlot,
        bio: &Bio,
        asked_ns: u64,
        submitter: &Submitter,
    ) {
        self.counters.requests += 1;
        let flush = bio.op == Op::Flush;
        self.pool[tag] = Request {
            op: bio.op,
            sync: bio.sync,
            metadata: bio.metadata,
            read_ahead: bio.read_ahead,
            sector: if flush { 0 } else { bio.sector },
            sectors: if flush { 0 } else { bio.sectors },
            process: submitter.process,
            group: submitter.group,
            ioprio: submitter.ioprio,
            allocated_ns: now_ns,
            asked_ns,
            state: TagState::Plugged,
            first_bio: slot,
            last_bio: slot,
            ..Request::unused(tag)
        };
        if flush {
            self.begin_flush(tag);
        } else if submitter.is_plugged {
            self.add_to_plug(now_ns, tag);
        } else {
            self.insert(now_ns, tag);
        }
    }

    fn add_to_plug(&mut self, now_ns: u64, tag: Tag) {
        let Some(id) = self.pool[tag].process else { return };
        if self.plug_is_full(id) {
            self.flush_plug(now_ns, id);
        }
        if let Some(process) = self.identities.process_mut(Some(id)) {
            match process.plug_last.replace(tag) {
                Some(last) => self.pool[last].next = Some(tag),
                None => process.plug_first = Some(tag),
            }
            process.plug_requests += 1;
        }
    }

    fn plug_is_full(&self, process: ProcessId) -> bool {
        let Some(process) = self.identities.process(Some(process)) else { return false };
        let large = |last: Tag| self.pool[last].sectors >= PLUG_FLUSH_SECTORS;
        process.plug_requests >= PLUG_REQUESTS
            || self.settings.nomerges != NoMerges::Off && process.plug_last.is_some_and(large)
    }

    /// Inserts what a plug holds. The process may go on filling it.
    fn flush_plug(&mut self, now_ns: u64, process: ProcessId) {
        let Some(process) = self.identities.process_mut(Some(process)) else { return };
        let mut next = process.take_plug();
        while let Some(tag) = next {
            next = self.pool[tag].next.take();
            self.insert(now_ns, tag);
        }
    }

    /// Gives a request to the elevator, or appends it to one that waits there. Either way a run is
    /// due.
    #[inline(always)]
    fn insert(&mut self, now_ns: u64, tag: Tag) {
        if self.runs_at_once(tag) {
            return self.insert_and_run(now_ns, tag);
        }
        self.give_or_append(now_ns, tag);
        self.run.due = true;
    }

    /// The same where the submitter makes the run itself.
    #[inline(never)]
    fn insert_and_run(&mut self, now_ns: u64, tag: Tag) {
        self.give_or_append(now_ns, tag);
        self.run_at_once(now_ns);
    }

    /// Gives a request to the elevator, unless it can be appended to one that waits there.
    #[inline(always)]
    fn give_or_append(&mut self, now_ns: u64, tag: Tag) {
        let may_merge = self.waiting > 0 && self.settings.nomerges != NoMerges::Off;
        if !may_merge || !self.merge_at_insertion(now_ns, tag) {
            self.give_to_elevator(now_ns, tag, false);
        }
    }

    /// A submitter that is about to sleep asks for a run. On Linux 6.1 it makes it itself.
    fn ask_for_run(&mut self, now_ns: u64) {
        match self.settings.tag_search {
            TagSearch::Linux6_1 => self.run_at_once(now_ns),
            TagSearch::LowestFirst => self.run.asked = true,
        }
    }

    /// Whether the submitter of this request runs the dispatch loop itself.
    fn runs_at_once(&self, tag: Tag) -> bool {
        self.settings.submitter_runs == SubmitterRuns::Linux6_1
            && (self.pool[tag].op == Op::Write || self.elevator.uses_device_tags())
    }

    /// Puts a request into the elevator, at its place or before everything else.
    #[inline(always)]
    pub(super) fn give_to_elevator(&mut self, now_ns: u64, tag: Tag, at_head: bool) {
        self.counters.inserted += 1;
        self.sequence += 1;
        self.waiting += 1;
        if u64::from(self.waiting) > self.counters.waiting_max {
            self.counters.waiting_max = u64::from(self.waiting);
        }
        let request = &mut self.pool[tag];
        request.state = TagState::Waiting;
        request.epoch = self.epoch;
        request.sequence = self.sequence;
        request.at_head = at_head;
        request.inserted_ns = now_ns;
        self.elevator.insert(now_ns, tag, at_head, &self.pool);
    }

    /// Joins a flush to one that is not on the device yet: what was written before it will have
    /// been written before that one, too. An error of the device is that of all who share the
    /// flush: what any of them wrote may be lost. A host that keeps several files behind a device
    /// knows whose a failure is, and tells only them.
    fn share_flush(&mut self, now_ns: u64, slot: BioSlot) -> bool {
        let not_issued = |tag: &Tag| self.pool[*tag].state != TagState::Issued;
        let Some(tag) = self.flush.filter(not_issued).or(self.next_flush) else { return false };
        self.counters.flushes_shared += 1;
        self.bios[slot].queued_ns = now_ns;
        let last = self.pool[tag].last_bio;
        self.bios[last].next = slot;
        self.pool[tag].last_bio = slot;
        true
    }

    /// One flush at a time: it goes to the list now, or after the one that is on the device.
    fn begin_flush(&mut self, tag: Tag) {
        if self.flush.is_some() {
            self.pool[tag].state = TagState::FlushWaiting;
            self.next_flush = Some(tag);
        } else {
            self.pool[tag].state = TagState::Listed;
            self.flush = Some(tag);
            self.list.push_back(tag);
            self.run.due = true;
        }
    }

    /// Frees a tag; sleepers may be woken for it.
    #[inline(always)]
    pub(super) fn release(&mut self, tag: Tag) {
        if self.pool.release(tag) {
            self.sleepers.tag_freed();
        }
    }

    /// Each sleeper that was woken tries again, unless the host lets it.
    #[inline]
    pub(super) fn let_woken_look(&mut self, now_ns: u64) {
        while self.sleepers.has_woken() && self.settings.tag_search == TagSearch::LowestFirst {
            let Some(woken) = self.sleepers.take_woken() else { return };
            self.let_look(now_ns, woken);
        }
    }

    /// A sleeper that was woken tries again; if it finds its part of the pool still taken it
    /// lies down again.
    pub(super) fn let_look(&mut self, now_ns: u64, woken: Woken) {
        let sleeper = woken.0;
        let state = self.bios[sleeper.bio];
        if state.bio.op == Op::Flush && self.share_flush(now_ns, sleeper.bio) {
            // The tag that was freed is still free: the next sleeper may have it.
            self.sleepers.tag_freed();
        } else if let Some(tag) = self.pool.allocate(sleeper.limit) {
            self.bios[sleeper.bio].queued_ns = now_ns;
            let BioState { bio, submitted_ns, .. } = &state;
            let submitter = self.identities.submitter(bio.process);
            self.begin_request(now_ns, tag, sleeper.bio, bio, *submitted_ns, &submitter);
        } else {
            self.counters.sleeps_again += 1;
            if self.settings.tag_search == TagSearch::LowestFirst {
                self.run.asked = true;
            }
            self.sleepers.lie_down_again(woken);
            return;
        }
        if self.rest_is_placed(now_ns, &state) && self.live(state.bio.process).is_some() {
            self.woken.extend(state.bio.process);
        }
    }

    /// Submits what follows the part `state` in a split bio; false if that sleeps, too.
    fn rest_is_placed(&mut self, now_ns: u64, state: &BioState) -> bool {
        state.whole.some().is_none_or(|whole| {
            self.submit_parts(now_ns, whole, state.bio.end_sector()) == Submission::Queued
        })
    }
}
