// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers that several crates hold each other to.

use bfq::Weight;

/// The weight of a control group that nothing is said of.
pub const DEFAULT_GROUP_WEIGHT: u32 = Weight::DEFAULT_GROUP.get();
/// The least weight of a control group.
pub const MIN_GROUP_WEIGHT: u32 = Weight::MIN.get();
/// The greatest weight of a control group, as `io.weight` takes it.
pub const MAX_GROUP_WEIGHT: u32 = Weight::MAX.get();

/// Bytes of a page of memory, wherever memory is modelled.
pub const PAGE_BYTES: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use bfq::DeviceNumber;
    use bfq::cgroup::weight::{DeviceStatus, GroupWeights, WeightFile};

    #[test]
    fn the_core_takes_these_weights_and_no_others() {
        let disk = DeviceNumber { major: 8, minor: 0 };
        let written = |weight: u32| {
            let mut weights = GroupWeights::new();
            let text = alloc::format!("{weight}");
            let taken = weights.write(WeightFile::Generic, &text, |_| DeviceStatus::Scheduled);
            taken.is_ok().then(|| weights.effective(disk))
        };
        assert_eq!(GroupWeights::new().effective(disk), DEFAULT_GROUP_WEIGHT);
        assert_eq!(written(MIN_GROUP_WEIGHT), Some(MIN_GROUP_WEIGHT));
        assert_eq!(written(MAX_GROUP_WEIGHT), Some(MAX_GROUP_WEIGHT));
        assert_eq!([written(MIN_GROUP_WEIGHT - 1), written(MAX_GROUP_WEIGHT + 1)], [None; 2]);
    }
}
