// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is learnt of the device while it works: what a request takes alone, how much it delivers,
//! and how many requests it works on at the same time.

use super::{
    expected::{LONGEST_WAIT, SLACK},
    kinds::Kind,
    line::{GAIN, LONGEST_SAMPLE, Line},
};
use crate::units::{Sectors, Span, Time};
use core::num::NonZeroU64;

/// Fractional bits of how many requests are served at a time.
const BITS: u32 = 8;
/// Requests that are seen alone before several are in the device.
const FIRST_SAMPLES: i64 = 8;
/// A rate is what the device delivered in so long.
const WINDOW: Span = Span::from_ms(10);
/// On flash, the rate so far is taken in the first window after this number of completions: until
/// then next to nothing is in flight, as it is not known how much is enough.
const FEWEST_OF_FIRST: u64 = 64;

/// A device, as seen in completions.
#[derive(Debug)]
pub(crate) struct Learnt {
    /// What reads and writes take alone. A write is often done once the device's cache has it, in a
    /// fraction of what a read takes.
    lines: [Line; 2],
    /// Requests that were seen alone, up to [`GAIN`], and what they took on average.
    samples: i64,
    mean_ns: i64,
    /// For how long queues are expected back, and whether the device is kept free for any: what
    /// follows from `mean_ns` once that is known.
    longest_wait: Span,
    answers_at_once: bool,
    /// As many sectors in flight keep the device as busy as it can be: what follows from the rate
    /// and from what a small request takes.
    enough: Sectors,
    /// Most sectors a second that were delivered, with a slow decay to what is; in the first
    /// window of flash what was delivered so far. Less than one a second tells nothing.
    rate_sectors_per_s: Option<NonZeroU64>,
    /// The device is flash, and its first window is not over.
    begins: bool,
    /// Most requests at a time, measured by what they take alone; with [`BITS`].
    parallelism: u64,
    /// Whether the device had several requests in most of a window. Until then it is not known how
    /// many it works on, and those of a deep queue would be charged in full, one by one.
    had_several: bool,
    /// What [`Learnt::beside`] said last, until something that it follows from changes: requests
    /// are mostly like the last one.
    last_beside: Option<Beside>,
    window: Window,
}

/// What a request of a size takes beside `depth - 1` others like it.
#[derive(Clone, Copy, Debug)]
struct Beside {
    kind: Kind,
    took: Span,
}

/// What the device did while it was not empty.
#[derive(Debug)]
struct Window {
    /// What is counted in `busy` ends there.
    busy_since: Option<Time>,
    busy: Span,
    sectors: Sectors,
    alone: Span,
    /// Completions, and those that left it empty.
    completions: u64,
    emptied: u64,
}

impl Learnt {
    /// Of a device of which nothing is known but whether it is a disk with moving parts.
    pub const fn new(rotational: bool) -> Self {
        Learnt {
            lines: [Line::USUAL; 2],
            samples: 0,
            mean_ns: 0,
            longest_wait: LONGEST_WAIT,
            answers_at_once: false,
            enough: Sectors::NONE,
            rate_sectors_per_s: None,
            begins: !rotational,
            parallelism: 1 << BITS,
            had_several: false,
            last_beside: None,
            window: Window::EMPTY,
        }
    }

    /// Whether enough is known of the device to give it several requests at a time.
    pub fn is_known(&self) -> bool {
        self.samples >= FIRST_SAMPLES
    }

    /// A request, which `writes` or reads, had the device for itself from its dispatch to its
    /// completion.
    pub fn seen_alone(&mut self, sectors: Sectors, writes: bool, took: Span) {
        self.lines[usize::from(writes)].seen(sectors, took);
        let took_ns = took.min(LONGEST_SAMPLE).as_ns() as i64;
        self.samples = (self.samples + 1).min(GAIN);
        self.mean_ns += (took_ns - self.mean_ns) / self.samples;
        self.conclude();
        if self.is_known() {
            // Who comes back later finds the device nearly done with the others' requests.
            let others = Span::from_ns(self.mean_ns as u64).times(LONGEST_WAIT_REQUESTS);
            self.answers_at_once = others < SLACK;
            self.longest_wait =
                if self.answers_at_once { LONGEST_WAIT } else { others.min(LONGEST_WAIT) };
        }
    }

