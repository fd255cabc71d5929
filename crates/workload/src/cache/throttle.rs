// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast writers may go: Linux's balancing of dirty pages (mm/page-writeback.c as of 6.1), in
//! our own words and for one device.
//!
//! Half way between the background limit and the hard one, the *free run* ends. Up to there writers
//! go at the speed of memory. Above it each writer pauses, now and then, so long that its rate
//! becomes `task rate × position`:
//!
//! * The *position* is 1 at the set point, half way between the end of the free run and the hard
//!   limit; it falls along a cubic curve to 0 at the limit and rises to 2 at
//!   the end of the free run.
//! * The *task rate* is what lets all writers together dirty as much as the device writes. Every
//!   200 ms it is corrected by the ratio of the rate at which pages were written to that at which
//!   they were dirtied, an eighth of the way.
//!
//! A pause is 200 ms at most; one shorter than 10 ms is saved up instead.
//!
//! With low limits the device writes all that is dirty in less than 200 ms, and all writers may
//! pause at the same time. So none pauses longer than the device takes to write half of what there
//! is, at the rate of late. That rate counts the time in which the device idled, too, so with
//! limits of a few MiB a fast SSD still idles.
//!
//! * At the limit, half of what is dirty above the free run. Then half of the room between the free
//!   run and the limit is left, which is the set point: the writer goes on at position 1.
//! * Below the limit, half of what is dirty above the background limit, where the flusher rests.
//!
//! With the default limits both are far longer than 200 ms on a hard disk and hardly ever reached
//! on faster devices.

use std::num::NonZeroU64;

const SECOND_NS: u64 = 1_000_000_000;
/// Both rates before anything is known of the device: 100 MiB/s.
const FIRST_RATE_PAGES_PER_S: u64 = (100 << 20) / base::PAGE_BYTES;
/// How often rates are looked at.
const INTERVAL_NS: u64 = 200_000_000;
/// The time over which the written rate is an average.
const PERIOD_NS: u64 = 3 * SECOND_NS;
/// The longest that a writer pauses at a time, ns: 200 ms.
const LONGEST_PAUSE_NS: u64 = 200_000_000;
/// The shortest that a writer pauses at the limit, ns: waking it more often would be all that the
/// processor does.
const SHORTEST_PAUSE_AT_LIMIT_NS: u64 = 100_000;
/// Shorter pauses are saved up.
const SHORTEST_PAUSE_NS: u64 = 10_000_000;
/// A writer that was busy elsewhere for longer starts anew.
const FORGOTTEN_NS: u64 = SECOND_NS;
/// One, of a position.
const ONE: u64 = 1024;

/// The limits on dirty pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The pages above which the flusher writes.
    pub background: u64,
    /// The most there may be, with those being written, pages.
    pub most: u64,
}

impl Limits {
    /// The limits as set; a background limit that is not below the hard one is half of it.
    pub(super) fn new(background: u64, most: u64) -> Limits {
        let most = most.max(2);
        Limits { background: if background >= most { most / 2 } else { background }, most }
    }

    /// Up to here no process is slowed down, pages.
    pub(super) fn free_run(&self) -> u64 {
        (self.background + self.most) / 2
    }

    /// By how much the task rate is to be scaled with `dirty` pages dirty, in 1/1024: 0 to 2048.
    fn position(&self, dirty: u64) -> u64 {
        if dirty >= self.most {
            return 0;
        }
        let set_point = (self.free_run() + self.most) / 2;
        let room = (self.most - set_point).max(1) as i128;
        let one = i128::from(ONE);
        let x = (i128::from(set_point) - i128::from(dirty)) * one / room;
        let cube = x * x / one * x / one;
        (one + cube).clamp(0, 2 * one) as u64
    }
}

/// The rates of the device and of its writers.
#[derive(Debug)]
pub(super) struct Rates {
    /// What the device writes, pages/s.
    written_per_s: u64,
    /// What each writer may dirty at position 1, pages/s.
    task_per_s: u64,
    /// Pages written since the rate of the device was last looked at.
    written: Since,
    /// Pages dirtied since the rate of writers was.
    dirtied: Since,
}

/// A count, and since when, ns.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    ns: u64,
    pages: u64,
}

impl Since {
    fn is_due(&self, now_ns: u64) -> bool {
        now_ns - self.ns >= INTERVAL_NS
    }

    /// Pages/s, and over how long, ns; counts anew from now.
    fn take(&mut self, now_ns: u64) -> (u64, u64) {
        let elapsed_ns = (now_ns - self.ns).max(1);
        let per_s = u128::from(self.pages) * u128::from(SECOND_NS) / u128::from(elapsed_ns);
        *self = Since { ns: now_ns, pages: 0 };
        (per_s as u64, elapsed_ns)
    }
}

