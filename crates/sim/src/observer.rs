// SPDX-License-Identifier: MIT OR Apache-2.0
//! Observers of a run, which see it from inside.

use blk::{IoError, Tag};
use device::CommandTiming;
use runner::Runner;

/// Looks at a run from inside: it is told of each command that has ended, before all others.
pub trait RunObserver {
    /// Whether it wants to know what each command waits for in the device.
    #[inline]
    fn watches_device(&self) -> bool {
        false
    }

    /// What the request `tag` waited for in the device, which ends it now; told before
    /// [`RunObserver::ends`], if the observer watches the device.
    fn timed(&mut self, _tag: Tag, _timing: CommandTiming) {}

    /// The device ends the request `tag` now. `runner` does not know it yet.
    fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner);
}

/// Sees nothing, at no cost.
impl RunObserver for () {
    #[inline(always)]
    fn ends(&mut self, _: u64, _: Tag, _: Result<(), IoError>, _: &Runner) {}
}

/// All observers of the run.
impl<W: RunObserver> RunObserver for Option<W> {
    #[inline]
    fn watches_device(&self) -> bool {
        self.as_ref().is_some_and(RunObserver::watches_device)
    }

    fn timed(&mut self, tag: Tag, timing: CommandTiming) {
        if let Some(observer) = self {
            observer.timed(tag, timing);
        }
    }

    #[inline]
    fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner) {
        if let Some(observer) = self {
            observer.ends(now_ns, tag, result, runner);
        }
    }
}
