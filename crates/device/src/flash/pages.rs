// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pages of a flash disk: where each of them lies, and how long its reading and the way of its
//! sectors to the host take. All times are worked out once, not for each read.

use crate::profile::FlashParameters;
use crate::time::Rate;
use base::SECTOR_BYTES;
use std::num::NonZero;

/// Shares are told in these.
const MILLIONTHS: u64 = 1_000_000;

/// The die of a page, and what is special about the page there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub die: u32,
    /// Time that the die takes to read it.
    pub read_ns: u64,
}

/// How long some sectors of a page take to the host, if they wait for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TransferTimes {
    pub channel_ns: u64,
    pub interface_ns: u64,
}

/// Page after page lies on channel after channel, and die after die of them.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    sectors: NonZero<u64>,
    dies: NonZero<u64>,
    /// Of each third page of a die.
    read_times_ns: [u64; 3],
    /// By the number of sectors, up to a whole page.
    transfer_times: Vec<TransferTimes>,
}

impl Pages {
    pub fn new(parameters: &FlashParameters) -> Self {
        let FlashParameters { channels, dies, page, read_time, .. } = *parameters;
        let spread_ns = read_time * parameters.read_time_spread / MILLIONTHS;
        let (channel, interface) =
            (Rate::new(parameters.channel_rate), Rate::new(parameters.interface_rate));
        let times = |sectors: u64| TransferTimes {
            channel_ns: channel.transfer_ns(sectors * SECTOR_BYTES),
            interface_ns: interface.transfer_ns(sectors * SECTOR_BYTES),
        };
        let sectors = page / SECTOR_BYTES;
        Pages {
            sectors: at_least_one(sectors),
            dies: at_least_one(channels * dies),
            read_times_ns: [read_time, read_time - spread_ns, read_time + spread_ns],
            transfer_times: (0..=sectors).map(times).collect(),
        }
    }

    /// Where a page lies.
    #[inline]
    pub fn place(&self, page: u64) -> Place {
        let (row, die) = (page / self.dies, (page % self.dies) as u32);
        let read_ns = self.read_times_ns[(row % 3) as usize];
        Place { die, read_ns }
    }

    /// The page of a sector, and the sector behind that page.
    #[inline]
    pub fn page_of(&self, sector: u64) -> (u64, u64) {
        let page = sector / self.sectors;
        (page, (page + 1) * self.sectors.get())
    }

    /// The times of some sectors of one page.
    #[inline]
    pub fn transfer_times(&self, sectors: u32) -> TransferTimes {
        self.transfer_times[sectors as usize]
    }
}

/// A number that the schema bounds from below, so that to divide by it needs no check.
fn at_least_one(number: u64) -> NonZero<u64> {
    debug_assert!(number > 0, "the schema lets none through");
    NonZero::new(number).unwrap_or(NonZero::<u64>::MIN)
}
