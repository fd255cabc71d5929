// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The types that both languages know: `glue/bfq_core.h` in Rust.
//!
//! Numbers from C are not trusted to be one of those that an enum has; they come as integers and
//! are understood here.

use bfq::{
    Class, Config, CpuPolicy, GroupId, Ioprio, MAX_ACTUATORS, NewRequest, Operation,
    ProcessAttributes, ProcessId, RequestId, Side, Time, Weight,
    cgroup::weight::{self, DeviceNumber, WeightFile},
};
use core::{ffi::c_void, sync::atomic::AtomicBool};

/// In place of the number of a process, group or request: none.
pub const NONE: u32 = u32::MAX;

/// In place of the time of the timer: none is wanted.
pub const NEVER: u64 = u64::MAX;

/// How many sizes `bfq_core_request_pieces` tells.
pub const REQUEST_PIECES: usize = 4;

/// What C calls `enum bfq_class`.
#[allow(missing_docs, reason = "they are named as the scheduler's classes are")]
pub mod class {
    pub const NONE: u8 = 0;
    pub const REAL_TIME: u8 = 1;
    pub const BEST_EFFORT: u8 = 2;
    pub const IDLE: u8 = 3;
}

/// What C calls `enum bfq_cpu_policy`.
#[allow(missing_docs, reason = "they are named as the scheduler's policies are")]
pub mod cpu_policy {
    pub const NORMAL: u8 = 0;
    pub const REAL_TIME: u8 = 1;
    pub const IDLE: u8 = 2;
}

/// What C calls `enum bfq_operation`.
#[allow(missing_docs, reason = "they are named as the scheduler's operations are")]
pub mod io_operation {
    pub const READ: u32 = 0;
    pub const WRITE: u32 = 1;
    pub const DISCARD: u32 = 2;
}

/// What C calls `enum bfq_side`.
#[allow(missing_docs, reason = "they are named as the scheduler's sides are")]
pub mod io_side {
    pub const FRONT: u32 = 0;
    pub const BACK: u32 = 1;
}

/// What C calls `enum bfq_weight_file`.
#[allow(missing_docs, reason = "they are named as the scheduler's files are")]
pub mod weight_file {
    pub const BFQ: u32 = 0;
    pub const BFQ_PLAIN: u32 = 1;
    pub const GENERIC: u32 = 2;
}

/// The codes of the errors that C is told.
#[allow(missing_docs, reason = "they are the system's")]
pub mod errno {
    pub const ENOMEM: i32 = 12;
    pub const EINVAL: i32 = 22;
    pub const ENOSPC: i32 = 28;
    pub const ERANGE: i32 = 34;
}

/// `struct bfq_core`: what the core tells its host after each call.
#[repr(C)]
#[derive(Debug)]
pub struct Published {
    /// When the timer is wanted, or [`NEVER`].
    pub timer_ns: u64,
    /// A pointer for the host to find its own data; nothing here reads it.
    pub host: *mut c_void,
    /// Requests of processes that went to the queue that is shared for want of memory, so far.
    pub shared: u64,
    /// Those that went there because the host did not know whose they are.
    pub nobody: u64,
    /// A fingerprint of the sizes of the large pieces that tables take when they grow next: another
    /// number means other pieces. 0: there are none.
    pub large_pieces: u64,
    /// The hardware queues are to be run; the host clears it.
    pub kick: bool,
    /// Sync reads may be denied a part of the pool; the host reads it without the lock.
    pub limits_sync_reads: AtomicBool,
    /// Each bio matters, and not only those that continue a request; read without the lock, too.
    pub watches_bios: AtomicBool,
}

/// What C calls `struct bfq_device`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Device {
    pub(crate) actuator_ends: [u64; MAX_ACTUATORS],
    pub(crate) actuators: u32,
    /// Size of a request pool.
    pub nr_requests: u32,
    /// Request numbers are below this: those of all pools together.
    pub request_ids: u32,
    pub(crate) hz: u32,
    pub(crate) rotational: bool,
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

