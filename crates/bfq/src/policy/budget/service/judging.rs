// SPDX-License-Identifier: MIT OR Apache-2.0
//! Was the slot that ends a slow one, and what is its time worth (spec 3.9)?

use crate::{
    fair::{Forgotten, Service},
    model::{clock::Clock, device::Device, queue::Queue},
    policy::budget::{queue::BudgetQueue, state::Budget},
    quirks::Quirk,
    units::{Span, Time},
};

/// Slots shorter than this are too short to be measured.
const MEASURABLE: Span = Span::from_ms(1);
/// From here on slowness is judged by service, not by seekiness, under every behaviour.
const LONG: Span = Span::from_ms(20);
/// What a slot too short to be measured is charged at least: flash, rotational.
const SHORT_CHARGE: [Span; 2] = [Span::from_ms(2), Span::from_ms(8)];

/// How the slot of a sync queue is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub slow: bool,
    /// Too short to be measured: its length is a guess.
    pub is_guess: bool,
    pub length: Span,
}

impl Budget {
    /// Judges the slot of the queue in service; none for async queues. `idle_since` is when idling
    /// began, if the idle timer ends the slot.
    #[inline]
    pub(super) fn judge_slot(
        &self,
        clock: &Clock,
        device: &Device,
        slice_idle: Span,
        state: &Queue<Budget>,
        idle_since: Option<Time>,
    ) -> Option<Verdict> {
        debug_assert!(clock.now >= self.slot.start, "the slot begins later");
        if !state.sync {
            return None;
        }
        let seeky = state.history.seeks.is_seeky();
        let end = idle_since.unwrap_or(clock.now);
        let length = end.since(self.slot.start);
        if length < MEASURABLE {
            let length = SHORT_CHARGE[usize::from(device.rotational)];
            return Some(Verdict { slow: seeky, is_guess: true, length });
        }
        let length = length.whole_us();
        let service = self.leaf(state).service();
        let (slow, length) = if length > LONG {
            (service < self.disk.budgets.max().over(2), length)
        } else if !self.measures_short_slots(device, slice_idle) {
            (seeky, length)
        } else {
            // What it is charged includes the idle time at its end.
            let half = self.service_at_full_speed(length).over(2);
            (seeky || service < half, clock.now.since(self.slot.start).whole_us())
        };
        Some(Verdict { slow, is_guess: false, length })
    }

    /// Whether slots of less than 20 ms are judged by service, too (docs/decisions.md, "A short
    /// slot can be slow as well").
    #[inline]
    fn measures_short_slots(&self, device: &Device, slice_idle: Span) -> bool {
        !self.quirks.has(Quirk::ShortSlotsBySeekiness)
            && device.rotational
            && slice_idle > Span::ZERO
    }

    /// Charges a queue for the `length` of its slot, at most the default timeout, as if it had used
    /// the device at full speed: slow queues share time, fast ones sectors. Returns the charge.
    #[inline]
    pub(super) fn charge_time(
        &mut self,
        tick: Time,
        state: &mut BudgetQueue,
        length: Span,
    ) -> (Service, Forgotten) {
        let leaf = self.fair.entity(state.entity);
        let service = leaf.service();
        let target = self.service_at_full_speed(length).max(service);
        if target > leaf.budget() {
            self.fair.set_budget(state.entity, target);
        }
        let charged = target - service;
        debug_assert!(charged >= Service::ZERO, "time gives back {charged}");
        (charged, self.serve(tick, state, charged))
    }

    /// What the disk delivers at its peak rate in such a time, which is at most the default timeout
    /// or 20 ms: the largest budget within the default timeout.
    #[inline]
    fn service_at_full_speed(&self, length: Span) -> Service {
        // The largest budget is below 2³¹, so the product is below 2⁶³.
        debug_assert!(length < Span::from_us(1 << 32));
        let product = self.disk.budgets.max().amount() * length.as_us();
        Service::of(product / self.durations.default_timeout.as_us())
    }
}
