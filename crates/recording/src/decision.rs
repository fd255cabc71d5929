// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decisions as records: one table.

use crate::{
    field::{Body, Field},
    line::RecordLine,
    problem::Problem,
};
use bfq::why::Decision;

/// Each decision, by its number in records and its fields in order; writes and reads them.
macro_rules! decisions {
    ($($number:literal $variant:ident { $($field:ident),* })*) => {
        /// Appends the number of a decision, and its fields.
        pub(crate) fn write(decision: &Decision, line: &mut RecordLine) {
            match decision {
                $(Decision::$variant { $($field),* } => {
                    line.byte($number);
                    $($field.write(line);)*
                })*
            }
        }

        /// Reads the decision of a number; none if no decision has it.
        pub(crate) fn read(number: u8, body: &mut Body<'_>) -> Result<Option<Decision>, Problem> {
            Ok(Some(match number {
                $($number => Decision::$variant { $($field: Field::read(body)?),* },)*
                _ => return Ok(None),
            }))
        }

        /// One decision of each kind.
        #[cfg(test)]
        pub(crate) fn samples(source: &mut crate::test_sample::Source) -> std::vec::Vec<Decision> {
            std::vec![$(Decision::$variant { $($field: source.take()),* }),*]
        }
    };
}

decisions! {
    64 GroupAdded { group, parent }
    65 ProcessAdded { process, group }
    66 RequestLimit { process, raised_busy, sync, depth }
    67 GroupLimit { queue, allocated, limit, level }
    68 QueueCreated { queue, process, group, sync, class, weight }
    69 QueueFreed { queue }
    70 Queued { queue, request, process }
    71 Bypasses { request, process }
    72 Removed { request }
    73 Busy { queue }
    74 Idle { queue }
    75 Finish { queue, start, finish, amount, weight }
    76 InService { queue, budget }
    77 Served { queue, request, charged }
    78 ServedFirst { request }
    79 Completed { request, queue }
    80 ChargedTime { queue, length, charged }
    81 Slow { queue, slow }
    82 Expired { queue, reason, slow, in_flight, short_think_time }
    83 PreemptedBy { queue, by }
    84 Feedback { queue, budget, left, max_budget, min_budget, sync, seeky }
    85 NextBudget { queue, next, budget }
    86 BudgetGrown { queue, budget }
    87 Idling { queue, rule, until }
    88 Plugged { queue, rule }
    89 Injected { queue, into, rule }
    90 Raised { queue, kind, coefficient, period }
    91 RaiseChecked { queue, age, period, coefficient, weight, base_weight }
    92 RaiseEnded { queue }
    93 Coefficient { queue, coefficient }
    94 InLargeBurst { queue }
    95 MergeScheduled { queue, target }
    96 Merged { queue, target, process }
    97 Split { queue, process }
    98 TentativeWaker { queue, waker }
    99 WakerFound { queue, waker }
    100 MaxBudget { budget }
    101 RateReset { samples, sectors }
    102 NothingToDispatch {}
    103 Kick {}
    104 Withheld { queue, rule, until }
    105 SlotBegan { queue }
    106 SlotEnded { queue, reason }
    107 LoanBegan { queue }
    108 LoanEnded { queue, reason }
    109 SlotPaid { queue, payer }
}
