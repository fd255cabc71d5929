// SPDX-License-Identifier: MIT OR Apache-2.0
//! Those who look at a run from inside.

use blk::{IoError, Tag};
use device::Stay;
use runner::Runner;

/// Looks at a run from inside: it is told of each command that has ended, before all others.
pub trait Witness {
    /// Whether it wants to know what each command waits for in the device.
    #[inline]
    fn watches_device(&self) -> bool {
        false
    }

    /// What the request `tag` waited for in the device, which ends it now; told before
    /// [`Witness::ends`], if the witness watches the device.
    fn stayed(&mut self, _tag: Tag, _stay: Stay) {}

    /// The device ends the request `tag` now. `runner` does not know it yet.
    fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner);
}

/// Sees nothing, at no cost.
impl Witness for () {
    #[inline(always)]
    fn ends(&mut self, _: u64, _: Tag, _: Result<(), IoError>, _: &Runner) {}
}

/// All observers of the run.
impl<W: Witness> Witness for Option<W> {
    #[inline]
    fn watches_device(&self) -> bool {
        self.as_ref().is_some_and(Witness::watches_device)
    }

    fn stayed(&mut self, tag: Tag, stay: Stay) {
        if let Some(witness) = self {
            witness.stayed(tag, stay);
        }
    }

    #[inline]
    fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner) {
        if let Some(witness) = self {
            witness.ends(now_ns, tag, result, runner);
        }
    }
}
