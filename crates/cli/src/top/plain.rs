// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq top` without a screen: a table or a line of JSON for each interval.

use super::failing::failure;
use super::timing::Timing;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::streams::{print, stdout_columns};
use ::top::{POLL, Watch};
use std::thread::sleep;
use std::time::Instant;

/// Prints each interval until the time is over or it is interrupted.
///
/// # Errors
/// If it cannot be printed, or there is nothing to be read any more.
pub fn show(
    watch: &mut Watch,
    timing: &Timing,
    json: bool,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let start = Instant::now();
    let mut began = start;
    loop {
        // Whether it is over is asked before what has happened is read: all until then counts.
        let now = Instant::now();
        let left = timing.length.map(|length| length.saturating_sub(now - start));
        let is_over = interrupt.requested() || left.is_some_and(|left| left.is_zero());
        watch.poll().map_err(failure)?;
        if is_over || now - began >= timing.interval {
            // The last interval ends with the time, not with a rest of one.
            began = if now - began < timing.interval * 2 { began + timing.interval } else { now };
            let snapshot = watch.snapshot().map_err(failure)?;
            let text = match json {
                true => snapshot.to_json(),
                false => live::table(&snapshot, stdout_columns()),
            };
            print(&(text + "\n"))?;
        }
        if is_over {
            return Ok(());
        }
        sleep(POLL.min(left.unwrap_or(POLL)));
    }
}
