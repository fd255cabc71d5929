// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tunables of all policies: one table of names, units, defaults and ranges; parsing and
//! clamping as users know them from the kernel (spec 7).

pub use crate::units::Ticks;
use crate::units::{Sectors, Span};

/// Largest value of most tunables.
const INT_MAX: u64 = i32::MAX as u64;

/// One tunable of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TunableInfo {
    /// The tunable that this is about.
    pub tunable: Tunable,
    /// Its name, as in sysfs.
    pub name: &'static str,
    /// The unit of its value.
    pub unit: &'static str,
    /// Least value; smaller ones are raised to it.
    pub min: u64,
    /// Largest value; larger ones are cut to it.
    pub max: u64,
    /// What it does, in a sentence or two.
    pub doc: &'static str,
    /// Pairs of the name of a policy under which it does something else, and what that is.
    pub other_docs: &'static [(&'static str, &'static str)],
}

/// The names of the tunables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tunable {
    /// How long to wait for the next request of a queue, ms.
    SliceIdle,
    /// The same wait as `slice_idle`, read and written in µs.
    SliceIdleUs,
    /// One request at a time, and always idle.
    StrictGuarantees,
    /// Favour interactive and soft real-time queues.
    LowLatency,
    /// Largest budget of a queue.
    MaxBudget,
    /// Longest slot of a queue.
    TimeoutSync,
    /// Deadline of sync requests inside their queue.
    FifoExpireSync,
    /// Deadline of async requests inside their queue.
    FifoExpireAsync,
    /// The farthest a request may lie behind the head and still be considered, KiB.
    BackSeekMax,
    /// Cost of a seek backwards.
    BackSeekPenalty,
    /// Throughput or shares; not of the kernel's bfq.
    Strict,
}

/// All of the tunables, of every policy; first those of the kernel's bfq.
pub const TUNABLES: [TunableInfo; 11] = [
    TunableInfo {
        tunable: Tunable::SliceIdle,
        name: "slice_idle",
        unit: "ms",
        min: 0,
        max: INT_MAX,
        doc: "How long the disk may be kept idle for the next request of the queue in service. \
              0 turns idling off: more throughput on fast devices, weaker guarantees.",
        other_docs: &[(
            "tfq",
            "The longest wait for the next request of a queue. 0: none is waited for, and on \
             flash a queue without a request keeps no turn.",
        )],
    },
    TunableInfo {
        tunable: Tunable::SliceIdleUs,
        name: "slice_idle_us",
        unit: "us",
        min: 0,
        max: u32::MAX as u64,
        doc: "slice_idle in microseconds: the same variable.",
        other_docs: &[],
    },
    TunableInfo {
        tunable: Tunable::StrictGuarantees,
        name: "strict_guarantees",
        unit: "bool",
        min: 0,
        max: 1,
        doc: "One request at a time in the device, and idling whenever the queue in service runs \
              empty: exact shares and latencies at the price of throughput. Turning it on lifts \
              slice_idle to at least 8 ms.",
        other_docs: &[],
    },
    TunableInfo {
        tunable: Tunable::LowLatency,
        name: "low_latency",
        unit: "bool",
        min: 0,
        max: 1,
        doc: "Favour queues that look interactive or soft real-time. 0 gives bandwidth strictly \
              by weight.",
        other_docs: &[(
            "tfq",
            "Serve programs that start first for a moment, on a loan of time, within a bound. 0: \
             no loans.",
        )],
    },
    TunableInfo {
        tunable: Tunable::MaxBudget,
        name: "max_budget",
        unit: "sectors",
        min: 0,
        max: INT_MAX,
        doc: "Most service a queue gets in one slot. 0: what the device delivers at its peak rate \
              within timeout_sync.",
        other_docs: &[],
    },
    TunableInfo {
        tunable: Tunable::TimeoutSync,
        name: "timeout_sync",
        unit: "ms",
        min: 1,
        max: INT_MAX,
        doc: "Longest slot of a queue, sync or async. Longer slots give seeky loads more \
              throughput and everybody more latency.",
        other_docs: &[],
    },
    TunableInfo {
        tunable: Tunable::FifoExpireSync,
        name: "fifo_expire_sync",
        unit: "ms",
        min: 1,
        max: INT_MAX,
        doc: "Age at which a sync request goes first in its own queue (looked at once a slot).",
        other_docs: &[],
    },
    TunableInfo {
        tunable: Tunable::FifoExpireAsync,
        name: "fifo_expire_async",
        unit: "ms",
        min: 1,
        max: INT_MAX,
        doc: "The same for async requests.",
        other_docs: &[],
    },
    TunableInfo {
        tunable: Tunable::BackSeekMax,
        name: "back_seek_max",
        unit: "KiB",
        min: 0,
        max: INT_MAX,
        doc: "Farthest that the head is sent backwards for the next request of a queue.",
        other_docs: &[],
    },
    TunableInfo {
        tunable: Tunable::BackSeekPenalty,
        name: "back_seek_penalty",
        unit: "factor",
        min: 1,
        max: INT_MAX,
        doc: "A distance backwards counts as this multiple of the same distance forwards.",
        other_docs: &[],
    },
    TunableInfo {
        tunable: Tunable::Strict,
        name: "strict",
        unit: "level",
        min: 0,
        max: 2,
        doc: "What comes first: 0 throughput, 1 shares with what throughput they leave, 2 one \
              request at a time.",
        other_docs: &[],
    },
];

