// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Budget Fair Queueing knows of its device.

use super::{
    counters::Counters,
    latency::{periods::Periods, raise::SOFT_RT_MARGIN_TICKS},
    lists::BURST,
    merge::{self, saved::Saved},
    service::{
        budgets::Budgets,
        command_queueing::CommandQueueing,
        inject_limit::{self, Sampling},
        peak_rate::PeakRate,
        rate::Rate,
    },
};
use crate::{
    fair::{Choice, Hierarchy, Limits, One, Rules, WeightCounters},
    model::{
        clock::Clock,
        device::Device,
        ids::{GroupId, QueueId},
    },
    quirks::{Behaviour, Quirk, Quirks},
    store::{arena::OutOfMemory, list::List},
    tunables::{TIMEOUTS_PER_S, Tunables},
    units::{Class, LastEnd, Span, Ticks, Time},
    why::Silent,
};

/// The scheduler by this policy.
pub(crate) type Scheduler<O = Silent> = crate::scheduler::Scheduler<O, Budget>;

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
    /// What processes remember of their queues that were merged into others.
    pub(crate) saved: Saved,
    pub(crate) counters: Counters,
}

/// What depends on the tick and the tunables, computed when these change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Durations {
    /// The default budget timeout as users see it, which charging by time refers to (spec 3.9).
    pub default_timeout: Span,
    pub merge_window: Span,
    pub stable: Span,
    pub after_split: Span,
    pub latency: Periods,
    pub inject: inject_limit::Delays,
    pub ticks_per_s: u64,
    /// An arrival so soon after the last completion goes on where its queue stopped.
    pub in_time: Span,
    /// The shortest pause that a player makes.
    pub player_pause: Span,
}

/// An arrival is in time within this multiple of slice_idle since the last completion.
const IN_TIME_FACTOR: u64 = 3;

impl Durations {
    /// The spans derived from `slice_idle`: rounded to ticks unless a quirk says otherwise.
    pub fn new(ticks: Ticks, slice_idle: Span, quirks: Quirks) -> Self {
        let pause = if quirks.has(Quirk::PausesAreTheSchedulers) {
            ticks.rounded_down(slice_idle)
        } else {
            ticks.rounded_up(slice_idle)
        };
        Durations {
            default_timeout: ticks.shown(ticks.second_over(TIMEOUTS_PER_S)),
            merge_window: ticks.second_over(merge::WINDOWS_PER_S),
            stable: ticks.rounded_up(merge::STABLE),
            after_split: ticks.rounded_up(merge::AFTER_SPLIT),
            latency: Periods::new(ticks),
            inject: inject_limit::Delays::new(ticks),
            ticks_per_s: ticks.per_second(),
            in_time: slice_idle * IN_TIME_FACTOR,
            player_pause: pause + ticks.tick() * SOFT_RT_MARGIN_TICKS,
        }
    }
}

/// The present slot (spec 3.3–3.7).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The queue that has the device.
    pub in_service: Option<QueueId>,
    pub start: Time,
    /// End of the last request of the queue in service in this slot.
    pub last_position: LastEnd,
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

/// The last completion of a device that has completed nothing: the clock's origin (spec 12.2).
/// Decisions hang on it: the first completion comes after a gap as long as the clock has run, at
/// which the peak-rate estimator may begin anew.
const BEFORE_COMPLETIONS: Time = Time::ZERO;

/// What was learnt of the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk {
    /// End of the last dispatched request.
    pub last_position: LastEnd,
    /// [`BEFORE_COMPLETIONS`] if there was none yet.
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
    raised: RaisedBusy,
}

/// How many busy queues are raised.
#[derive(Clone, Copy, Debug)]
enum RaisedBusy {
    Counted(i32),
    /// The reference has miscounted them (spec 10.2, row 6), perhaps below 0: nothing mends that.
    Miscounted(i32),
}

impl Default for RaisedBusy {
    fn default() -> Self {
        RaisedBusy::Counted(0)
    }
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

    /// How many of them are raised, as far as it was counted.
    #[inline]
    pub fn raised(&self) -> i32 {
        let (RaisedBusy::Counted(count) | RaisedBusy::Miscounted(count)) = self.raised;
        count
    }

    /// How many of them are raised, if nothing was miscounted.
    pub fn counted_raised(&self) -> Option<i32> {
        match self.raised {
            RaisedBusy::Counted(count) => Some(count),
            RaisedBusy::Miscounted(_) => None,
        }
    }

