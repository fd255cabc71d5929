//! The scheduler of one device: its state, and how it is attached (spec 12.2).

use crate::{
    arena::{Arena, OutOfMemory},
    fair::{self, EntityId, Hierarchy, WeightCounters},
    group::{Group, GroupId, Groups},
    latency::{Burst, INTERACTIVE_MS},
    list::List,
    queue::{
        Queue, QueueId, Queues,
        process::Processes,
        request::{self, FIFO, RequestId, Requests},
    },
    service::{
        budget::Budgets, command_queueing::CommandQueueing, injection::Sampling,
        peak_rate::PeakRate,
    },
    statistics::Counters,
    tunables::{TIMEOUTS_PER_S, Tunables},
    units::{Class, Ioprio, NS_PER_MS, Ticks, Time},
    why::{Decision, Observer, Silent},
};

/// Most independent actuators that a device can have.
pub const MAX_ACTUATORS: usize = 8;

/// Which behaviour is wanted where ours differs from the kernel's (spec 10.2, 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Behaviour {
    /// The quirks marked as better fixed are fixed.
    #[default]
    Improved,
    /// Linux 6.1, quirks and all: for comparison with its recordings.
    Linux6_1,
    /// Linux 6.12, likewise.
    Linux6_12,
}

impl Behaviour {
    /// Whether the reference's quirks are wanted.
    pub const fn is_reference(self) -> bool {
        !matches!(self, Behaviour::Improved)
    }
}

/// The device, and how its host works.
#[derive(Clone, Copy, Debug)]
pub struct Config<'a> {
    /// The device has moving parts.
    pub rotational: bool,
    /// Size of the request pool: request numbers are below it.
    pub nr_requests: u32,
    /// Ticks a second of the coarse clock; 1000 unless a kernel of another HZ is to be matched.
    pub hz: u32,
    /// Where each actuator's range of sectors ends (exclusive, ascending). Empty, a single entry,
    /// or more than [`MAX_ACTUATORS`]: the device is taken to have one actuator.
    pub actuator_ends: &'a [u64],
    /// See [`Behaviour`].
    pub behaviour: Behaviour,
}

impl Config<'_> {
    /// A device with one actuator under a host with a 1000 Hz tick.
    pub const fn new(rotational: bool, nr_requests: u32) -> Self {
        let behaviour = Behaviour::Improved;
        Config { rotational, nr_requests, hz: 1000, actuator_ends: &[], behaviour }
    }
}

/// Durations that depend on the tick, computed once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Durations {
    /// The default budget timeout, which charging by time refers to (spec 3.9).
    pub default_timeout_ns: u64,
    pub merge_window_ns: u64,
    pub burst_window_ns: u64,
    pub stable_ns: u64,
    pub interactive_ns: (u64, u64),
}

/// Busy queues, counted by class.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Busy {
    by_class: [u32; 3],
    total: u32,
    /// Classes that have any.
    classes: u32,
    /// How many of them are raised. Negative only where the reference miscounts (spec 10.2, row 6).
    pub raised: i32,
    /// The reference has miscounted them: nothing mends its count.
    pub raised_miscounted: bool,
}

impl Busy {
    pub fn total(&self) -> u32 {
        self.total
    }

    pub fn of(&self, class: Class) -> u32 {
        self.by_class[class.index()]
    }

    pub fn classes(&self) -> u32 {
        self.classes
    }

    pub fn add(&mut self, class: Class) {
        let count = &mut self.by_class[class.index()];
        self.classes += u32::from(*count == 0);
        *count += 1;
        self.total += 1;
    }

    pub fn remove(&mut self, class: Class) {
        let count = &mut self.by_class[class.index()];
        *count -= 1;
        self.classes -= u32::from(*count == 0);
        self.total -= 1;
    }
}

/// Budget Fair Queueing for one device.
///
/// See the [crate documentation](crate) for the order in which a host calls its methods.
#[derive(Debug)]
pub struct Scheduler<O: Observer = Silent> {
    pub(crate) observer: O,
    pub(crate) behaviour: Behaviour,
    /// See [`Scheduler::let_clock_run`].
    pub(crate) clock_runs: bool,
    pub(crate) rotational: bool,
    pub(crate) actuator_ends: [u64; MAX_ACTUATORS],
    pub(crate) actuators: usize,
    pub(crate) ticks: Ticks,
    pub(crate) durations: Durations,
    pub(crate) tunables: Tunables,
    /// The time of the call being served, and the same on the coarse clock.
    pub(crate) now: Time,
    pub(crate) tick: Time,

    pub(crate) fair: Hierarchy,
    pub(crate) groups: Groups,
    pub(crate) processes: Processes,
    pub(crate) queues: Queues,
    pub(crate) requests: Requests,
    pub(crate) nr_requests: u32,
    pub(crate) root: GroupId,
    /// Serves those for whom no queue could be created.
    pub(crate) fallback: QueueId,
    pub(crate) next_serial: u64,
    /// Served before anything else.
    pub(crate) direct: List<RequestId, FIFO>,

