// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time that Linux 6.12 takes it to be: a process that submits has a plug, and reads the clock
//! once for everything until its plug is flushed, with what it inserts and dispatches then. It
//! reads it anew after it slept. Interrupts and workers always read the clock, and ticks are
//! counted meanwhile.

use super::tracer::{TracerEvent, TracerLine};

/// The time of whoever runs.
#[derive(Debug)]
pub(crate) struct PlugClock {
    tick_ns: u64,
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    pid: String,
    t_ns: u64,
    /// The plug is flushed: what is submitted next has a new one.
    flushed: bool,
}

impl PlugClock {
    pub fn new(tick_ns: u64) -> Self {
        PlugClock { tick_ns, held: None }
    }

    /// The time that the scheduler takes it to be at this line, the next one of the trace.
    pub fn time_ns(&mut self, entry: &TracerLine<'_>) -> u64 {
        self.held.take_if(|held| held.pid != entry.pid);
        if entry.in_interrupt {
            return entry.t_ns;
        }
        let action = match entry.what {
            TracerEvent::Step { action, .. } => action,
            _ => "",
        };
        if matches!(action, "Q" | "G") && self.held.as_ref().is_none_or(|held| held.flushed) {
            self.held = Some(Held { pid: entry.pid.into(), t_ns: entry.t_ns, flushed: false });
        }
        let Some(held) = &mut self.held else { return entry.t_ns };
        held.flushed |= matches!(action, "U" | "UT");
        held.t_ns.max(entry.t_ns - entry.t_ns % self.tick_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tracer;
    use super::*;

    #[test]
    fn a_process_reads_the_clock_once_for_what_it_submits_together() {
        let table = [
            ("7 d..1. 10: 8,0 Q RS 0 + 8 [pace]", 10),
            ("7 d..1. 12: 8,0 Q RS 8 + 8 [pace]", 10),
            ("7 d.h2. 15: 8,0 C RS 64 + 8 [pace]", 15),
            ("7 d..1. 16: 8,0 U N [pace] 2", 10),
            ("7 d..1. 17: 8,0 I RS 0 + 8 [pace]", 10),
            ("7 d..1. 20: 8,0 Q RS 16 + 8 [pace]", 20),
            ("3 d..1. 25: 8,0 D RS 0 + 8 [kworker]", 25),
            // It slept, and is given a request.
            ("7 d..1. 30: 8,0 G RS 16 + 8 [pace]", 30),
            ("7 d..1. 31: 8,0 I RS 16 + 8 [pace]", 30),
            ("0 d.h2. 40: 8,0 C RS 0 + 8 [0]", 40),
            ("7 d..1. 41: 8,0 1,0 m N bfq7S exit_bfqq: 0, 2", 41),
            ("7 d..1. 42: 8,0 Q RS 24 + 8 [pace]", 42),
            ("7 d..1. 49: 8,0 Q RS 24 + 8 [pace]", 42),
            ("7 d..1. 55: 8,0 Q RS 24 + 8 [pace]", 50),
        ];
        let mut clock = PlugClock::new(50_000);
        for (line, micros) in table {
            let mut words = line.splitn(4, ' ');
            let mut word = || words.next().expect("four words");
            let (pid, flags, time, what) = (word(), word(), word(), word());
            let time: u64 = time.trim_end_matches(':').parse().expect("a number");
            let text = format!("pace-{pid} [000] {flags} 0.{time:0>6}: {what}");
            let entry = tracer::parse(&text).expect("a line");
            assert_eq!(clock.time_ns(&entry), micros * 1000, "{line}");
        }
    }
}