impl TunableInfo {
    /// What it does under the policy of a name.
    pub fn doc_under(&self, policy: &str) -> &'static str {
        let other = self.other_docs.iter().find(|(name, _)| *name == policy);
        other.map_or(self.doc, |(_, doc)| doc)
    }
}

impl Tunable {
    /// Those of the kernel's bfq, the first ones of [`TUNABLES`].
    pub const OF_BFQ: [Tunable; Tunable::BackSeekPenalty as usize + 1] = {
        let mut all = [Tunable::SliceIdle; Tunable::BackSeekPenalty as usize + 1];
        let mut at = 0;
        while at < all.len() {
            all[at] = TUNABLES[at].tunable;
            at += 1;
        }
        all
    };

    /// The tunable of this name.
    pub fn from_name(name: &str) -> Option<Tunable> {
        TUNABLES.iter().find(|info| info.name == name).map(|info| info.tunable)
    }

    /// Its row in [`TUNABLES`].
    pub fn info(self) -> &'static TunableInfo {
        &TUNABLES[self as usize]
    }
}

/// What comes first where a device cannot have both; the values of `strict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    /// A flash disk is kept free for an expected queue for a small part of the time only.
    Throughput,
    /// Shares, with what throughput they leave.
    Shares,
    /// One request at a time.
    OneAtATime,
}

/// A value that could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// Not an unsigned decimal number (the kernel's EINVAL).
    NotANumber,
    /// More than 64 bits (the kernel's ERANGE).
    TooLarge,
}

impl core::fmt::Display for ParseError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            ParseError::NotANumber => "expected an unsigned decimal number",
            ParseError::TooLarge => "the number does not fit into 64 bits",
        })
    }
}

impl core::error::Error for ParseError {}

/// Parses a written value: an unsigned decimal number, perhaps with a leading `+` and
/// one trailing newline.
///
/// # Errors
/// [`ParseError`].
pub fn parse(text: &str) -> Result<u64, ParseError> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let digits = text.strip_prefix('+').unwrap_or(text);
    if digits.is_empty() {
        return Err(ParseError::NotANumber);
    }
    digits.bytes().try_fold(0u64, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
        let digit = digit.ok_or(ParseError::NotANumber)?;
        // A later character that is no digit makes it no number at all, so look on.
        match value.checked_mul(10).and_then(|value| value.checked_add(digit)) {
            Some(value) => Ok(value),
            None if digits.bytes().all(|byte| byte.is_ascii_digit()) => Err(ParseError::TooLarge),
            None => Err(ParseError::NotANumber),
        }
    })
}

/// How the head of the disk is assumed to move backwards (spec 2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackSeeks {
    /// Farther backwards than this is not considered.
    pub max: Sectors,
    /// A sector backwards costs as much as this many forwards.
    pub penalty: u64,
}

