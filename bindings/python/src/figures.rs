// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is to a decision: its name, and its figures by theirs. One table.

use bfq::why::{Decision, IdlingRule, InjectionRule, LoanEnd, RaiseKind, Reason, WithholdRule};
use bfq::{Class, GroupId, ProcessId, QueueId, RequestId, Sectors, Service, Span, Time, Weight};
use std::fmt::Debug;
use std::num::NonZeroU32;

/// A figure of a decision.
pub(crate) enum Figure {
    None,
    Count(u64),
    Integer(i64),
    Flag(bool),
    Text(String),
}

/// `BudgetExhausted` as scripts write it: `budget_exhausted`.
fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// What can be a figure of a decision.
trait ToFigure {
    fn figure(self) -> Figure;
}

impl<T: ToFigure> ToFigure for Option<T> {
    fn figure(self) -> Figure {
        self.map_or(Figure::None, ToFigure::figure)
    }
}

/// No `depth` of the pool is all of it, which is 0 in the table.
impl ToFigure for Option<NonZeroU32> {
    fn figure(self) -> Figure {
        Figure::Count(self.map_or(0, NonZeroU32::get).into())
    }
}

/// How figures of each type are written.
macro_rules! figures {
    ($($type:ty: |$value:ident| $figure:expr),* $(,)?) => {$(
        impl ToFigure for $type {
            fn figure(self) -> Figure {
                let $value = self;
                $figure
            }
        }
    )*};
}

fn named(value: impl Debug) -> Figure {
    Figure::Text(snake_case(&format!("{value:?}")))
}

figures! {
    u32: |value| Figure::Count(value.into()),
    u64: |value| Figure::Count(value),
    bool: |value| Figure::Flag(value),
    Time: |value| Figure::Count(value.as_ns()),
    Span: |value| Figure::Count(value.as_ms()),
    Sectors: |value| Figure::Count(value.count()),
    Service: |value| Figure::Integer(value.units()),
    Weight: |value| Figure::Count(value.into()),
    GroupId: |value| Figure::Count(value.index() as u64),
    ProcessId: |value| Figure::Count(value.index() as u64),
    QueueId: |value| Figure::Count(value.index() as u64),
    RequestId: |value| Figure::Count(value.index() as u64),
    Class: |value| named(value),
    Reason: |value| Figure::Text(value.name().to_owned()),
    IdlingRule: |value| named(value),
    InjectionRule: |value| named(value),
    RaiseKind: |value| named(value),
    WithholdRule: |value| named(value),
    LoanEnd: |value| named(value),
}

/// The name of a figure's column: that of the field, or another one that has the unit.
macro_rules! column {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $column:literal) => {
        $column
    };
}

/// Each decision with its name in the table and its figures in order, some by another name there.
macro_rules! decisions {
    ($($variant:ident $name:literal { $($field:ident $(as $column:literal)?),* })*) => {
        /// Gives the figures of a decision, and its name.
        pub(crate) fn fields(
            decision: &Decision,
            take: &mut dyn FnMut(&'static str, Figure),
        ) -> &'static str {
            match *decision {
                $(Decision::$variant { $($field),* } => {
                    $(take(column!($field $($column)?), $field.figure());)*
                    $name
                })*
            }
        }
    };
}

decisions! {
    GroupAdded "group_added" { group, parent }
    ProcessAdded "process_added" { process, group }
    RequestLimit "request_limit" { process, raised_busy, sync, depth }
    GroupLimit "group_limit" { queue, allocated, limit, level }
    QueueCreated "queue_created" { queue, process, group, sync, class, weight }
    QueueFreed "queue_freed" { queue }
    Queued "queued" { queue, request, process }
    Bypasses "bypasses" { request, process }
    Removed "removed" { request }
    Busy "busy" { queue }
    Idle "idle" { queue }
    Finish "finish" { queue, start, finish, amount, weight }
    InService "in_service" { queue, budget }
    Served "served" { queue, request, charged }
    ServedFirst "served_first" { request }
    Completed "completed" { request, queue }
    ChargedTime "charged_time" { queue, length as "length_ms", charged }
    Slow "slow" { queue, slow }
    Expired "expired" { queue, reason, slow, in_flight, short_think_time }
    PreemptedBy "preempted_by" { queue, by }
    Feedback "feedback" { queue, budget, left, max_budget, min_budget, sync, seeky }
    NextBudget "next_budget" { queue, next as "next_sectors", budget }
    BudgetGrown "budget_grown" { queue, budget }
    Idling "idling" { queue, rule, until }
    Plugged "plugged" { queue, rule }
    Injected "injected" { queue, into, rule }
    Raised "raised" { queue, kind, coefficient, period as "period_ms" }
    RaiseChecked "raise_checked" {
        queue, age as "age_ms", period as "period_ms", coefficient, weight, base_weight
    }
    RaiseEnded "raise_ended" { queue }
    Coefficient "coefficient" { queue, coefficient }
    InLargeBurst "in_large_burst" { queue }
    MergeScheduled "merge_scheduled" { queue, target }
    Merged "merged" { queue, target, process }
    Split "split" { queue, process }
    TentativeWaker "tentative_waker" { queue, waker }
    WakerFound "waker_found" { queue, waker }
    MaxBudget "max_budget" { budget as "sectors" }
    RateReset "rate_reset" { samples, sectors }
    NothingToDispatch "nothing_to_dispatch" {}
    Kick "kick" {}
    Withheld "withheld" { queue, rule, until }
    SlotBegan "slot_began" { queue }
    SlotPaid "slot_paid" { queue, payer }
    SlotEnded "slot_ended" { queue, reason }
    LoanBegan "loan_began" { queue }
    LoanEnded "loan_ended" { queue, reason }
}