impl Rates {
    pub(super) fn new() -> Rates {
        Rates {
            written_per_s: FIRST_RATE_PAGES_PER_S,
            task_per_s: FIRST_RATE_PAGES_PER_S,
            written: Since::default(),
            dirtied: Since::default(),
        }
    }

    /// What the device writes, pages/s.
    pub(super) fn written_per_s(&self) -> u64 {
        self.written_per_s
    }

    /// How long the device takes to write half of these pages, ns; the longest pause at most.
    fn half_written_ns(&self, pages: u64) -> u64 {
        let all_ns = u128::from(pages) * u128::from(SECOND_NS) / u128::from(self.written_per_s);
        u64::try_from(all_ns / 2).unwrap_or(u64::MAX).min(LONGEST_PAUSE_NS)
    }

    pub(super) fn dirtied(&mut self, pages: u64) {
        self.dirtied.pages += pages;
    }

    /// Writing begins after nothing was being written: the time before says nothing of the device.
    pub(super) fn writing_begins(&mut self, now_ns: u64) {
        self.written = Since { ns: now_ns, pages: 0 };
    }

    /// Pages have been written.
    pub(super) fn written(&mut self, now_ns: u64, pages: u64) {
        self.written.pages += pages;
        if !self.written.is_due(now_ns) {
            return;
        }
        let (per_s, elapsed_ns) = self.written.take(now_ns);
        let weight = u128::from(elapsed_ns.min(PERIOD_NS));
        let (new, old) = (u128::from(per_s), u128::from(self.written_per_s));
        let sum = new * weight + old * (u128::from(PERIOD_NS) - weight);
        self.written_per_s = ((sum / u128::from(PERIOD_NS)) as u64).max(1);
    }

    /// Corrects the task rate by what writers at that position did.
    fn correct(&mut self, now_ns: u64, position: u64) {
        let (dirtied_per_s, _) = self.dirtied.take(now_ns);
        let written_per_s = u128::from(self.written_per_s);
        let present = u128::from(self.task_per_s) * u128::from(position) / u128::from(ONE) + 1;
        let balanced = present * written_per_s / u128::from(dirtied_per_s.max(1));
        let balanced = balanced.min(written_per_s) as u64;
        self.task_per_s = ((7 * self.task_per_s + balanced) / 8).max(1);
    }

    /// The rate of a writer while `dirty` pages are dirty or being written, pages/s; none: it may
    /// not go on.
    fn rate(&mut self, now_ns: u64, dirty: u64, limits: &Limits) -> Option<NonZeroU64> {
        let position = limits.position(dirty);
        if self.dirtied.is_due(now_ns) {
            self.correct(now_ns, position);
        }
        let rate = u128::from(self.task_per_s) * u128::from(position) / u128::from(ONE);
        NonZeroU64::new(rate as u64)
    }
}

/// One writer: what it dirtied since it was last looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Writer {
    dirtied: u64,
    /// Up to this time its writes are paid for.
    paid_until_ns: u64,
}

/// What a writer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThrottleDecision {
    GoOn,
    /// It pauses until then; `again`: and asks again, because there was no room at all.
    Pause {
        until_ns: u64,
        again: bool,
    },
}

impl Writer {
    /// Pages that a writer may dirty before it is looked at.
    pub(super) const LOOKED_AT_PAGES: u64 = 32;

    pub(super) fn dirtied(&mut self, pages: u64) {
        self.dirtied += pages;
    }

    /// Whether it has dirtied enough to be looked at.
    pub(super) fn is_due(&self) -> bool {
        self.dirtied >= Writer::LOOKED_AT_PAGES
    }

