// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weights as files say them, and what programs make of a weight on its way to its file.
//!
//! The ranges are those of the kernel's Documentation/admin-guide/cgroup-v2.rst (`io.weight`) and
//! Documentation/block/bfq-iosched.rst (`io.bfq.weight`).

use host::DeviceNumber;
use std::collections::BTreeMap;

/// The weight of a group that was given none, in all files of weights.
pub const DEFAULT: u32 = 100;
/// The largest weight that bfq takes.
pub const MOST_OF_BFQ: u32 = 1000;
/// The largest weight of `io.weight`, and of systemd's IOWeight=.
pub const MOST_OF_IO: u32 = 10_000;
/// What a process without a group of its own weighs for bfq, beside groups (ioprio 4).
pub const OF_A_PROCESS: u32 = 40;

/// What a file of weights says: `default 100`, and a line for each disk that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// That of all disks without a line of their own.
    pub default: u32,
    /// Those of single disks.
    pub of_disks: BTreeMap<DeviceNumber, u32>,
}

impl Weights {
    /// Reads the text of a file; none if it is no file of weights.
    pub fn parse(text: &str) -> Option<Self> {
        let mut weights = Weights { default: DEFAULT, of_disks: BTreeMap::new() };
        for line in text.lines() {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                [number] | ["default", number] => weights.default = number.parse().ok()?,
                [device, number] => {
                    weights.of_disks.insert(device.parse().ok()?, number.parse().ok()?);
                }
                _ => return None,
            }
        }
        Some(weights)
    }

    /// The weight on a disk.
    pub fn on(&self, disk: DeviceNumber) -> u32 {
        self.of_disks.get(&disk).copied().unwrap_or(self.default)
    }
}

/// What systemd (since version 250) writes to `io.bfq.weight` for IOWeight=: up to 100 the same,
/// and 100 to 10,000 pressed into 100 to 1000 (systemd issues 22897 and 27622 have samples).
pub fn bfq_weight_by_systemd(io_weight: u32) -> u32 {
    if io_weight <= DEFAULT {
        return io_weight;
    }
    DEFAULT + (io_weight - DEFAULT) * (MOST_OF_BFQ - DEFAULT) / (MOST_OF_IO - DEFAULT)
}

/// The same for `blkio.bfq.weight`: the weight goes through the range of cfq, 10 to 1000 around
/// 500, first; nothing above 200 is told apart, and the default of IOWeight= is not bfq's.
pub fn blkio_weight_by_systemd(io_weight: u32) -> u32 {
    bfq_weight_by_systemd((io_weight * 5).clamp(10, MOST_OF_BFQ))
}

/// What runc and crun write to `io.weight` for the weight of a container, 10 to 1000, where there
/// is no `io.bfq.weight` (runc pull request 2212).
pub fn io_weight_by_runtimes(blkio_weight: u32) -> u32 {
    1 + (blkio_weight.max(10) - 10) * 9999 / 990
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_as_the_kernel_writes_them() {
        let weights = Weights::parse("default 100\n8:0 300\n").unwrap();
        assert_eq!(weights.on("8:0".parse().unwrap()), 300);
        assert_eq!(weights.on("8:16".parse().unwrap()), 100);
        assert_eq!(Weights::parse("500").unwrap().default, 500);
        for text in ["default", "default x", "8:0", "a b c"] {
            assert_eq!(Weights::parse(text), None, "{text}");
        }
    }

    /// What users have reported of systemd 250 and later.
    #[test]
    fn weights_are_squeezed_as_users_have_seen_it() {
        for (io_weight, seen) in [(1, 1), (100, 100), (200, 109), (300, 118), (666, 151)] {
            assert_eq!(bfq_weight_by_systemd(io_weight), seen, "{io_weight}");
        }
        assert_eq!(bfq_weight_by_systemd(10_000), 1000);
        let of_blkio = [(1, 10), (10, 50), (25, 102), (50, 113), (75, 125), (100, 136), (150, 159)];
        for (io_weight, seen) in of_blkio {
            assert_eq!(blkio_weight_by_systemd(io_weight), seen, "{io_weight}");
        }
        for io_weight in [200, 250, 1000, 10_000] {
            assert_eq!(blkio_weight_by_systemd(io_weight), 181, "{io_weight}");
        }
        assert_eq!([10, 500, 1000].map(io_weight_by_runtimes), [1, 4950, 10_000]);
    }
}
