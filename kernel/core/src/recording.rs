// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The recording of a device's scheduler, into a ring that C reads from: `glue/debugfs.c`.

use crate::{
    Core,
    abi::{self, ProcessFacts, errno},
    ring::{RawRing, Ring},
};
use bfq::{GroupId, ProcessId, Time};
use core::ptr::NonNull;
use recording::{Call, Comm, DeviceName, GroupName, Opening, Record, Recorder};

/// Room for the name of a device.
pub const DEVICE_NAME: usize = 32;

impl Core {
    /// Records who a process is.
    pub(crate) fn record_process(
        &mut self,
        process: ProcessId,
        group: GroupId,
        facts: &ProcessFacts,
    ) {
        self.scheduler.note(|| {
            let (pid, comm) = (facts.pid, Comm::new(&facts.name));
            Record::Process { process, group, pid, comm }
        });
    }
}

/// Begins a recording. `at_attach`: the scheduler was attached at `now`,
/// and nothing happened since.
///
/// # Safety
/// `ring` is valid, and is used with the device's lock only, until `bfq_core_end_record`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_core_record(
    core: &mut Core,
    now: u64,
    ring: NonNull<RawRing>,
    name: &[u8; DEVICE_NAME],
    at_attach: bool,
) -> i32 {
    let (now, config) = (Time::from_ns(now), core.device.config());
    let (policy, device) = (core.scheduler.policy_name(), DeviceName::new(name));
    let opening = match at_attach {
        true => Opening::at_attach(policy, device, &config),
        false => {
            let detailed = core.scheduler.has_detailed_statistics();
            Opening::in_life(policy, device, &config, core.scheduler.tunables(), detailed)
        }
    };
    // SAFETY: this function asks the same of its caller, until the recording ends; then the
    // recorder, and the ring with it, is gone.
    let ring = unsafe { Ring::new(ring) };
    let Ok(mut recorder) = Recorder::begin(ring, now, &opening) else {
        return -errno::ENOMEM;
    };
    if at_attach {
        // What attaching consists of besides.
        let numbers = core.device.request_ids;
        recorder.record(now, &Record::Call(Call::ReserveRequests { numbers }));
    }
    // The ring of another one, if there was one, is C's.
    core.scheduler.record(recorder);
    0
}

/// Ends a recording, if there is one; the ring is C's alone again.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_end_record(core: &mut Core) {
    core.scheduler.end();
}

/// Whether the scheduler is being recorded at present.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_is_recorded(core: &Core) -> bool {
    core.scheduler.is_recorded()
}

/// Says what a group is called.
///
/// # Safety
/// `name` is valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bfq_core_record_group(
    core: &mut Core,
    group: u32,
    name: *const u8,
    length: usize,
) {
    // SAFETY: the caller says so.
    let name = GroupName::new(unsafe { core::slice::from_raw_parts(name, length) });
    core.scheduler.note(|| Record::Group { group: abi::group(group), name });
}

/// Says of a process who it is, to those who did not see it come.
#[unsafe(no_mangle)]
pub extern "C" fn bfq_core_record_process(
    core: &mut Core,
    process: u32,
    group: u32,
    facts: &ProcessFacts,
) {
    if let Some(process) = abi::process(process) {
        core.record_process(process, abi::group(group), facts);
    }
}
