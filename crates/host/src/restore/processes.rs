// SPDX-License-Identifier: MIT OR Apache-2.0
//! The processes of a run: they carry its mark in their environment, and so do those that they
//! start. So all are found, also those of a run that was killed between starting
//! one and writing that down.

use super::error::RestoreError;
use crate::root::Host;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The variable whose value is the run's token.
const MARK: &str = "BFQ_BENCH_RUN";

/// How long a process may take to end: one that waits for the disk ends when the disk has answered.
const PATIENCE: Duration = Duration::from_secs(20);

/// Marks what a command starts.
pub(super) fn mark(command: &mut Command, token: &str) {
    command.env(MARK, token);
}

/// Ends all processes that carry the mark, but ourselves.
pub(super) fn end_marked(host: &Host, token: &str) -> Result<(), RestoreError> {
    end(|| marked(host, token))
}

/// Kills processes until none is found any more. Those found each time may be others: a process can
/// start one while it is looked at.
pub(super) fn end(
    mut find: impl FnMut() -> Result<Vec<u32>, RestoreError>,
) -> Result<(), RestoreError> {
    let began = Instant::now();
    loop {
        let pids = find()?;
        if pids.is_empty() {
            return Ok(());
        }
        if began.elapsed() > PATIENCE {
            return Err(RestoreError::WillNotEnd { pids });
        }
        // By descriptors: while these are open the numbers cannot come to mean other processes.
        // Only who is still found after opening is killed.
        let open: Vec<_> = pids.iter().filter_map(|pid| Some((*pid, descriptor(*pid)?))).collect();
        let still = find()?;
        for (_, process) in open.iter().filter(|(pid, _)| still.contains(pid)) {
            // It may have ended meanwhile.
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
        sleep(Duration::from_millis(5));
    }
}

fn descriptor(pid: u32) -> Option<std::os::fd::OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// The processes that carry the mark. Those of others cannot be read, and are not ours.
fn marked(host: &Host, token: &str) -> Result<Vec<u32>, RestoreError> {
    let folder = host.path("/proc");
    let entries = fs::read_dir(&folder).map_err(RestoreError::io("read", &folder))?;
    let mark = format!("{MARK}={token}");
    let has_mark = |environment: Vec<u8>| {
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    let mut pids = Vec::new();
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let environment = fs::read(entry.path().join("environ"));
        if pid != std::process::id() && environment.is_ok_and(has_mark) {
            pids.push(pid);
        }
    }
    Ok(pids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_a_run_are_ended_and_nobody_else() {
        let start = |token: &str| {
            let mut command = Command::new("sh");
            mark(command.args(["-c", "sleep 100 & sleep 100"]), token);
            command.spawn().unwrap()
        };
        let mine = format!("test-{}-mine", std::process::id());
        let (mut ours, mut others) = (start(&mine), start("test-others"));
        // The shell and what it starts.
        while marked(&Host::here(), &mine).unwrap().len() < 3 {
            sleep(Duration::from_millis(1));
        }
        end_marked(&Host::here(), &mine).unwrap();
        assert!(ours.wait().unwrap().code().is_none(), "killed");
        assert!(others.try_wait().unwrap().is_none(), "still at work");
        end_marked(&Host::here(), "test-others").unwrap();
        others.wait().unwrap();
    }
}
