// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merging: bios into requests, and requests into each other (peers.md §1.2, bfq.md §2.7).

use crate::bios::BioSlot;
use crate::ids::{GroupId, ProcessId, Tag};
use crate::layer::BlockLayer;
use crate::merge::MergeRules;
use crate::request::{MergeKind, TagState};
use crate::settings::NoMerges;

impl BlockLayer {
    /// What holds for a bio of that process and operation.
    fn merge_rules(&self, process: Option<ProcessId>, max_sectors: u32) -> MergeRules {
        let spec = self.identities.process(process).map(|process| &process.spec);
        MergeRules {
            group: spec.map_or(GroupId::ROOT, |spec| spec.group),
            ioprio: spec.map_or_else(Default::default, |spec| spec.ioprio),
            max_sectors,
            one_hit_only: self.settings.nomerges == NoMerges::OneHit,
        }
    }

    /// Seeks a request that the bio can join: the last one of its process's plug, then one in the
    /// elevator. Returns whether it has joined one.
    pub(super) fn merge_bio(&mut self, now_ns: u64, slot: BioSlot) -> bool {
        let mut bio = self.bios[slot].bio;
        bio.process = self.live(bio.process);
        let rules = self.merge_rules(bio.process, self.max_sectors(bio.op));

        let plugged = self.identities.process(bio.process).and_then(|process| process.plug_last);
        if let Some(tag) = plugged {
            let request = &self.pool[tag];
            if let Some(kind) = request.adjacency(&bio)
                && rules.admits(&bio, request)
                && rules.fits(&bio, request)
            {
                self.counters.plug_merges += 1;
                self.join(now_ns, slot, tag, kind);
                return true;
            }
        }

        let Some(merge) = self.elevator.find_merge(now_ns, &bio, &rules, &self.pool) else {
            return false;
        };
        let request = &self.pool[merge.tag];
        if request.state != TagState::Waiting
            || request.adjacency(&bio) != Some(merge.kind)
            || !rules.admits(&bio, request)
            || !rules.fits(&bio, request)
        {
            return false;
        }
        match merge.kind {
            MergeKind::Back => self.counters.back_merges += 1,
            MergeKind::Front => self.counters.front_merges += 1,
        }
        self.join(now_ns, slot, merge.tag, merge.kind);
        if !self.coalesce(now_ns, merge.tag, merge.kind, &rules) {
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
    pub(super) fn merge_at_insertion(&mut self, now_ns: u64, tag: Tag) -> bool {
        let request = &self.pool[tag];
        let rules = self.merge_rules(request.process, self.max_sectors(request.op));
        let rules = MergeRules { group: request.group, ioprio: request.ioprio, ..rules };
        let mut absorbed = tag;
        while let Some(survivor) =
            self.elevator.find_insertion_merge(now_ns, absorbed, &rules, &self.pool)
        {
            if self.pool[survivor].state != TagState::Waiting
                || !self.can_absorb(survivor, absorbed, &rules)
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
