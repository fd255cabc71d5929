//! How long the arm takes from one cylinder to another.
//!
//! The curve is `track + b·√x + c·x`, x being the distance as a share of the full stroke: the arm
//! first accelerates, then coasts. It goes through the seek to the next track and the full stroke,
//! and b and c are such that the mean over two random cylinders is the average seek. Over such
//! pairs the mean of √x is 8/15 and that of x is 1/3.

use crate::profile::HardDiskParameters;

/// Fraction bits of a distance's square root.
const ROOT_BITS: u32 = 16;

/// The seek curve of a disk.
#[derive(Clone, Debug)]
pub(super) struct SeekCurve {
    track_ns: u64,
    root_ns: i64,
    linear_ns: i64,
    distance_max: u64,
}

impl SeekCurve {
    pub fn new(parameters: &HardDiskParameters, cylinders: u64) -> Self {
        let full_ns = (parameters.seek_full - parameters.seek_track) as i64;
        let average_ns = (parameters.seek_average - parameters.seek_track) as i64;
        let root_ns = (15 * average_ns - 5 * full_ns) / 3;
        SeekCurve {
            track_ns: parameters.seek_track,
            root_ns,
            linear_ns: full_ns - root_ns,
            distance_max: cylinders.saturating_sub(2).max(1),
        }
    }

    /// Time to move by so many cylinders.
    pub fn seek_ns(&self, cylinders: u64) -> u64 {
        if cylinders == 0 {
            return 0;
        }
        let share = ((cylinders - 1).min(self.distance_max) << (2 * ROOT_BITS)) / self.distance_max;
        let root = share.isqrt() as i64;
        let curved = (self.root_ns * root) >> ROOT_BITS;
        let straight = (self.linear_ns * (share >> ROOT_BITS) as i64) >> ROOT_BITS;
        self.track_ns + (curved + straight).max(0) as u64
    }
}
