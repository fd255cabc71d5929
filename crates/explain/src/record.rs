// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the disk was doing when: scenes without gaps, and what happened between them.

use crate::cast::ProcessNumber;
use crate::queues::{Party, Serial};
use crate::rule::Rule;
use bfq::why::{InjectionRule, LoanEnd, RaiseKind, Reason};
use std::collections::VecDeque;

/// What holds from one moment to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Scene {
    /// Whose turn it is.
    pub slot: Option<Slot>,
    /// The oldest request in the device, and the oldest of another process than that one's.
    pub oldest: [Option<InDevice>; 2],
}

/// The turn of a queue: which queue, whose it is, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub queue: Serial,
    pub party: Party,
    pub since_ns: u64,
    pub doing: Doing,
    /// Whether requests of the queue are in the device.
    pub in_device: bool,
    /// Whether the queue is on loan, which is why it has its turn.
    pub on_loan: bool,
}

/// What happens in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doing {
    /// Requests of the queue are handed to the device, as far as that rule allows it.
    Served(Option<Rule>),
    /// All requests of the queue are in the device; those of others are held back.
    Held(Option<Rule>),
    /// The queue has no request anywhere; others are held back.
    Idling(Option<Rule>),
    /// The same, and requests of others are done meanwhile.
    Injected(Party),
    /// It is no queue's turn: the disk carries out what the queue wrote into its cache.
    WriteCache,
}

impl Doing {
    /// The same of a queue that is on loan: that is why others wait for its turn.
    pub fn on_loan(self) -> Self {
        let loan = Some(Rule::OnLoan);
        match self {
            Doing::Served(_) => Doing::Served(loan),
            Doing::Held(_) => Doing::Held(loan),
            Doing::Idling(_) => Doing::Idling(loan),
            other => other,
        }
    }
}

/// A request in the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InDevice {
    /// Counts what was handed out.
    pub order: u64,
    pub process: Option<ProcessNumber>,
}

/// Which limit an allocation met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PoolLimit {
    /// None but the size of the pool.
    Whole,
    /// A part of it is kept for others.
    Part,
    /// The queue, or a group above it, has its share already.
    Share,
}

/// Something that happened in a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchedulerEvent {
    SlotEnded { queue: Serial, party: Party, reason: Reason, by: Option<(Serial, Party)> },
    Limited { process: ProcessNumber, limit: PoolLimit },
    Injected { queue: Serial, into: Party, rule: InjectionRule },
    Raised { queue: Serial, kind: RaiseKind },
    RaiseEnded { queue: Serial },
    LoanBegan { queue: Serial },
    LoanEnded { queue: Serial, reason: LoanEnd },
    Merged { process: ProcessNumber, party: Party },
    Split { process: ProcessNumber },
}

/// What the record may hold before it is looked at what of it is still needed.
const LEAST_KEPT: usize = 4096;

/// The record, from some time on.
#[derive(Debug)]
pub(crate) struct Record {
    scenes: VecDeque<(u64, Scene)>,
    events: VecDeque<(u64, SchedulerEvent)>,
    /// The size at which it is trimmed.
    trim_at: usize,
}

impl Default for Record {
    fn default() -> Self {
        Self { scenes: VecDeque::new(), events: VecDeque::new(), trim_at: LEAST_KEPT }
    }
}

/// A scene and how long it lasted within what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shown {
    pub from_ns: u64,
    pub until_ns: u64,
    pub scene: Scene,
}

impl Record {
    /// From `now_ns` on, this holds.
    pub fn set(&mut self, now_ns: u64, scene: Scene) {
        match self.scenes.back_mut() {
            Some((_, last)) if *last == scene => {}
            Some((at_ns, last)) if *at_ns == now_ns => *last = scene,
            _ => self.scenes.push_back((now_ns, scene)),
        }
    }

    /// What holds at present.
    pub fn present(&self) -> Scene {
        self.scenes.back().map_or_else(Scene::default, |(_, scene)| *scene)
    }

    /// Adds what happens at `now_ns`.
    pub fn add(&mut self, now_ns: u64, event: SchedulerEvent) {
        self.events.push_back((now_ns, event));
    }

