// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the host says of the device (spec 9, 12.2).

use super::request::NewRequest;
use crate::units::Sector;

/// Most independent actuators that a device can have.
pub const MAX_ACTUATORS: usize = 8;

/// A disk, as the host describes it.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// It has moving parts.
    pub(crate) rotational: bool,
    /// Size of the host's request pool.
    pub(crate) nr_requests: u32,
    /// Independent actuators: at least one.
    pub(crate) actuators: usize,
    /// Where the range of sectors of each of them ends.
    ends: [Sector; MAX_ACTUATORS],
}

impl Device {
    /// A device whose actuators' ranges end at `actuator_ends` (see
    /// [`Config`](crate::Config::actuator_ends)).
    pub(crate) fn new(rotational: bool, nr_requests: u32, actuator_ends: &[u64]) -> Device {
        let mut ends = [Sector::END; MAX_ACTUATORS];
        let several = (2..=MAX_ACTUATORS).contains(&actuator_ends.len());
        let actuators = if several { actuator_ends.len() } else { 1 };
        if several {
            for (slot, &end) in ends.iter_mut().zip(actuator_ends) {
                *slot = Sector::at(end);
            }
        }
        Device { rotational, nr_requests, actuators, ends }
    }

    /// Whether it has moving parts.
    pub fn is_rotational(&self) -> bool {
        self.rotational
    }

    /// Size of the host's request pool.
    pub fn nr_requests(&self) -> u32 {
        self.nr_requests
    }

    /// The actuator that serves a request: that of its end.
    #[inline]
    pub(crate) fn actuator_of(&self, request: &NewRequest) -> u8 {
        if self.actuators == 1 {
            return 0;
        }
        let end = request.end();
        let ranges = &self.ends[..self.actuators];
        ranges.iter().position(|&range_end| end <= range_end).unwrap_or(0) as u8
    }
}
