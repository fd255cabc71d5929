// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The types that both languages know: `glue/bfq_core.h` in Rust.
//!
//! Numbers from C are not trusted to be one of those that an enum has; they come as integers and are
//! understood here.

use bfq::{
    Class, Config, CpuPolicy, GroupId, Ioprio, MAX_ACTUATORS, NewRequest, Operation,
    ProcessAttributes, ProcessId, RequestId, Time,
};

/// In place of the number of a process, group or request: none.
pub const NONE: u32 = u32::MAX;

/// In place of the time of the timer: none is wanted.
pub const NEVER: u64 = u64::MAX;

/// The codes of the errors that C is told.
#[allow(missing_docs, reason = "they are the system's")]
pub mod errno {
    pub const ENOMEM: i32 = 12;
    pub const EINVAL: i32 = 22;
    pub const ERANGE: i32 = 34;
}

/// `struct bfq_core`: what the core tells its host after each call.
#[repr(C)]
#[derive(Debug)]
pub struct Published {
    /// When the timer is wanted, or [`NEVER`].
    pub timer_ns: u64,
    /// The hardware queues are to be run; the host clears it.
    pub kick: bool,
}

/// `struct bfq_device`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Device {
    actuator_ends: [u64; MAX_ACTUATORS],
    actuators: u32,
    /// Size of a request pool.
    pub nr_requests: u32,
    /// Request numbers are below this: those of all pools together.
    pub request_ids: u32,
    hz: u32,
    rotational: bool,
}

impl Device {
    /// What the scheduler has to know of it.
    pub fn config(&self) -> Config<'_> {
        let actuators = self.actuator_ends.get(..self.actuators as usize).unwrap_or(&[]);
        Config {
            hz: self.hz,
            actuator_ends: actuators,
            ..Config::new(self.rotational, self.nr_requests)
        }
    }
}

/// `struct bfq_process_facts`.
#[repr(C)]
#[derive(Debug)]
pub struct ProcessFacts {
    class: u8,
    level: u8,
    nice: i8,
    cpu_policy: u8,
    /// Its number in the system.
    pub pid: u32,
    /// Its name, up to the first zero.
    pub name: [u8; 16],
}

impl ProcessFacts {
    /// Its priority, as the scheduler wants it.
    pub fn attributes(&self) -> ProcessAttributes {
        let class = match self.class {
            1 => Some(Class::RealTime),
            2 => Some(Class::BestEffort),
            3 => Some(Class::Idle),
            _ => None,
        };
        let policy = match self.cpu_policy {
            1 => CpuPolicy::RealTime,
            2 => CpuPolicy::Idle,
            _ => CpuPolicy::Normal,
        };
        let ioprio = class.map(|class| Ioprio::new(class, self.level));
        ProcessAttributes { ioprio, nice: self.nice, policy }
    }
}

/// `struct bfq_io`: a request, or a bio that may become part of one.
#[repr(C)]
#[derive(Debug)]
pub struct Io {
    sector: u64,
    allocated_ns: u64,
    asked_ns: u64,
    sectors: u32,
    process: u32,
    operation: u8,
    flags: u8,
}

impl Io {
    const SYNC: u8 = 1 << 0;
    const METADATA: u8 = 1 << 1;
    const AT_HEAD: u8 = 1 << 2;

    /// The same in the scheduler's terms.
    #[inline]
    pub fn request(&self) -> NewRequest {
        NewRequest {
            operation: operation(u32::from(self.operation)),
            sync: self.flags & Self::SYNC != 0,
            metadata: self.flags & Self::METADATA != 0,
            sector: self.sector,
            sectors: self.sectors,
            process: process(self.process),
            allocated_at: Time::from_ns(self.allocated_ns),
            asked_at: Time::from_ns(self.asked_ns),
        }
    }

    /// It goes before all others.
    pub fn at_head(&self) -> bool {
        self.flags & Self::AT_HEAD != 0
    }
}

/// `struct bfq_candidates`.
#[repr(C)]
#[derive(Debug)]
pub struct Candidates {
    /// The waiting request that ends where the bio starts.
    pub back: u32,
    /// The one that starts where it ends.
    pub front: u32,
}

/// `enum bfq_operation`.
pub fn operation(number: u32) -> Operation {
    match number {
        0 => Operation::Read,
        1 => Operation::Write,
        _ => Operation::Discard,
    }
}

/// The process of a number.
#[inline]
pub fn process(number: u32) -> Option<ProcessId> {
    (number != NONE).then(|| ProcessId::from_index(number as usize))
}

/// The group of a number.
pub fn group(number: u32) -> GroupId {
    GroupId::from_index(number as usize)
}

/// The request of a number.
#[inline]
pub fn request(number: u32) -> RequestId {
    RequestId::from_index(number as usize)
}

/// The number of a request, or [`NONE`].
#[inline]
pub fn number(request: Option<RequestId>) -> u32 {
    request.map_or(NONE, |request| request.index() as u32)
}

#[cfg(test)]
#[path = "abi_tests.rs"]
mod tests;