/// What C calls `struct bfq_process_facts`.
#[repr(C)]
#[derive(Debug)]
pub struct ProcessFacts {
    pub(crate) class: u8,
    pub(crate) level: u8,
    pub(crate) nice: i8,
    pub(crate) cpu_policy: u8,
    /// Its number in the system.
    pub pid: u32,
    /// Its name, up to the first zero.
    pub name: [u8; 16],
}

impl ProcessFacts {
    /// Its priority, as the scheduler wants it.
    pub fn attributes(&self) -> ProcessAttributes {
        let class = match self.class {
            class::REAL_TIME => Some(Class::RealTime),
            class::BEST_EFFORT => Some(Class::BestEffort),
            class::IDLE => Some(Class::Idle),
            _ => None,
        };
        let policy = match self.cpu_policy {
            cpu_policy::REAL_TIME => CpuPolicy::RealTime,
            cpu_policy::IDLE => CpuPolicy::Idle,
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
    pub(crate) sector: u64,
    pub(crate) allocated_ns: u64,
    pub(crate) asked_ns: u64,
    pub(crate) sectors: u32,
    pub(crate) process: u32,
    pub(crate) operation: u8,
    pub(crate) flags: u8,
}

impl Io {
    pub(crate) const SYNC: u8 = 1 << 0;
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

/// What C calls `struct bfq_candidates`.
#[repr(C)]
#[derive(Debug)]
pub struct Candidates {
    /// The waiting request that ends where the bio starts.
    pub back: u32,
    /// The one that starts where it ends.
    pub front: u32,
}

/// `struct bfq_weight_change`: what a user wants of a cgroup's weights, not done yet.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeightChange {
    /// What C calls `enum bfq_weight_kind`.
    pub kind: u32,
    /// The device, if it is for one.
    pub major: u32,
    /// The rest of its number.
    pub minor: u32,
    /// The weight, if it is not the removal of one.
    pub weight: u32,
}

impl WeightChange {
    const DEFAULT: u32 = 0;
    pub(crate) const OVERRIDE: u32 = 1;
    const REMOVE: u32 = 2;

    fn for_device(kind: u32, device: DeviceNumber, weight: u32) -> Self {
        WeightChange { kind, major: device.major, minor: device.minor, weight }
    }
}

impl From<weight::WeightChange> for WeightChange {
    fn from(change: weight::WeightChange) -> Self {
        match change {
            weight::WeightChange::Default(weight) => {
                WeightChange { kind: Self::DEFAULT, weight: weight.get(), ..Self::default() }
            }
            weight::WeightChange::Override(device, weight) => {
                Self::for_device(Self::OVERRIDE, device, weight.get())
            }
            weight::WeightChange::Remove(device) => Self::for_device(Self::REMOVE, device, 0),
        }
    }
}

impl From<WeightChange> for weight::WeightChange {
    fn from(change: WeightChange) -> Self {
        let device = DeviceNumber { major: change.major, minor: change.minor };
        match change.kind {
            WeightChange::DEFAULT => Self::Default(Weight::of(change.weight)),
            WeightChange::OVERRIDE => Self::Override(device, Weight::of(change.weight)),
            _ => Self::Remove(device),
        }
    }
}

/// What C calls `enum bfq_operation`.
pub fn operation(number: u32) -> Operation {
    match number {
        io_operation::READ => Operation::Read,
        io_operation::WRITE => Operation::Write,
        _ => Operation::Discard,
    }
}

/// What C calls `enum bfq_side`.
pub fn side(number: u32) -> Side {
    if number == io_side::FRONT { Side::Front } else { Side::Back }
}

/// What C calls `enum bfq_weight_file`.
pub fn file(number: u32) -> WeightFile {
    match number {
        weight_file::BFQ => WeightFile::Bfq,
        weight_file::BFQ_PLAIN => WeightFile::BfqPlain,
        _ => WeightFile::Generic,
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
