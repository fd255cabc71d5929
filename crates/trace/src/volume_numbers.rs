// SPDX-License-Identifier: MIT OR Apache-2.0
//! The numbers of devices in formats where volumes have no names.

use crate::names::{DeviceId, Names};
use std::collections::BTreeSet;

/// A number for each device, no two the same. A name that is a number keeps it, and others get that
/// of their place; where that is taken, the least that is not. What comes later is not known when a
/// device gets its number, as a trace is written while it is read.
#[derive(Debug, Default)]
pub(crate) struct VolumeNumbers {
    /// By the place of the device.
    numbers: Vec<u64>,
    taken: BTreeSet<u64>,
    /// None below it is free.
    least_free: u64,
    renumbered: u64,
}

impl VolumeNumbers {
    pub(crate) fn of(&mut self, device: DeviceId, names: &Names) -> u64 {
        let place = device.0 as usize;
        for next in self.numbers.len()..=place {
            let own = names.devices()[next].parse::<u64>().ok();
            let mut number = own.unwrap_or(next as u64);
            if self.taken.contains(&number) {
                while self.taken.contains(&self.least_free) {
                    self.least_free += 1;
                }
                number = self.least_free;
            }
            self.renumbered += u64::from(own.is_some_and(|own| own != number));
            self.taken.insert(number);
            self.numbers.push(number);
        }
        self.numbers[place]
    }

    /// Devices whose name is a number and that have another one.
    pub(crate) fn renumbered(&self) -> u64 {
        self.renumbered
    }
}
