// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scheduler that is recorded from its start.

use crate::{
    call::{Answer, Call, with_calls},
    record::{DeviceName, Opening, Record},
    recorder::{Recorder, Sink},
};
use bfq::{
    Allowance, BioMerge, Budget, Config, GroupId, HostError, IdentityError, NewRequest, Operation,
    OutOfMemory, Policy, ProcessAttributes, ProcessId, RequestId, Scheduler, Side, Time,
    tunables::{self, ParseError, Tunable},
    why::{Observer, Silent},
};
use core::{borrow::Borrow, ops::Deref};

/// A [`Scheduler`] that records each call that may change its state, what it decides
/// meanwhile, and what it answers. It has the methods of the scheduler; those that only look
/// are reached by dereferencing.
#[derive(Debug)]
pub struct Recorded<S: Sink, P: Policy = Budget> {
    scheduler: Scheduler<Recorder<S>, P>,
}

/// Why a recording could not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginError {
    /// No memory for the scheduler.
    OutOfMemory,
    /// The sink has no room for the opening.
    NoRoom,
}

impl core::fmt::Display for BeginError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            BeginError::OutOfMemory => OutOfMemory.fmt(f),
            BeginError::NoRoom => f.write_str("no room for the opening of a recording"),
        }
    }
}

impl core::error::Error for BeginError {}

impl<S: Sink, P: Policy> Recorded<S, P> {
    /// Attaches a scheduler to a device, and begins to record.
    ///
    /// # Errors
    /// [`BeginError`].
    pub fn attach(
        now: Time,
        config: Config<'_>,
        device: DeviceName,
        sink: S,
    ) -> Result<Self, BeginError> {
        let recorder = Recorder::begin(sink, now, &Opening::at_attach(device, &config));
        let recorder = recorder.map_err(|_| BeginError::NoRoom)?;
        let scheduler = Scheduler::attach(now, config, recorder);
        Ok(Recorded { scheduler: scheduler.map_err(|_| BeginError::OutOfMemory)? })
    }

    /// Records a scheduler from now on, by a recorder that has begun.
    pub fn resume<O: Observer>(scheduler: Scheduler<O, P>, recorder: Recorder<S>) -> Self {
        Recorded { scheduler: scheduler.replace_observer(recorder) }
    }

    /// The recording ends, the scheduler goes on.
    pub fn end(self) -> Scheduler<Silent, P> {
        self.scheduler.replace_observer(Silent)
    }

    /// The recorder of this scheduler.
    pub fn recorder_mut(&mut self) -> &mut Recorder<S> {
        self.scheduler.observer_mut()
    }

    /// Adds what the host has to say of itself, who a process is or what a group is called, at the
    /// time that the scheduler has.
    pub fn note(&mut self, record: &Record) {
        let at = self.scheduler.now();
        self.recorder_mut().record(at, record);
    }

    /// [`Scheduler::take_kick`]; not recorded, as the decisions say as much.
    pub fn take_kick(&mut self) -> bool {
        self.scheduler.take_kick()
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
        self.set_tunable(now, tunable, tunables::parse(text)?);
        Ok(())
    }
}

impl<S: Sink, P: Policy> Deref for Recorded<S, P> {
    type Target = Scheduler<Recorder<S>, P>;

    fn deref(&self) -> &Self::Target {
        &self.scheduler
    }
}

macro_rules! define_methods {
    ($($number:literal $variant:ident = $method:ident(
        $($now:ident)?; $($argument:ident: $(@ $by:tt)? $type:ty),*
    ) -> $answer:ty;)*) => {
        /// The calls that are recorded.
        #[allow(clippy::missing_errors_doc, reason = "the errors are those of the scheduler")]
        impl<S: Sink, P: Policy> Recorded<S, P> {
            $(
                #[doc = concat!("[`Scheduler::", stringify!($method), "`].")]
                // Kept apart from a scheduler that is not recorded, in a host with both.
                #[inline(never)]
                pub fn $method(
                    &mut self, $($now: Time,)? $($argument: $($by)? $type),*
                ) -> $answer {
                    // The time that the call will have, which never runs backwards.
                    let at = self.scheduler.now();
                    $(let at = at.max($now);)?
                    let call =
                        Call::$variant { $($argument: *Borrow::<$type>::borrow(&$argument)),* };
                    self.recorder_mut().call(at, &call);
                    let answer = self.scheduler.$method($($now,)? $($argument),*);
                    let told = Answer::from(answer);
                    if !told.is_plain() {
                        let at = self.scheduler.now();
                        self.recorder_mut().answer(at, &told);
                    }
                    answer
                }
            )*
        }
    };
}
with_calls!(define_methods);
