// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a disk is asked to do so that it shows what it is: one table.

use device::Quantity;

/// A load of one kind: always `depth` requests of `block_bytes` in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Its name. Where `device::measure` measures the same, the same as there.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// What the requests do.
    pub does: Does,
    /// Where on the disk the requests go, and in which order.
    pub place: AccessPattern,
    /// How long each of them is.
    pub block_bytes: u32,
    /// How many are in flight.
    pub depth: u32,
}

/// What the requests of a trial do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Every request reads.
    Read,
    /// Every request writes.
    Write,
    /// Seven of ten read, three write.
    Mixed,
    /// Each writes, and waits until that is safe.
    SyncedWrite,
}

impl Does {
    /// Whether some of it is reading.
    pub fn reads(self) -> bool {
        matches!(self, Does::Read | Does::Mixed)
    }

    /// Whether some of it is writing.
    pub fn writes(self) -> bool {
        self != Does::Read
    }
}

/// Where the requests of a trial go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessPattern {
    /// One after the other from the beginning on.
    Outer,
    /// One after the other up to the end. Only on a whole disk: the end of a file is anywhere.
    Inner,
    /// At random offsets, anywhere in the part that is measured.
    Random,
}

const SMALL_BYTES: u32 = 4 << 10;
const LARGE_BYTES: u32 = 128 << 10;

impl Trial {
    /// What its figure is: bytes a second of a large load, operations a second of a small one.
    pub fn quantity(&self) -> Quantity {
        match self.block_bytes {
            LARGE_BYTES => Quantity::Rate,
            _ => Quantity::Frequency,
        }
    }

    /// The trial of this name.
    pub fn named(name: &str) -> Option<&'static Trial> {
        TRIALS.iter().find(|trial| trial.name == name)
    }
}

const fn large(name: &'static str, title: &'static str, does: Does, place: AccessPattern) -> Trial {
    Trial { name, title, does, place, block_bytes: LARGE_BYTES, depth: 32 }
}

const fn small(name: &'static str, title: &'static str, does: Does, depth: u32) -> Trial {
    Trial { name, title, does, place: AccessPattern::Random, block_bytes: SMALL_BYTES, depth }
}

/// All trials: those that only read first, so that nothing written is still under way in them.
pub const TRIALS: &[Trial] = &[
    large(
        "sequential_read_outer",
        "reading 128 KiB in a row, 32 at a time",
        Does::Read,
        AccessPattern::Outer,
    ),
    large(
        "sequential_read_inner",
        "the same up to the last sector",
        Does::Read,
        AccessPattern::Inner,
    ),
    Trial {
        place: AccessPattern::Outer,
        ..small("sequential_read_small", "reading 4 KiB in a row, one at a time", Does::Read, 1)
    },
    small("random_read_depth_1", "reading 4 KiB anywhere, one at a time", Does::Read, 1),
    small("random_read_depth_2", "2 at a time", Does::Read, 2),
    small("random_read_depth_4", "4 at a time", Does::Read, 4),
    small("random_read_depth_8", "8 at a time", Does::Read, 8),
    small("random_read_depth_16", "16 at a time", Does::Read, 16),
    small("random_read_depth_32", "32 at a time", Does::Read, 32),
    small("random_read_depth_64", "64 at a time", Does::Read, 64),
    small("random_read_depth_128", "128 at a time", Does::Read, 128),
    small(
        "mixed_depth_32",
        "7 of 10 reading, 3 writing 4 KiB anywhere, 32 at a time",
        Does::Mixed,
        32,
    ),
    small("random_write_depth_1", "writing 4 KiB anywhere, one at a time", Does::Write, 1),
    small("random_write_depth_32", "32 at a time", Does::Write, 32),
    small("random_write_depth_128", "128 at a time", Does::Write, 128),
    small("synced_write_depth_1", "writing 4 KiB anywhere, each made safe", Does::SyncedWrite, 1),
    large(
        "sequential_write_outer",
        "writing 128 KiB in a row, 32 at a time",
        Does::Write,
        AccessPattern::Outer,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use device::measure::Measurement;

    #[test]
    fn a_trial_that_the_profiles_know_is_the_same_kind_of_figure() {
        let mut known = 0;
        for trial in TRIALS {
            if let Some(measurement) = Measurement::named(trial.name) {
                assert_eq!(measurement.row().quantity, trial.quantity(), "{}", trial.name);
                known += 1;
            }
        }
        assert_eq!(known, 10);
    }
}
