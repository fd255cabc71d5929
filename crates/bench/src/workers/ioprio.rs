// SPDX-License-Identifier: MIT OR Apache-2.0
//! The I/O priority of a thread: `ioprio_set`, which no safe library offers.

use base::{Class, IoprioValue};

/// `IOPRIO_WHO_PROCESS`: one thread, 0 being the one that calls.
const WHO_PROCESS: libc::c_int = 1;
const THIS_THREAD: libc::c_int = 0;

/// Where the class begins in a priority (`IOPRIO_CLASS_SHIFT`).
const CLASS_SHIFT: u32 = 13;

/// Gives the calling thread a priority; threads that it starts later have it too.
///
/// # Errors
/// What the system says, for real-time mostly that it is not permitted.
#[allow(unsafe_code, reason = "a system call without a wrapper")]
pub(super) fn set(ioprio: IoprioValue) -> std::io::Result<()> {
    let value = match ioprio.class {
        // `IOPRIO_CLASS_NONE` takes no level.
        None => 0,
        Some(class) => class_number(class) << CLASS_SHIFT | libc::c_int::from(ioprio.level),
    };
    // SAFETY: three integers are passed; the kernel changes a number of this thread and touches no
    // memory of ours.
    let result = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, THIS_THREAD, value) };
    if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

const fn class_number(class: Class) -> libc::c_int {
    match class {
        Class::RealTime => 1,
        Class::BestEffort => 2,
        Class::Idle => 3,
    }
}
