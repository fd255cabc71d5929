// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budget Fair Queueing: the scheduler of one disk, as a deterministic state machine.
//!
//! The core decides which of the requests that wait goes to the device next. It does no I/O, reads
//! no clock, takes no lock and logs nothing: every call carries the time, and the same calls give
//! the same answers on every host. It runs in a simulator, in a user-space block layer and in a
//! kernel. It needs `alloc`, nothing else; it has no `unsafe` and no floating point.
//!
//! # The API, in the order in which a host calls it
//!
//! * *a device is attached*: [`new`], or [`with_observer`] and [`attach`]; [`set_tunable`],
//!   [`write_tunable`], [`set_nr_requests`], [`reserve_requests`], [`set_detailed_statistics`],
//!   [`let_clock_run`]
//! * *a group or process exists, and has a weight*: [`root_group`], [`add_group`],
//!   [`set_group_weight`], [`add_process`], [`set_attributes`], [`move_process`],
//!   [`next_pieces_bytes`], [`request_pieces_bytes`]
//! * *a request is about to come*: [`limits_sync_reads`], [`allowed_requests`],
//!   [`watches_bios`], [`merge_candidates`], [`allows_merge`], [`insertion_merge_candidate`]
//! * *it comes, grows, or goes*: [`insert`], [`merged`], [`neighbour`], [`coalesced`],
//!   [`remove`]
//! * *the device takes more*: [`dispatch`], [`has_work`], [`take_kick`], [`next_timer`],
//!   [`on_timer`]
//! * *it is done with one*: [`complete`], [`requeue`]
//! * *a process or group is no more*: [`exit_process`], [`remove_group`]
//! * *a user wants to know*: [`tunables`], [`statistics`], [`group_weight`],
//!   [`group_statistics`], [`recursive_group_statistics`], [`reset_group_statistics`],
//!   [`has_detailed_statistics`], [`requests_in_shared_queue`], [`requests_of_nobody`],
//!   [`queue_in_service`], [`queue_of_process`], [`queue_state`], [`busy_queues`], [`now`],
//!   [`policy_name`], [`heeded_tunables`], [`chosen_behaviour`], [`behaviour`], [`check`]; and
//!   every decision as a value for an [`Observer`](why::Observer): [`observer`],
//!   [`observer_mut`], [`exchange_observer`]
//! * *a policy is at work*: [`policy`], [`policy_mut`], [`queue`], [`queues`],
//!   [`state_of_queue`], [`group`], [`groups`], [`state_of_group`]; [`enqueue`], [`take_out`],
//!   [`send_next`], [`count_completion`], [`rehome`], [`sectors_of`], [`want_kick`], [`tell`]
//!
//! The policy is a type of the scheduler's: [`Scheduler`] has that of [`Budget`], unless another is
//! named. A host that lets its users choose one takes an [`AnyScheduler`], which has an arm for
//! each [`PolicyName`]; what is to work with either is written for [`Calls`].
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
//! only where an identity is added, a queue is created or merged, or the pool grows; if there is
//! none for a queue, the request is served by a shared one.
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
//!     bfq.insert(ms(1), RequestId::from_index(tag), &read, false)?;
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
//! # How it is built
//!
//! ```text
//!   a host ─▶ AnyScheduler ─▶ calls ──▶ Policy ─┬▶ policy::budget ─▶ fair    B-WF2Q+
//!                               │               └▶ policy::time              who is served when
//!                               ▼
//!                             model                what there is
//! ```
//!
//! The *model* is what there is, whatever the policy: requests, queues, processes, groups. The
//! *calls* of a host keep it and ask the policy; one table lists them ([`Calls`]), and another the
//! policies ([`AnyScheduler`]). A [`Policy`] decides, and keeps what it needs of
//! each queue, group and process in types of its own beside them ([`Attached`]); the module
//! [`scheduler`] says what it takes to write one. [`Budget`] is
//! Budget Fair Queueing; `fair` is B-WF2Q+ and knows no disk. [`cgroup`] is what cgroups see (the
//! weights that users write, statistics); [`why`] are the decisions; `quirks` are the deviations of
//! the kernels, one name each. Each module names the section of the specification that it
//! implements; `docs/decisions.md` says where we differ.
//!
//! [`new`]: Scheduler::new
//! [`state_of_group`]: Scheduler::state_of_group
//! [`state_of_queue`]: Scheduler::state_of_queue
//! [`policy_mut`]: Scheduler::policy_mut
//! [`let_clock_run`]: Scheduler::let_clock_run
//! [`with_observer`]: Scheduler::with_observer
//! [`attach`]: Scheduler::attach
//! [`set_tunable`]: Scheduler::set_tunable
//! [`write_tunable`]: Scheduler::write_tunable
//! [`set_nr_requests`]: Scheduler::set_nr_requests
//! [`reserve_requests`]: Scheduler::reserve_requests
//! [`set_detailed_statistics`]: Scheduler::set_detailed_statistics
//! [`root_group`]: Scheduler::root_group
//! [`add_group`]: Scheduler::add_group
//! [`set_group_weight`]: Scheduler::set_group_weight
//! [`add_process`]: Scheduler::add_process
//! [`set_attributes`]: Scheduler::set_attributes
//! [`move_process`]: Scheduler::move_process
//! [`next_pieces_bytes`]: Scheduler::next_pieces_bytes
//! [`request_pieces_bytes`]: Scheduler::request_pieces_bytes
//! [`limits_sync_reads`]: Scheduler::limits_sync_reads
//! [`watches_bios`]: Scheduler::watches_bios
//! [`allowed_requests`]: Scheduler::allowed_requests
//! [`merge_candidates`]: Scheduler::merge_candidates
//! [`allows_merge`]: Scheduler::allows_merge
//! [`insertion_merge_candidate`]: Scheduler::insertion_merge_candidate
//! [`insert`]: Scheduler::insert
//! [`merged`]: Scheduler::merged
//! [`neighbour`]: Scheduler::neighbour
//! [`coalesced`]: Scheduler::coalesced
//! [`remove`]: Scheduler::remove
//! [`dispatch`]: Scheduler::dispatch
//! [`has_work`]: Scheduler::has_work
//! [`take_kick`]: Scheduler::take_kick
//! [`next_timer`]: Scheduler::next_timer
//! [`on_timer`]: Scheduler::on_timer
//! [`complete`]: Scheduler::complete
//! [`requeue`]: Scheduler::requeue
//! [`exit_process`]: Scheduler::exit_process
//! [`remove_group`]: Scheduler::remove_group
//! [`tunables`]: Scheduler::tunables
//! [`statistics`]: Scheduler::statistics
//! [`group_weight`]: Scheduler::group_weight
//! [`group_statistics`]: Scheduler::group_statistics
//! [`recursive_group_statistics`]: Scheduler::recursive_group_statistics
//! [`reset_group_statistics`]: Scheduler::reset_group_statistics
//! [`has_detailed_statistics`]: Scheduler::has_detailed_statistics
//! [`requests_in_shared_queue`]: Scheduler::requests_in_shared_queue
//! [`requests_of_nobody`]: Scheduler::requests_of_nobody
//! [`queue_in_service`]: Scheduler::queue_in_service
//! [`queue_of_process`]: Scheduler::queue_of_process
//! [`queue_state`]: Scheduler::queue_state
//! [`busy_queues`]: Scheduler::busy_queues
//! [`now`]: Scheduler::now
//! [`behaviour`]: Scheduler::behaviour
//! [`policy_name`]: Scheduler::policy_name
//! [`heeded_tunables`]: Scheduler::heeded_tunables
//! [`chosen_behaviour`]: Scheduler::chosen_behaviour
//! [`check`]: Scheduler::check
//! [`observer`]: Scheduler::observer
//! [`observer_mut`]: Scheduler::observer_mut
//! [`exchange_observer`]: Scheduler::exchange_observer
//! [`policy`]: Scheduler::policy
//! [`queue`]: Scheduler::queue
//! [`queues`]: Scheduler::queues
//! [`group`]: Scheduler::group
//! [`groups`]: Scheduler::groups
//! [`enqueue`]: Scheduler::enqueue
//! [`take_out`]: Scheduler::take_out
//! [`send_next`]: Scheduler::send_next
//! [`count_completion`]: Scheduler::count_completion
//! [`rehome`]: Scheduler::rehome
//! [`sectors_of`]: Scheduler::sectors_of
//! [`want_kick`]: Scheduler::want_kick
//! [`tell`]: Scheduler::tell

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod any;
mod calls;
pub mod cgroup;
mod errors;
pub mod fair;
mod model;
mod policy;
mod quirks;
pub mod scheduler;
pub mod statistics;
mod store;
pub mod tunables;
mod units;
pub mod why;

