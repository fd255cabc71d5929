// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with a call of the host.

use crate::{
    model::ids::{GroupId, ProcessId, RequestId},
    store::arena::OutOfMemory,
    units::WeightError,
};

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
    /// No process with this number is known to the scheduler.
    UnknownProcess(ProcessId),
    /// The request has no sectors, or its last one is beyond the last that has a number.
    BadRange(RequestId),
}

impl core::fmt::Display for HostError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            HostError::UnknownRequest(id) => write!(f, "{id:?} is beyond the request pool"),
            HostError::RequestInUse(id) => write!(f, "{id:?} is in use"),
            HostError::NotWaiting(id) => write!(f, "{id:?} does not wait"),
            HostError::NotDispatched(id) => write!(f, "{id:?} is not in the device"),
            HostError::UnknownProcess(id) => write!(f, "{id:?} does not exist"),
            HostError::BadRange(id) => {
                write!(f, "{id:?} has no sectors, or more than have numbers")
            }
        }
    }
}

impl core::error::Error for HostError {}

/// A group or process could not be added or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityError {
    /// No group with this number is known to the scheduler.
    UnknownGroup(GroupId),
    /// The root group can be neither removed nor weighed.
    RootGroup,
    /// The weight is out of range.
    Weight(WeightError),
    /// Something else that the host named is not there.
    Host(HostError),
    /// There is no memory.
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
