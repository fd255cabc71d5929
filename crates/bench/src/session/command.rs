// SPDX-License-Identifier: MIT OR Apache-2.0
//! The user's command: started with nothing of it in memory, and timed until it ends.

use super::error::SessionError;
use crate::workers::{ProcessReport, Waited};
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How exactly the end of the command is seen.
const LOOK: Duration = Duration::from_millis(1);

/// Forgets what the page cache has of all files, after what is dirty has been written.
///
/// # Errors
/// It takes root.
pub(super) fn drop_caches() -> Result<(), SessionError> {
    const PATH: &str = "/proc/sys/vm/drop_caches";
    rustix::fs::sync();
    std::fs::write(PATH, "3").map_err(|source| SessionError::System {
        doing: format!("dropping the caches by {PATH}, for the command to start cold"),
        source,
    })
}

/// When a command is started and given up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// When the cell began.
    pub(super) start: Instant,
    /// When the command is started.
    pub(super) began: Instant,
    /// How long it may take until it is ended.
    pub(super) limit: Duration,
}

/// The shell that runs a command, not started yet.
pub(super) fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // It is ended with all its children.
        .process_group(0);
    shell
}

/// Runs the shell with a command. The times of the report are those since the start of the cell; a
/// command that has to be ended counts as having taken the limit.
pub(super) fn run(
    command: &str,
    mut shell: Command,
    Times { start, began, limit }: Times,
    interrupted: &dyn Fn() -> bool,
) -> Result<(Waited, Option<ProcessReport>), SessionError> {
    while Instant::now() < began && !interrupted() {
        thread::sleep(LOOK);
    }
    let failed = |how: String| SessionError::Command { command: command.to_owned(), how };
    // It may be later than it was meant to.
    let began = start.elapsed();
    let child = shell.spawn();
    let mut running =
        Running(child.map_err(|error| failed(format!("cannot be started: {error}")))?);
    let waited = loop {
        match running.0.try_wait() {
            Ok(None) if interrupted() => break Waited::Interrupted,
            Ok(None) if start.elapsed() >= began + limit => break Waited::TimeOver,
            Ok(None) => thread::sleep(LOOK),
            Ok(Some(status)) if status.success() => break Waited::Ended,
            Ok(Some(status)) => return Err(failed(format!("failed: {status}"))),
            Err(error) => return Err(failed(format!("cannot be waited for: {error}"))),
        }
    };
    let ended = if waited == Waited::TimeOver { began + limit } else { start.elapsed() };
    let [began_ns, ended_ns] = [began, ended].map(|time| time.as_nanos() as u64);
    Ok((waited, Some(ProcessReport { began_ns, ended_ns, ..ProcessReport::default() })))
}

/// A command, ended with all its children when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            let group = Pid::from_child(&self.0);
            // Nothing can be done if that fails.
            let _ = kill_process_group(group, Signal::KILL);
            let _ = self.0.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_for(text: &str, limit: Duration) -> (Waited, Duration) {
        let start = Instant::now();
        let times = Times { start, began: start, limit };
        let (waited, report) = run(text, shell(text), times, &|| false).unwrap();
        let ProcessReport { began_ns, ended_ns, .. } = report.unwrap();
        (waited, Duration::from_nanos(ended_ns - began_ns))
    }

    #[test]
    fn a_command_that_is_given_up_counts_as_the_limit() {
        for limit in [1, 17, 30, 50].map(Duration::from_millis) {
            assert_eq!(run_for("sleep 1000", limit), (Waited::TimeOver, limit));
        }
        let limit = Duration::from_secs(1000);
        let (waited, time) = run_for("true", limit);
        assert!(waited == Waited::Ended && time < limit, "{waited:?} {time:?}");
    }
}
