// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scheduler that is recorded at times.

use crate::{
    Record,
    call::with_calls,
    recorded::Recorded,
    recorder::{Recorder, Sink},
};
use bfq::{
    Allowance, BioMerge, Budget, GroupAmounts, GroupId, GroupStatistics, HostError, IdentityError,
    NewRequest, Operation, OutOfMemory, Policy, ProcessAttributes, ProcessId, RequestId, Scheduler,
    Side, Time,
    tunables::{ParseError, Tunable, Tunables},
    why::Silent,
};

/// A [`Scheduler`] without an observer, which costs nothing then, or a [`Recorded`] one. It has the
/// methods of the scheduler that hosts call.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a device has one, and begins and ends to be recorded without memory"
)]
pub enum Recordable<S: Sink, P: Policy = Budget> {
    /// Nobody looks on.
    Quiet(Scheduler<Silent, P>),
    /// It is recorded.
    Recorded(Recorded<S, P>),
}

impl<S: Sink, P: Policy> Recordable<S, P> {
    /// Records it from now on, by a recorder that has begun; one that is at work ends.
    pub fn record(self, recorder: Recorder<S>) -> Self {
        Recordable::Recorded(match self {
            Recordable::Quiet(scheduler) => Recorded::resume(scheduler, recorder),
            Recordable::Recorded(recorded) => Recorded::resume(recorded.end(), recorder),
        })
    }

    /// There is no observer from now on.
    pub fn quiet(self) -> Self {
        Recordable::Quiet(match self {
            Recordable::Quiet(scheduler) => scheduler,
            Recordable::Recorded(recorded) => recorded.end(),
        })
    }

    /// The recorder, if it is recorded.
    pub fn recorder_mut(&mut self) -> Option<&mut Recorder<S>> {
        match self {
            Recordable::Quiet(_) => None,
            Recordable::Recorded(recorded) => Some(recorded.recorder_mut()),
        }
    }

    /// Adds what the host has to say of itself ([`Recorded::note`]), if it is recorded.
    pub fn note(&mut self, record: impl FnOnce() -> Record) {
        if let Recordable::Recorded(recorded) = self {
            recorded.note(&record());
        }
    }

    /// The same as [`Scheduler::next_pieces_bytes`].
    pub fn next_pieces_bytes(&self) -> impl Iterator<Item = usize> {
        let (quiet, recorded) = match self {
            Recordable::Quiet(scheduler) => (Some(scheduler), None),
            Recordable::Recorded(recorded) => (None, Some(&**recorded)),
        };
        let quiet = quiet.into_iter().flat_map(Scheduler::next_pieces_bytes);
        quiet.chain(recorded.into_iter().flat_map(Scheduler::next_pieces_bytes))
    }

    /// The same as [`Scheduler::take_kick`].
    #[inline]
    pub fn take_kick(&mut self) -> bool {
        match self {
            Recordable::Quiet(scheduler) => scheduler.take_kick(),
            Recordable::Recorded(recorded) => recorded.take_kick(),
        }
    }

    /// [`Scheduler::write_tunable`].
    ///
    /// # Errors
    /// [`ParseError`] if the text is no number; the tunable keeps its value.
    pub fn write_tunable(
        &mut self,
        now: Time,
        tunable: Tunable,
        text: &str,
    ) -> Result<(), ParseError> {
        match self {
            Recordable::Quiet(scheduler) => scheduler.write_tunable(now, tunable, text),
            Recordable::Recorded(recorded) => recorded.write_tunable(now, tunable, text),
        }
    }
}

macro_rules! define_methods {
    ($($number:literal $variant:ident = $method:ident(
        $($now:ident)?; $($argument:ident: $(@ $by:tt)? $type:ty),*
    ) -> $answer:ty;)*) => {
        /// The calls that may change the scheduler's state.
        #[allow(clippy::missing_errors_doc, reason = "the errors are those of the scheduler")]
        impl<S: Sink, P: Policy> Recordable<S, P> {
            $(
                #[doc = concat!("[`Scheduler::", stringify!($method), "`].")]
                #[inline]
                pub fn $method(
                    &mut self, $($now: Time,)? $($argument: $($by)? $type),*
                ) -> $answer {
                    match self {
                        Recordable::Quiet(scheduler) => {
                            scheduler.$method($($now,)? $($argument),*)
                        }
                        Recordable::Recorded(recorded) => {
                            recorded.$method($($now,)? $($argument),*)
                        }
                    }
                }
            )*
        }
    };
}
with_calls!(define_methods);

macro_rules! getters {
    ($($method:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        /// What only looks.
        #[allow(clippy::missing_errors_doc, reason = "the errors are those of the scheduler")]
        impl<S: Sink, P: Policy> Recordable<S, P> {
            $(
                #[doc = concat!("[`Scheduler::", stringify!($method), "`].")]
                #[inline]
                pub fn $method(&self, $($argument: $type),*) -> $answer {
                    match self {
                        Recordable::Quiet(scheduler) => scheduler.$method($($argument),*),
                        Recordable::Recorded(recorded) => recorded.$method($($argument),*),
                    }
                }
            )*
        }
    };
}

getters! {
    root_group() -> GroupId;
    group_statistics(group: GroupId) -> Result<GroupStatistics, IdentityError>;
    recursive_group_statistics(group: GroupId) -> Result<GroupAmounts, IdentityError>;
    has_detailed_statistics() -> bool;
    tunables() -> &Tunables;
    next_timer() -> Option<Time>;
    limits_sync_reads() -> bool;
    neighbour(request: RequestId, side: Side) -> Option<RequestId>;
    insertion_merge_candidate(new: &NewRequest) -> Option<RequestId>;
    request_pieces_bytes(more: u32) -> [usize; 3];
    requests_in_shared_queue() -> u64;
    requests_of_nobody() -> u64;
}