    /// Works out what the samples and the rate, of which one has changed, tell.
    fn conclude(&mut self) {
        self.last_beside = None;
        let [reads, writes] = &mut self.lines;
        reads.fit(self.rate_sectors_per_s);
        writes.fit(self.rate_sectors_per_s);
        // Those of which none was seen alone are taken to be like the others.
        if reads.is_usual() {
            reads.be_like(writes);
        } else if writes.is_usual() {
            writes.be_like(reads);
        }
        let full_ns = self.filling().as_ns();
        let enough = |rate: NonZeroU64| rate.get().saturating_mul(full_ns) / NS_PER_S;
        self.enough = Sectors::of(self.rate_sectors_per_s.map_or(0, enough));
    }

    /// What fills the device takes so long at the full rate.
    pub fn filling(&self) -> Span {
        self.small().times(FULL)
    }

    /// What is known of reads, or of writes.
    #[inline]
    fn line(&self, writes: bool) -> &Line {
        &self.lines[usize::from(writes)]
    }

    /// How long a queue is expected back at most, on flash.
    pub fn longest_wait(&self) -> Span {
        self.longest_wait
    }

    /// Whether the device is done with its requests before a wait for anybody could begin: one in
    /// memory, which is as fast as the processors. It is kept free for no queue.
    pub fn answers_at_once(&self) -> bool {
        self.answers_at_once
    }

    /// The highest rate of late, once one is known.
    pub fn rate_sectors_per_s(&self) -> Option<NonZeroU64> {
        self.rate_sectors_per_s
    }

    /// How many requests the device works on at the same time, times 256.
    pub fn parallelism(&self) -> u64 {
        self.parallelism
    }

    /// What a request takes alone in the device.
    pub fn alone(&self, sectors: Sectors, writes: bool) -> Span {
        self.line(writes).alone(sectors)
    }

    /// What it takes at most, whether it reads or writes.
    pub fn alone_at_most(&self, sectors: Sectors) -> Span {
        self.alone(sectors, false).max(self.alone(sectors, true))
    }

    /// What a small request takes alone in the device, at most.
    pub fn small(&self) -> Span {
        self.alone_at_most(SMALL)
    }

    /// What the sectors of a read take.
    pub fn transfer(&self, sectors: Sectors) -> Span {
        self.line(false).transfer(sectors)
    }

    /// What sectors take at the full rate.
    pub fn at_full_rate(&self, sectors: Sectors) -> Span {
        self.at_known_rate(sectors).unwrap_or_else(|| self.transfer(sectors))
    }

    /// What a request takes of the device's time beside `depth - 1` others like it. Until it is
    /// known how many the device works on, it is taken to work on all of them: too small a charge
    /// is at most what was served, too large a one has no bound.
    pub fn beside(&self, kind: Kind) -> Span {
        let Kind { sectors, depth, writes } = kind;
        let alone = self.alone(sectors, writes);
        let shared = |parallel| Span::from_ns((alone.as_ns() << BITS) / parallel);
        let all = u64::from(depth) << BITS;
        if !self.had_several {
            return shared(all);
        }
        shared(self.parallelism.min(all)).max(self.at_known_rate(sectors).unwrap_or(Span::ZERO))
    }

    /// The same, of a request that is probably like the one that was asked for last.
    #[inline]
    pub fn beside_as_before(&mut self, kind: Kind) -> Span {
        match self.last_beside.filter(|last| last.kind == kind) {
            Some(last) => last.took,
            None => self.beside_anew(kind),
        }
    }

    #[inline(never)]
    fn beside_anew(&mut self, kind: Kind) -> Span {
        let took = self.beside(kind);
        self.last_beside = Some(Beside { kind, took });
        took
    }

    /// Asserts that what is kept is what would be worked out now.
    ///
    /// # Panics
    /// If it is not.
    pub fn check(&self) {
        if let Some(Beside { kind, took }) = self.last_beside {
            assert!(took == self.beside(kind), "{took:?} is kept: {self:?}");
        }
    }