/// The values in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunables {
    ticks: Ticks,
    /// How long to keep the disk idle for the queue in service.
    pub slice_idle: Span,
    /// One request at a time, always idle.
    pub strict_guarantees: bool,
    /// Raise interactive and soft real-time queues.
    pub low_latency: bool,
    /// The user's largest budget; none: as the device can do.
    pub max_budget: Option<Sectors>,
    /// The longest slot of a queue.
    pub timeout: Span,
    /// Deadlines of requests: async, sync.
    pub fifo_expire: [Span; 2],
    /// How the head of the disk is assumed to move backwards.
    pub back_seeks: BackSeeks,
    /// Whether throughput or shares come first; read by Time Fair Queueing alone.
    pub strict: Strict,
}

impl Tunables {
    /// The defaults. Those that the kernel derives from its tick depend on `ticks`.
    pub const fn new(ticks: Ticks) -> Self {
        Tunables {
            ticks,
            slice_idle: DEFAULT_SLICE_IDLE,
            strict_guarantees: false,
            low_latency: true,
            max_budget: None,
            timeout: ticks.second_over(TIMEOUTS_PER_S),
            fifo_expire: [Span::from_ms(250), Span::from_ms(125)],
            back_seeks: BackSeeks { max: Sectors::of_kib(16384), penalty: 2 },
            strict: Strict::Shares,
        }
    }

    /// What reading the tunable shows.
    pub fn get(&self, tunable: Tunable) -> u64 {
        match tunable {
            Tunable::SliceIdle => self.slice_idle.as_ms(),
            Tunable::SliceIdleUs => self.slice_idle.as_us(),
            Tunable::StrictGuarantees => u64::from(self.strict_guarantees),
            Tunable::LowLatency => u64::from(self.low_latency),
            Tunable::MaxBudget => self.max_budget.map_or(0, Sectors::count),
            Tunable::TimeoutSync => self.shown_timeout().as_ms(),
            Tunable::FifoExpireSync => self.fifo_expire[1].as_ms(),
            Tunable::FifoExpireAsync => self.fifo_expire[0].as_ms(),
            Tunable::BackSeekMax => self.back_seeks.max.as_kib(),
            Tunable::BackSeekPenalty => self.back_seeks.penalty,
            Tunable::Strict => self.strict as u64,
        }
    }

    /// The longest slot of a queue in milliseconds, as its tunable shows it.
    pub(crate) fn shown_timeout(&self) -> Span {
        self.ticks.shown(self.timeout)
    }

    /// Stores a value, moved into its range.
    pub(crate) fn set(&mut self, tunable: Tunable, value: u64) {
        let info = tunable.info();
        let value = value.clamp(info.min, info.max);
        match tunable {
            Tunable::SliceIdle => self.slice_idle = Span::from_ms(value),
            Tunable::SliceIdleUs => self.slice_idle = Span::from_us(value),
            Tunable::StrictGuarantees => {
                if value != 0 && !self.strict_guarantees {
                    self.slice_idle = self.slice_idle.max(DEFAULT_SLICE_IDLE);
                }
                self.strict_guarantees = value != 0;
            }
            Tunable::LowLatency => self.low_latency = value != 0,
            Tunable::MaxBudget => {
                self.max_budget = Some(Sectors::of(value)).filter(|_| value > 0);
            }
            Tunable::TimeoutSync => self.timeout = self.ticks.rounded_up(Span::from_ms(value)),
            Tunable::FifoExpireSync => self.fifo_expire[1] = Span::from_ms(value),
            Tunable::FifoExpireAsync => self.fifo_expire[0] = Span::from_ms(value),
            Tunable::BackSeekMax => self.back_seeks.max = Sectors::of_kib(value),
            Tunable::BackSeekPenalty => self.back_seeks.penalty = value,
            Tunable::Strict => {
                self.strict = match value {
                    0 => Strict::Throughput,
                    1 => Strict::Shares,
                    _ => Strict::OneAtATime,
                }
            }
        }
    }

    /// The default of a tunable.
    pub fn default_of(tunable: Tunable, ticks: Ticks) -> u64 {
        Tunables::new(ticks).get(tunable)
    }
}

/// The default wait for the next request of a queue: 8 ms.
pub(crate) const DEFAULT_SLICE_IDLE: Span = Span::from_ms(8);
/// The default timeout is this part of a second.
pub(crate) const TIMEOUTS_PER_S: u64 = 8;
const _: () = assert!(1000 / TIMEOUTS_PER_S == 125, "it is 125 ms");

