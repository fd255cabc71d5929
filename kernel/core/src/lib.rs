// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The scheduler as the kernel module sees it: [`bfq::Scheduler`] behind C functions.
//!
//! In the kernel this crate has no operating system below it ([`runtime`] gives it memory and a
//! way to panic); on the host it is an ordinary library, so that it can be tested.

#![cfg_attr(target_os = "none", no_std)]

extern crate alloc;

#[cfg(target_os = "none")]
mod runtime;

use bfq::{Config, Scheduler, Time};

/// Creates a scheduler and frees it again. True if there was memory for it.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_try(now_ns: u64, nr_requests: u32) -> bool {
    Scheduler::new(Time::from_ns(now_ns), Config::new(true, nr_requests)).is_ok()
}