    /// `by` more of them are raised, or fewer.
    pub fn change_raised(&mut self, by: i32) {
        let (RaisedBusy::Counted(count) | RaisedBusy::Miscounted(count)) = &mut self.raised;
        *count += by;
        debug_assert!(self.counted_raised().is_none_or(|count| count >= 0), "fewer than none");
    }

    /// From now on the count is not what it should be.
    pub fn miscount_raised(&mut self) {
        self.raised = RaisedBusy::Miscounted(self.raised());
    }

    pub fn add(&mut self, class: Class) {
        let count = &mut self.by_class[class.index()];
        self.classes += u32::from(*count == 0);
        *count += 1;
        self.total += 1;
    }

    pub fn remove(&mut self, class: Class) {
        let count = &mut self.by_class[class.index()];
        debug_assert!(*count > 0, "no queue of {class:?} is busy");
        *count -= 1;
        self.classes -= u32::from(*count == 0);
        self.total -= 1;
    }
}

/// Reference rates: flash, rotational.
pub(super) const REFERENCE_RATES: [Rate; 2] = [Rate::new(33000), Rate::new(14000)];
/// Time in which a large application starts at the reference rate: flash, rotational.
pub(super) const REFERENCE_DURATIONS: [Span; 2] = [Span::from_ms(2500), Span::from_ms(7000)];
/// The idle class is looked at once in such a part of a second (spec 1.10).
const IDLE_CLASS_PERIODS_PER_S: u64 = 5;

impl Budget {
    /// Of a device to which nothing has come yet.
    pub(super) fn of_device(
        clock: &Clock,
        device: &Device,
        behaviour: Behaviour,
    ) -> Result<Self, OutOfMemory> {
        let quirks = Quirks::of(behaviour);
        let idle_class_period = clock.ticks.second_over(IDLE_CLASS_PERIODS_PER_S);
        let limits = Limits { idle_class_period };
        let slice_idle = Tunables::new(clock.ticks).slice_idle;
        let reference_rate = REFERENCE_RATES[usize::from(device.rotational)];
        Ok(Budget {
            quirks,
            behaviour,
            durations: Durations::new(clock.ticks, slice_idle, quirks),
            fair: Hierarchy::new(rules(quirks), limits, clock.tick)?,
            slot: Slot {
                in_service: None,
                start: clock.now,
                last_position: LastEnd::NONE,
                idle_timer: None,
                idling_since: clock.now,
            },
            competition: Competition {
                busy: Busy::default(),
                weights: WeightCounters::new()?,
                pending_groups: 0,
            },
            disk: Disk {
                last_position: LastEnd::NONE,
                last_completion: BEFORE_COMPLETIONS,
                budgets: Budgets::new(),
                peak_rate: PeakRate::new(reference_rate, quirks.has(Quirk::RateWindowWraps)),
                command_queueing: CommandQueueing::new(),
                is_flash_with_queueing: !device.rotational,
            },
            sampling: Sampling::default(),
            burst: Burst::new(),
            last_completed: None,
            saved: Saved::new(),
            counters: Counters::new(),
        })
    }
}

/// What of the quirks concerns the hierarchy.
fn rules(quirks: Quirks) -> Rules {
    Rules {
        choice: match quirks.has(Quirk::WalkStopsEarly) {
            true => Choice::ReferenceWalk,
            false => Choice::Exact,
        },
        in_service: One { recounts_group_service: quirks.has(Quirk::GroupServiceCountsTwice) },
        jump_ignores_wrap: quirks.has(Quirk::JumpIgnoresWrap),
        forgets_last_idle_among_equals: quirks.has(Quirk::LastIdleIsLostAmongEquals),
    }
}

/// The burst going on, or the last one.
#[derive(Debug)]
pub(crate) struct Burst {
    pub(super) list: List<QueueId, BURST>,
    pub(super) size: u32,
    /// The last creation, unless its group has ceased to exist.
    pub(super) last: Option<Creation>,
    pub(super) large: bool,
}

/// A queue was created.
#[derive(Clone, Copy, Debug)]
pub(super) struct Creation {
    pub group: GroupId,
    pub at: Time,
}

impl Burst {
    pub const fn new() -> Self {
        let list = List::new();
        Burst { list, size: 0, last: None, large: false }
    }
}