    /// Looks at the writer, with `dirty` pages dirty or being written.
    pub(super) fn balance(
        &mut self,
        now_ns: u64,
        dirty: u64,
        limits: &Limits,
        rates: &mut Rates,
    ) -> ThrottleDecision {
        if dirty <= limits.free_run() {
            *self = Writer { dirtied: 0, paid_until_ns: now_ns };
            return ThrottleDecision::GoOn;
        }
        let Some(rate) = rates.rate(now_ns, dirty, limits) else {
            let pause_ns = rates.half_written_ns(dirty - limits.free_run());
            let until_ns = now_ns + pause_ns.max(SHORTEST_PAUSE_AT_LIMIT_NS);
            self.paid_until_ns = until_ns;
            return ThrottleDecision::Pause { until_ns, again: true };
        };
        let dirtied = std::mem::take(&mut self.dirtied);
        let cost_ns = u128::from(dirtied) * u128::from(SECOND_NS) / u128::from(rate.get());
        let cost_ns = u64::try_from(cost_ns).unwrap_or(u64::MAX);
        if now_ns.saturating_sub(self.paid_until_ns) > FORGOTTEN_NS {
            self.paid_until_ns = now_ns;
        }
        let paid_until_ns = self.paid_until_ns.saturating_add(cost_ns);
        if paid_until_ns < now_ns + SHORTEST_PAUSE_NS {
            self.paid_until_ns = paid_until_ns;
            return ThrottleDecision::GoOn;
        }
        let longest_ns = rates.half_written_ns(dirty.saturating_sub(limits.background));
        let until_ns = paid_until_ns.min(now_ns + longest_ns);
        self.paid_until_ns = until_ns;
        ThrottleDecision::Pause { until_ns, again: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn the_position_is_one_at_the_set_point_and_nothing_at_the_limit() {
        let limits = Limits::new(1000, 2000);
        let positions: Vec<_> =
            [1500, 1625, 1750, 1875, 1999, 2000, 2500].map(|dirty| limits.position(dirty)).into();
        assert_eq!(positions, [2048, 1152, 1024, 896, 15, 0, 0]);
        assert_eq!(Limits::new(3000, 2000).background, 1000);
    }

    #[test]
    fn a_writer_runs_free_and_then_pays() {
        let limits = Limits::new(1000, 2000);
        let mut rates = Rates::new();
        let mut writer = Writer::default();
        writer.dirtied(5000);
        assert_eq!(writer.balance(MS, 1500, &limits, &mut rates), ThrottleDecision::GoOn);
        // At the set point 256 pages cost 10 ms of 25,600 pages/s; less is saved up.
        writer.dirtied(192);
        assert_eq!(writer.balance(MS, 1750, &limits, &mut rates), ThrottleDecision::GoOn);
        writer.dirtied(64);
        let pause = ThrottleDecision::Pause { until_ns: 11 * MS, again: false };
        assert_eq!(writer.balance(MS, 1750, &limits, &mut rates), pause);
        // At the limit 500 pages are above the free run: half of them take 9.77 ms.
        let stop = ThrottleDecision::Pause { until_ns: 11 * MS + 9_765_625, again: true };
        assert_eq!(writer.balance(11 * MS, 2000, &limits, &mut rates), stop);
        let longest = Limits::new(100_000, 200_000);
        let stop = ThrottleDecision::Pause { until_ns: 211 * MS, again: true };
        assert_eq!(writer.balance(11 * MS, 200_000, &longest, &mut rates), stop);
    }

    /// Writers as fast as they may be, a device that writes `per_ms` pages a ms of what is dirty
    /// above the background limit. Returns the part of its time, in percent, that it had to write.
    fn busy_percent(limits: Limits, per_ms: u64, writers: usize) -> u64 {
        let mut rates = Rates::new();
        let mut all = vec![(Writer::default(), 0); writers];
        let (mut dirty, mut written) = (0, 0);
        for step in 0..20_000_u64 {
            let now_ns = step * MS;
            let pages = per_ms.min(u64::saturating_sub(dirty, limits.background));
            rates.written(now_ns, pages);
            (dirty, written) = (dirty - pages, written + pages);
            for (writer, paused_until_ns) in &mut all {
                while now_ns >= *paused_until_ns {
                    dirty += 32;
                    rates.dirtied(32);
                    writer.dirtied(32);
                    if let ThrottleDecision::Pause { until_ns, .. } =
                        writer.balance(now_ns, dirty, &limits, &mut rates)
                    {
                        *paused_until_ns = until_ns;
                    }
                }
            }
        }
        written * 100 / (20_000 * per_ms)
    }

    #[test]
    fn the_device_is_kept_busy_under_low_limits_and_many_writers() {
        for (most, writers) in [(1024, 1), (1024, 10), (4096, 100), (65_536, 1000)] {
            let percent = busy_percent(Limits::new(most / 2, most), 50, writers);
            assert!(percent >= 95, "{percent} % with {writers} below {most} pages");
        }
    }

    /// Two writers that go as fast as they may, a device that writes 10,000 pages/s.
    #[test]
    fn the_rate_settles_at_each_writers_part_of_the_devices() {
        let limits = Limits::new(10_000, 30_000);
        let mut rates = Rates::new();
        let mut writers = [Writer::default(); 2];
        let (mut dirty, mut paused_until_ns) = (20_000_u64, [0; 2]);
        let mut dirtied = [0_u64; 2];
        for step in 0..60_000_u64 {
            let now_ns = step * MS;
            dirty = dirty.saturating_sub(10);
            rates.written(now_ns, 10);
            for (writer, index) in writers.iter_mut().zip(0..) {
                if now_ns < paused_until_ns[index] {
                    continue;
                }
                (dirty, dirtied[index]) = (dirty + 32, dirtied[index] + 32);
                rates.dirtied(32);
                writer.dirtied(32);
                if let ThrottleDecision::Pause { until_ns, .. } =
                    writer.balance(now_ns, dirty, &limits, &mut rates)
                {
                    paused_until_ns[index] = until_ns;
                }
            }
            assert!(dirty < limits.most, "{dirty} at {step} ms");
        }
        assert!((20_000..29_000).contains(&dirty), "{dirty}");
        for pages in dirtied {
            assert!((285_000..315_000).contains(&pages), "{pages}");
        }
    }
}