    pub(crate) in_service: Option<QueueId>,
    pub(crate) slot_start: Time,
    /// End of the last request of the queue in service in this slot; 0 = none.
    pub(crate) in_service_last_position: u64,
    /// End of the last dispatched request.
    pub(crate) last_position: u64,
    pub(crate) idle_timer: Option<Time>,
    pub(crate) idling_since: Time,
    pub(crate) last_completion: Time,
    pub(crate) last_completed: Option<QueueId>,
    pub(crate) sampling: Sampling,
    pub(crate) kick: bool,

    pub(crate) busy: Busy,
    pub(crate) queued: u32,
    pub(crate) in_flight: u32,
    pub(crate) in_flight_by_actuator: [u32; MAX_ACTUATORS],
    pub(crate) weight_counters: WeightCounters,
    pub(crate) pending_groups: u32,

    pub(crate) budgets: Budgets,
    pub(crate) peak_rate: PeakRate,
    pub(crate) command_queueing: CommandQueueing,
    pub(crate) flash_with_queueing: bool,
    pub(crate) burst: Burst,
    pub(crate) counters: Counters,
    /// The costly statistics of groups are kept, too.
    pub(crate) detailed_statistics: bool,
}

/// Reference rates (sectors/µs, 16 fractional bits): flash, rotational.
const REFERENCE_RATES: [u32; 2] = [33000, 14000];
/// Time in which a large application starts at the reference rate, ms: flash, rotational.
const REFERENCE_DURATIONS_MS: [u64; 2] = [2500, 7000];
/// The idle class is looked at once in such a part of a second (spec 1.10).
const IDLE_CLASS_PERIODS_PER_S: u64 = 5;

impl Scheduler<Silent> {
    /// Attaches a scheduler to a device, with the defaults of all tunables.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(now: Time, config: Config<'_>) -> Result<Self, OutOfMemory> {
        Scheduler::with_observer(now, config, Silent)
    }
}

