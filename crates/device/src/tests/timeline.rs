// SPDX-License-Identifier: MIT OR Apache-2.0
//! For tests: commands at given times, and when they ended.

use crate::command::Command;
use crate::device::Device;
use crate::statistics::Statistic;
use crate::timing::{CommandTiming, Phase};
use base::Op;

/// Lets virtual time pass for a disk. Times are in nanoseconds; a command's tag is its number.
pub(crate) struct Timeline {
    pub disk: Device,
    next_tag: u32,
    ends_ns: Vec<Option<u64>>,
    timings: Vec<Option<CommandTiming>>,
}

impl Timeline {
    pub fn new(mut disk: Device) -> Self {
        disk.watch();
        Timeline { disk, next_tag: 0, ends_ns: Vec::new(), timings: Vec::new() }
    }

    fn advance(&mut self, now_ns: u64) {
        let mut completions = Vec::new();
        self.disk.advance(now_ns, &mut completions);
        for completion in completions {
            assert_eq!(completion.result, Ok(()));
            self.ends_ns[completion.tag as usize] = Some(completion.at_ns);
            self.timings[completion.tag as usize] = self.disk.take_timing(&completion);
        }
    }

    /// Submits a command at a time; returns its tag.
    pub fn submit(&mut self, now_ns: u64, op: Op, sector: u64, sectors: u32) -> u32 {
        while let Some(event_ns) = self.disk.next_event_ns().filter(|event_ns| *event_ns <= now_ns)
        {
            self.advance(event_ns);
        }
        let tag = self.next_tag;
        self.next_tag += 1;
        self.ends_ns.push(None);
        self.timings.push(None);
        self.disk.submit(now_ns, Command { tag, op, sector, sectors }).expect("room for one more");
        tag
    }

    pub fn read(&mut self, now_ns: u64, sector: u64, sectors: u32) -> u32 {
        self.submit(now_ns, Op::Read, sector, sectors)
    }

    pub fn write(&mut self, now_ns: u64, sector: u64, sectors: u32) -> u32 {
        self.submit(now_ns, Op::Write, sector, sectors)
    }

    pub fn flush(&mut self, now_ns: u64) -> u32 {
        self.submit(now_ns, Op::Flush, 0, 0)
    }

    /// Lets time pass until a command has ended; returns when that was.
    pub fn end_ns(&mut self, tag: u32) -> u64 {
        loop {
            if let Some(end_ns) = self.ends_ns[tag as usize] {
                return end_ns;
            }
            let event_ns = self.disk.next_event_ns().expect("a command under way has an event");
            self.advance(event_ns);
        }
    }

    /// Lets time pass until a command has ended; returns what it waited for, and for how long.
    pub fn parts_ns(&mut self, tag: u32) -> Vec<(Phase, u64)> {
        self.end_ns(tag);
        let timing = self.timings[tag as usize].as_ref().expect("timings are watched");
        let mut from_ns = timing.from_ns();
        let length = |part: &crate::timing::TimingPart| {
            let length_ns = part.until_ns - from_ns;
            from_ns = part.until_ns;
            (part.phase, length_ns)
        };
        timing.parts().iter().map(length).collect()
    }

    /// Lets time pass until all commands have ended; returns when each did.
    pub fn ends_ns(&mut self) -> Vec<u64> {
        (0..self.next_tag).map(|tag| self.end_ns(tag)).collect()
    }

    /// The value of a statistic.
    pub fn statistic(&self, name: &str) -> u64 {
        let all = self.disk.statistics();
        let found = all.iter().find(|Statistic { name: known, .. }| *known == name);
        found.unwrap_or_else(|| panic!("{name} is counted")).value
    }
}
