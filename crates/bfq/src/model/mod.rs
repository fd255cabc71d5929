// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is, whatever the policy: requests, queues, processes and groups, and what is known of
//! the device (spec 2, 6). It knows no policy; what a policy keeps beside them is its own.

pub(crate) mod allowance;
pub(crate) mod attached;
pub(crate) mod clock;
pub(crate) mod detailed;
pub(crate) mod device;
pub(crate) mod group;
pub(crate) mod ids;
pub(crate) mod load;
pub(crate) mod process;
pub(crate) mod queue;
pub(crate) mod request;
pub(crate) mod seek;
pub(crate) mod think_time;
pub(crate) mod waiting;

use crate::store::{arena::OutOfMemory, list::List};
use attached::Attached;
use detailed::Detailed;
use group::{Epoch, Groups};
use ids::GroupId;
use ids::QueueId;
use ids::RequestId;
use load::Load;
use process::Processes;
use queue::Queues;
use request::{FIFO, Requests};

/// All that exists on a device.
#[derive(Debug)]
pub struct Model<A: Attached> {
    pub(crate) groups: Groups<A>,
    pub(crate) processes: Processes<A>,
    pub(crate) queues: Queues<A>,
    pub(crate) requests: Requests,
    pub(crate) detailed: Detailed,
    /// Served before anything else.
    pub(crate) direct: List<RequestId, FIFO>,
    pub(crate) root: GroupId,
    /// Begins anew with each removal of a group.
    pub(crate) epoch: Epoch,
    /// Serves those for whom no queue could be created.
    pub(crate) fallback: QueueId,
    pub(crate) load: Load,
    pub(crate) counts: Counts,
    /// The host is to run dispatching again.
    pub(crate) kick: bool,
}

/// What is counted whatever the policy.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Their number is the serial of the last one.
    pub queues_created: u64,
    /// Requests in the fallback queue for want of memory.
    pub fallbacks: u64,
    /// Requests of which the host did not know whose they are.
    pub of_nobody: u64,
}

impl<A: Attached> Model<A> {
    /// Makes room for `count` requests in all.
    pub(crate) fn grow_requests(&mut self, count: u32) -> Result<(), OutOfMemory> {
        self.detailed.grow(count)?;
        request::grow(&mut self.requests, count)
    }
}
