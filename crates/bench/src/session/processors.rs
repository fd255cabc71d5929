//! Processor time: of the workers, or of the whole machine where nobody else uses it.
//!
//! What an I/O costs is spent in three places: in the process (counted by the kernel for each),
//! in threads of the kernel that dispatch for it, and in interrupts. The last two only the totals of
//! the machine have, which are useful if nothing else runs.

use super::SessionError;
use crate::model::Counted;
use std::time::{Duration, Instant};

/// Of the machine, while nobody should be working on it.
const LOOK: Duration = Duration::from_millis(500);

/// A machine that is less busy than this part of one processor is idle.
const IDLE_PART: f64 = 0.04;

/// The unit of `/proc/stat`: the kernel tells user space a hundredth of a second on every machine.
pub(super) const TICK_NS: u64 = 10_000_000;

/// The time that the processors have been busy since the machine started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Processors {
    pub(super) busy_ns: u64,
    /// In programs, those of other virtual machines on the same host included.
    pub(super) user_ns: u64,
    /// How many processors there are.
    pub(super) count: u64,
}

/// Finds out whether the machine is idle enough to be counted as a whole. Takes half a second.
///
/// # Errors
/// `/proc/stat` cannot be read.
pub fn by_looking() -> Result<Counted, SessionError> {
    let (before, began) = (Processors::read()?, Instant::now());
    std::thread::sleep(LOOK);
    let busy_ns = Processors::read()?.busy_ns - before.busy_ns;
    let part = busy_ns as f64 / began.elapsed().as_nanos() as f64;
    Ok(if part < IDLE_PART { Counted::Machine } else { Counted::Workers })
}

impl Counted {
    /// The time that counts for a cell, ns.
    pub(super) fn cpu_ns(self, workers_ns: u64, before: &Processors, after: &Processors) -> u64 {
        match self {
            Counted::Workers => workers_ns,
            // The totals are coarse; they are never less than their parts.
            Counted::Machine => after.busy_ns.saturating_sub(before.busy_ns).max(workers_ns),
        }
    }

    /// What is counted, in words.
    pub fn words(self) -> &'static str {
        match self {
            Counted::Workers => {
                "processor time of the processes that do the I/O (the machine is too busy to count \
                 interrupts and threads of the kernel)"
            }
            Counted::Machine => {
                "processor time of the whole machine, interrupts and threads of the kernel included"
            }
        }
    }
}

impl Processors {
    /// Reads the totals of the machine.
    ///
    /// # Errors
    /// `/proc/stat` cannot be read.
    pub(super) fn read() -> Result<Self, SessionError> {
        const PATH: &str = "/proc/stat";
        let text = std::fs::read_to_string(PATH)
            .map_err(|source| SessionError::System { doing: format!("reading {PATH}"), source })?;
        Ok(Self::of(&text))
    }

    /// From the first line: `cpu user nice system idle iowait irq softirq steal …`, and one like it for
    /// each processor.
    fn of(text: &str) -> Self {
        const BUSY: [usize; 5] = [0, 1, 2, 5, 6];
        const USER: [usize; 3] = [0, 1, 7];
        let fields = text.lines().next().unwrap_or_default().split_whitespace().skip(1);
        let ticks: Vec<u64> = fields.map(|ticks| ticks.parse().unwrap_or(0)).collect();
        let sum_ns = |places: &[usize]| {
            places.iter().filter_map(|place| ticks.get(*place)).sum::<u64>() * TICK_NS
        };
        let count = text.lines().skip(1).take_while(|line| line.starts_with("cpu")).count() as u64;
        Processors { busy_ns: sum_ns(&BUSY), user_ns: sum_ns(&USER), count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_not_busy() {
        let text = "cpu  1 2 4 1000 2000 8 16 32 0 0\ncpu0 9 9 9 9 9 9 9 9 9 9\nintr 7\n";
        let expected = Processors { busy_ns: 31 * TICK_NS, user_ns: 35 * TICK_NS, count: 1 };
        assert_eq!(Processors::of(text), expected);
    }

    #[test]
    fn the_machine_is_never_less_than_its_processes() {
        let [before, after] =
            [100, 150].map(|busy_ns| Processors { busy_ns, user_ns: 0, count: 1 });
        assert_eq!(Counted::Workers.cpu_ns(30, &before, &after), 30);
        assert_eq!(Counted::Machine.cpu_ns(30, &before, &after), 50);
        assert_eq!(Counted::Machine.cpu_ns(70, &before, &after), 70);
    }
}
