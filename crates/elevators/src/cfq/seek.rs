// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who seeks (peers.md §5.2): generation A keeps the mean distance of each process, B the last 32
//! requests of each queue.

use super::think_time::DecayingMean;

/// A process whose mean distance is greater seeks, sectors.
pub(super) const SEEKY_DISTANCE_SECTORS: u64 = 8192;

/// Generation A: the mean distance from the end of a process's request to the start of its next.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SeekDistance {
    last_end_sector: Option<u64>,
    mean: DecayingMean,
}

impl SeekDistance {
    /// A single long seek must not spoil the mean: it counts as at most this much more than four
    /// times that.
    const YOUNG_EXCESS_SECTORS: u64 = 2 << 20;
    const EXCESS_SECTORS: u64 = 128 << 10;

    pub fn arrived(&mut self, sector: u64, end_sector: u64) {
        let distance =
            self.last_end_sector.replace(end_sector).map_or(0, |end| end.abs_diff(sector));
        let excess =
            if self.mean.is_young() { Self::YOUNG_EXCESS_SECTORS } else { Self::EXCESS_SECTORS };
        self.mean.add(distance.min(4 * self.mean.value() + excess));
    }

    pub fn is_seeky(&self) -> bool {
        self.mean.value() > SEEKY_DISTANCE_SECTORS
    }

    /// What is near for this process, sectors.
    pub fn near_sectors(&self) -> u64 {
        self.mean.trusted().unwrap_or(SEEKY_DISTANCE_SECTORS)
    }
}

/// Generation B: which of a queue's last 32 requests were far from the one before or, where the
/// device doesn't rotate, small.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SeekHistory {
    last_end_sector: Option<u64>,
    bits: u32,
}

impl SeekHistory {
    const FAR_SECTORS: u64 = 800;
    const SMALL_SECTORS: u64 = 64;
    const SEEKY_REQUESTS: u32 = 4;

    pub fn arrived(&mut self, sector: u64, end_sector: u64, rotational: bool) {
        let last_end_sector = self.last_end_sector.replace(end_sector);
        let seeks = if rotational {
            last_end_sector.is_some_and(|end| end.abs_diff(sector) > Self::FAR_SECTORS)
        } else {
            end_sector - sector < Self::SMALL_SECTORS
        };
        self.bits = self.bits << 1 | u32::from(seeks);
    }

    pub fn is_seeky(&self) -> bool {
        self.bits.count_ones() > Self::SEEKY_REQUESTS
    }
}
