// SPDX-License-Identifier: MIT OR Apache-2.0
//! A host with its device and processes, in virtual time: it calls the scheduler as spec 0.4 has it
//! and checks what comes back.

use crate::{
    dice::Dice,
    memory,
    model::{Model, State, id},
    options::{Event, Options},
    played::{Played, is_strict},
    workers::Worker,
};
use bfq::{
    Config, GroupId, NewRequest, Scheduler, Time,
    tunables::Tunable,
    why::{Decision, Observer, WithholdRule},
};
use std::{
    collections::VecDeque,
    sync::atomic::{AtomicBool, Ordering},
};

const NS_PER_MS: u64 = 1_000_000;
/// How long after a fruitless run the host looks again.
const POLL_NS: u64 = 3 * NS_PER_MS;
/// The fruitless runs after which it waits twice as long.
const POLLS: u32 = 16;
/// The most by which timers fire late.
const LATE_NS: u64 = 5 * NS_PER_MS;
/// The time within which a refused request comes back.
const REFUSED_NS: u64 = 2 * NS_PER_MS;
/// About how many things [`Scheduler::check`] may look at between two of them.
const CHECK_EFFORT: u64 = 400;

/// Whether every decision is printed.
pub static TRACE: AtomicBool = AtomicBool::new(false);

/// Counts queues: an observer that needs no memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub created: u64,
    pub freed: u64,
    /// Why nothing was handed out, since that was last forgotten.
    pub withheld: Option<(WithholdRule, Option<Time>)>,
    /// Loans that began.
    pub loans: u64,
}

impl Observer for Tally {
    fn decided(&mut self, now: Time, decision: &Decision) {
        if TRACE.load(Ordering::Relaxed) {
            eprintln!("{} {decision:?}", now.as_ns());
        }
        match decision {
            Decision::QueueCreated { .. } => self.created += 1,
            Decision::QueueFreed { .. } => self.freed += 1,
            Decision::Withheld { rule, until, .. } => self.withheld = Some((*rule, *until)),
            Decision::LoanBegan { .. } => self.loans += 1,
            _ => {}
        }
    }
}

/// A group of the host's.
#[derive(Debug)]
pub struct Group {
    pub id: GroupId,
    pub parent: usize,
    pub alive: bool,
}

/// A process that waits for a place in the pool below its limit.
#[derive(Debug)]
pub struct Sleeper {
    pub bio: usize,
    pub io: NewRequest,
    pub limit: usize,
}

pub struct Host<P: Played> {
    pub dice: Dice,
    pub options: Options,
    pub now: u64,
    pub scheduler: Scheduler<Tally, P>,
    pub model: Model,
    pub nr_requests: usize,
    pub workers: Vec<Worker>,
    pub groups: Vec<Group>,
    pub sleepers: VecDeque<Sleeper>,
    /// Requests in the device, with the time at which they complete.
    pub device: Vec<(u64, usize)>,
    pub device_free_ns: u64,
    /// Dispatched, but the device was full.
    pub held: Option<usize>,
    /// The device refused a request, so its next completion starts a run.
    pub refused: bool,
    pub run_due: bool,
    pub poll_ns: Option<u64>,
    /// Runs in a row that obtained nothing; a host that sees many of them polls less often.
    fruitless: u32,
    /// When the timer is due, and when this host's clock will notice.
    pub timer: Option<(u64, u64)>,
    /// The longest idling that any setting so far allowed.
    pub longest_idle_ns: u64,
    pub next_event_ns: u64,
    pub submitting: bool,
    steps: u64,
    /// What the statistics of all its schedulers came to.
    pub coverage: Coverage,
}

