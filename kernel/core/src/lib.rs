// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The schedulers as the kernel module sees them: those of `crates/bfq` behind C functions.
//!
//! `glue/bfq_core.h` declares them and says how they are called. Each takes the numbers of C, calls
//! the scheduler's method of the same name and publishes what the host has to do next; nothing is
//! decided here. Errors of the host (a name that does not exist) come back as `false` or [`NONE`],
//! with nothing changed.
//!
//! In the kernel this crate has no operating system below it (`runtime.rs` gives it memory and a
//! way to panic); on the host it is an ordinary library, so that it can be tested.

#![cfg_attr(target_os = "none", no_std)]

extern crate alloc;

pub mod abi;
mod handle;
pub mod policies;
mod recording;
mod ring;
#[cfg(target_os = "none")]
mod runtime;
mod statistics;
mod testing;
mod text;
mod tunables;
mod weights;

use abi::{
    Candidates, Device, Io, NEVER, NONE, ProcessFacts, Published, REQUEST_PIECES, errno, number,
};
use bfq::{BioMerge, Side, Time};
use core::{
    ffi::c_void,
    sync::atomic::{AtomicBool, Ordering},
};
use policies::Scheduled;

/// `struct bfq_core`, all of it: what C sees, and the scheduler of a device.
#[repr(C)]
#[derive(Debug)]
pub struct Core {
    published: Published,
    scheduler: Scheduled,
    /// What it is attached to.
    device: Device,
}

impl Core {
    /// Calls the scheduler and publishes what it wants of the host now.
    #[inline]
    fn call<T>(&mut self, method: impl FnOnce(&mut Scheduled) -> T) -> T {
        testing::point();
        let answer = method(&mut self.scheduler);
        testing::point();
        self.published.timer_ns = self.scheduler.next_timer().map_or(NEVER, Time::as_ns);
        self.published.kick |= self.scheduler.take_kick();
        let limits = self.scheduler.limits_sync_reads();
        self.published.limits_sync_reads.store(limits, Ordering::Relaxed);
        self.published.watches_bios.store(self.scheduler.watches_bios(), Ordering::Relaxed);
        answer
    }

    /// A process or group came: tables may grow soon.
    fn publish_large_pieces(&mut self) {
        let pieces = self.scheduler.next_pieces_bytes().into_iter();
        let large = pieces.filter(|&bytes| bytes > SMALL_PIECE_BYTES);
        // A sum would not do: other pieces may have the same.
        self.published.large_pieces =
            large.fold(0, |so_far: u64, bytes| so_far.wrapping_mul(31).wrapping_add(bytes as u64));
    }

    /// The scheduler, for those who only look.
    #[inline]
    fn look(&self) -> &Scheduled {
        testing::point();
        &self.scheduler
    }
}

/// Pieces up to this are allocated when they are needed; larger ones, by which tables grow, before.
pub const SMALL_PIECE_BYTES: usize = 8 << 10;

/// Attaches a scheduler by a policy to a device; null if there is no memory, or no such policy.
/// There is no function to free it: the host keeps account of its memory, and can free it whatever
/// state the core is in.
///
/// # Safety
/// `device` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_core_new(
    now: u64,
    device: &Device,
    host: *mut c_void,
    policy: u32,
) -> *mut Core {
    testing::point();
    let Some(scheduler) = policies::attach(policy, Time::from_ns(now), device.config()) else {
        return core::ptr::null_mut();
    };
    let published = Published {
        timer_ns: NEVER,
        host,
        shared: 0,
        nobody: 0,
        large_pieces: 0,
        kick: false,
        limits_sync_reads: AtomicBool::new(false),
        watches_bios: AtomicBool::new(scheduler.watches_bios()),
    };
    let core = handle::give(Core { published, scheduler, device: *device });
    // SAFETY: nothing else has it yet.
    if let Some(new) = unsafe { core.as_mut() }
        && new.scheduler.reserve_requests(device.request_ids).is_err()
    {
        // SAFETY: it was given above.
        unsafe { handle::take_back(core) };
        return core::ptr::null_mut();
    }
    core
}

/// Changes the size of the request pool, and how many numbers requests have.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_set_nr_requests(
    core: &mut Core,
    now: u64,
    nr_requests: u32,
    request_ids: u32,
) -> i32 {
    let changed = core.call(|scheduler| {
        scheduler.reserve_requests(request_ids)?;
        scheduler.set_nr_requests(Time::from_ns(now), nr_requests)
    });
    if changed.is_err() {
        return -errno::ENOMEM;
    }
    (core.device.nr_requests, core.device.request_ids) = (nr_requests, request_ids);
    0
}

/// Makes room for request numbers below `numbers`, while the pool keeps its size.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_reserve_requests(core: &mut Core, numbers: u32) -> i32 {
    let reserved = core.call(|scheduler| scheduler.reserve_requests(numbers));
    if reserved.is_ok() { 0 } else { -errno::ENOMEM }
}

/// The sizes of the pieces of memory that tables take when they grow next, up to `most` of them;
/// returns how many there are.
///
/// # Safety
/// `bytes` is valid for `most` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_core_next_pieces(core: &Core, bytes: *mut usize, most: u32) -> u32 {
    // SAFETY: the caller says so.
    let places = unsafe { core::slice::from_raw_parts_mut(bytes, most as usize) };
    let known = core.look().next_pieces_bytes().into_iter().filter(|&bytes| bytes > 0);
    let pieces = places.iter_mut().zip(known);
    pieces.map(|(place, bytes)| *place = bytes).count() as u32
}

/// The sizes of the pieces of memory that `more` numbers of requests take.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_request_pieces(
    core: &Core,
    more: u32,
    bytes: &mut [usize; REQUEST_PIECES],
) {
    *bytes = core.look().request_pieces_bytes(more);
}

