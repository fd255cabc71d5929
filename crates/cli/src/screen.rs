// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shows how far the runs of a plan are and what they wait for, and writes the logs of each.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::note::note;
use crate::output::write_logs;
use crate::progress::Progress;
use lab::{SeriesObserver, SeriesStep};
use report::LogFiles;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How long a run that should end may wait for what was begun until that is said.
const SILENT_WAIT: Duration = Duration::from_secs(2);

/// Why a run only waits for what was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// The user has asked for its end.
    Interrupted,
    /// Its planned end has passed.
    Overdue,
}

impl Wait {
    fn text(self) -> &'static str {
        match self {
            Wait::Interrupted => {
                "note: interrupted; what is in flight has to end first (Ctrl-C again ends at once, \
                 without a result)"
            }
            Wait::Overdue => "note: the planned end has passed; what was begun has to end first",
        }
    }
}

/// Bars on the terminal, one for each step, and logs in the current folder.
pub struct Screen<'a> {
    interrupt: &'a Interrupt,
    quiet: bool,
    bar: Option<Progress>,
    /// What the run waits for, since when, and whether that was said.
    wait: Option<(Wait, Instant, bool)>,
    after_lost_logs: ControlFlow<()>,
    /// Whether all logs could be written; the first failure.
    pub logs_written: Result<(), Failure>,
}

impl<'a> Screen<'a> {
    /// Without bars if `quiet` is set; `after_lost_logs` says whether further runs are made after
    /// the logs of one could not be written.
    pub fn new(interrupt: &'a Interrupt, quiet: bool, after_lost_logs: ControlFlow<()>) -> Self {
        Screen { interrupt, quiet, bar: None, wait: None, after_lost_logs, logs_written: Ok(()) }
    }
}

impl Screen<'_> {
    /// Says what the run waits for, once, if that takes long.
    fn wait(&mut self, wait: Option<Wait>) {
        let (since, said) = match self.wait {
            Some((known, since, said)) if Some(known) == wait => (since, said),
            _ => (Instant::now(), false),
        };
        let says = wait.filter(|_| !self.quiet && !said && since.elapsed() >= SILENT_WAIT);
        if let Some(wait) = says {
            match &self.bar {
                Some(bar) => bar.beside(|| note(wait.text())),
                None => note(wait.text()),
            }
        }
        self.wait = wait.map(|wait| (wait, since, said || says.is_some()));
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
        let overdue = planned_ns.is_some_and(|planned_ns| now_ns > planned_ns);
        self.wait(if self.interrupt.requested() {
            Some(Wait::Interrupted)
        } else {
            overdue.then_some(Wait::Overdue)
        });
        self.interrupt.go_on()
    }

    fn ended(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.clear();
        }
        self.wait = None;
    }

    fn logs(&mut self, logs: LogFiles) -> ControlFlow<()> {
        let Err(error) = write_logs(&logs) else { return ControlFlow::Continue(()) };
        if self.logs_written.is_ok() {
            self.logs_written = Err(error);
        }
        self.after_lost_logs
    }
}
