// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the requests of a queue take when it has the device for itself, and how that is found out:
//! now and then the device is emptied and the queue is served alone for a moment.
//!
//! Queues are charged by that, so a share of the time is a share of what each would get alone.

use core::num::NonZeroU32;

use super::{
    kinds::{AGAIN, Kind, Kinds, Measured, OwnProbes, are_alike},
    learnt::Learnt,
    time_budget::TimeBudget,
};
use crate::{
    model::{
        ids::QueueId,
        request::{Content, Operation},
    },
    units::{Sectors, Span, Time},
};

/// A probe takes no longer than this.
pub(super) const LONGEST_PROBE: Span = Span::from_ms(10);
/// Completions that a rate is taken from, at least.
const FEWEST: u32 = 3;
/// Completions that a rate is taken from, if they come soon enough.
const ENOUGH: u32 = 8;
/// The same for a deep queue, at most.
const MOST: u32 = 64;
/// All probes take at most one part in this number of the time.
const PART_OF_TIME: u64 = 100;
/// The most time that they may save up.
const SAVED: Span = Span::from_ms(30);

/// What a queue's requests take alone.
#[derive(Debug)]
pub(super) struct AloneCost {
    /// What it is charged, once it or its kind was measured.
    charged: Option<Measured>,
    /// What its own probes have found.
    own_probes: Option<OwnProbes>,
    /// The end of the last probe, whether it found something or not.
    measured_at: Option<Time>,
    /// Sectors of its requests; a running mean with four fractional bits. None before the first.
    mean_sectors: Option<NonZeroU32>,
    /// Requests that it has at a time; likewise.
    depth: u32,
}

impl Measured {
    /// What a request takes that may be of another size, or beside another number of others.
    fn of_other(self, sectors: Sectors, depth: u32, learnt: &Learnt) -> Span {
        let then = self.kind;
        if then.sectors == sectors && are_alike(depth, then.depth) {
            return self.took;
        }
        let (now, then) = if are_alike(depth, then.depth) {
            (learnt.alone(sectors, then.writes), learnt.alone(then.sectors, then.writes))
        } else {
            // No probe of a deep queue ends in time on a slow device, so what was seen when it was
            // shallow, or that there is nothing else, has to tell.
            (learnt.beside(Kind { sectors, depth, ..then }), learnt.beside(then))
        };
        let scaled = self.took * now.as_ns() / then.as_ns().max(1);
        // Its sectors take no less of the device's time than at the highest rate: the device's of
        // late, or that of what was seen, which may have been higher.
        let at_seen_rate = self.took * sectors.count() / self.kind.sectors.count().max(1);
        let at_full_rate = learnt.at_known_rate(sectors);
        scaled.max(at_full_rate.map_or(Span::ZERO, |took| took.min(at_seen_rate)))
    }
}

/// Fractional bits of running means.
const BITS: u32 = 4;
/// A depth that was reached fades by a 64th, rounded up, with each request that comes.
const FADES_BITS: u32 = 6;

impl AloneCost {
    pub const fn new() -> Self {
        let (charged, own_probes, measured_at) = (None, None, None);
        AloneCost { charged, own_probes, measured_at, mean_sectors: None, depth: 0 }
    }

    /// A request of `sectors` came, the queue has `present` now.
    pub fn came(&mut self, sectors: Sectors, present: u32) {
        debug_assert!(present > 0, "the request that came is one of them");
        let sectors = (sectors.count().min(u64::from(u32::MAX >> 8)) as u32) << BITS;
        self.mean_sectors = NonZeroU32::new(match self.mean_sectors.map(NonZeroU32::get) {
            None => sectors,
            Some(mean) => mean - mean / 8 + sectors / 8,
        });
        // The greatest of late: a queue that is being served has fewer for a moment.
        let present = present.min(1 << 16) << BITS;
        let fades = (self.depth + ((1 << FADES_BITS) - 1)) >> FADES_BITS;
        self.depth = present.max(self.depth - fades);
    }

    /// Sectors of a request, on average.
    pub fn mean_sectors(&self) -> Sectors {
        self.mean_sectors.map_or(Sectors::NONE, |mean| Sectors::from(mean.get() >> BITS))
    }

    /// Requests that it usually has at a time.
    pub fn depth(&self) -> u32 {
        (self.depth >> BITS).max(1)
    }

