// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a raise of a queue is: its constants, and its state (spec 4.1).
//!
//! Three fields speak of a raise, each to answer a question of its own:
//!
//! * ρ, the coefficient of a queue: is it raised, and by how much? 1 = it is not. It lies beside
//!   the queue's other fields because each request asks for it.
//! * ρ of its leaf, the same number: what will its weight be at its next insertion? That is for
//!   `fair` to compute, which knows no queues. `BudgetQueue::set_coefficient` sets both.
//! * [`Raise::cause`]: why is it raised, and so for how long? One that is taken away rather than
//!   ended, by a merge, a split or a large burst, leaves its cause, as the reference's period does:
//!   where the reference ends raises that there are not (spec 10.2, row 6), decisions hang on it.
//!   So a cause is no raise; who asks for the present one asks for ρ, too.

use crate::{
    fair::Service,
    policy::budget::service::budgets,
    units::{Sectors, Span, Time},
};

/// Coefficient of an interactive raise.
pub(crate) const INTERACTIVE_COEFFICIENT: u32 = 30;
/// Coefficient of a soft real-time raise.
pub(crate) const SOFT_RT_COEFFICIENT: u32 = INTERACTIVE_COEFFICIENT * 100;
/// Length of a soft real-time raise.
pub(crate) const SOFT_RT_PERIOD: Span = Span::from_ms(300);
/// The service after which an interactive raise ends: more than an application needs to start.
const INTERACTIVE_SERVICE: Service = budgets::charge(Sectors::of(120_000), 1);
/// A queue must have been idle for so long to look interactive (again).
pub(crate) const MIN_IDLE: Span = Span::from_ms(2000);
/// An async queue must have had no arrival for so long to be raised.
pub(crate) const MIN_ASYNC_GAP: Span = Span::from_ms(500);
/// Bandwidth of compressed high-definition video: more is not soft real-time.
pub(crate) const SOFT_RT_SECTORS_PER_S: u64 = 7000;
/// A soft real-time process pauses at least slice_idle and this number of ticks.
pub(crate) const SOFT_RT_MARGIN_TICKS: u64 = 4;
/// Limits of an interactive raise.
pub(crate) const INTERACTIVE: (Span, Span) = (Span::from_ms(3_000), Span::from_ms(25_000));

/// Why a queue is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// It looks interactive, or writes now and then; for so long at most.
    Interactive { period: Span },
    /// It keeps the pace of a player.
    SoftRealTime,
}

/// The state of a queue's raise (spec 4.1), but for its coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raise {
    /// Of the present raise, or of one that was taken away; none before one, and after its end.
    pub cause: Option<Cause>,
    /// Start of the present raise; if not raised, its end, or the last arrival or expiration.
    pub stamp: Time,
    /// Start of the interactive raise that a soft real-time one interrupted, if it did.
    pub interactive_origin: Option<Time>,
    /// An arrival before this does not look soft real-time.
    pub soft_rt_next_start: Time,
    /// Service received while raised.
    pub service: Service,
    /// The reference's: the next start is to be computed when the requests in flight are complete.
    pub soft_rt_update_pending: bool,
}

impl Raise {
    /// A queue that is not raised.
    pub const fn new(now: Time) -> Self {
        Raise {
            cause: None,
            stamp: now,
            interactive_origin: None,
            soft_rt_next_start: now,
            service: Service::ZERO,
            soft_rt_update_pending: false,
        }
    }

    /// The present raise, if there is one, is soft real-time.
    #[inline]
    pub fn is_soft_rt(&self) -> bool {
        self.cause == Some(Cause::SoftRealTime)
    }

    /// It got more service than a program needs to start.
    #[inline]
    pub fn is_served(&self) -> bool {
        self.service > INTERACTIVE_SERVICE
    }

    /// Start of the interactive raise that a soft real-time one interrupted, if it did, and if that
    /// would not be over by now, as it lasts for `period`.
    pub fn interrupted(&self, tick: Time, period: Span) -> Option<Time> {
        self.interactive_origin.filter(|&origin| !tick.is_more_than(period, origin))
    }

    /// Longest duration of the present raise; that of a soft real-time one is `soft_rt`.
    #[inline]
    pub fn period(&self, soft_rt: Span) -> Span {
        match self.cause {
            None => Span::ZERO,
            Some(Cause::Interactive { period }) => period,
            Some(Cause::SoftRealTime) => soft_rt,
        }
    }
}
