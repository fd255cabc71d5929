// SPDX-License-Identifier: MIT OR Apache-2.0
//! The calls of the scheduler that change its state, and their answers: one table each.
//!
//! [`Scheduler::take_kick`] is not among them: what it answers follows from the decisions
//! ([`bfq::why::Decision::Kick`]), and nothing else from it.

use crate::{
    field::{Body, Field},
    line::Line,
    read::Problem,
};
use bfq::{
    Allowance, BioMerge, GroupId, HostError, IdentityError, NewRequest, Operation, OutOfMemory,
    Policy, ProcessAttributes, ProcessId, RequestId, Scheduler, Side, Time, tunables::Tunable,
    why::Observer,
};

/// Hands the table of all calls to the macro `$with`. A row: the number in records, the variant of
/// [`Call`], the method of [`Scheduler`] with its arguments (`now` first if it takes the time, `@&`
/// before those it takes by reference), and its answer.
macro_rules! with_calls {
    ($with:ident) => {
        $with! {
            1 AddGroup = add_group(now; parent: GroupId) -> Result<GroupId, IdentityError>;
            2 SetGroupWeight
                = set_group_weight(now; group: GroupId, weight: u32) -> Result<(), IdentityError>;
            3 RemoveGroup = remove_group(now; group: GroupId) -> Result<(), IdentityError>;
            4 AddProcess = add_process(now; group: GroupId, attributes: ProcessAttributes)
                -> Result<ProcessId, IdentityError>;
            5 SetAttributes = set_attributes(; process: ProcessId, attributes: ProcessAttributes)
                -> Result<(), HostError>;
            6 MoveProcess = move_process(; process: ProcessId, group: GroupId)
                -> Result<(), IdentityError>;
            7 ExitProcess = exit_process(now; process: ProcessId) -> Result<(), HostError>;
            8 SetNrRequests = set_nr_requests(now; nr_requests: u32) -> Result<(), OutOfMemory>;
            9 SetTunable = set_tunable(now; tunable: Tunable, value: u64) -> ();
            10 SetDetailedStatistics = set_detailed_statistics(now; on: bool) -> ();
            11 MergeCandidates = merge_candidates(now; bio: @& NewRequest)
                -> [Option<BioMerge>; 2];
            12 AllowsMerge = allows_merge(now; bio: @& NewRequest, request: RequestId) -> bool;
            13 Merged = merged(now; request: RequestId, side: Side, sector: u64, sectors: u32)
                -> Result<(), HostError>;
            14 Coalesced
                = coalesced(now; survivor: RequestId, absorbed: RequestId, sectors: u32)
                -> Result<(), HostError>;
            15 Remove = remove(now; request: RequestId) -> Result<(), HostError>;
            16 AllowedRequests = allowed_requests(
                now; process: Option<ProcessId>, operation: Operation, sync: bool
            ) -> Allowance;
            17 Insert = insert(now; request: RequestId, new: NewRequest, at_head: bool)
                -> Result<(), HostError>;
            18 Dispatch = dispatch(now;) -> Option<RequestId>;
            19 Complete = complete(now; request: RequestId) -> Result<(), HostError>;
            20 Requeue = requeue(now; request: RequestId) -> Result<(), HostError>;
            21 OnTimer = on_timer(now;) -> ();
            22 ReserveRequests = reserve_requests(; numbers: u32) -> Result<(), OutOfMemory>;
            23 ResetGroupStatistics = reset_group_statistics(now; group: GroupId)
                -> Result<(), IdentityError>;
        }
    };
}
pub(crate) use with_calls;

macro_rules! define_calls {
    ($($number:literal $variant:ident = $method:ident(
        $($now:ident)?; $($argument:ident: $(@ $by:tt)? $type:ty),*
    ) -> $answer:ty;)*) => {
        /// A call of a method of [`Scheduler`] that may change its state, with its arguments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "see the methods, which have the same names")]
        pub enum Call {
            $(
                #[doc = concat!("[`Scheduler::", stringify!($method), "`].")]
                $variant { $($argument: $type),* },
            )*
        }

        impl Call {
            /// Calls the scheduler. Methods that take no time see that of the call before.
            pub fn perform<O: Observer, P: Policy>(
                &self,
                at: Time,
                scheduler: &mut Scheduler<O, P>,
            ) -> Answer {
                match *self {
                    $(Call::$variant { $($argument),* } => {
                        $(let $now = at;)?
                        scheduler.$method($($now,)? $($($by)? $argument),*).into()
                    })*
                }
            }

            /// Appends the number of the call, and its arguments.
            pub(crate) fn write(&self, line: &mut Line) {
                match self {
                    $(Call::$variant { $($argument),* } => {
                        line.byte($number);
                        $($argument.write(line);)*
                    })*
                }
            }

            /// Reads the call of a number; none if no call has it.
            pub(crate) fn read(number: u8, body: &mut Body<'_>) -> Result<Option<Self>, Problem> {
                Ok(Some(match number {
                    $($number => Call::$variant { $($argument: Field::read(body)?),* },)*
                    _ => return Ok(None),
                }))
            }

            /// One call of each kind.
            #[cfg(test)]
            pub(crate) fn samples(source: &mut crate::sample::Source) -> std::vec::Vec<Self> {
                std::vec![$(Call::$variant { $($argument: source.take()),* }),*]
            }
        }
    };
}
with_calls!(define_calls);

macro_rules! define_answers {
    ($($number:literal $variant:ident($type:ty): [$($plain:pat)?];)*) => {
        /// What a call answered.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "see the methods that answer so")]
        pub enum Answer {
            $($variant($type)),*
        }

        $(impl From<$type> for Answer {
            fn from(answer: $type) -> Self {
                Answer::$variant(answer)
            }
        })*

        impl Answer {
            /// Whether it goes without saying: a call without a recorded answer answered this.
            pub fn is_plain(&self) -> bool {
                match self {
                    $($(Answer::$variant($plain) => true,)?)*
                    _ => false,
                }
            }

            /// Appends the number of the answer's type, and the answer.
            pub(crate) fn write(&self, line: &mut Line) {
                match self {
                    $(Answer::$variant(answer) => {
                        line.byte($number);
                        answer.write(line);
                    })*
                }
            }

            /// Reads the answer of a type's number; none if no type has it.
            pub(crate) fn read(number: u8, body: &mut Body<'_>) -> Result<Option<Self>, Problem> {
                Ok(Some(match number {
                    $($number => Answer::$variant(Field::read(body)?),)*
                    _ => return Ok(None),
                }))
            }

            /// One answer of each type.
            #[cfg(test)]
            pub(crate) fn samples(source: &mut crate::sample::Source) -> std::vec::Vec<Self> {
                std::vec![$(Answer::$variant(source.take())),*]
            }
        }
    };
}

// A row: the number in records, the variant, its type, and the answers that go without saying.
define_answers! {
    40 Done(()): [()];
    41 Group(Result<GroupId, IdentityError>): [];
    42 Identity(Result<(), IdentityError>): [Ok(())];
    43 Process(Result<ProcessId, IdentityError>): [];
    44 Host(Result<(), HostError>): [Ok(())];
    45 Memory(Result<(), OutOfMemory>): [Ok(())];
    46 Candidates([Option<BioMerge>; 2]): [[None, None]];
    47 Yes(bool): [false];
    48 Allowance(Allowance): [];
    49 Request(Option<RequestId>): [None];
}
