// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many requests wait, and how many the device has (spec 3.18, 9).

use super::device::MAX_ACTUATORS;

/// Requests on their way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load {
    /// They wait in queues.
    pub queued: u32,
    /// The device has them.
    pub in_flight: u32,
    pub in_flight_by_actuator: [u32; MAX_ACTUATORS],
}
