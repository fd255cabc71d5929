// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a policy keeps beside queues, groups and processes: types of its own, of which the
//! model knows nothing.

use core::fmt::Debug;

/// The types that a policy attaches to what the model has.
pub trait Attached: Sized {
    /// What the policy keeps with each queue.
    type Queue: Debug;
    /// What the policy keeps with each group.
    type Group: Debug;
    /// For each process and actuator of the device.
    type Process: Debug + Default;
}
