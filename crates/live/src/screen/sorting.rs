// SPDX-License-Identifier: MIT OR Apache-2.0
//! By which figure processes are sorted.

use crate::snapshot::Figures;

/// An order of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sorting {
    #[default]
    Time,
    Bytes,
    Ios,
    Waiting,
    Device,
}

/// The keys that choose an order.
pub(super) const KEYS: [(char, Sorting, &str); 5] = [
    ('1', Sorting::Time, "time"),
    ('2', Sorting::Bytes, "bytes"),
    ('3', Sorting::Ios, "IO/s"),
    ('4', Sorting::Waiting, "waiting, 99 %"),
    ('5', Sorting::Device, "in the disk, 99 %"),
];

impl Sorting {
    /// The order that a key chooses.
    pub fn by_key(key: char) -> Option<Self> {
        KEYS.iter().find(|(known, ..)| *known == key).map(|(_, sorting, _)| *sorting)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        KEYS.iter().find(|(_, sorting, _)| *sorting == self).map_or("", |(_, _, name)| name)
    }

    /// The figure: who has most comes first.
    pub fn figure(self, figures: &Figures) -> f64 {
        match self {
            Sorting::Time => figures.time_percent,
            Sorting::Bytes => figures.bytes() as f64,
            Sorting::Ios => figures.ios as f64,
            Sorting::Waiting => figures.waiting.p99_ns as f64,
            Sorting::Device => figures.in_device.p99_ns as f64,
        }
    }
}