    /// What sectors take at the full rate, if that is known.
    pub fn at_known_rate(&self, sectors: Sectors) -> Option<Span> {
        let rate = self.rate_sectors_per_s?;
        Some(Span::from_ns(sectors.count().saturating_mul(NS_PER_S) / rate))
    }

    /// As many sectors in flight keep the device as busy as it can be.
    pub fn enough(&self) -> Sectors {
        self.enough
    }

    /// A request was completed; `left` are those that the device still has.
    #[inline]
    pub fn completed(&mut self, now: Time, sectors: Sectors, writes: bool, left: u32) {
        let alone = self.alone(sectors, writes);
        let window = &mut self.window;
        window.sectors += sectors;
        window.alone = window.alone.plus(alone);
        if let Some(since) = window.busy_since {
            window.busy = window.busy.plus(now.since(since));
        }
        window.busy_since = (left > 0).then_some(now);
        window.completions += 1;
        window.emptied += u64::from(left == 0);
        if self.begins || window.busy >= WINDOW {
            self.look_at_window();
        }
    }

    /// A window is over, or the first one is under way.
    // Out of line: a window has many completions.
    #[inline(never)]
    fn look_at_window(&mut self) {
        let window = &mut self.window;
        if window.busy < WINDOW {
            if window.completions >= FEWEST_OF_FIRST {
                let rate = window.rate_sectors_per_s();
                self.set_rate(rate);
            }
            return;
        }
        debug_assert!(window.emptied <= window.completions, "{window:?}");
        self.last_beside = None;
        let parallel = (window.alone * (1 << BITS)).as_ns() / window.busy.as_ns();
        let greatest = self.rate_sectors_per_s.filter(|_| !self.begins);
        let [greatest, present] =
            [greatest, window.rate_sectors_per_s()].map(|rate| rate.map_or(0, NonZeroU64::get));
        self.begins = false;
        self.parallelism = peak(self.parallelism, parallel).max(1 << BITS);
        // Probes and waiting for a queue empty it now and then.
        self.had_several |= window.emptied * MOST_EMPTIED < window.completions;
        *window = Window { busy_since: window.busy_since, ..Window::EMPTY };
        self.set_rate(NonZeroU64::new(peak(greatest, present)));
    }

    fn set_rate(&mut self, rate_sectors_per_s: Option<NonZeroU64>) {
        if rate_sectors_per_s != self.rate_sectors_per_s {
            self.rate_sectors_per_s = rate_sectors_per_s;
            self.conclude();
        }
    }

    /// A request was dispatched.
    pub fn dispatched(&mut self, now: Time) {
        if self.window.busy_since.is_none() {
            self.window.busy_since = Some(now);
        }
    }
}

impl Window {
    const EMPTY: Window = Window {
        busy_since: None,
        busy: Span::ZERO,
        sectors: Sectors::NONE,
        alone: Span::ZERO,
        completions: 0,
        emptied: 0,
    };

    /// Sectors a second that the device delivered while it was busy, if it was.
    fn rate_sectors_per_s(&self) -> Option<NonZeroU64> {
        let in_a_second = self.sectors.count().saturating_mul(NS_PER_S);
        in_a_second.checked_div(self.busy.as_ns()).and_then(NonZeroU64::new)
    }
}

/// Nanoseconds in a second.
const NS_PER_S: u64 = 1_000_000_000;
/// A small request: 4 KiB.
pub(super) const SMALL: Sectors = Sectors::of_kib(4);
/// A device that is emptied by less than one completion in this number has several requests.
const MOST_EMPTIED: u64 = 4;
/// How many times what a small request takes, at the full rate, may be in flight.
const FULL: u64 = 8;
/// On flash a queue is expected back for no longer than so many requests take.
const LONGEST_WAIT_REQUESTS: u64 = 4;

/// The greatest value seen, which approaches the present one by 1/512 each time.
fn peak(greatest: u64, present: u64) -> u64 {
    if present >= greatest { present } else { greatest - (greatest - present) / 512 }
}