pub use any::{AnyScheduler, PolicyName};
pub use calls::{BioMerge, Calls, MOST_PIECES};
pub use cgroup::{
    statistics::{ByOperation, GroupAmounts, GroupStatistics},
    weight::{DeviceNumber, GroupWeights, NoDeviceNumber, OverrideRoom},
};
pub use errors::{HostError, IdentityError};
pub use fair::Service;
pub use model::{
    allowance::Allowance,
    attached::Attached,
    clock::Clock,
    device::{Device, MAX_ACTUATORS},
    group::Group,
    ids::{GroupId, ProcessId, QueueId, RequestId},
    process::ProcessAttributes,
    queue::Queue,
    request::{NewRequest, Operation, Side},
};
pub use policy::budget::{
    Budget, BudgetGroup, BudgetProcess, BudgetQueue, QueueFindings, QueueSlot, QueueState,
    QueueWeight,
};
pub use policy::time::{TimeFair, TimeGroup, TimeQueue};
pub use quirks::Behaviour;
pub use scheduler::{Config, NewQueue, Policy};
pub use store::arena::OutOfMemory;
pub use units::{
    Class, CpuPolicy, IOPRIO_LEVELS, Ioprio, Sector, Sectors, Span, Time, Weight, WeightError,
};

/// The scheduler of one device: by Budget Fair Queueing, unless another policy is named.
pub type Scheduler<O = why::Silent, P = Budget> = scheduler::Scheduler<O, P>;
