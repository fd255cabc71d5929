// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The statistics of cgroups as users read them (spec 6.7), by their place in the
//! scheduler's table [`GROUP_STATISTICS`]; those of a device's policy, by their place in its own.
//!
//! A file of a cgroup shows a figure for each device, so it is put together in [`Figures`].

use crate::{Core, abi, abi::errno, handle, text};
use alloc::vec::Vec;
use bfq::{
    DeviceNumber, Time,
    cgroup::statistics::{GROUP_STATISTICS, GroupFigure, GroupStatisticInfo, StatisticLines},
};

/// `struct bfq_figures`: a statistic of a cgroup, device by device.
#[derive(Debug)]
pub struct Figures {
    info: &'static GroupStatisticInfo,
    /// For the cgroup with all that is or was below it.
    recursive: bool,
    lines: Vec<(DeviceNumber, GroupFigure)>,
}

/// The figure of a group; none if there is no such group, or the figure does not add up.
fn figure(
    core: &Core,
    info: &GroupStatisticInfo,
    group: u32,
    recursive: bool,
) -> Option<GroupFigure> {
    let group = abi::group(group);
    if recursive {
        info.recursive(&core.look().recursive_group_statistics(group).ok()?)
    } else {
        Some(info.own(&core.look().group_statistics(group).ok()?))
    }
}

/// The most statistics that a policy has, and the longest name or unit of one, in bytes.
#[cfg(test)]
pub(crate) const MOST_STATISTICS: usize = 30;
#[cfg(test)]
const LONGEST_TEXT: usize = 32;

/// `struct bfq_statistic`: a statistic of a device's policy. The texts are constants.
#[repr(C)]
#[derive(Debug)]
pub struct Statistic {
    pub(crate) name: *const u8,
    pub(crate) unit: *const u8,
    pub(crate) name_length: u32,
    pub(crate) unit_length: u32,
    pub(crate) value: u64,
}

/// The policy's statistic number `index`; `false` if it has fewer, with nothing written.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_statistic(core: &Core, index: u32, statistic: &mut Statistic) -> bool {
    let Some((info, value)) = core.look().statistics().nth(index as usize) else { return false };
    *statistic = Statistic {
        name: info.name.as_ptr(),
        unit: info.unit.as_ptr(),
        name_length: info.name.len() as u32,
        unit_length: info.unit.len() as u32,
        value,
    };
    true
}

/// Turns the costly statistics of a device on or off.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_set_detailed_statistics(core: &mut Core, now: u64, on: bool) {
    core.call(|s| s.set_detailed_statistics(Time::from_ns(now), on));
}

/// Clears the costly statistics of a group.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_reset_group_statistics(core: &mut Core, now: u64, group: u32) {
    let _unknown = core.call(|s| s.reset_group_statistics(Time::from_ns(now), abi::group(group)));
}

/// One figure of a group alone, all kinds of requests together.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_group_figure(core: &Core, group: u32, statistic: u32) -> u64 {
    let info = GROUP_STATISTICS.get(statistic as usize);
    match info.and_then(|info| figure(core, info, group, false)) {
        Some(GroupFigure::Plain(value)) => value,
        Some(GroupFigure::ByOperation(values)) => values.total(),
        None => 0,
    }
}

/// No figures yet, and room for those of `devices`; null if there is no such statistic,
/// or no memory.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_figures_new(statistic: u32, recursive: bool, devices: u32) -> *mut Figures {
    let mut lines = Vec::new();
    let room = lines.try_reserve_exact(devices as usize);
    match (GROUP_STATISTICS.get(statistic as usize), room) {
        (Some(info), Ok(())) => handle::give(Figures { info, recursive, lines }),
        _ => core::ptr::null_mut(),
    }
}

/// Frees what [`bfq_figures_new`] gave.
///
/// # Safety
/// `figures` comes from there, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_figures_free(figures: *mut Figures) {
    // SAFETY: the caller says so.
    unsafe { handle::take_back(figures) };
}

/// Adds the figure of a group of the device `major:minor`, if there is room for
/// it; allocates nothing.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_figures_add(
    figures: &mut Figures,
    core: &Core,
    group: u32,
    major: u32,
    minor: u32,
) -> i32 {
    let Some(figure) = figure(core, figures.info, group, figures.recursive) else {
        return 0;
    };
    if figures.lines.len() == figures.lines.capacity() {
        return -errno::ENOSPC;
    }
    figures.lines.push((DeviceNumber { major, minor }, figure));
    0
}

/// What reading the file shows: its length, or `size` if it does not fit.
///
/// # Safety
/// `buffer` is valid for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_figures_show(
    figures: &Figures,
    buffer: *mut u8,
    size: usize,
) -> usize {
    // SAFETY: the caller says so.
    let buffer = unsafe { core::slice::from_raw_parts_mut(buffer, size) };
    text::show(buffer, format_args!("{}", StatisticLines(&figures.lines)))
}

#[cfg(test)]
#[path = "statistics_tests.rs"]
mod tests;
