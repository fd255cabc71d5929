// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of all calls of a host, and the trait [`Calls`] that is made from it: what a scheduler
//! is to its host, whatever its policy.
//!
//! Whoever passes calls on makes that from the same table: [`AnyScheduler`](crate::AnyScheduler),
//! and in `crates/recording` the calls as bytes and the scheduler that is recorded.

use crate::{
    scheduler::{Policy, Scheduler},
    statistics::StatisticInfo,
    tunables::{self, ParseError, Tunable},
    units::Time,
    why::Observer,
};

/// Hands the table of all calls to the macro `$with`.
///
/// `calls` may change the scheduler's state. A row: the number in recordings, the name there, the
/// method of [`Scheduler`] with its arguments (`now` first if it takes the time, `@&` before those
/// that it takes by reference), and its answer. `looks` change nothing.
///
/// [`Scheduler::take_kick`] is in neither: what it answers follows from the decisions
/// ([`Decision::Kick`](crate::why::Decision::Kick)), and nothing else from it.
#[macro_export]
#[doc(hidden)]
macro_rules! with_calls {
    ($with:ident) => {
        $with! {
            calls {
                1 AddGroup = add_group(now; parent: $crate::GroupId)
                    -> Result<$crate::GroupId, $crate::IdentityError>;
                2 SetGroupWeight = set_group_weight(now; group: $crate::GroupId, weight: u32)
                    -> Result<(), $crate::IdentityError>;
                3 RemoveGroup = remove_group(now; group: $crate::GroupId)
                    -> Result<(), $crate::IdentityError>;
                4 AddProcess = add_process(
                    now; group: $crate::GroupId, attributes: $crate::ProcessAttributes
                ) -> Result<$crate::ProcessId, $crate::IdentityError>;
                5 SetAttributes = set_attributes(
                    ; process: $crate::ProcessId, attributes: $crate::ProcessAttributes
                ) -> Result<(), $crate::HostError>;
                6 MoveProcess = move_process(; process: $crate::ProcessId, group: $crate::GroupId)
                    -> Result<(), $crate::IdentityError>;
                7 ExitProcess = exit_process(now; process: $crate::ProcessId)
                    -> Result<(), $crate::HostError>;
                8 SetNrRequests = set_nr_requests(now; nr_requests: u32)
                    -> Result<(), $crate::OutOfMemory>;
                9 SetTunable = set_tunable(now; tunable: $crate::tunables::Tunable, value: u64)
                    -> ();
                10 SetDetailedStatistics = set_detailed_statistics(now; on: bool) -> ();
                11 MergeCandidates = merge_candidates(now; bio: @& $crate::NewRequest)
                    -> [Option<$crate::BioMerge>; 2];
                12 AllowsMerge = allows_merge(
                    now; bio: @& $crate::NewRequest, request: $crate::RequestId
                ) -> bool;
                13 Merged = merged(
                    now; request: $crate::RequestId, side: $crate::Side, sector: u64, sectors: u32
                ) -> Result<(), $crate::HostError>;
                14 Coalesced = coalesced(
                    now; survivor: $crate::RequestId, absorbed: $crate::RequestId, sectors: u32
                ) -> Result<(), $crate::HostError>;
                15 Remove = remove(now; request: $crate::RequestId)
                    -> Result<(), $crate::HostError>;
                16 AllowedRequests = allowed_requests(
                    now; process: Option<$crate::ProcessId>, operation: $crate::Operation,
                    sync: bool
                ) -> $crate::Allowance;
                17 Insert = insert(
                    now; request: $crate::RequestId, new: @& $crate::NewRequest, at_head: bool
                ) -> Result<(), $crate::HostError>;
                18 Dispatch = dispatch(now;) -> Option<$crate::RequestId>;
                19 Complete = complete(now; request: $crate::RequestId)
                    -> Result<(), $crate::HostError>;
                20 Requeue = requeue(now; request: $crate::RequestId)
                    -> Result<(), $crate::HostError>;
                21 OnTimer = on_timer(now;) -> ();
                22 ReserveRequests = reserve_requests(; numbers: u32)
                    -> Result<(), $crate::OutOfMemory>;
                23 ResetGroupStatistics = reset_group_statistics(now; group: $crate::GroupId)
                    -> Result<(), $crate::IdentityError>;
            }
            looks {
                policy_name() -> &'static str;
                heeded_tunables() -> &'static [$crate::tunables::Tunable];
                chosen_behaviour() -> Option<$crate::Behaviour>;
                now() -> $crate::Time;
                root_group() -> $crate::GroupId;
                group_weight(group: $crate::GroupId) -> Result<u32, $crate::IdentityError>;
                group_statistics(group: $crate::GroupId)
                    -> Result<$crate::GroupStatistics, $crate::IdentityError>;
                recursive_group_statistics(group: $crate::GroupId)
                    -> Result<$crate::GroupAmounts, $crate::IdentityError>;
                has_detailed_statistics() -> bool;
                tunables() -> &$crate::tunables::Tunables;
                limits_sync_reads() -> bool;
                watches_bios() -> bool;
                neighbour(request: $crate::RequestId, side: $crate::Side)
                    -> Option<$crate::RequestId>;
                insertion_merge_candidate(new: &$crate::NewRequest) -> Option<$crate::RequestId>;
                has_work() -> bool;
                next_timer() -> Option<$crate::Time>;
                next_pieces_bytes() -> [usize; $crate::MOST_PIECES];
                request_pieces_bytes(more: u32) -> [usize; 4];
                requests_in_shared_queue() -> u64;
                requests_of_nobody() -> u64;
                check() -> ();
            }
        }
    };
}
pub(crate) use with_calls;

