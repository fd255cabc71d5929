// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The tunables as users write and read them (spec 7), by their place in the table of all.

use crate::{Core, abi::errno};
use bfq::{
    Time,
    tunables::{ParseError, TUNABLES},
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
    let info = TUNABLES.get(tunable as usize);
    let (Some(info), Ok(text)) = (info, core::str::from_utf8(text)) else {
        return -errno::EINVAL;
    };
    let now = Time::from_ns(now);
    match core.call(|scheduler| scheduler.write_tunable(now, info.tunable, text)) {
        Ok(()) => 0,
        Err(ParseError::NotANumber) => -errno::EINVAL,
        Err(ParseError::TooLarge) => -errno::ERANGE,
    }
}

/// The value of a tunable.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_read_tunable(core: &Core, tunable: u32) -> u64 {
    let info = TUNABLES.get(tunable as usize);
    info.map_or(0, |info| core.look().tunables().get(info.tunable))
}
