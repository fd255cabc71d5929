//! Budget Fair Queueing: queues get the device one at a time, each for a budget of sectors, in the
//! order of B-WF2Q+ (spec 1, 3, 4, 5).
//!
//! `service` selects, charges, expires and idles; `latency` raises weights; `merge` joins and
//! splits queues. [`Budget`] is what they know of the device, [`BudgetQueue`], [`BudgetGroup`] and
//! [`BudgetProcess`] what they keep of each of these.

mod check;
mod hooks;
mod inspect;
pub(crate) mod latency;
pub(crate) mod merge;
mod queue;
pub(crate) mod service;
pub(crate) mod statistics;

pub use inspect::QueueState;
pub(crate) use queue::BURST;
pub use queue::{BudgetGroup, BudgetProcess, BudgetQueue};

use crate::{
    fair::{self, EntityId, Hierarchy, WeightCounters},
    model::{clock::Clock, device::Device, queue::QueueId},
    quirks::{Behaviour, Quirk, Quirks},
    store::arena::OutOfMemory,
    tunables::TIMEOUTS_PER_S,
    units::{Class, NS_PER_MS, Ticks, Time},
    why::{Decision, Observer},
};
use latency::{Burst, INTERACTIVE_MS};
use service::{
    budget::Budgets, command_queueing::CommandQueueing, injection::Sampling, peak_rate::PeakRate,
};
use statistics::Counters;

/// The scheduler by this policy.
pub(crate) type Scheduler<O = crate::why::Silent> = crate::scheduler::Scheduler<O, Budget>;

/// What Budget Fair Queueing knows of its device.
#[derive(Debug)]
pub struct Budget {
    pub(crate) quirks: Quirks,
    pub(crate) behaviour: Behaviour,
    pub(crate) durations: Durations,
    pub(crate) fair: Hierarchy,
    pub(crate) slot: Slot,
    pub(crate) competition: Competition,
    pub(crate) disk: Disk,
    pub(crate) sampling: Sampling,
    pub(crate) burst: Burst,
    pub(crate) last_completed: Option<QueueId>,
    pub(crate) counters: Counters,
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

impl Durations {
    fn new(ticks: Ticks) -> Self {
        Durations {
            default_timeout_ns: ticks.second_over(TIMEOUTS_PER_S),
            merge_window_ns: ticks.second_over(merge::WINDOWS_PER_S),
            burst_window_ns: ticks.of_ms(latency::BURST_WINDOW_MS),
            stable_ns: ticks.of_ms(merge::STABLE_MS),
            interactive_ns: (ticks.of_ms(INTERACTIVE_MS.0), ticks.of_ms(INTERACTIVE_MS.1)),
        }
    }
}

/// The present slot (spec 3.3–3.7).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The queue that has the device.
    pub in_service: Option<QueueId>,
    pub start: Time,
    /// End of the last request of the queue in service in this slot; 0 = none.
    pub last_position: u64,
    pub idle_timer: Option<Time>,
    pub idling_since: Time,
}

/// Who competes for the device (spec 1.16).
#[derive(Debug)]
pub(crate) struct Competition {
    pub busy: Busy,
    pub weights: WeightCounters,
    pub pending_groups: u32,
}

/// What was learnt of the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk {
    /// End of the last dispatched request.
    pub last_position: u64,
    pub last_completion: Time,
    pub budgets: Budgets,
    pub peak_rate: PeakRate,
    pub command_queueing: CommandQueueing,
    pub is_flash_with_queueing: bool,
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

/// Reference rates (sectors/µs, 16 fractional bits): flash, rotational.
const REFERENCE_RATES: [u32; 2] = [33000, 14000];
/// Time in which a large application starts at the reference rate, ms: flash, rotational.
const REFERENCE_DURATIONS_MS: [u64; 2] = [2500, 7000];
/// The idle class is looked at once in such a part of a second (spec 1.10).
const IDLE_CLASS_PERIODS_PER_S: u64 = 5;

