// SPDX-License-Identifier: MIT OR Apache-2.0
//! Classes and I/O priorities of processes (spec 2.1).

use super::weight::Weight;

/// Scheduling class of a queue. A class is served only while the ones before it have nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Served before all others.
    RealTime,
    /// The default of most processes.
    BestEffort,
    /// Served when nothing else wants the disk (and a little otherwise, spec 1.10).
    Idle,
}

impl Class {
    /// All classes, in the order of service.
    pub const ALL: [Class; 3] = [Class::RealTime, Class::BestEffort, Class::Idle];

    /// Its position in [`Class::ALL`], 0..=2; the lowest is served first.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Number of priority levels inside a class.
pub const IOPRIO_LEVELS: u8 = 8;
/// Weight between two neighbouring priority levels.
const WEIGHT_PER_LEVEL: u32 = 10;

/// Class and level of a process: level 0 is the highest, 7 the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ioprio {
    class: Class,
    level: u8,
}

impl Ioprio {
    /// Best effort, level 4.
    pub const DEFAULT: Ioprio = Ioprio { class: Class::BestEffort, level: 4 };

    /// A priority. Levels beyond 7 count as 7; the idle class has only level 7 (spec 2.1).
    pub const fn new(class: Class, level: u8) -> Ioprio {
        let lowest = IOPRIO_LEVELS - 1;
        let level = if matches!(class, Class::Idle) || level > lowest { lowest } else { level };
        Ioprio { class, level }
    }

    /// The priority of a process that never chose one: from its nice value (-20..=19) and CPU
    /// scheduling policy. A CPU-idle process keeps the level of its nice value.
    pub const fn from_cpu(nice: i8, policy: CpuPolicy) -> Ioprio {
        let nice = if nice < -20 {
            -20
        } else if nice > 19 {
            19
        } else {
            nice
        };
        let class = match policy {
            CpuPolicy::RealTime => Class::RealTime,
            CpuPolicy::Normal => Class::BestEffort,
            CpuPolicy::Idle => Class::Idle,
        };
        Ioprio { class, level: ((nice + 20) / 5) as u8 }
    }

    /// The class, which is served only while the classes before it have nothing.
    pub const fn class(self) -> Class {
        self.class
    }

    /// The level inside the class, 0..=7; 0 is the most important.
    pub const fn level(self) -> u8 {
        self.level
    }

    /// Weight of a queue of this level: 80 at level 0, 10 at level 7.
    pub const fn weight(self) -> Weight {
        Weight::of((IOPRIO_LEVELS - self.level) as u32 * WEIGHT_PER_LEVEL)
    }
}

/// CPU scheduling policy of a process, as far as its default I/O priority depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CpuPolicy {
    /// The usual time sharing.
    #[default]
    Normal,
    /// `SCHED_FIFO`, `SCHED_RR` or `SCHED_DEADLINE`: its requests are real-time by default.
    RealTime,
    /// Only when the CPU is idle.
    Idle,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_priorities() {
        assert_eq!(Ioprio::DEFAULT.weight(), Weight::of(40));
        assert_eq!(Ioprio::new(Class::RealTime, 0).weight(), Weight::of(80));
        assert_eq!(Ioprio::new(Class::BestEffort, 200).weight(), Weight::of(10));
        assert_eq!(Ioprio::new(Class::Idle, 0).level(), 7);
        assert_eq!(Ioprio::from_cpu(0, CpuPolicy::Normal), Ioprio::DEFAULT);
        assert_eq!(Ioprio::from_cpu(-20, CpuPolicy::RealTime).level(), 0);
        assert_eq!(Ioprio::from_cpu(19, CpuPolicy::Idle).level(), 7);
    }
}
