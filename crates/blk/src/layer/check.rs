// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the places, bios and counts of the layer agree with each other; for tests.

use crate::bios::BioSlot;
use crate::free_tags::TagSearch;
use crate::ids::{ProcessId, Tag};
use crate::layer::BlockLayer;
use crate::request::{Request, TagState};
use base::Op;

impl BlockLayer {
    /// Asserts all invariants of the layer and of its elevator: each tag is in exactly one place,
    /// each bio in exactly one request or asleep, all counts are right. Slow; for tests.
    ///
    /// # Panics
    /// If one does not hold.
    pub fn check(&self) {
        self.pool.check();
        self.check_places();
        self.check_bios();
        self.check_sleepers();
        self.elevator.check(&self.pool);
        assert_eq!(self.only_queues, self.elevator.only_queues(), "whether it only queues");
        let timer_ns = self.elevator.next_timer_ns();
        assert!(!self.only_queues || timer_ns.is_none(), "a timer that the layer does not look at");
    }

    fn check_places(&self) {
        let mut places: Vec<(Tag, TagState)> = Vec::new();
        places.extend(self.list.iter().map(|&tag| (tag, TagState::Listed)));
        places.extend(self.next_flush.map(|tag| (tag, TagState::FlushWaiting)));
        for process in self.identities.process_ids() {
            places.extend(self.plugged(process).into_iter().map(|tag| (tag, TagState::Plugged)));
        }
        places.sort_by_key(|(tag, _)| *tag);
        let by_state: Vec<(Tag, TagState)> = self
            .pool
            .iter()
            .map(|request| (request.tag, request.state))
            .filter(|(_, state)| {
                !matches!(state, TagState::Waiting | TagState::Issued | TagState::Overdue)
            })
            .collect();
        assert_eq!(places, by_state, "places of the tags");

        let count = |state| self.pool.iter().filter(|request| request.state == state).count();
        assert_eq!(count(TagState::Waiting), self.waiting as usize, "requests waiting");
        assert_eq!(self.elevator.has_work(), self.waiting > 0, "work of the elevator");
        assert_eq!(count(TagState::Issued), self.issued as usize, "requests issued");
        assert_eq!(count(TagState::Overdue), self.overdue as usize, "requests overdue");
        assert!(self.issued <= self.limits.depth.max(1), "more on the device than it holds");
        let epochs = self.pool.iter().filter(|request| request.state == TagState::Waiting);
        assert!(epochs.into_iter().all(|request| request.epoch == self.epoch), "epochs");
        if let Some(tag) = self.flush {
            let state = self.pool[tag].state;
            assert!(matches!(state, TagState::Listed | TagState::Issued), "flush {state:?}");
        }
        assert!(self.flush.is_some() || self.next_flush.is_none(), "a flush waits for nothing");
    }

    /// The requests in the plug of a process, with its count and end checked.
    fn plugged(&self, process: ProcessId) -> Vec<Tag> {
        let Some(process) = self.identities.process(Some(process)) else { return Vec::new() };
        let plug: Vec<Tag> =
            std::iter::successors(process.plug_first, |tag| self.pool[*tag].next).collect();
        assert_eq!(plug.len(), process.plug_requests as usize, "count of a plug");
        assert_eq!(plug.last().copied(), process.plug_last, "end of a plug");
        plug
    }

    fn check_bios(&self) {
        let (mut bios, mut wholes) = (0, Vec::new());
        for request in self.pool.iter() {
            bios += self.check_chain(request, &mut wholes);
        }
        for sleeper in self.sleepers.iter() {
            bios += 1;
            wholes.extend(self.bios[sleeper.bio].whole.some());
        }
        wholes.sort_by_key(|whole| format!("{whole:?}"));
        for same in wholes.chunk_by(|a, b| a == b) {
            let asleep = self.sleepers.iter().any(|s| self.bios[s.bio].whole == same[0]);
            let parts = same.len() as u32 + u32::from(asleep);
            assert_eq!(self.bios[same[0]].parts, parts, "parts of a split bio");
            bios += 1;
        }
        assert_eq!(bios, self.bios.in_use(), "bios on their way");
    }

    /// Asserts that the bios of a request are what it covers, without gap; returns their number.
    fn check_chain(&self, request: &Request, wholes: &mut Vec<BioSlot>) -> u32 {
        let (mut bios, mut sector, mut last) = (0, request.sector, None);
        for (slot, state) in self.bios.chain(request.first_bio) {
            assert_eq!(state.bio.op, request.op, "operation of a bio of tag {}", request.tag);
            if request.op != Op::Flush {
                assert_eq!(state.bio.sector, sector, "a gap in tag {}", request.tag);
                sector = state.bio.end_sector();
            }
            wholes.extend(state.whole.some());
            bios += 1;
            last = Some(slot);
        }
        assert_eq!(sector, request.end_sector(), "end of tag {}", request.tag);
        assert_eq!(last, request.last_bio.some(), "last bio of tag {}", request.tag);
        assert!(
            request.op == Op::Flush || request.sectors > 0,
            "tag {} covers nothing",
            request.tag
        );
        bios
    }

    /// A process sleeps because the first tag, which every process may have, is taken, or because
    /// tags wake in batches.
    fn check_sleepers(&self) {
        self.sleepers.check();
        if !self.sleepers.is_empty() && self.settings.tag_search == TagSearch::LowestFirst {
            assert!(self.pool[Tag(0)].state != TagState::Free, "sleepers beside a free tag 0");
        }
    }
}
