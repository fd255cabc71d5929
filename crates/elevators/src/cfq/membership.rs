// SPDX-License-Identifier: MIT OR Apache-2.0
//! The queue that a request of a process goes to (peers.md §5.2, §5.9; lifetime of queues bfq.md
//! §2.2, §2.3).

use blk::{GroupId, ProcessId};

use super::Cfq;
use super::expiry::Expiry;
use super::generation::Generation;
use super::process::ProcessState;
use super::queue::{CfqQueue, Users};
use super::queue_id::QueueId;
use base::{Class, Ioprio};

impl Cfq {
    pub(super) fn process(&self, id: Option<ProcessId>) -> Option<&ProcessState> {
        self.processes.get(id?.index())?.as_ref()
    }

    pub(super) fn process_mut(&mut self, id: Option<ProcessId>) -> Option<&mut ProcessState> {
        self.processes.get_mut(id?.index())?.as_mut()
    }

    /// The queue for a request, if there is one; changes nothing.
    pub(super) fn existing_queue(
        &self,
        process: Option<ProcessId>,
        sync: bool,
        priority: Ioprio,
    ) -> Option<QueueId> {
        if !sync {
            return self.shared.by_priority[priority.class() as usize][priority.level() as usize];
        }
        match self.process(process) {
            Some(process) => Some(self.end_of_merges(process.queue?)),
            None => self.shared.orphans,
        }
    }

    /// The queue for a request that comes now; made if need be. This is where a process follows a
    /// merge or a split, and where its new ioprio is taken over.
    pub(super) fn queue_for(
        &mut self,
        process: Option<ProcessId>,
        sync: bool,
        priority: Ioprio,
    ) -> QueueId {
        let of_process = process.filter(|_| sync && self.process(process).is_some());
        let Some(id) = of_process else {
            let existing = self.existing_queue(None, sync, priority);
            return existing.unwrap_or_else(|| self.add_shared_queue(sync, priority));
        };
        self.follow_merge(id);
        self.follow_split(id);
        match self.process(process).and_then(|process| process.queue) {
            Some(queue) => {
                self.take_over_ioprio(id, queue);
                queue
            }
            None => self.add_own_queue(id),
        }
    }

    fn add_shared_queue(&mut self, sync: bool, priority: Ioprio) -> QueueId {
        let priority = if sync { Ioprio::DEFAULT } else { priority };
        let id = self.queues.add(CfqQueue::new(sync, priority, GroupId::ROOT, Users::Everybody));
        if sync {
            self.shared.orphans = Some(id);
        } else {
            let of_class = &mut self.shared.by_priority[priority.class() as usize];
            of_class[priority.level() as usize] = Some(id);
        }
        id
    }

    fn add_own_queue(&mut self, process_id: ProcessId) -> QueueId {
        let (priority, group) = self
            .process(Some(process_id))
            .map_or((Ioprio::DEFAULT, GroupId::ROOT), |process| (process.priority, process.group));
        let id = self.queues.add(CfqQueue::new(true, priority, group, Users::Processes(0)));
        self.link(process_id, id);
        id
    }

    fn link(&mut self, process: ProcessId, queue: QueueId) {
        if let Some(process) = self.process_mut(Some(process)) {
            process.queue = Some(queue);
            self.queues[queue].joined_by_process();
        }
    }

    /// The process leaves its queue, which is freed if it is not needed any more.
    fn unlink(&mut self, process: ProcessId) {
        let queue = self.process_mut(Some(process)).and_then(|process| process.queue.take());
        if let Some(queue) = queue {
            self.queues[queue].left_by_process();
            self.queues.release(queue);
        }
    }

    fn follow_merge(&mut self, id: ProcessId) {
        let Some(queue) = self.process(Some(id)).and_then(|process| process.queue) else { return };
        let into = self.end_of_merges(queue);
        if into != queue {
            self.link(id, into);
            self.queues[queue].left_by_process();
            self.queues.release(queue);
        }
    }

    fn follow_split(&mut self, id: ProcessId) {
        let Some(queue) = self.process(Some(id)).and_then(|process| process.queue) else { return };
        if !self.queues[queue].splits {
            return;
        }
        if self.queues[queue].processes() > 1 {
            self.counters.splits += 1;
            self.unlink(id);
        } else {
            self.queues[queue].splits = false;
        }
    }

    fn take_over_ioprio(&mut self, process: ProcessId, id: QueueId) {
        let Some(priority) = self.process(Some(process)).map(|process| process.priority) else {
            return;
        };
        let queue = &mut self.queues[id];
        if queue.priority == priority {
            return;
        }
        if (queue.priority.class() == Class::Idle) != (priority.class() == Class::Idle) {
            queue.idle_window = priority.class() != Class::Idle;
        }
        queue.priority = priority;
        self.update_position(id);
    }

    /// A process has gone; its requests may still wait.
    pub(super) fn process_ends(&mut self, now_ticks: i64, id: ProcessId) {
        self.abandon_queue(now_ticks, id);
        if let Some(slot) = self.processes.get_mut(id.index()) {
            *slot = None;
        }
        // The number may be given to another process, which is not to be taken for this one.
        for queue in self.queues.iter_mut().filter(|queue| queue.process == Some(id)) {
            queue.process = None;
        }
    }

    /// A process is in another group. In generation A this has no effect; in B its next request
    /// makes a queue there, and what it has waiting stays.
    pub(super) fn process_moves(&mut self, now_ticks: i64, id: ProcessId, group: GroupId) {
        if self.tunables.generation == Generation::Linux2_6_35 {
            self.abandon_queue(now_ticks, id);
        }
        if let Some(process) = self.process_mut(Some(id)) {
            process.group = group;
        }
    }

    fn abandon_queue(&mut self, now_ticks: i64, id: ProcessId) {
        let queue = self.process(Some(id)).and_then(|process| process.queue);
        if queue.is_some() && queue == self.active {
            self.expire(now_ticks, Expiry::Abandoned);
            self.kick |= self.waiting > 0;
        }
        self.unlink(id);
    }
}
