// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ctrl-C: the first asks the command to come to an end, the second ends it, unless it has
//! something to put back.

use crate::failure::Failure;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user wants the command to end.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to SIGINT and SIGTERM from now on.
    ///
    /// # Errors
    /// If the system does not let it.
    pub fn listen() -> Result<Self, Failure> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag unset and sets it.
            signal_hook::flag::register_conditional_shutdown(signal, 1, flag.clone())
                .and_then(|_| signal_hook::flag::register(signal, flag.clone()))
                .map_err(Failure::run)?;
        }
        Ok(Self(flag))
    }

    /// Listens for a command that has to put something back: no second signal ends it before that
    /// is done, and the end of the terminal (SIGHUP) is one too, unless it
    /// is to be ignored (nohup).
    ///
    /// # Errors
    /// If the system does not let it.
    pub fn listen_to_put_back() -> Result<Self, Failure> {
        let flag = Arc::new(AtomicBool::new(false));
        let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
        for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
            signal_hook::flag::register(signal, flag.clone()).map_err(Failure::run)?;
        }
        Ok(Self(flag))
    }

    /// Whether a signal has come.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether to go on: until a signal has come.
    pub fn go_on(&self) -> ControlFlow<()> {
        if self.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Whether the parent process has set a signal to be ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
