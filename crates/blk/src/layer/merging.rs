// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merging: bios into requests, and requests into each other (peers.md §1.2, bfq.md §2.7).

use crate::bio::Bio;
use crate::bios::BioSlot;
use crate::identity::Submitter;
use crate::ids::{GroupId, Tag};
use crate::layer::BlockLayer;
use crate::merge::MergeRules;
use crate::request::{Merge, MergeKind, Request, TagState};
use crate::settings::NoMerges;
use base::{IoprioValue, Op};

impl BlockLayer {
    /// What may be merged with I/O of that operation, group and ioprio.
    #[inline(always)]
    fn merge_rules(&self, op: Op, group: GroupId, ioprio: IoprioValue) -> MergeRules {
        MergeRules {
            group,
            ioprio,
            max_sectors: self.max_sectors(op),
            one_hit_only: self.settings.nomerges == NoMerges::OneHit,
        }
    }

    /// Seeks a request that the bio can join: the last one of its process's plug, then one in the
    /// elevator. Returns whether it has joined one.
    #[inline(always)]
    pub(super) fn merge_bio(
        &mut self,
        now_ns: u64,
        slot: BioSlot,
        bio: &Bio,
        submitter: &Submitter,
    ) -> bool {
        let asks_elevator = self.waiting > 0 || !self.only_queues;
        if !asks_elevator && submitter.plug_last.is_none() {
            return false;
        }
        let rules = &self.merge_rules(bio.op, submitter.group, submitter.ioprio);
        if let Some(tag) = submitter.plug_last {
            let request = &self.pool[tag];
            if let Some(kind) = request.adjacency(bio)
                && rules.admits(bio, request)
                && rules.fits(bio, request)
            {
                self.counters.plug_merges += 1;
                self.join(now_ns, slot, tag, kind);
                return true;
            }
        }
        if !asks_elevator {
            return false;
        }
        let Some(merge) = self.elevator.find_merge(now_ns, bio, rules, &self.pool) else {
            return false;
        };
        self.merge_as_found(now_ns, slot, bio, rules, merge)
    }

    /// Lets the bio join the request that the elevator has found, if the rules allow it.
    fn merge_as_found(
        &mut self,
        now_ns: u64,
        slot: BioSlot,
        bio: &Bio,
        rules: &MergeRules,
        merge: Merge,
    ) -> bool {
        let request = &self.pool[merge.tag];
        if request.state != TagState::Waiting
            || request.adjacency(bio) != Some(merge.kind)
            || !rules.admits(bio, request)
            || !rules.fits(bio, request)
        {
            return false;
        }
        match merge.kind {
            MergeKind::Back => self.counters.back_merges += 1,
            MergeKind::Front => self.counters.front_merges += 1,
        }
        self.join(now_ns, slot, merge.tag, merge.kind);
        if !self.coalesce(now_ns, merge.tag, merge.kind, rules) {
            self.elevator.bio_merged(now_ns, merge.tag, merge.kind, &self.pool);
        }
        true
    }

    /// Adds a bio to a request at its end or start.
    fn join(&mut self, now_ns: u64, slot: BioSlot, tag: Tag, kind: MergeKind) {
        let bio = &mut self.bios[slot];
        bio.queued_ns = now_ns;
        let request = &mut self.pool[tag];
        request.sectors += bio.bio.sectors;
        match kind {
            MergeKind::Back => {
                let last = std::mem::replace(&mut request.last_bio, slot);
                self.bios[last].next = slot;
            }
            MergeKind::Front => {
                request.sector = bio.bio.sector;
                bio.next = std::mem::replace(&mut request.first_bio, slot);
            }
        }
    }

    /// `tag` has grown at its end `kind`: if it now touches its neighbour
    /// there, the two become one.
    fn coalesce(&mut self, now_ns: u64, tag: Tag, kind: MergeKind, rules: &MergeRules) -> bool {
        let Some(neighbour) = self.elevator.neighbour(tag, kind, &self.pool) else {
            return false;
        };
        let (survivor, absorbed) = match kind {
            MergeKind::Back => (tag, neighbour),
            MergeKind::Front => (neighbour, tag),
        };
        if self.pool[neighbour].state != TagState::Waiting
            || !self.can_absorb(survivor, absorbed, rules)
        {
            return false;
        }
        self.counters.coalesced += 1;
        self.absorb(now_ns, survivor, absorbed);
        true
    }

    /// Appends the request about to be inserted to one that waits, and that one perhaps to the
    /// next, and so on. Returns whether it has been.
    #[inline(always)]
    pub(super) fn merge_at_insertion(&mut self, now_ns: u64, tag: Tag) -> bool {
        let Request { op, group, ioprio, .. } = self.pool[tag];
        let rules = &self.merge_rules(op, group, ioprio);
        let mut absorbed = tag;
        while let Some(survivor) =
            self.elevator.find_insertion_merge(now_ns, absorbed, rules, &self.pool)
        {
            if self.pool[survivor].state != TagState::Waiting
                || !self.can_absorb(survivor, absorbed, rules)
            {
                break;
            }
            self.counters.insertion_merges += 1;
            self.absorb(now_ns, survivor, absorbed);
            absorbed = survivor;
        }
        absorbed != tag
    }

    fn can_absorb(&self, survivor: Tag, absorbed: Tag, rules: &MergeRules) -> bool {
        let (first, second) = (&self.pool[survivor], &self.pool[absorbed]);
        survivor != absorbed
            && first.end_sector() == second.sector
            && rules.admits_request(first, second)
            && rules.fits_request(first, second)
    }

    /// `survivor` takes over the bios of `absorbed`, which starts at its end and whose
    /// tag becomes free.
    fn absorb(&mut self, now_ns: u64, survivor: Tag, absorbed: Tag) {
        let (first_bio, last_bio, sectors, allocated_ns, state) = {
            let request = &self.pool[absorbed];
            let (first, last) = (request.first_bio, request.last_bio);
            (first, last, request.sectors, request.allocated_ns, request.state)
        };
        let request = &mut self.pool[survivor];
        request.sectors += sectors;
        request.allocated_ns = request.allocated_ns.min(allocated_ns);
        let joint = std::mem::replace(&mut request.last_bio, last_bio);
        self.bios[joint].next = first_bio;
        self.elevator.requests_merged(now_ns, survivor, absorbed, &self.pool);
        if state == TagState::Waiting {
            self.waiting -= 1;
        }
        self.release(absorbed);
    }
}