/// Adds a process; [`NONE`] if there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_add_process(
    core: &mut Core,
    now: u64,
    group: u32,
    facts: &ProcessFacts,
) -> u32 {
    let (at, attributes) = (Time::from_ns(now), facts.attributes());
    let added = core.call(|scheduler| scheduler.add_process(at, abi::group(group), attributes));
    core.publish_large_pieces();
    let Ok(process) = added else { return NONE };
    core.record_process(process, abi::group(group), facts);
    process.index() as u32
}

/// Changes what is known of a process.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_set_process(core: &mut Core, process: u32, facts: &ProcessFacts) {
    if let Some(process) = abi::process(process) {
        let _unknown = core.call(|s| s.set_attributes(process, facts.attributes()));
    }
}

/// Moves a process to another group.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_move_process(core: &mut Core, process: u32, group: u32) {
    if let Some(process) = abi::process(process) {
        let _unknown = core.call(|s| s.move_process(process, abi::group(group)));
    }
}

/// Tells the scheduler that a process has ended; requests of it may still be in the queue.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_exit_process(core: &mut Core, now: u64, process: u32) {
    if let Some(process) = abi::process(process) {
        let _unknown = core.call(|s| s.exit_process(Time::from_ns(now), process));
    }
}

/// The number of the root group, which always exists.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_root_group(core: &Core) -> u32 {
    core.look().root_group().index() as u32
}

/// Adds a group; [`NONE`] if there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_add_group(core: &mut Core, now: u64, parent: u32) -> u32 {
    let added = core.call(|s| s.add_group(Time::from_ns(now), abi::group(parent)));
    core.publish_large_pieces();
    added.map_or(NONE, |group| group.index() as u32)
}

/// Sets the weight of a group.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_set_group_weight(core: &mut Core, now: u64, group: u32, weight: u32) {
    let _refused = core.call(|s| s.set_group_weight(Time::from_ns(now), abi::group(group), weight));
}

/// Removes a group; one that is unknown or the root is left as it is.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_remove_group(core: &mut Core, now: u64, group: u32) {
    let _unknown = core.call(|s| s.remove_group(Time::from_ns(now), abi::group(group)));
}

/// Gives the scheduler a request; false if it does not take it.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_insert(core: &mut Core, now: u64, request: u32, io: &Io) -> bool {
    let (now, request) = (Time::from_ns(now), abi::request(request));
    let inserted = core.call(|s| s.insert(now, request, &io.request(), io.at_head())).is_ok();
    let nobody = core.scheduler.requests_of_nobody();
    core.published.nobody = nobody;
    core.published.shared = core.scheduler.requests_in_shared_queue() - nobody;
    inserted
}

/// The waiting requests that a bio continues.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_merge_candidates(core: &mut Core, now: u64, bio: &Io) -> Candidates {
    let found = core.call(|s| s.merge_candidates(Time::from_ns(now), &bio.request()));
    let at = |side| move |merge: BioMerge| (merge.side == side).then_some(merge.request);
    let [one, other] = found;
    let on = |side| number(one.and_then(at(side)).or(other.and_then(at(side))));
    Candidates { back: on(Side::Back), front: on(Side::Front) }
}

/// The waiting request that a request about to be inserted could be appended to.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_insertion_merge_candidate(core: &Core, io: &Io) -> u32 {
    number(core.look().insertion_merge_candidate(&io.request()))
}

/// Whether a bio may be added to a waiting request.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_allows_merge(core: &mut Core, now: u64, bio: &Io, id: u32) -> bool {
    core.call(|s| s.allows_merge(Time::from_ns(now), &bio.request(), abi::request(id)))
}

/// The waiting request before or behind another one of its kind.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_neighbour(core: &Core, request: u32, to: u32) -> u32 {
    number(core.look().neighbour(abi::request(request), abi::side(to)))
}

/// A waiting request has grown.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_merged(
    core: &mut Core,
    now: u64,
    request: u32,
    on: u32,
    sector: u64,
    sectors: u32,
) -> bool {
    let (now, request) = (Time::from_ns(now), abi::request(request));
    core.call(|s| s.merged(now, request, abi::side(on), sector, sectors)).is_ok()
}

/// A waiting request has absorbed another one.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_coalesced(
    core: &mut Core,
    now: u64,
    survivor: u32,
    absorbed: u32,
    sectors: u32,
) -> bool {
    let (survivor, absorbed) = (abi::request(survivor), abi::request(absorbed));
    core.call(|s| s.coalesced(Time::from_ns(now), survivor, absorbed, sectors)).is_ok()
}

/// The device is done with a request.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_complete(core: &mut Core, now: u64, request: u32) -> bool {
    core.call(|s| s.complete(Time::from_ns(now), abi::request(request))).is_ok()
}

/// The host takes a request back from the device.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_requeue(core: &mut Core, now: u64, request: u32) -> bool {
    core.call(|s| s.requeue(Time::from_ns(now), abi::request(request))).is_ok()
}

/// The time of the timer has come.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_on_timer(core: &mut Core, now: u64) {
    core.call(|s| s.on_timer(Time::from_ns(now)));
}

/// The next request for the device, or [`NONE`].
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_dispatch(core: &mut Core, now: u64) -> u32 {
    number(core.call(|s| s.dispatch(Time::from_ns(now))))
}

/// How many requests of the pool a new one may use.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_allowed_requests(
    core: &mut Core,
    now: u64,
    process: u32,
    operation: u32,
    sync: bool,
) -> u32 {
    let (process, operation) = (abi::process(process), abi::operation(operation));
    core.call(|s| s.allowed_requests(Time::from_ns(now), process, operation, sync)).requests
}
