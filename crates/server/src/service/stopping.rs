// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a signal to stop means: the first has requests answered, a second one ends the process.

use std::time::{Duration, Instant};

/// How long after the first signal others are that signal once more. `timeout` signals its child
/// and then the group of processes that the child is in; a service manager may do the same.
const REPEATS: Duration = Duration::from_secs(1);

/// What a signal to stop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopSignal {
    /// Requests in flight are to be answered.
    First,
    /// The first one once more.
    Repeated,
    /// Somebody does not want to wait.
    Second,
}

/// The signals to stop of a process.
#[derive(Debug, Default)]
pub struct Stopping {
    first: Option<Instant>,
}

impl Stopping {
    /// Says what a signal is that comes now.
    pub fn take(&mut self, now: Instant) -> StopSignal {
        match self.first {
            None => {
                self.first = Some(now);
                StopSignal::First
            }
            Some(first) if now.duration_since(first) < REPEATS => StopSignal::Repeated,
            Some(_) => StopSignal::Second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_within_a_second_is_the_first_signal_once_more() {
        let mut stopping = Stopping::default();
        let begin = Instant::now();
        for (after_us, expected) in [
            (0, StopSignal::First),
            (500, StopSignal::Repeated),
            (999_999, StopSignal::Repeated),
            (1_000_000, StopSignal::Second),
        ] {
            let now = begin + Duration::from_micros(after_us);
            assert_eq!(stopping.take(now), expected, "{after_us} us");
        }
    }
}