#[cfg(test)]
mod tests {
    use super::*;

    const TICKS: Ticks = Ticks::of_hz(1000);

    #[test]
    fn the_table_is_in_the_order_of_the_names() {
        for (at, info) in TUNABLES.iter().enumerate() {
            assert_eq!(info.tunable as usize, at, "{}", info.name);
            assert_eq!(Tunable::from_name(info.name), Some(info.tunable));
            let default = Tunables::default_of(info.tunable, TICKS);
            assert!((info.min..=info.max).contains(&default), "{}", info.name);
        }
        assert_eq!(Tunable::from_name("quantum"), None);
    }

    #[test]
    fn defaults_as_users_know_them() {
        let shown = Tunable::OF_BFQ.map(|tunable| Tunables::default_of(tunable, TICKS));
        assert_eq!(shown, [8, 8000, 0, 1, 0, 125, 125, 250, 16384, 2]);
        assert_eq!(Tunables::default_of(Tunable::TimeoutSync, Ticks::of_hz(250)), 124);
        assert_eq!(Tunables::default_of(Tunable::TimeoutSync, Ticks::of_hz(100)), 120);
    }

    #[test]
    fn what_is_a_number() {
        for (text, expected) in [
            ("0", Ok(0)),
            ("+12\n", Ok(12)),
            ("007", Ok(7)),
            ("18446744073709551615", Ok(u64::MAX)),
            ("18446744073709551616", Err(ParseError::TooLarge)),
            ("18446744073709551616x", Err(ParseError::NotANumber)),
            ("", Err(ParseError::NotANumber)),
            ("\n", Err(ParseError::NotANumber)),
            ("+", Err(ParseError::NotANumber)),
            ("-1", Err(ParseError::NotANumber)),
            (" 1", Err(ParseError::NotANumber)),
            ("1 ", Err(ParseError::NotANumber)),
            ("1\n\n", Err(ParseError::NotANumber)),
            ("0x10", Err(ParseError::NotANumber)),
        ] {
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn values_are_clamped_and_read_back() {
        let mut tunables = Tunables::new(TICKS);
        for (tunable, written, read) in [
            (Tunable::SliceIdle, 5000, 5000),
            (Tunable::SliceIdleUs, 2500, 2500),
            (Tunable::SliceIdle, u64::MAX, INT_MAX),
            (Tunable::LowLatency, 7, 1),
            (Tunable::MaxBudget, u64::MAX, INT_MAX),
            (Tunable::TimeoutSync, 0, 1),
            (Tunable::FifoExpireAsync, 0, 1),
            (Tunable::BackSeekPenalty, 0, 1),
            (Tunable::BackSeekMax, 0, 0),
            (Tunable::Strict, 0, 0),
            (Tunable::Strict, 3, 2),
        ] {
            tunables.set(tunable, written);
            assert_eq!(tunables.get(tunable), read, "{tunable:?}");
        }
        let mut slow_clock = Tunables::new(Ticks::of_hz(250));
        slow_clock.set(Tunable::TimeoutSync, 101);
        assert_eq!(slow_clock.get(Tunable::TimeoutSync), 104);
        let mut uneven_clock = Tunables::new(Ticks::of_hz(300));
        for (written, read) in [(10, 10), (20, 20), (100, 100), (120, 120), (200, 200), (11, 14)] {
            uneven_clock.set(Tunable::TimeoutSync, written);
            assert_eq!(uneven_clock.get(Tunable::TimeoutSync), read, "{written} ms");
        }
    }

    #[test]
    fn strict_guarantees_lift_slice_idle() {
        let mut tunables = Tunables::new(TICKS);
        tunables.set(Tunable::SliceIdle, 0);
        tunables.set(Tunable::StrictGuarantees, 1);
        assert_eq!(tunables.get(Tunable::SliceIdle), 8);
        tunables.set(Tunable::SliceIdle, 2);
        tunables.set(Tunable::StrictGuarantees, 1);
        assert_eq!(tunables.get(Tunable::SliceIdle), 2, "it was on already");
        tunables.set(Tunable::StrictGuarantees, 0);
        assert_eq!(tunables.get(Tunable::SliceIdle), 2);
    }
}
