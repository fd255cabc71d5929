// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ctrl-C while Rust is at work: Python's handlers of signals run now and then, and whatever they
//! raise ends the work.

use pyo3::{PyErr, PyResult, Python};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How often Python is asked. It is fast enough for people, and costs nothing that can be measured.
const INTERVAL: Duration = Duration::from_millis(50);

/// Asks Python from time to time whether a signal came, such as Ctrl-C, and keeps its error.
pub(crate) struct Signals {
    next: Instant,
    raised: Option<PyErr>,
}

impl Signals {
    pub(crate) fn new() -> Signals {
        Signals { next: Instant::now() + INTERVAL, raised: None }
    }

    /// To be called often, while Python's lock is not held. What was raised once ends all.
    pub(crate) fn look(&mut self) -> ControlFlow<()> {
        if self.raised.is_some() {
            return ControlFlow::Break(());
        }
        let now = Instant::now();
        if now < self.next {
            return ControlFlow::Continue(());
        }
        self.next = now + INTERVAL;
        match Python::attach(|python| python.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(raised) => {
                self.raised = Some(raised);
                ControlFlow::Break(())
            }
        }
    }

    /// What a handler has raised.
    ///
    /// # Errors
    /// With exactly that.
    pub(crate) fn raised(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
