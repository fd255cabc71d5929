// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions a request of this program's own tasks, or of another program, counted by valgrind's
//! callgrind.
//!
//! A task takes its length as its last argument and says first how many requests it served. The
//! difference of two lengths has neither the start of the program nor its end.

use crate::error::CostError;
use std::{io::ErrorKind, path::Path, process::Command};

/// Makes callgrind count what the core does in `cost kernel`, not its host.
pub const ONLY_CALLS: &str = "--toggle-collect=cost::kernel::calls::*";
/// Turns of the short and the long run under callgrind. Before that, bfq still learns what its
/// processes are like: with groups a request costs 14 % more up to 90,000 turns.
pub const TURNS_COUNTED: [u64; 2] = [100_000, 300_000];

/// Instructions a request of this program's `task`, as the difference of two lengths. `options` are
/// callgrind's.
///
/// # Errors
/// [`CostError::NoValgrind`], or whatever else went wrong.
pub fn instructions(task: &[&str], options: &[&str], lengths: [u64; 2]) -> Result<f64, CostError> {
    let own = std::env::current_exe()
        .map_err(|source| CostError::Run { program: "this program".into(), source })?;
    instructions_of(&own, task, options, lengths)
}

/// The same of a `program` that takes the same arguments and says the same.
///
/// # Errors
/// As for [`instructions`].
pub fn instructions_of(
    program: &Path,
    task: &[&str],
    options: &[&str],
    lengths: [u64; 2],
) -> Result<f64, CostError> {
    let run = |length| callgrind(program, task, options, length);
    let [short, long] = lengths;
    let (short, long) = (run(short)?, run(long)?);
    Ok((long.instructions - short.instructions) / (long.served - short.served).max(1.0))
}

/// One run under callgrind.
struct Run {
    instructions: f64,
    served: f64,
}

fn callgrind(
    counted: &Path,
    task: &[&str],
    options: &[&str],
    length: u64,
) -> Result<Run, CostError> {
    let program = "valgrind".to_owned();
    let output = Command::new(&program)
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(options)
        .arg(counted)
        .args(task)
        .arg(length.to_string())
        .output();
    let output = output.map_err(|source| match source.kind() {
        ErrorKind::NotFound => CostError::NoValgrind,
        _ => CostError::Run { program: program.clone(), source },
    })?;
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let collected = stderr.lines().find_map(|line| line.split("Collected :").nth(1));
    let instructions = collected.and_then(|count| count.trim().parse().ok());
    let served = stdout.split_whitespace().next().and_then(|count| count.parse().ok());
    match (instructions, served) {
        (Some(instructions), Some(served)) => Ok(Run { instructions, served }),
        _ => Err(CostError::Failed { program, message: stderr.into_owned() }),
    }
}
