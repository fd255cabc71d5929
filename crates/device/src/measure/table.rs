// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be measured on a disk: a table.

use crate::profile::schema::ParameterRow;
use crate::profile::units::Quantity;
use base::Op;

/// A figure that can be measured and that a profile can expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurement {
    pub(super) row: ParameterRow,
    pub(super) ops: &'static [Op],
    pub(super) depth: u32,
    pub(super) place: AccessPattern,
    pub(super) state: WearState,
}

/// Where the commands of a measurement go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessPattern {
    /// 128 KiB each, one after the other from the first sector on.
    Outer,
    /// 128 KiB each, one after the other up to the last sector.
    Inner,
    /// 128 KiB each, one after the other, at places spread over the disk.
    Spread,
    /// 4 KiB each, anywhere.
    Random,
}

/// What the disk has been through before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WearState {
    Rested,
    /// It has no fast cache left, and was overwritten at random if that is what is measured.
    Worn,
}

impl Measurement {
    /// All measurements that can be made of a disk, one row each.
    pub const ALL: &'static [Measurement] =
        &[
            rate(
                "sequential_read_outer",
                "128 KiB reads in a row at the first sectors, 32 at a time",
            )
            .of(&[Op::Read], 32, AccessPattern::Outer),
            rate(
                "sequential_read_inner",
                "128 KiB reads in a row at the last sectors, 32 at a time",
            )
            .of(&[Op::Read], 32, AccessPattern::Inner),
            rate("sequential_read_mean", "mean of such rates at 16 places spread over the disk")
                .of(&[Op::Read], 32, AccessPattern::Spread),
            rate(
                "sequential_write_outer",
                "128 KiB writes in a row at the first sectors, 32 at a time",
            )
            .of(&[Op::Write], 32, AccessPattern::Outer),
            rate("sequential_write_sustained", "the same once the fast cache is full")
                .of(&[Op::Write], 32, AccessPattern::Outer)
                .worn(),
            frequency("random_read_depth_1", "4 KiB reads all over the disk, one at a time").of(
                &[Op::Read],
                1,
                AccessPattern::Random,
            ),
            frequency("random_read_depth_32", "4 KiB reads all over the disk, 32 at a time").of(
                &[Op::Read],
                32,
                AccessPattern::Random,
            ),
            frequency("random_read_depth_128", "4 KiB reads all over the disk, 128 at a time").of(
                &[Op::Read],
                128,
                AccessPattern::Random,
            ),
            time("random_read_latency", "mean time of a 4 KiB read anywhere, one at a time").of(
                &[Op::Read],
                1,
                AccessPattern::Random,
            ),
            frequency("random_write_depth_1", "4 KiB writes all over the disk, one at a time").of(
                &[Op::Write],
                1,
                AccessPattern::Random,
            ),
            frequency("random_write_depth_32", "4 KiB writes all over the disk, 32 at a time").of(
                &[Op::Write],
                32,
                AccessPattern::Random,
            ),
            frequency("random_write_depth_128", "4 KiB writes all over the disk, 128 at a time")
                .of(&[Op::Write], 128, AccessPattern::Random),
            frequency(
                "random_write_sustained",
                "32 at a time, after the disk was overwritten at random",
            )
            .of(&[Op::Write], 32, AccessPattern::Random)
            .worn(),
            frequency("synced_write_depth_1", "4 KiB writes all over the disk, each with a flush")
                .of(&[Op::Write, Op::Flush], 1, AccessPattern::Random),
        ];

    /// Its name, kind of number and meaning.
    pub fn row(&self) -> &ParameterRow {
        &self.row
    }

    /// The measurement of this name.
    pub fn named(name: &str) -> Option<&'static Measurement> {
        Measurement::ALL.iter().find(|measurement| measurement.row.name == name)
    }

    const fn of(self, ops: &'static [Op], depth: u32, place: AccessPattern) -> Self {
        Measurement { ops, depth, place, ..self }
    }

    const fn worn(self) -> Self {
        Measurement { state: WearState::Worn, ..self }
    }
}

const fn measurement(name: &'static str, quantity: Quantity, doc: &'static str) -> Measurement {
    Measurement {
        row: ParameterRow {
            name,
            quantity,
            least: 1,
            greatest: 1_000_000_000_000,
            default: None,
            doc,
        },
        ops: &[],
        depth: 1,
        place: AccessPattern::Random,
        state: WearState::Rested,
    }
}

const fn rate(name: &'static str, doc: &'static str) -> Measurement {
    measurement(name, Quantity::Rate, doc)
}

const fn frequency(name: &'static str, doc: &'static str) -> Measurement {
    measurement(name, Quantity::Frequency, doc)
}

const fn time(name: &'static str, doc: &'static str) -> Measurement {
    measurement(name, Quantity::Time, doc)
}
