// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processor time: of the workers, or of the whole machine where no other program uses it.
//!
//! What an I/O costs is spent in three places: in the process (counted by the kernel for each),
//! in threads of the kernel that dispatch for it, and in interrupts. The last two only the totals
//! of the machine have, which are useful if nothing else runs.
//!
//! Of these totals the idle time is what is known exactly: the kernel looks at the clock whenever a
//! processor has nothing to do. The others it guesses by looking, at every tick, at what runs then;
//! a disk whose timer goes with the ticks is always, or never, at work then. So
//! busy is what is not idle.

use super::error::SessionError;
use crate::model::Counted;
use std::time::{Duration, Instant};

/// Of the machine, while no program should use it.
const LOOK: Duration = Duration::from_millis(500);

/// A machine that is less busy than this part of one processor is idle.
const IDLE_PART: f64 = 0.04;

/// The unit of `/proc/stat`: the kernel tells user space a hundredth of a second on every machine.
pub(super) const TICK_NS: u64 = 10_000_000;

/// What the processors had done by a moment since the machine started, of all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Processors {
    pub(super) read_at: Instant,
    /// Nothing, or they were not ours: the host of a virtual machine had taken them.
    pub(super) idle_ns: u64,
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
    let before = Processors::read()?;
    std::thread::sleep(LOOK);
    let after = Processors::read()?;
    let elapsed_ns = after.read_at.duration_since(before.read_at).as_nanos();
    let part = after.busy_ns_since(&before) as f64 / elapsed_ns as f64;
    Ok(if part < IDLE_PART { Counted::Machine } else { Counted::Workers })
}

impl Counted {
    /// The time that counts for a cell, ns.
    pub(super) fn cpu_ns(self, workers_ns: u64, before: &Processors, after: &Processors) -> u64 {
        match self {
            Counted::Workers => workers_ns,
            // The totals are coarse; they are never less than their parts.
            Counted::Machine => after.busy_ns_since(before).max(workers_ns),
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
        Ok(Self::of(&text, Instant::now()))
    }

    /// From the first line: `cpu user nice system idle iowait irq softirq steal …`, and one like it
    /// for each processor.
    fn of(text: &str, read_at: Instant) -> Self {
        const IDLE: [usize; 3] = [3, 4, 7];
        const USER: [usize; 3] = [0, 1, 7];
        let fields = text.lines().next().unwrap_or_default().split_whitespace().skip(1);
        let ticks: Vec<u64> = fields.map(|ticks| ticks.parse().unwrap_or(0)).collect();
        let sum_ns = |places: &[usize]| {
            places.iter().filter_map(|place| ticks.get(*place)).sum::<u64>() * TICK_NS
        };
        let count = text.lines().skip(1).take_while(|line| line.starts_with("cpu")).count() as u64;
        Processors { read_at, idle_ns: sum_ns(&IDLE), user_ns: sum_ns(&USER), count }
    }

    /// The time that all processors together have been busy.
    fn busy_ns_since(&self, before: &Processors) -> u64 {
        let elapsed_ns = self.read_at.duration_since(before.read_at).as_nanos() as u64;
        let idle_ns = self.idle_ns.saturating_sub(before.idle_ns);
        (elapsed_ns * self.count).saturating_sub(idle_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that was idle for a part of the time that has passed.
    fn processors(began: Instant, after_ms: u64, count: u64, idle_ms: u64) -> Processors {
        let read_at = began + Duration::from_millis(after_ms);
        Processors { read_at, idle_ns: idle_ms * 1_000_000, user_ns: 0, count }
    }

    #[test]
    fn idle_is_who_waits_and_who_is_taken_away() {
        let now = Instant::now();
        let text = "cpu  1 2 4 1000 2000 8 16 32 0 0\n\
                    cpu0 9 9 9 9 9 9 9 9 9 9\ncpu1 9 9 9 9 9 9 9 9 9 9\nintr 77\n";
        let expected = Processors { user_ns: 35 * TICK_NS, ..processors(now, 0, 2, 30_320) };
        assert_eq!(Processors::of(text, now), expected);
    }

    #[test]
    fn busy_is_the_time_of_all_processors_that_is_not_idle() {
        let began = Instant::now();
        let before = processors(began, 0, 4, 70);
        for (after_ms, idle_ms, busy_ms) in [(10, 70, 40), (10, 100, 10), (10, 110, 0)] {
            let after = processors(began, after_ms, 4, idle_ms);
            assert_eq!(after.busy_ns_since(&before), busy_ms * 1_000_000);
        }
        let coarse = processors(began, 10, 4, 120);
        assert_eq!(coarse.busy_ns_since(&before), 0, "no more idle than there was time");
    }

    #[test]
    fn the_machine_is_never_less_than_its_processes() {
        let began = Instant::now();
        let [before, after] =
            [(0, 0), (100, 50)].map(|(ms, idle_ms)| processors(began, ms, 1, idle_ms));
        let cpu_ms = |counted: Counted, workers_ms: u64| {
            counted.cpu_ns(workers_ms * 1_000_000, &before, &after) / 1_000_000
        };
        assert_eq!(cpu_ms(Counted::Workers, 30), 30);
        assert_eq!(cpu_ms(Counted::Machine, 30), 50);
        assert_eq!(cpu_ms(Counted::Machine, 70), 70);
    }
}
