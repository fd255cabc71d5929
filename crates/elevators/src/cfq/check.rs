// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that must hold between two calls.

use std::collections::BTreeMap;

use blk::{Pool, Tag, TagState};

use super::queue::{CfqQueue, Users};
use super::queue_id::QueueId;
use super::{Cfq, Home};

impl Cfq {
    /// Asserts that requests, queues, trees and groups agree. For tests and debug builds.
    pub(super) fn check_all(&self, pool: &Pool) {
        self.check_requests(pool);
        self.check_service();
        self.check_users();
        self.groups.check();
    }

    /// Each waiting request is in one place, in both orders of its queue; counts are right.
    fn check_requests(&self, pool: &Pool) {
        let mut held: Vec<Tag> = self.direct.iter(&self.links).collect();
        let mut mergeable = Vec::new();
        for (id, queue) in self.queues.iter() {
            let fifo = self.check_queue(id, queue, pool);
            mergeable.extend(fifo.iter().filter(|tag| pool[**tag].mergeable()));
            held.extend(fifo);
            let in_flight =
                |entry: &&super::Entry| entry.home == Home::Device && entry.queue == Some(id);
            assert_eq!(self.entries.iter().filter(in_flight).count(), queue.in_flight as usize);
        }
        self.merges.check(mergeable, pool);
        for sync in [false, true] {
            let in_flight =
                |entry: &&super::Entry| entry.home == Home::Device && entry.sync == sync;
            let count = self.entries.iter().filter(in_flight).count();
            assert_eq!(self.in_flight[usize::from(sync)] as usize, count, "on the device");
        }
        held.sort();
        let waiting = pool.iter().filter(|request| request.state() == TagState::Waiting);
        assert_eq!(held, waiting.map(|request| request.tag).collect::<Vec<_>>(), "held requests");
    }

    /// Returns the requests of the queue.
    fn check_queue(&self, id: QueueId, queue: &CfqQueue, pool: &Pool) -> Vec<Tag> {
        let mut sorted = Vec::new();
        for (place, tag) in queue.sorted.iter() {
            let entry = &self.entries[tag.index()];
            assert_eq!((entry.home, entry.queue), (Home::Queue, Some(id)), "entry of {tag}");
            assert_eq!((entry.place, place.sector()), (place, pool[tag].sector), "place of {tag}");
            sorted.push(tag);
        }
        let metadata = sorted.iter().filter(|tag| self.entries[tag.index()].metadata).count();
        assert_eq!(metadata, queue.metadata_waiting as usize, "metadata of {id:?}");
        assert_eq!(sorted.len(), queue.waiting as usize, "requests of {id:?}");
        assert_eq!(queue.next.is_some(), queue.waiting > 0, "next request of {id:?}");
        assert!(queue.next.is_none_or(|next| sorted.contains(&next)), "next request of {id:?}");
        sorted.sort();
        let mut fifo: Vec<Tag> = queue.fifo.iter(&self.links).collect();
        fifo.sort();
        assert_eq!(sorted, fifo, "both orders hold the same requests");
        fifo
    }

    /// Busy are the queues with requests, and the active one; each stands where it says.
    fn check_service(&self) {
        let located: BTreeMap<QueueId, _> =
            self.groups.located().map(|(location, id)| (id, location)).collect();
        let mut waiting = 0;
        for (id, queue) in self.queues.iter() {
            assert_eq!(queue.location, located.get(&id).copied(), "location of {id:?}");
            let busy = queue.waiting > 0 || self.active == Some(id);
            assert_eq!(queue.location.is_some(), busy, "{id:?} is busy");
            assert!(!queue.is_over(), "{id:?} should have gone");
            if let Some((level, sector)) = queue.position {
                assert_eq!(self.positions.at(level, sector), Some(id), "position of {id:?}");
            }
            waiting += queue.waiting;
        }
        assert_eq!(located.len(), self.groups.busy_queues(), "busy queues");
        assert_eq!(waiting, self.waiting, "waiting requests");
        assert!(self.idle_timer_ticks.is_none() || self.active.is_some(), "waits for a queue");
    }

    /// Queues know how many processes use them, and how many queues merge into them.
    fn check_users(&self) {
        let processes = || self.processes.iter().flatten();
        for (id, queue) in self.queues.iter() {
            let users = processes().filter(|process| process.queue == Some(id)).count() as u32;
            if let Users::Processes(count) = queue.users {
                assert_eq!(count, users, "users of {id:?}");
            }
            let merging = self.queues.iter().filter(|(_, other)| other.merges_into == Some(id));
            assert_eq!(merging.count(), queue.merging as usize, "queues that merge into {id:?}");
        }
    }
}
