// SPDX-License-Identifier: MIT OR Apache-2.0
//! The periods of raises and bursts in ticks of the coarse clock, computed once (spec 0.2).

use super::raise;
use crate::units::{Span, Ticks};

/// Creations closer than this belong to one burst.
pub(crate) const BURST_WINDOW: Span = Span::from_ms(180);
/// A queue that was idle for so long is forgiven a large burst.
const FORGIVE: Span = Span::from_ms(10_000);
/// A queue that was split off so recently was not created by a burst.
const BURST_AFTER_SPLIT: Span = Span::from_ms(10);

/// The periods of raises and bursts, rounded up to ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Periods {
    /// Creations closer than this belong to one burst.
    pub burst_window: Span,
    /// A queue that was idle for so long is forgiven a large burst.
    pub forgive: Span,
    /// A queue that was split off so recently was not created by a burst.
    pub burst_after_split: Span,
    /// A queue must have been idle for so long to look interactive (again).
    pub min_idle: Span,
    /// An async queue must have had no arrival for so long to be raised.
    pub min_async_gap: Span,
    /// Length of a soft real-time raise.
    pub soft_rt: Span,
    /// Limits of an interactive raise.
    pub interactive: (Span, Span),
}

impl Periods {
    pub fn new(ticks: Ticks) -> Self {
        let (least, most) = raise::INTERACTIVE;
        Periods {
            burst_window: ticks.rounded_up(BURST_WINDOW),
            forgive: ticks.rounded_up(FORGIVE),
            burst_after_split: ticks.rounded_up(BURST_AFTER_SPLIT),
            min_idle: ticks.rounded_up(raise::MIN_IDLE),
            min_async_gap: ticks.rounded_up(raise::MIN_ASYNC_GAP),
            soft_rt: ticks.rounded_up(raise::SOFT_RT_PERIOD),
            interactive: (ticks.rounded_up(least), ticks.rounded_up(most)),
        }
    }
}
