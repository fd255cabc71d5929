// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's pool of requests: its size, and how much of it an allocation may use (spec 3.22).

use crate::{
    model::{
        allowance::Allowance,
        ids::ProcessId,
        request::{Operation, Request},
    },
    scheduler::{Policy, Scheduler},
    statistics::StatisticInfo,
    store::arena::OutOfMemory,
    units::Time,
    why::Observer,
};

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// Whether sync reads may be denied a part of the pool now: if not, a host need not
    /// ask for them.
    #[inline]
    pub fn limits_sync_reads(&self) -> bool {
        P::limits_sync_reads(self)
    }

    /// How much of the pool a new request may use. The host asks before it allocates one; a
    /// submitter that has to wait keeps the answer.
    ///
    /// An unknown process is treated as none.
    pub fn allowed_requests(
        &mut self,
        now: Time,
        process: Option<ProcessId>,
        operation: Operation,
        sync: bool,
    ) -> Allowance {
        self.clock.go_on(now);
        let process = process.filter(|&process| self.model.processes.contains(process));
        P::allowed_requests(self, process, operation, sync)
    }

    /// The host's request pool changes its size.
    ///
    /// # Errors
    /// [`OutOfMemory`], with the old size in force.
    pub fn set_nr_requests(&mut self, now: Time, nr_requests: u32) -> Result<(), OutOfMemory> {
        self.clock.go_on(now);
        self.model.grow_requests(nr_requests)?;
        self.device.nr_requests = nr_requests;
        Ok(())
    }

    /// Makes room for request numbers below `numbers`: for hosts with several pools, whose numbers
    /// go beyond the size of one.
    ///
    /// # Errors
    /// [`OutOfMemory`], with the numbers known so far in force.
    pub fn reserve_requests(&mut self, numbers: u32) -> Result<(), OutOfMemory> {
        self.model.grow_requests(numbers)
    }

    /// Requests put into the fallback queue, which is shared, so far: because there was no memory
    /// for a queue of their own, or because the host did not know whose they are.
    pub fn requests_in_shared_queue(&self) -> u64 {
        self.model.counts.fallbacks + self.model.counts.of_nobody
    }

    /// Requests put into the shared queue so far because the host did not know whose they are.
    pub fn requests_of_nobody(&self) -> u64 {
        self.model.counts.of_nobody
    }

    /// What the policy has counted.
    pub fn statistics(&self) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
        P::statistics(self)
    }

    /// The sizes of what [`Scheduler::reserve_requests`] will allocate for `more` numbers: of each
    /// number, and of the three pieces of the first growth that they need, or 0; while the tables
    /// are small there may be more.
    pub fn request_pieces_bytes(&self, more: u32) -> [usize; 4] {
        let [slots, links] = self.model.requests.pieces_bytes_for(more as usize);
        [size_of::<Request>(), slots, links, self.model.detailed.piece_bytes_for(more as usize)]
    }
}
