// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long the arm takes from one cylinder to another.
//!
//! The curve is `track + b·√x + c·x`, x being the distance as a share of the full stroke: the arm
//! first accelerates, then coasts. It goes through the seek to the next track and the full stroke,
//! and b and c are such that the mean over two random cylinders is the average seek. Over such
//! pairs the mean of √x is 8/15 and that of x is 1/3.

use crate::profile::HardDiskParameters;

/// Fraction bits of the square root of a distance's share.
const ROOT_BITS: u32 = 20;
/// Fraction bits of the share of the stroke that one cylinder is.
const CYLINDER_BITS: u32 = 62;

/// The seek curve of a disk.
#[derive(Clone, Debug)]
pub(super) struct SeekCurve {
    track_ns: u64,
    root_ns: i64,
    linear_ns: i64,
    distance_max: u64,
    /// What share of the stroke one cylinder is.
    cylinder_share: u64,
}

impl SeekCurve {
    pub fn new(parameters: &HardDiskParameters, cylinders: u64) -> Self {
        let full_ns = (parameters.seek_full - parameters.seek_track) as i64;
        let average_ns = (parameters.seek_average - parameters.seek_track) as i64;
        let root_ns = (15 * average_ns - 5 * full_ns) / 3;
        let distance_max = cylinders.saturating_sub(2).max(1);
        SeekCurve {
            track_ns: parameters.seek_track,
            root_ns,
            linear_ns: full_ns - root_ns,
            distance_max,
            cylinder_share: (1 << CYLINDER_BITS) / distance_max,
        }
    }

    /// Time to move by that number of cylinders.
    pub fn seek_ns(&self, cylinders: u64) -> u64 {
        if cylinders == 0 {
            return 0;
        }
        let distance = (cylinders - 1).min(self.distance_max);
        let share = u128::from(distance) * u128::from(self.cylinder_share);
        let share = (share >> (CYLINDER_BITS - 2 * ROOT_BITS)) as u64;
        let root = share.isqrt();
        let curved = (i128::from(self.root_ns) * i128::from(root)) >> ROOT_BITS;
        let straight = (i128::from(self.linear_ns) * i128::from(share)) >> (2 * ROOT_BITS);
        self.track_ns + (curved + straight).max(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Parameters, Profile};
    use base::random::Random;

    fn curves() -> Vec<(HardDiskParameters, SeekCurve)> {
        let profiles = Profile::builtin_names().filter_map(Profile::builtin);
        let parameters = profiles.filter_map(|profile| match profile.parameters() {
            Parameters::HardDisk(parameters) => Some(parameters),
            _ => None,
        });
        parameters.map(|parameters| (parameters, SeekCurve::new(&parameters, 100_000))).collect()
    }

    #[test]
    fn the_curve_goes_through_its_three_seeks() {
        for (parameters, curve) in curves() {
            assert_eq!(curve.seek_ns(0), 0);
            assert_eq!(curve.seek_ns(1), parameters.seek_track);
            assert!(curve.seek_ns(99_999).abs_diff(parameters.seek_full) < 100);
            let mut random = Random::new(1);
            let mut cylinder = || random.next() % 100_000;
            let pairs = (0..100_000).map(|_| curve.seek_ns(cylinder().abs_diff(cylinder())));
            let mean_ns = pairs.sum::<u64>() / 100_000;
            assert!(mean_ns.abs_diff(parameters.seek_average) < parameters.seek_average / 200);
        }
    }

    #[test]
    fn a_longer_way_never_takes_less() {
        for (_, curve) in curves() {
            let mut longest_ns = 0;
            for cylinders in 0..100_000 {
                let seek_ns = curve.seek_ns(cylinders);
                assert!(seek_ns + 100 > longest_ns, "{cylinders} cylinders");
                longest_ns = longest_ns.max(seek_ns);
            }
        }
    }
}
