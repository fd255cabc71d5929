//! Budget Fair Queueing: the scheduler core, no_std and without dependencies.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod arena;
mod check;
mod fair;
mod group;
mod identities;
mod inspect;
mod latency;
mod list;
mod merge;
mod merging;
mod queue;
mod scheduler;
mod service;
pub mod statistics;
mod tree;
pub mod tunables;
mod units;
pub mod why;

pub use arena::OutOfMemory;
pub use fair::WeightError;
pub use group::{
    GroupId,
    statistics::{ByOperation, GroupStatistics},
};
pub use inspect::QueueState;
pub use merging::{BioMerge, Side};
pub use queue::{NewRequest, Operation, ProcessAttributes, ProcessId, QueueId, RequestId};
pub use scheduler::{Behaviour, Config, MAX_ACTUATORS, Scheduler};
pub use service::Allowance;
pub use units::{Class, CpuPolicy, Ioprio, Time};

/// The host named something that is not there, or not in the state it should be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostError {
    /// No such request number: the pool is smaller.
    UnknownRequest(RequestId),
    /// A request of this number is in the scheduler or the device already.
    RequestInUse(RequestId),
    /// The request does not wait.
    NotWaiting(RequestId),
    /// The request was not dispatched, or is complete.
    NotDispatched(RequestId),
    /// No such process.
    UnknownProcess(ProcessId),
}

impl core::fmt::Display for HostError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            HostError::UnknownRequest(id) => write!(f, "{id:?} is beyond the request pool"),
            HostError::RequestInUse(id) => write!(f, "{id:?} is in use"),
            HostError::NotWaiting(id) => write!(f, "{id:?} does not wait"),
            HostError::NotDispatched(id) => write!(f, "{id:?} is not in the device"),
            HostError::UnknownProcess(id) => write!(f, "{id:?} does not exist"),
        }
    }
}

impl core::error::Error for HostError {}

/// A group or process could not be added or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityError {
    /// No such group.
    UnknownGroup(GroupId),
    /// The root group can be neither removed nor weighed.
    RootGroup,
    /// The weight is out of range.
    Weight(fair::WeightError),
    /// Something else that the host named is not there.
    Host(HostError),
    /// No memory.
    OutOfMemory,
}

impl core::fmt::Display for IdentityError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            IdentityError::UnknownGroup(id) => write!(f, "{id:?} does not exist"),
            IdentityError::RootGroup => f.write_str("this cannot be done to the root group"),
            IdentityError::Weight(error) => error.fmt(f),
            IdentityError::Host(error) => error.fmt(f),
            IdentityError::OutOfMemory => OutOfMemory.fmt(f),
        }
    }
}

impl core::error::Error for IdentityError {}

impl From<OutOfMemory> for IdentityError {
    fn from(_: OutOfMemory) -> Self {
        IdentityError::OutOfMemory
    }
}

impl From<HostError> for IdentityError {
    fn from(error: HostError) -> Self {
        IdentityError::Host(error)
    }
}