    /// The last event, to complete it.
    pub fn last_event_mut(&mut self) -> Option<&mut SchedulerEvent> {
        self.events.back_mut().map(|(_, event)| event)
    }

    /// Forgets what is before the time that is still needed, if there is much to forget.
    pub fn trim(&mut self, needed_from_ns: impl FnOnce() -> u64) {
        if self.len() > self.trim_at {
            self.forget(needed_from_ns());
            self.trim_at = LEAST_KEPT.max(2 * self.len());
        }
    }

    /// Forgets all before `before_ns`, but for the scene then.
    fn forget(&mut self, before_ns: u64) {
        let place = self.scenes.partition_point(|&(at_ns, _)| at_ns <= before_ns);
        self.scenes.drain(..place.saturating_sub(1));
        let place = self.events.partition_point(|&(at_ns, _)| at_ns < before_ns);
        self.events.drain(..place);
    }

    /// How much is kept.
    fn len(&self) -> usize {
        self.scenes.len() + self.events.len()
    }

    /// The scenes between two times, which they fill without gaps. Before the first decision the
    /// stage is empty.
    pub fn scenes(&self, from_ns: u64, until_ns: u64) -> impl Iterator<Item = Shown> {
        let first = self.scenes.partition_point(|&(at_ns, _)| at_ns <= from_ns);
        let before = first.checked_sub(1).map_or(Scene::default(), |place| self.scenes[place].1);
        let later = self.scenes.range(first..);
        let mut changes = later.take_while(move |&&(at_ns, _)| at_ns < until_ns).copied();
        let mut present = Some((from_ns, before)).filter(|_| from_ns < until_ns);
        std::iter::from_fn(move || {
            let (from_ns, scene) = present.take()?;
            present = changes.next();
            let until_ns = present.map_or(until_ns, |(at_ns, _)| at_ns);
            Some(Shown { from_ns, until_ns, scene })
        })
    }

    /// What happened between two times, both included.
    pub fn events(
        &self,
        from_ns: u64,
        until_ns: u64,
    ) -> impl Iterator<Item = (u64, SchedulerEvent)> {
        let first = self.events.partition_point(|&(at_ns, _)| at_ns < from_ns);
        let later = self.events.range(first..);
        later.take_while(move |&&(at_ns, _)| at_ns <= until_ns).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(order: u64) -> Scene {
        let oldest = Some(InDevice { order, process: None });
        Scene { slot: None, oldest: [oldest, None] }
    }

    fn shown(record: &Record, from_ns: u64, until_ns: u64) -> Vec<(u64, u64, Option<u64>)> {
        let order = |scene: Scene| scene.oldest[0].map(|request| request.order);
        let scenes = record.scenes(from_ns, until_ns);
        scenes.map(|shown| (shown.from_ns, shown.until_ns, order(shown.scene))).collect()
    }

    #[test]
    fn scenes_fill_the_time_asked_for() {
        let mut record = Record::default();
        for (at_ns, order) in [(10, 1), (20, 2), (20, 3), (30, 3), (40, 4)] {
            record.set(at_ns, scene(order));
        }
        assert_eq!(
            shown(&record, 0, 50),
            [(0, 10, None), (10, 20, Some(1)), (20, 40, Some(3)), (40, 50, Some(4))]
        );
        assert_eq!(shown(&record, 12, 15), [(12, 15, Some(1))]);
        assert_eq!(shown(&record, 20, 40), [(20, 40, Some(3))]);
        assert_eq!(shown(&record, 20, 20), []);
        record.forget(25);
        assert_eq!(record.len(), 2, "what held at 25, and what came after");
        assert_eq!(shown(&record, 25, 45), [(25, 40, Some(3)), (40, 45, Some(4))]);
    }

    #[test]
    fn events_of_both_ends_are_given() {
        let mut record = Record::default();
        let event = |queue| SchedulerEvent::RaiseEnded { queue: Serial(queue) };
        for at_ns in [10, 20, 30] {
            record.add(at_ns, event(at_ns as u32));
        }
        let between = |from_ns, until_ns| record.events(from_ns, until_ns).count();
        assert_eq!((between(10, 30), between(11, 29), between(31, 99)), (3, 1, 0));
        record.forget(20);
        assert_eq!(record.len(), 2);
    }
}
