// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The tunables as users write and read them (spec 7), by their place among those of bfq.

use crate::{Core, abi::errno};
use bfq::{
    Time,
    tunables::{ParseError, Tunable},
};

/// Takes what a user wrote: 0, or the code of an error.
///
/// # Safety
/// `text` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_core_write_tunable(
    core: &mut Core,
    now: u64,
    tunable: u32,
    text: *const u8,
    length: usize,
) -> i32 {
    // SAFETY: the caller says so.
    let text = unsafe { core::slice::from_raw_parts(text, length) };
    let tunable = Tunable::OF_BFQ.get(tunable as usize);
    let (Some(&tunable), Ok(text)) = (tunable, core::str::from_utf8(text)) else {
        return -errno::EINVAL;
    };
    let now = Time::from_ns(now);
    match core.call(|scheduler| scheduler.write_tunable(now, tunable, text)) {
        Ok(()) => 0,
        Err(ParseError::NotANumber) => -errno::EINVAL,
        Err(ParseError::TooLarge) => -errno::ERANGE,
    }
}

/// The value of a tunable.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_read_tunable(core: &Core, tunable: u32) -> u64 {
    let tunable = Tunable::OF_BFQ.get(tunable as usize);
    tunable.map_or(0, |&tunable| core.look().tunables().get(tunable))
}
