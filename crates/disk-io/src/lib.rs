// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real files and block devices behind the block layer: what `bfq run` does its I/O with.
//!
//! * [`Target`]: the file or device the jobs run on: opened, checked, or created and filled.
//! * [`Engine`]: reads, writes, discards and flushes on it, many at a time, by io_uring and
//!   `O_DIRECT`, or by `preadv`/`pwritev` in a pool of threads where io_uring is refused.
//! * [`drive()`]: the loop between a [`DriveHost`] (processes and their scheduler) and an engine.
//! * [`Throttle`]: a slower disk than the one at hand, so that weights can be seen at work.
//!
//! Unsafe code is in one small module, `engine/ring.rs`, which hands buffers to the kernel.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![deny(unsafe_code)]

#[cfg(not(target_os = "linux"))]
compile_error!("real I/O is done by Linux's io_uring, O_DIRECT and fallocate");

mod buffer;
mod drive;
mod engine;
mod failures;
mod jobs;
mod pattern;
mod target;
mod throttle;

pub use buffer::Buffer;
pub use drive::{DriveError, DriveHost, Driven, Traffic, Watch, drive};
pub use engine::{
    Completion, Engine, EngineError, EngineKind, EngineSettings, Io, IoError,
    LARGEST_DISCARD_SECTORS, LENT_MAX, SubmitError,
};
pub use failures::{Failure, Reason};
pub use pattern::{PATTERN_PERIOD_BYTES, pattern_at};
pub use target::{Fill, StorageKind, Stored, Target, TargetError, TargetSettings};
pub use throttle::Throttle;