    /// Whether the queue asks for the same as another one, and for no more at a time.
    pub fn asks_no_more_than(&self, other: &AloneCost) -> bool {
        let (Some(own), Some(others)) = (self.charged, other.charged) else { return false };
        own.kind.is_like(others.kind)
            && self.mean_sectors() == other.mean_sectors()
            && self.depth() <= other.depth()
    }

    /// What a request takes of the device's time.
    #[inline]
    pub fn of(&mut self, what: &Content, probes: &Probes, learnt: &mut Learnt) -> Span {
        let kind = self.kind_of(what);
        match self.charged {
            Some(measured) if measured.kind.is_like(kind) => measured.took,
            _ => self.of_unlike(kind, probes, learnt),
        }
    }

    /// The same, if it is unlike those that the queue is charged by. Until the queue was measured,
    /// its requests count as others of their kind, if such were measured.
    // Out of line: most requests are like those that were measured.
    #[inline(never)]
    fn of_unlike(&mut self, kind: Kind, probes: &Probes, learnt: &mut Learnt) -> Span {
        if self.own_probes.is_none() {
            self.charged = probes.kinds.known(kind).or(self.charged);
        }
        match self.charged {
            Some(measured) => measured.of_other(kind.sectors, kind.depth, learnt),
            None => learnt.beside_as_before(kind),
        }
    }

    /// The kind of one of its requests.
    fn kind_of(&self, what: &Content) -> Kind {
        let writes = what.operation == Operation::Write;
        Kind { sectors: what.sectors, depth: self.depth(), writes }
    }

    /// Whether it is charged by what was measured, of it or of its kind.
    pub fn is_measured(&self) -> bool {
        self.charged.is_some()
    }

    /// Whether it is to be measured now.
    #[inline]
    fn is_due(&self, now: Time) -> bool {
        self.measured_at.is_none_or(|at| now.is_at_least(AGAIN, at))
    }

    /// Whether its requests are of a size and depth at which a probe takes little time.
    fn is_short(&self, learnt: &Learnt) -> bool {
        self.is_in_time(self.ramp(learnt), learnt)
    }

    /// Whether a probe with that ramp has seen enough before it has to end.
    fn is_in_time(&self, ramp: u32, learnt: &Learnt) -> bool {
        learnt.alone_at_most(self.mean_sectors()) * u64::from(ramp + FEWEST) < LONGEST_PROBE
    }

    /// Completions of a probe before it counts: the first request has nothing beside it, then the
    /// device fills with all that the queue has. If that takes too long, because its requests are
    /// large, it counts from when there are as many as keep the device busy.
    pub fn ramp(&self, learnt: &Learnt) -> u32 {
        let ramp = if self.depth() > 1 { 1 + self.depth().min(MOST) } else { 1 };
        if self.is_in_time(ramp, learnt) {
            return ramp;
        }
        let fill = learnt.enough().count() / self.mean_sectors().count().max(1) + 1;
        ramp.min(1 + fill.min(u64::from(MOST)) as u32)
    }

    /// A probe is over.
    fn measured(&mut self, now: Time, found: Option<Measured>, kinds: &mut Kinds) {
        self.measured_at = Some(now);
        let Some(found) = found else { return };
        let own = OwnProbes::with(self.own_probes, found);
        self.own_probes = Some(own);
        self.charged = Some(kinds.charged(now, own));
    }
}

/// All probes: how much time may be spent on them, and what they have found.
#[derive(Debug)]
pub(super) struct Probes {
    pub budget: ProbeBudget,
    kinds: Kinds,
}

impl Probes {
    pub const fn new(now: Time) -> Self {
        Probes { budget: ProbeBudget::new(now), kinds: Kinds::new() }
    }
}

/// How much time may be spent on probes.
#[derive(Debug)]
pub(super) struct ProbeBudget {
    budget: TimeBudget,
    /// There is time for a probe from then on.
    enough_from: Time,
}

impl ProbeBudget {
    const fn new(now: Time) -> Self {
        ProbeBudget { budget: TimeBudget::new(now, SAVED, PART_OF_TIME), enough_from: now }
    }

    /// Whether a queue is to be measured, and there is time for that.
    #[inline]
    pub fn allows(&mut self, now: Time, cost: &AloneCost, learnt: &Learnt) -> bool {
        now >= self.enough_from && cost.is_due(now) && self.has_time_for(now, cost, learnt)
    }