impl Budget {
    /// Of a device to which nothing has come yet.
    fn new(clock: &Clock, device: &Device, behaviour: Behaviour) -> Result<Self, OutOfMemory> {
        let quirks = Quirks::of(behaviour);
        let idle_class_period_ns = clock.ticks.second_over(IDLE_CLASS_PERIODS_PER_S);
        let limits = fair::Limits { idle_class_period_ns };
        let reference_rate = REFERENCE_RATES[usize::from(device.rotational)];
        Ok(Budget {
            quirks,
            behaviour,
            durations: Durations::new(clock.ticks),
            fair: Hierarchy::new(rules(quirks), limits, clock.tick)?,
            slot: Slot {
                in_service: None,
                start: clock.now,
                last_position: 0,
                idle_timer: None,
                idling_since: clock.now,
            },
            competition: Competition {
                busy: Busy::default(),
                weights: WeightCounters::new()?,
                pending_groups: 0,
            },
            disk: Disk {
                last_position: 0,
                last_completion: Time::ZERO,
                budgets: Budgets::new(),
                peak_rate: PeakRate::new(reference_rate, quirks.has(Quirk::RateWindowWraps)),
                command_queueing: CommandQueueing::new(),
                is_flash_with_queueing: !device.rotational,
            },
            sampling: Sampling::default(),
            burst: Burst::new(),
            last_completed: None,
            counters: Counters::new(),
        })
    }
}

/// What of the quirks concerns the hierarchy.
fn rules(quirks: Quirks) -> fair::Rules {
    fair::Rules {
        choice: match quirks.has(Quirk::WalkStopsEarly) {
            true => fair::Choice::ReferenceWalk,
            false => fair::Choice::Exact,
        },
        recounts_group_service: quirks.has(Quirk::GroupServiceCountsTwice),
        jump_ignores_wrap: quirks.has(Quirk::JumpIgnoresWrap),
        forgets_last_idle_among_equals: quirks.has(Quirk::LastIdleIsLostAmongEquals),
    }
}

impl Scheduler {
    /// Attaches a scheduler to a device, with the defaults of all tunables.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(now: Time, config: crate::Config<'_>) -> Result<Self, OutOfMemory> {
        Scheduler::with_observer(now, config, crate::why::Silent)
    }
}

impl<O: Observer> Scheduler<O> {
    /// Attaches a scheduler to a device; `observer` is told every decision.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn with_observer(
        now: Time,
        config: crate::Config<'_>,
        observer: O,
    ) -> Result<Self, OutOfMemory> {
        Scheduler::attach(now, config, observer)
    }

    /// Whose behaviour it has.
    pub fn behaviour(&self) -> Behaviour {
        self.policy.behaviour
    }

    /// The recorded host's clock goes on while it is in the scheduler, so that the first request of
    /// a queue comes later than the queue (spec 2.9, *First sample*). Without it, and where only
    /// one time is read for both, the behaviours of the kernels have the reference's quirk (spec
    /// 10.2, row 20).
    pub fn let_clock_run(&mut self) {
        self.policy.quirks = self.policy.quirks.without(Quirk::FirstThinkTimeWraps);
    }

    /// Reports the finish times of a queue that the last operation on `fair` computed.
    #[inline(always)]
    pub(crate) fn tell_finishes(&mut self) {
        if O::ENABLED {
            for finish in self.policy.fair.take_finishes().into_iter().flatten() {
                let queue = self.queue_of(finish.entity);
                let fair::Finish { start, finish, amount, weight, .. } = finish;
                let decision = Decision::Finish { queue, start, finish, amount, weight };
                self.observer.decided(self.clock.now, &decision);
            }
        }
    }

    /// The queue that a leaf of the hierarchy stands for.
    pub(crate) fn queue_of(&self, leaf: EntityId) -> QueueId {
        QueueId::from_index(self.policy.fair.entity(leaf).owner() as usize)
    }

    /// The leaf of a queue.
    pub(crate) fn leaf(&self, queue: QueueId) -> &fair::Entity {
        self.policy.fair.entity(self.model.queues[queue].policy.entity)
    }

    /// The class of a queue, as it is counted among the busy ones.
    pub(crate) fn class(&self, queue: QueueId) -> Class {
        self.leaf(queue).class()
    }

    /// The raise coefficient ρ of a queue.
    pub(crate) fn coefficient(&self, queue: QueueId) -> u32 {
        self.model.queues[queue].policy.coefficient
    }

    /// Whether a queue's weight is raised.
    pub(crate) fn is_raised(&self, queue: QueueId) -> bool {
        self.model.queues[queue].policy.is_raised()
    }

    /// Duration of an interactive raise: what starting a large application takes on a device as
    /// fast as this one (spec 4.1).
    pub(crate) fn interactive_period_ns(&self) -> u64 {
        let kind = usize::from(self.device.rotational);
        let product = u64::from(REFERENCE_RATES[kind]) * REFERENCE_DURATIONS_MS[kind];
        let ms = product / u64::from(self.policy.disk.peak_rate.rate().max(1));
        let (least_ns, most_ns) = self.policy.durations.interactive_ns;
        self.clock.ticks.of_ms(ms.min(most_ns / NS_PER_MS)).clamp(least_ns, most_ns)
    }
}