/// Sums of the statistics, by name, in the order of [`Scheduler::statistics`].
#[derive(Clone, Debug, Default)]
pub struct Coverage(pub Vec<(&'static str, u64)>);

impl Coverage {
    /// Adds figures, which come in that order.
    pub fn add(&mut self, figures: impl Iterator<Item = (&'static str, u64)>) {
        for (at, (name, value)) in figures.enumerate() {
            match self.0.get_mut(at) {
                Some((_, sum)) => *sum += value,
                None => self.0.push((name, value)),
            }
        }
    }
}

impl<P: Played> Host<P> {
    pub fn new(mut dice: Dice) -> Self {
        let options = Options::draw(&mut dice);
        let start = dice.pick(&[0, 1, 1_000_000_007]);
        let scheduler = attach(&options, start).expect("memory");
        let root = Group { id: scheduler.root_group(), parent: 0, alive: true };
        let mut model = Model::default();
        model.resize(options.nr_requests as usize);
        let mut host = Host {
            dice,
            now: start,
            scheduler,
            model,
            nr_requests: options.nr_requests as usize,
            workers: Vec::new(),
            groups: vec![root],
            sleepers: VecDeque::new(),
            device: Vec::new(),
            device_free_ns: start,
            held: None,
            refused: false,
            run_due: false,
            poll_ns: None,
            fruitless: 0,
            timer: None,
            longest_idle_ns: P::LONGEST_IDLE_NS,
            next_event_ns: start,
            submitting: true,
            steps: 0,
            coverage: Coverage::default(),
            options,
        };
        host.furnish();
        host
    }

    fn furnish(&mut self) {
        if self.options.calm {
            self.scheduler.set_tunable(Time::from_ns(self.now), Tunable::LowLatency, 0);
        }
        for _ in 0..self.options.groups {
            self.happen(Event::AddGroup);
        }
        for _ in 0..self.options.processes {
            self.happen(Event::AddProcess);
        }
    }

    /// Runs the scenario to its end: load, then everything drains, then everybody goes.
    pub fn play(&mut self) {
        while self.steps < self.options.steps && !self.dice.is_exhausted() {
            if !self.step() {
                break;
            }
        }
        self.drain();
        self.leave();
    }

    fn drain(&mut self) {
        self.submitting = false;
        let bound_ns = self.drain_bound_ns();
        let start = self.now;
        while !self.model.is_empty() || !self.sleepers.is_empty() {
            assert!(self.step(), "requests wait, and nothing will ever happen");
            assert!(self.now - start <= bound_ns, "not drained within {bound_ns} ns");
        }
        let open = self.model.bios.iter().filter(|bio| !bio.ended).count();
        assert_eq!(open, 0, "pieces of I/O never ended");
    }

    /// In the worst case the disk is kept idle once for each request and queue.
    fn drain_bound_ns(&self) -> u64 {
        let each_ns = self.longest_idle_ns
            + self.options.latency_ns.1
            + LATE_NS
            + REFUSED_NS
            + 2 * POLL_NS
            + 2 * self.tick_ns();
        let requests = self.model.slots.len() + self.sleepers.len() + self.workers.len() + 8;
        let refusals = 1000 / (1000 - self.options.requeues) + 20;
        each_ns.saturating_mul(2 * requests as u64).saturating_mul(refusals)
    }

    fn leave(&mut self) {
        while self.workers.iter().any(|worker| worker.id.is_some()) {
            self.happen(Event::ExitProcess);
        }
        for at in 1..self.groups.len() {
            if self.groups[at].alive {
                self.remove_group(at);
            }
        }
        self.check();
        self.cover();
    }

    pub fn tick_ns(&self) -> u64 {
        1_000_000_000 / u64::from(self.options.hz)
    }

    /// Adds the statistics of the present scheduler to the coverage.
    pub fn cover(&mut self) {
        self.coverage.add(self.scheduler.statistics().map(|(info, value)| (info.name, value)));
    }

    /// The earliest thing that is going to happen.
    fn next_ns(&self) -> Option<u64> {
        let device = self.device.iter().map(|&(at, _)| at).min();
        let timer = self.timer.map(|(_, fires)| fires);
        let refused = self.model.slots.iter().filter_map(|slot| match slot.state {
            State::Refused { until_ns } => Some(until_ns),
            _ => None,
        });
        let mut next = [device, timer, self.poll_ns, refused.min()].into_iter().flatten().min();
        if self.submitting {
            let workers = self.workers.iter().filter(|worker| worker.can_submit());
            let worker = workers.map(|worker| worker.next_ns).min().unwrap_or(u64::MAX);
            next = Some(next.unwrap_or(u64::MAX).min(worker).min(self.next_event_ns));
        }
        next
    }

    /// Lets the next thing happen; false if there is none.
    fn step(&mut self) -> bool {
        let Some(at) = self.next_ns() else { return false };
        self.now = self.now.max(at);
        self.steps += 1;
        self.completions();
        self.fire_timer();
        self.reinsert_refused();
        if self.submitting {
            for worker in 0..self.workers.len() {
                let due = self.workers[worker].next_ns <= self.now;
                if due && self.workers[worker].can_submit() {
                    self.work(worker);
                }
            }
            if self.next_event_ns <= self.now {
                self.disturb();
            }
        }
        let polled = self.poll_ns.is_some_and(|at| at <= self.now);
        let kicked = self.scheduler.take_kick();
        if self.run_due || kicked || polled || self.options.eager {
            self.run();
        }
        self.watch_timer();
        self.watch_waiting();
        let effort = (self.model.slots.len() + 8 * self.workers.len()) as u64;
        if self.steps.is_multiple_of(1 + effort * effort / CHECK_EFFORT / CHECK_EFFORT) {
            self.check();
        }
        true
    }

    pub fn check(&self) {
        self.scheduler.check();
        for (info, value) in self.scheduler.statistics() {
            match info.name {
                "queued" => assert_eq!(value, self.model.waiting() as u64, "queued"),
                "in_flight" => assert_eq!(value, self.model.in_flight() as u64, "in flight"),
                _ => {}
            }
        }
        let has_work = self.model.waiting() > 0 || !self.model.direct.is_empty();
        assert_eq!(self.scheduler.has_work(), has_work);
    }

    /// Follows the scheduler's timer; the host's own may fire late.
    fn watch_timer(&mut self) {
        let due = self.scheduler.next_timer().map(Time::as_ns);
        if self.timer.map(|(due, _)| due) == due {
            return;
        }
        self.timer = due.map(|due| {
            let late = self.dice.per_mille(self.options.late_timers);
            let late_ns = if late { self.dice.below(LATE_NS) } else { 0 };
            (due, due.max(self.now) + late_ns)
        });
    }

    fn fire_timer(&mut self) {
        if let Some((due, fires)) = self.timer
            && fires <= self.now
        {
            assert!(due <= self.now);
            let now = Time::from_ns(self.now);
            memory::without_allocating(|| self.scheduler.on_timer(now));
            self.timer = None;
        }
    }

    /// In a calm scenario no process waits longer than all others need to use up their slots.
    fn watch_waiting(&self) {
        const MOST_WEIGHT_RATIO: u64 = 8;
        if !self.options.calm {
            return;
        }
        let depth = self.options.device_depth as u64 + 1;
        let slot_ns = P::SLOT_NS + P::LONGEST_IDLE_NS + LATE_NS + depth * self.options.latency_ns.1;
        let processes = self.workers.len() as u64;
        let bound_ns = 2
            * MOST_WEIGHT_RATIO
            * processes
            * (1 + processes * self.options.outstanding)
            * slot_ns;
        for slot in self.model.in_state(State::Waiting) {
            if let Some(worker) = self.model.slots[slot].worker {
                let waited_ns = self.now - self.workers[worker].served_ns;
                assert!(waited_ns <= bound_ns, "worker {worker} has waited {waited_ns} ns");
            }
        }
    }

    /// Hands requests to the device until there are none or it is full.
    pub fn run(&mut self) {
        self.run_due = false;
        self.poll_ns = None;
        let mut obtained = false;
        loop {
            let full = self.device.len() >= self.options.device_depth;
            if full && self.held.is_some() {
                self.refused = true;
                return;
            }
            let slot = match self.held.take() {
                Some(slot) => slot,
                None => match self.dispatch() {
                    Some(slot) => slot,
                    None => break,
                },
            };
            obtained = true;
            if full {
                self.held = Some(slot);
            } else {
                self.serve(slot);
            }
        }
        self.fruitless = if obtained { 0 } else { self.fruitless + 1 };
        if !obtained && self.scheduler.has_work() {
            let tick_ns = self.tick_ns().min(4 * NS_PER_MS);
            let wait_ns = POLL_NS << (self.fruitless / POLLS).min(40);
            self.poll_ns = Some((self.now + wait_ns).next_multiple_of(tick_ns));
        }
    }

    /// Asks for one request, and checks the answer.
    pub fn dispatch(&mut self) -> Option<usize> {
        let now = Time::from_ns(self.now);
        let in_flight = self.model.in_flight();
        self.scheduler.observer_mut().withheld = None;
        let got = memory::without_allocating(|| self.scheduler.dispatch(now));
        let Some(got) = got else {
            assert!(self.model.direct.is_empty(), "a direct request was kept back");
            if self.model.waiting() > 0 {
                P::check_idleness(self, in_flight);
            }
            return None;
        };
        let slot = got.index();
        let direct = self.model.slots[slot].state == State::Direct;
        let strict = is_strict(&self.scheduler);
        assert!(direct || !strict || in_flight == 0, "strict_guarantees: one at a time");
        self.model.dispatched(slot);
        for &bio in &self.model.slots[slot].bios {
            if let Some(worker) = self.model.bios[bio].worker {
                self.workers[worker].served_ns = self.now;
            }
        }
        Some(slot)
    }

    /// Calls the scheduler, perhaps while memory runs out; also returns whether it did.
    pub fn call<T>(&mut self, call: impl FnOnce(&mut Scheduler<Tally, P>, Time) -> T) -> (T, bool) {
        let now = Time::from_ns(self.now);
        let short = self.dice.per_mille(self.options.out_of_memory);
        let left = short.then(|| self.dice.below(4));
        let (result, refused) = memory::with_memory_for(left, || call(&mut self.scheduler, now));
        if refused > 0 {
            self.scheduler.check();
        }
        (result, refused > 0)
    }
}

/// A scheduler for the device of a scenario.
pub fn attach<P: Played>(
    options: &Options,
    now: u64,
) -> Result<Scheduler<Tally, P>, bfq::OutOfMemory> {
    let config = Config {
        rotational: options.rotational,
        nr_requests: options.nr_requests,
        hz: options.hz,
        actuator_ends: &options.actuator_ends,
        behaviour: options.behaviour,
    };
    Scheduler::attach(Time::from_ns(now), config, Tally::default())
}

impl<P: Played> Host<P> {
    pub fn slot_of(&self, slot: usize) -> (bfq::RequestId, Time) {
        (id(slot), Time::from_ns(self.now))
    }
}
