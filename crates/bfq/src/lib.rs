//! Budget Fair Queueing: the scheduler of one disk, as a deterministic state machine.
//!
//! The core decides which of the requests that wait goes to the device next. It does no I/O, reads
//! no clock, takes no lock and logs nothing: every call carries the time, and the same calls give
//! the same answers on every host. It runs in a simulator, in a user-space block layer and in a
//! kernel. It needs `alloc`, nothing else; it has no `unsafe` and no floating point.
//!
//! # The API in four kinds
//!
//! | Kind | Methods of [`Scheduler`] |
//! |---|---|
//! | identities: who exists, and what he is worth | [`add_group`], [`set_group_weight`], [`remove_group`], [`add_process`], [`set_attributes`], [`move_process`], [`exit_process`], [`set_detailed_statistics`] |
//! | inputs: what happened | [`insert`], [`merge_candidates`], [`merged`], [`coalesced`], [`remove`], [`complete`], [`requeue`], [`on_timer`], [`set_tunable`], [`set_nr_requests`] |
//! | outputs: what to do | [`dispatch`], [`next_timer`], [`take_kick`], [`has_work`], [`allowed_requests`] |
//! | getters: what is, and why | [`tunables`], [`statistics`], [`group_statistics`], [`queue_state`], and every decision as a value for an [`Observer`](why::Observer) |
//!
//! # What a host does
//!
//! 1. It attaches a [`Scheduler`] to a device ([`Config`]), adds the groups and processes.
//! 2. For each request: it may ask [`allowed_requests`] how much of its pool this one may use, and
//!    [`merge_candidates`] whether it continues a waiting one; then it calls [`insert`] with the
//!    number that the request has in its pool, and says when the process asked for it if it had to
//!    wait for that ([`NewRequest::asked_at`]).
//! 3. *Dispatching* is calling [`dispatch`] until it returns none or the device is full. It is due
//!    after each batch of insertions, after each call that made [`take_kick`] return true, after
//!    completions that make room in a full device, and, while [`has_work`] says that something
//!    waits and the last attempts gave nothing, every few milliseconds (the kernel: 3 ms, rounded
//!    up to a tick). Getting none although something waits is no error: the disk is kept idle on
//!    purpose.
//! 4. It calls [`complete`] when the device is done with a request, and [`on_timer`] when the time
//!    given by [`next_timer`] has come.
//!
//! Time must not run backwards; if it does, the latest time seen counts. A call with a name that
//! does not exist, or in the wrong state, returns an error and changes nothing. Memory is allocated
//! only where an identity is added, a queue is created or the pool grows; if there is none for a
//! queue, the request is served by a shared one.
//!
//! ```
//! use bfq::{Config, NewRequest, ProcessAttributes, RequestId, Scheduler, Time};
//!
//! let ms = |ms: u64| Time::from_ns(ms * 1_000_000);
//! let mut bfq = Scheduler::new(ms(0), Config::new(true, 64))?;
//!
//! // Two groups of weights 100 and 300 with a process each.
//! let mut processes = Vec::new();
//! for weight in [100, 300] {
//!     let group = bfq.add_group(ms(0), bfq.root_group())?;
//!     bfq.set_group_weight(ms(0), group, weight)?;
//!     processes.push(bfq.add_process(ms(0), group, ProcessAttributes::default())?);
//! }
//!
//! // Each reads 8 sectors. The heavier one finishes earlier in virtual time, so it goes first,
//! // although it asked later.
//! for (tag, &process) in processes.iter().enumerate() {
//!     let read = NewRequest::read(process, 100_000 * tag as u64, 8, ms(1));
//!     bfq.insert(ms(1), RequestId::from_index(tag), read, false)?;
//! }
//! let first = bfq.dispatch(ms(1)).expect("something waits");
//! assert_eq!(first.index(), 1);
//!
//! // The disk is kept for that process now: the two have different weights.
//! assert_eq!(bfq.dispatch(ms(1)), None);
//! bfq.complete(ms(9), first)?;
//! assert_eq!(bfq.next_timer(), Some(ms(9 + 20)), "it counts as interactive: 20 ms");
//!
//! // Nothing comes. The timer fires, and the other one is served.
//! bfq.on_timer(ms(29));
//! assert!(bfq.take_kick());
//! assert_eq!(bfq.dispatch(ms(29)).map(RequestId::index), Some(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The rooms
//!
//! `fair` is B-WF2Q+ over a hierarchy and knows no disk; `queue` holds what waits and what is
//! learnt of a process; `service` selects, charges, expires, idles; `latency` raises weights;
//! `merge` joins and splits queues; [`group`] is what cgroups see (the weights that users write,
//! statistics); `why` are the decisions. Each module names the section of the specification that it
//! implements; `docs/decisions.md` says where we differ.
//!
//! [`add_group`]: Scheduler::add_group
//! [`set_group_weight`]: Scheduler::set_group_weight
//! [`remove_group`]: Scheduler::remove_group
//! [`add_process`]: Scheduler::add_process
//! [`set_attributes`]: Scheduler::set_attributes
//! [`set_detailed_statistics`]: Scheduler::set_detailed_statistics
//! [`move_process`]: Scheduler::move_process
//! [`exit_process`]: Scheduler::exit_process
//! [`insert`]: Scheduler::insert
//! [`merge_candidates`]: Scheduler::merge_candidates
//! [`merged`]: Scheduler::merged
//! [`coalesced`]: Scheduler::coalesced
//! [`remove`]: Scheduler::remove
//! [`complete`]: Scheduler::complete
//! [`requeue`]: Scheduler::requeue
//! [`on_timer`]: Scheduler::on_timer
//! [`set_tunable`]: Scheduler::set_tunable
//! [`set_nr_requests`]: Scheduler::set_nr_requests
//! [`dispatch`]: Scheduler::dispatch
//! [`next_timer`]: Scheduler::next_timer
//! [`take_kick`]: Scheduler::take_kick
//! [`has_work`]: Scheduler::has_work
//! [`allowed_requests`]: Scheduler::allowed_requests
//! [`tunables`]: Scheduler::tunables
//! [`statistics`]: Scheduler::statistics
//! [`group_statistics`]: Scheduler::group_statistics
//! [`queue_state`]: Scheduler::queue_state

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod calls;
pub mod cgroup;
mod errors;
mod fair;
mod model;
mod policy;
mod quirks;
mod scheduler;
pub mod statistics;
mod store;
pub mod tunables;
mod units;
pub mod why;

pub use calls::{BioMerge, MOST_PIECES, Side};
pub use cgroup::{
    statistics::{ByOperation, GroupAmounts, GroupStatistics},
    weight::{DeviceNumber, GroupWeights},
};
pub use errors::{HostError, IdentityError};
pub use fair::WeightError;
pub use model::{
    allowance::Allowance,
    attached::Attached,
    clock::Clock,
    device::{Device, MAX_ACTUATORS},
    group::Group,
    ids::{GroupId, ProcessId, QueueId, RequestId},
    process::ProcessAttributes,
    queue::Queue,
    request::{NewRequest, Operation},
};
pub use policy::budget::{
    Budget, BudgetGroup, BudgetProcess, BudgetQueue, QueueFindings, QueueSlot, QueueState,
    QueueWeight,
};
pub use quirks::Behaviour;
pub use scheduler::{Config, NewQueue, Policy};
pub use store::arena::OutOfMemory;
pub use units::{Class, CpuPolicy, Ioprio, Time};

/// The scheduler of one device: by Budget Fair Queueing, unless another policy is named.
pub type Scheduler<O = why::Silent, P = Budget> = scheduler::Scheduler<O, P>;