macro_rules! define_trait {
    (
        calls {$($number:literal $variant:ident = $method:ident(
            $($now:ident)?; $($argument:ident: $(@ $by:tt)? $type:ty),*
        ) -> $answer:ty;)*}
        looks {$($look:ident($($what:ident: $what_type:ty),*) -> $seen:ty;)*}
    ) => {
        /// A scheduler as its host sees it: a [`Scheduler`] by one policy, or an
        /// [`AnyScheduler`](crate::AnyScheduler). Its functions are those of [`Scheduler`].
        #[allow(clippy::missing_errors_doc, reason = "the errors are those of the scheduler")]
        pub trait Calls: Sized {
            /// Who is told what it decides.
            type Observer: Observer;

            $(
                #[doc = concat!("[`Scheduler::", stringify!($method), "`].")]
                fn $method(
                    &mut self, $($now: Time,)? $($argument: $($by)? $type),*
                ) -> $answer;
            )*
            $(
                #[doc = concat!("[`Scheduler::", stringify!($look), "`].")]
                fn $look(&self, $($what: $what_type),*) -> $seen;
            )*

            /// The same as [`Scheduler::take_kick`].
            fn take_kick(&mut self) -> bool;

            /// The same as [`Scheduler::write_tunable`].
            fn write_tunable(
                &mut self,
                now: Time,
                tunable: Tunable,
                text: &str,
            ) -> Result<(), ParseError> {
                self.set_tunable(now, tunable, tunables::parse(text)?);
                Ok(())
            }

            /// The same as [`Scheduler::statistics`].
            fn statistics(&self) -> impl Iterator<Item = (&'static StatisticInfo, u64)>;

            /// The same as [`Scheduler::observer`].
            fn observer(&self) -> &Self::Observer;

            /// The same as [`Scheduler::observer_mut`].
            fn observer_mut(&mut self) -> &mut Self::Observer;

            /// The same as [`Scheduler::exchange_observer`].
            fn exchange_observer(&mut self, observer: Self::Observer) -> Self::Observer;
        }

        impl<O: Observer, P: Policy> Calls for Scheduler<O, P> {
            type Observer = O;

            $(
                #[inline(always)]
                fn $method(
                    &mut self, $($now: Time,)? $($argument: $($by)? $type),*
                ) -> $answer {
                    Scheduler::$method(self, $($now,)? $($argument),*)
                }
            )*
            $(
                #[inline(always)]
                fn $look(&self, $($what: $what_type),*) -> $seen {
                    Scheduler::$look(self, $($what),*)
                }
            )*

            #[inline(always)]
            fn take_kick(&mut self) -> bool {
                Scheduler::take_kick(self)
            }

            fn statistics(&self) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
                Scheduler::statistics(self)
            }

            #[inline(always)]
            fn observer(&self) -> &O {
                Scheduler::observer(self)
            }

            #[inline(always)]
            fn observer_mut(&mut self) -> &mut O {
                Scheduler::observer_mut(self)
            }

            fn exchange_observer(&mut self, observer: O) -> O {
                Scheduler::exchange_observer(self, observer)
            }
        }
    };
}
with_calls!(define_trait);
