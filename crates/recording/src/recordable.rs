// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scheduler that is recorded from its start, or at times.

use crate::{
    call::{Answer, Call},
    record::{DeviceName, Opening, Record},
    recorder::{Recorder, Sink},
};
use bfq::{
    AnyScheduler, Budget, Calls, Config, OutOfMemory, Policy, PolicyName, Scheduler, Time,
    statistics::StatisticInfo,
    tunables::{self, ParseError, Tunable},
};
use core::borrow::Borrow;

/// A scheduler whose observer is a [`Recorder`], while there is one. It has the methods of a
/// [`Scheduler`] that hosts call; those that may change its state are recorded, with what it
/// decides meanwhile and what it answers. Without a recorder a call costs two comparisons more.
#[derive(Debug)]
pub struct Recordable<T> {
    scheduler: T,
}

/// One whose policy is chosen when it is attached.
pub type AnyRecordable<S> = Recordable<AnyScheduler<Option<Recorder<S>>>>;

/// One by a policy that is known.
pub type Recorded<S, P = Budget> = Recordable<Scheduler<Option<Recorder<S>>, P>>;

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

impl From<OutOfMemory> for BeginError {
    fn from(_: OutOfMemory) -> Self {
        BeginError::OutOfMemory
    }
}

impl<S: Sink, P: Policy> Recorded<S, P> {
    /// Attaches a scheduler by the policy `P` to a device, and begins to record.
    ///
    /// # Errors
    /// [`BeginError`].
    pub fn attach(
        now: Time,
        config: Config<'_>,
        device: DeviceName,
        sink: S,
    ) -> Result<Self, BeginError> {
        Recordable::begun(Scheduler::attach(now, config, None)?, now, config, device, sink)
    }
}

impl<S: Sink> AnyRecordable<S> {
    /// Attaches a scheduler by a policy to a device, and begins to record.
    ///
    /// # Errors
    /// [`BeginError`].
    pub fn attach_by(
        policy: PolicyName,
        now: Time,
        config: Config<'_>,
        device: DeviceName,
        sink: S,
    ) -> Result<Self, BeginError> {
        let scheduler = AnyScheduler::attach(policy, now, config, None)?;
        Recordable::begun(scheduler, now, config, device, sink)
    }
}

impl<S: Sink, T: Calls<Observer = Option<Recorder<S>>>> Recordable<T> {
    /// A scheduler that is not recorded yet, unless it has a recorder already.
    pub fn new(scheduler: T) -> Self {
        Recordable { scheduler }
    }

    /// A scheduler that was attached just now, recorded from then on.
    fn begun(
        scheduler: T,
        now: Time,
        config: Config<'_>,
        device: DeviceName,
        sink: S,
    ) -> Result<Self, BeginError> {
        let opening = Opening::at_attach(scheduler.policy_name(), device, &config);
        let recorder = Recorder::begin(sink, now, &opening).map_err(|_| BeginError::NoRoom)?;
        let mut recordable = Recordable { scheduler };
        recordable.record(recorder);
        Ok(recordable)
    }

    /// The scheduler that is recorded.
    pub fn scheduler(&self) -> &T {
        &self.scheduler
    }

    /// Records it from now on, by a recorder that has begun; returns the one that was at work.
    pub fn record(&mut self, recorder: Recorder<S>) -> Option<Recorder<S>> {
        self.scheduler.exchange_observer(Some(recorder))
    }

    /// The recording ends, the scheduler goes on; returns the recorder, if there was one.
    pub fn end(&mut self) -> Option<Recorder<S>> {
        self.scheduler.exchange_observer(None)
    }

    /// Whether it is recorded.
    #[inline]
    pub fn is_recorded(&self) -> bool {
        self.scheduler.observer().is_some()
    }

    /// The recorder, if it is recorded.
    pub fn recorder_mut(&mut self) -> Option<&mut Recorder<S>> {
        self.scheduler.observer_mut().as_mut()
    }

    /// Adds what the host has to say of itself, who a process is or what a group is called, at the
    /// time that the scheduler has, if it is recorded.
    pub fn note(&mut self, record: impl FnOnce() -> Record) {
        let at = self.scheduler.now();
        if let Some(recorder) = self.recorder_mut() {
            recorder.record(at, &record());
        }
    }

    /// Adds a call that is about to be performed.
    // As the next one, apart from the way of a scheduler without recorder.
    #[cold]
    #[inline(never)]
    fn note_call(&mut self, now: Time, call: &Call) {
        // The time that the call will have, which never runs backwards.
        let at = self.scheduler.now().max(now);
        if let Some(recorder) = self.recorder_mut() {
            recorder.call(at, call);
        }
    }

    /// Adds the answer to the last call, unless it goes without saying.
    #[cold]
    #[inline(never)]
    fn note_answer(&mut self, answer: &Answer) {
        let at = self.scheduler.now();
        if let Some(recorder) = self.recorder_mut().filter(|_| !answer.is_plain()) {
            recorder.answer(at, answer);
        }
    }

    /// The same as [`Scheduler::take_kick`]; not recorded, as the decisions say as much.
    #[inline]
    pub fn take_kick(&mut self) -> bool {
        self.scheduler.take_kick()
    }

    /// [`Scheduler::write_tunable`], recorded as [`Scheduler::set_tunable`].
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

macro_rules! define_methods {
    (
        calls {$($number:literal $variant:ident = $method:ident(
            $($now:ident)?; $($argument:ident: $(@ $by:tt)? $type:ty),*
        ) -> $answer:ty;)*}
        looks {$($look:ident($($what:ident: $what_type:ty),*) -> $seen:ty;)*}
    ) => {
        /// The calls that are recorded.
        #[allow(clippy::missing_errors_doc, reason = "the errors are those of the scheduler")]
        impl<S: Sink, T: Calls<Observer = Option<Recorder<S>>>> Recordable<T> {
            $(
                #[doc = concat!("[`Scheduler::", stringify!($method), "`].")]
                #[inline]
                pub fn $method(
                    &mut self, $($now: Time,)? $($argument: $($by)? $type),*
                ) -> $answer {
                    if self.is_recorded() {
                        let at = Time::ZERO;
                        $(let at = at.max($now);)?
                        let call =
                            Call::$variant { $($argument: *Borrow::<$type>::borrow(&$argument)),* };
                        self.note_call(at, &call);
                    }
                    let answer = self.scheduler.$method($($now,)? $($argument),*);
                    if self.is_recorded() {
                        self.note_answer(&Answer::from(answer));
                    }
                    answer
                }
            )*
        }

        /// The methods that only look, which need no record.
        #[allow(clippy::missing_errors_doc, reason = "the errors are those of the scheduler")]
        impl<S: Sink, T: Calls<Observer = Option<Recorder<S>>>> Recordable<T> {
            $(
                #[doc = concat!("[`Scheduler::", stringify!($look), "`].")]
                #[inline]
                pub fn $look(&self, $($what: $what_type),*) -> $seen {
                    self.scheduler.$look($($what),*)
                }
            )*

            /// The same as [`Scheduler::statistics`].
            pub fn statistics(&self) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
                self.scheduler.statistics()
            }
        }
    };
}
bfq::with_calls!(define_methods);