    // Out of line: most queues were measured a moment ago.
    #[inline(never)]
    fn has_time_for(&mut self, now: Time, cost: &AloneCost, learnt: &Learnt) -> bool {
        cost.is_short(learnt) && self.budget.has(now, LONGEST_PROBE)
    }

    fn spend(&mut self, spent: Span) {
        self.budget.spend(spent);
        self.enough_from = self.budget.has_from(LONGEST_PROBE);
    }
}

/// A queue that is served alone for a moment.
#[derive(Debug)]
pub(super) struct Probe {
    pub queue: QueueId,
    began: Time,
    /// Requests that the queue had at a time then.
    depth: u32,
    /// Requests that may be in the device: one until that is seen alone.
    pub limit: u32,
    /// Completions before it counts: those of the first requests, while the device fills.
    ramp: u32,
    wanted: u32,
    /// Since the ramp is over.
    since: Option<Time>,
    /// Since when the queue has had nothing.
    idle_since: Option<Time>,
    /// Pauses since the ramp is over that are too long to wait for, if the queue is not on loan:
    /// they are no time of the device's.
    paused: Span,
    completed: u32,
    /// Those of them that were writes.
    writes: u32,
    sectors: Sectors,
    last: Time,
    /// It had less than usual in the device at a completion.
    ran_dry: bool,
}

impl Probe {
    /// A probe that begins now, of a queue whose requests are as `cost` has seen them.
    pub fn new(now: Time, queue: QueueId, cost: &AloneCost, learnt: &Learnt) -> Self {
        let depth = cost.depth();
        debug_assert!(depth > 0, "{queue:?} is to be measured, and never has a request");
        Probe {
            queue,
            began: now,
            depth,
            limit: 1,
            ramp: cost.ramp(learnt),
            wanted: (2 * depth).clamp(ENOUGH, MOST),
            since: None,
            idle_since: None,
            paused: Span::ZERO,
            completed: 0,
            writes: 0,
            sectors: Sectors::NONE,
            last: now,
            ran_dry: false,
        }
    }

    /// The queue has a request again, if it had none. A pause that is no longer than `counted` is a
    /// part of what its requests take.
    pub fn came(&mut self, now: Time, counted: Span) {
        let idle = self.idle_since.take().filter(|_| self.since.is_some());
        let pause = idle.map_or(Span::ZERO, |since| now.since(since));
        if pause > counted {
            self.paused += pause;
        }
    }

    /// The last request that the queue had was completed.
    pub fn emptied(&mut self, now: Time) {
        self.idle_since = Some(now);
    }

    /// A request of the queue was completed, which is `what`; returns whether the probe is over.
    pub fn completed(&mut self, now: Time, what: &Content, has_enough: bool) -> bool {
        debug_assert!(self.completed < self.wanted, "the probe is over");
        debug_assert!(self.last <= now, "{self:?} at {now:?}");
        self.limit = u32::MAX;
        if self.ramp > 0 {
            self.ramp -= 1;
            if self.ramp == 0 {
                self.since = Some(now);
            }
        } else {
            self.completed += 1;
            self.writes += u32::from(what.operation == Operation::Write);
            self.sectors += what.sectors;
            self.last = now;
            self.ran_dry |= !has_enough;
        }
        self.completed >= self.wanted || self.is_late(now)
    }

    /// When it is given up.
    pub fn latest(&self) -> Time {
        self.began + LONGEST_PROBE
    }

    pub fn is_late(&self, now: Time) -> bool {
        now >= self.latest()
    }

    /// Ends the probe: the queue's cost follows what was seen.
    pub fn end(&self, now: Time, cost: &mut AloneCost, probes: &mut Probes) {
        // The ramp was that of the depth at its begin.
        let steady = !self.ran_dry && are_alike(cost.depth(), self.depth);
        let seen = self.since.filter(|_| self.completed >= FEWEST && steady);
        let found = seen.map(|since| {
            debug_assert!(since <= self.last, "{self:?} has seen nothing");
            let count = u64::from(self.completed);
            let sectors = Sectors::of(self.sectors.count() / count);
            let took = (self.last.since(since) - self.paused) / count;
            let writes = 2 * self.writes > self.completed;
            Measured { took, kind: Kind { sectors, depth: self.depth, writes } }
        });
        cost.measured(now, found, &mut probes.kinds);
        probes.budget.spend(now.since(self.began));
    }
}
