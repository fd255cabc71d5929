// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queues whose next requests lie near each other: generation A jumps to them, B merges them and
//! parts them again (peers.md §5.9; the search bfq.md §5.3).

use super::Cfq;
use super::generation::Generation;
use super::queue::Users;
use super::queue_id::QueueId;
use super::seek::SEEKY_DISTANCE_SECTORS;
use base::Class;

impl Cfq {
    /// Brings a queue to where its next request is, or takes it out if it has none.
    pub(super) fn update_position(&mut self, id: QueueId) {
        let queue = &mut self.queues[id];
        let next = queue.next.filter(|_| queue.priority.class() != Class::Idle);
        let sector = next.map(|next| self.entries[next.index()].place.sector());
        let position = sector.map(|sector| (queue.priority.level(), sector));
        if queue.position == position {
            return;
        }
        if let Some((level, sector)) = queue.position.take() {
            self.positions.remove(level, sector);
        }
        queue.position = position.filter(|&(level, sector)| self.positions.add(level, sector, id));
    }

    /// A queue with a request near the head that the active one, which has none, makes way for.
    pub(super) fn close_cooperator(&self, active: QueueId) -> Option<QueueId> {
        let current = &self.queues[active];
        if !current.sync || current.priority.class() == Class::Idle {
            return None;
        }
        let within_sectors = match self.tunables.generation {
            Generation::Linux2_6_32 => self.process(current.process)?.seek.near_sectors(),
            Generation::Linux2_6_35 => SEEKY_DISTANCE_SECTORS,
        };
        let level = current.priority.level();
        let id = self.positions.nearest(level, self.head_sector, within_sectors)?;
        let other = &self.queues[id];
        let suits = match self.tunables.generation {
            Generation::Linux2_6_32 => !other.cooperates,
            Generation::Linux2_6_35 => self.may_merge(active, id),
        };
        (id != active && other.sync && suits).then_some(id)
    }

    fn may_merge(&self, active: QueueId, other: QueueId) -> bool {
        let (here, there) = (self.queues[active].location, self.queues[other].location);
        let (Some(here), Some(there)) = (here, there) else { return false };
        here.group == there.group
            && (here.class == Class::RealTime) == (there.class == Class::RealTime)
            && self.groups[here.group].busy_queues() > 1
            && !self.is_seeky(active)
            && !self.is_seeky(other)
    }

    /// The active queue makes way for another one.
    pub(super) fn cooperate(&mut self, active: QueueId, other: QueueId) {
        match self.tunables.generation {
            Generation::Linux2_6_32 => {
                self.counters.jumps += 1;
                self.queues[other].cooperates = true;
            }
            Generation::Linux2_6_35 => self.merge(active, other),
        }
    }

    /// From their next requests on, the processes of one queue use the other: the one that more of
    /// them use already.
    fn merge(&mut self, one: QueueId, other: QueueId) {
        let (one, other) = (self.end_of_merges(one), self.end_of_merges(other));
        let fewer = self.queues[one].processes() <= self.queues[other].processes();
        let (from, into) = if fewer { (one, other) } else { (other, one) };
        let possible = one != other
            && self.queues[from].processes() > 0
            && self.queues[into].users != Users::Everybody;
        if possible {
            self.counters.merges += 1;
            self.queues[from].merges_into = Some(into);
            self.queues[into].merging += 1;
        }
    }

    /// The queue that a queue merges into in the end.
    pub(super) fn end_of_merges(&self, id: QueueId) -> QueueId {
        let into = |id: &QueueId| self.queues[*id].merges_into;
        std::iter::successors(Some(id), into).last().unwrap_or(id)
    }

    /// The turn of a queue ends: if several processes share it and it seeks, they part.
    pub(super) fn mark_split(&mut self, id: QueueId) {
        if self.queues[id].processes() > 1 && self.is_seeky(id) {
            self.queues[id].splits = true;
        }
    }
}
