// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shows how far the runs of a plan are, and writes the logs of each.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::write_logs;
use crate::progress::Progress;
use lab::{SeriesObserver, SeriesStep};
use report::LogFiles;
use std::ops::ControlFlow;

/// Bars on the terminal, one for each step, and logs in the current folder.
pub struct Screen<'a> {
    interrupt: &'a Interrupt,
    quiet: bool,
    bar: Option<Progress>,
    after_lost_logs: ControlFlow<()>,
    /// Whether all logs could be written; the first failure.
    pub logs_written: Result<(), Failure>,
}

impl<'a> Screen<'a> {
    /// Without bars if `quiet` is set; `after_lost_logs` says whether further runs are made after
    /// the logs of one could not be written.
    pub fn new(interrupt: &'a Interrupt, quiet: bool, after_lost_logs: ControlFlow<()>) -> Self {
        Screen { interrupt, quiet, bar: None, after_lost_logs, logs_written: Ok(()) }
    }
}

impl SeriesObserver for Screen<'_> {
    fn begins(&mut self, step: SeriesStep<'_>) {
        let what = match step {
            SeriesStep::Alone { device } => format!("alone on {device}"),
            SeriesStep::Run { choice, device } => format!("{} on {device}", choice.name()),
        };
        self.bar = Some(Progress::new(what, self.quiet));
    }

    fn at(&mut self, now_ns: u64, planned_ns: Option<u64>) -> ControlFlow<()> {
        if let Some(bar) = &self.bar {
            bar.at(now_ns, planned_ns);
        }
        self.interrupt.go_on()
    }

    fn ended(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.clear();
        }
    }

    fn logs(&mut self, logs: LogFiles) -> ControlFlow<()> {
        let Err(error) = write_logs(&logs) else { return ControlFlow::Continue(()) };
        if self.logs_written.is_ok() {
            self.logs_written = Err(error);
        }
        self.after_lost_logs
    }
}