impl<O: Observer> Scheduler<O> {
    /// Attaches a scheduler to a device; `observer` is told every decision.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn with_observer(now: Time, config: Config<'_>, observer: O) -> Result<Self, OutOfMemory> {
        let ticks = Ticks::of_hz(config.hz);
        let reference = config.behaviour.is_reference();
        let rules = if reference { fair::Rules::REFERENCE } else { fair::Rules::EXACT };
        let limits =
            fair::Limits { idle_class_period_ns: ticks.second_over(IDLE_CLASS_PERIODS_PER_S) };
        let tick = ticks.coarse(now);
        let mut fair = Hierarchy::new(rules, limits, tick)?;
        fair.report_finishes(O::ENABLED);
        let (actuators, actuator_ends) = actuator_ranges(config.actuator_ends);
        let mut groups = Arena::new();
        let root = groups.insert(Group::new(None, fair.root(), None, actuators)?)?;
        let mut queues = Arena::new();
        let fallback = add_fallback(&mut fair, &mut queues, root, now, tick)?;
        groups[root].references = 2;
        let mut requests = Requests::new();
        request::grow(&mut requests, config.nr_requests)?;
        let durations = Durations {
            default_timeout_ns: ticks.second_over(TIMEOUTS_PER_S),
            merge_window_ns: ticks.second_over(crate::merge::WINDOWS_PER_S),
            burst_window_ns: ticks.of_ms(crate::latency::BURST_WINDOW_MS),
            stable_ns: ticks.of_ms(crate::merge::STABLE_MS),
            interactive_ns: (ticks.of_ms(INTERACTIVE_MS.0), ticks.of_ms(INTERACTIVE_MS.1)),
        };
        let reference_rate = REFERENCE_RATES[usize::from(config.rotational)];
        Ok(Scheduler {
            observer,
            behaviour: config.behaviour,
            clock_runs: false,
            rotational: config.rotational,
            actuator_ends,
            actuators,
            ticks,
            durations,
            tunables: Tunables::new(ticks),
            now,
            tick,
            fair,
            groups,
            processes: Processes::new(actuators),
            queues,
            requests,
            nr_requests: config.nr_requests,
            root,
            fallback,
            next_serial: 1,
            direct: List::new(),
            in_service: None,
            slot_start: now,
            in_service_last_position: 0,
            last_position: 0,
            idle_timer: None,
            idling_since: now,
            last_completion: Time::ZERO,
            last_completed: None,
            sampling: Sampling::default(),
            kick: false,
            busy: Busy::default(),
            queued: 0,
            in_flight: 0,
            in_flight_by_actuator: [0; MAX_ACTUATORS],
            weight_counters: WeightCounters::new()?,
            pending_groups: 0,
            budgets: Budgets::new(),
            peak_rate: PeakRate::new(reference_rate, reference),
            command_queueing: CommandQueueing::new(),
            flash_with_queueing: !config.rotational,
            burst: Burst::new(),
            counters: Counters::new(),
            detailed_statistics: false,
        })
    }

    /// Whose behaviour it has.
    pub fn behaviour(&self) -> Behaviour {
        self.behaviour
    }

    /// The recorded host's clock goes on while it is in the scheduler, so that the first request of
    /// a queue comes later than the queue (spec 2.9, *First sample*). Without it, and where only
    /// one time is read for both, the behaviours of the kernels have the reference's quirk (spec
    /// 10.2, row 20).
    pub fn let_clock_run(&mut self) {
        self.clock_runs = true;
    }

    /// The latest time that it was told.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The observer.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// The observer, to change it.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// The same scheduler with another observer, which is told what is decided from now on. Only
    /// the type changes: what is scheduled, and how, stays as it is.
    pub fn replace_observer<P: Observer>(self, observer: P) -> Scheduler<P> {
        /// All fields but the observer; the compiler sees to it that none is forgotten.
        macro_rules! moved {
            ($($field:ident)*) => {{
                let Scheduler { observer: _, $($field),* } = self;
                Scheduler { observer, $($field),* }
            }};
        }
        let mut scheduler = moved! {
            behaviour clock_runs rotational actuator_ends actuators ticks durations tunables now tick fair groups processes queues requests nr_requests root fallback next_serial direct in_service slot_start in_service_last_position last_position idle_timer idling_since last_completion last_completed sampling kick busy queued in_flight in_flight_by_actuator weight_counters pending_groups budgets peak_rate command_queueing flash_with_queueing burst counters detailed_statistics
        };
        scheduler.fair.report_finishes(P::ENABLED);
        scheduler
    }

    /// Notes the time of a call. Time never runs backwards for the scheduler.
    #[inline]
    pub(crate) fn at(&mut self, now: Time) {
        if now > self.now {
            self.now = now;
            if now.since_ns(self.tick) >= self.ticks.tick_ns() {
                self.tick = self.ticks.coarse(now);
            }
        }
    }

    /// Reports a decision, which is built only for an observer that wants it.
    #[inline(always)]
    pub(crate) fn tell(&mut self, decision: impl FnOnce(&Self) -> Decision) {
        if O::ENABLED {
            let decision = decision(self);
            self.observer.decided(self.now, &decision);
        }
    }

    /// Reports the finish times of a queue that the last operation on `fair` computed.
    #[inline(always)]
    pub(crate) fn tell_finishes(&mut self) {
        if O::ENABLED {
            for finish in self.fair.take_finishes().into_iter().flatten() {
                let queue = self.queue_of(finish.entity);
                let fair::Finish { start, finish, amount, weight, .. } = finish;
                let decision = Decision::Finish { queue, start, finish, amount, weight };
                self.observer.decided(self.now, &decision);
            }
        }
    }

    /// The queue that a leaf of the hierarchy stands for.
    pub(crate) fn queue_of(&self, leaf: EntityId) -> QueueId {
        QueueId::from_index(self.fair.entity(leaf).owner() as usize)
    }

    /// The leaf of a queue.
    pub(crate) fn leaf(&self, queue: QueueId) -> &fair::Entity {
        self.fair.entity(self.queues[queue].entity)
    }

    /// The raise coefficient ρ of a queue.
    pub(crate) fn coefficient(&self, queue: QueueId) -> u32 {
        self.queues[queue].coefficient
    }

    /// Whether a queue's weight is raised.
    pub(crate) fn is_raised(&self, queue: QueueId) -> bool {
        self.queues[queue].is_raised()
    }

    /// Duration of an interactive raise: what starting a large application takes on a device as
    /// fast as this one (spec 4.1).
    pub(crate) fn interactive_period_ns(&self) -> u64 {
        let kind = usize::from(self.rotational);
        let product = u64::from(REFERENCE_RATES[kind]) * REFERENCE_DURATIONS_MS[kind];
        let ms = product / u64::from(self.peak_rate.rate().max(1));
        let (least_ns, most_ns) = self.durations.interactive_ns;
        self.ticks.of_ms(ms.min(most_ns / NS_PER_MS)).clamp(least_ns, most_ns)
    }
}

/// The shared queue for those that get none of their own.
fn add_fallback(
    fair: &mut Hierarchy,
    queues: &mut Queues,
    root: GroupId,
    now: Time,
    tick: Time,
) -> Result<QueueId, OutOfMemory> {
    let ioprio = Ioprio::DEFAULT;
    let entity = fair.add_leaf(fair.root(), ioprio.class(), ioprio.weight(), 0, 0)?;
    let budget = Budgets::new().initial();
    let mut queue = Queue::new(entity, root, false, 0, budget, now, tick);
    queue.process_references = 1;
    let id = queues.insert(queue)?;
    fair.set_owner(entity, id.index() as u32);
    Ok(id)
}

fn actuator_ranges(ends: &[u64]) -> (usize, [u64; MAX_ACTUATORS]) {
    let mut all = [u64::MAX; MAX_ACTUATORS];
    if !(2..=MAX_ACTUATORS).contains(&ends.len()) {
        return (1, all);
    }
    for (slot, &end) in all.iter_mut().zip(ends) {
        *slot = end;
    }
    (ends.len(), all)
}
