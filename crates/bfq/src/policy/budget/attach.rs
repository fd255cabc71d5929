// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scheduler by this policy: how it comes to be, and whose behaviour it has (spec 12.2).

use super::state::Scheduler;
use crate::{
    quirks::{Behaviour, Quirk},
    scheduler::Config,
    store::arena::OutOfMemory,
    units::Time,
    why::{Observer, Silent},
};

impl Scheduler {
    /// Attaches a scheduler to a device, with the defaults of all tunables.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(now: Time, config: Config<'_>) -> Result<Self, OutOfMemory> {
        Scheduler::with_observer(now, config, Silent)
    }
}

impl<O: Observer> Scheduler<O> {
    /// Attaches a scheduler to a device; `observer` is told every decision.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn with_observer(now: Time, config: Config<'_>, observer: O) -> Result<Self, OutOfMemory> {
        Scheduler::attach(now, config, observer)
    }

    /// Whose behaviour it has.
    pub fn behaviour(&self) -> Behaviour {
        self.policy.behaviour
    }

    /// The recorded host's clock goes on while it is in the scheduler, so that the first request of
    /// a queue comes later than the queue (spec 2.9, *First sample*). Without it, and where only
    /// one time is read for both, the behaviours of the kernels have the reference's quirk (spec
    /// 10.2, row 20).
    pub fn let_clock_run(&mut self) {
        self.policy.quirks = self.policy.quirks.without(Quirk::FirstThinkTimeWraps);
    }
}
