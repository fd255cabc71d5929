// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The weights of a cgroup as users write and read them (spec 6.3): [`GroupWeights`] for C.
//!
//! They belong to no device, so no lock of a device guards them; the host sees to it that no
//! other task has them while they are changed.

use crate::{
    abi::{WeightChange as Change, errno, file},
    handle, testing, text,
};
use bfq::cgroup::weight::{
    DeviceNumber, GroupWeights, OverrideRoom, WeightChange, WeightFile, WeightWriteError,
};

/// The weights of a new cgroup; null if there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_weights_new() -> *mut GroupWeights {
    handle::give(GroupWeights::new())
}

/// Frees what [`bfq_weights_new`] gave.
///
/// # Safety
/// `weights` comes from there, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_weights_free(weights: *mut GroupWeights) {
    // SAFETY: the caller says so.
    unsafe { handle::take_back(weights) };
}

/// Understands what a user wrote to a file: 0, or the code of an error.
///
/// # Safety
/// `text` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_weights_parse(
    to: u32,
    text: *const u8,
    length: usize,
    change: &mut Change,
) -> i32 {
    testing::point();
    // SAFETY: the caller says so.
    let text = unsafe { core::slice::from_raw_parts(text, length) };
    let Ok(text) = core::str::from_utf8(text) else {
        return -errno::EINVAL;
    };
    match WeightChange::parse(file(to), text) {
        Ok(understood) => {
            *change = understood.into();
            0
        }
        Err(WeightWriteError::Range(_)) => -errno::ERANGE,
        Err(_) => -errno::EINVAL,
    }
}

/// How many overrides there has to be room for before that change.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_weights_room_for(weights: &GroupWeights, change: &Change) -> u32 {
    testing::point();
    weights.room_for(&(*change).into()) as u32
}

/// Room for `count` overrides; null if there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_override_room_new(count: u32) -> *mut OverrideRoom {
    OverrideRoom::new(count as usize).map_or(core::ptr::null_mut(), handle::give)
}

/// Frees what [`bfq_override_room_new`] gave.
///
/// # Safety
/// `room` comes from there, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_override_room_free(room: *mut OverrideRoom) {
    // SAFETY: the caller says so.
    unsafe { handle::take_back(room) };
}

/// Makes a change, if there is room for it; allocates nothing.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_weights_apply(
    weights: &mut GroupWeights,
    change: &Change,
    room: &mut OverrideRoom,
) -> i32 {
    testing::point();
    let applied = weights.apply((*change).into(), room);
    if applied.is_ok() { 0 } else { -errno::ENOMEM }
}

/// A device has gone: nothing is kept for the next one with its number.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_weights_forget(weights: &mut GroupWeights, major: u32, minor: u32) {
    weights.remove_override(DeviceNumber { major, minor });
}

/// The weight on a device.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_weights_effective(weights: &GroupWeights, major: u32, minor: u32) -> u32 {
    weights.effective(DeviceNumber { major, minor })
}

/// What reading a file shows: its length, or `size` if it does not fit.
///
/// # Safety
/// `buffer` is valid for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_weights_show(
    weights: &GroupWeights,
    of: u32,
    buffer: *mut u8,
    size: usize,
) -> usize {
    // SAFETY: the caller says so.
    let buffer = unsafe { core::slice::from_raw_parts_mut(buffer, size) };
    match file(of) {
        WeightFile::BfqPlain => text::show(buffer, format_args!("{}\n", weights.default_weight())),
        WeightFile::Bfq | WeightFile::Generic => text::show(buffer, format_args!("{weights}")),
    }
}

#[cfg(test)]
#[path = "weights_tests.rs"]
mod tests;
