// SPDX-License-Identifier: MIT OR Apache-2.0
//! A median, and between what it lies.

/// A median, and between what it lies: the ends of the sample, or of an interval of confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The median of the sample.
    pub median: f64,
    /// The lower end of the interval, in the unit of the sample.
    pub low: f64,
    /// The upper end of the interval, in the unit of the sample.
    pub high: f64,
}

impl Interval {
    /// The same on another scale, which rises or falls all the way.
    pub fn map(self, scale: impl Fn(f64) -> f64) -> Self {
        let (one, other) = (scale(self.low), scale(self.high));
        Interval { median: scale(self.median), low: one.min(other), high: one.max(other) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_change_sides_on_a_scale_that_falls() {
        let interval = Interval { median: 2.0, low: 1.0, high: 4.0 };
        assert_eq!(interval.map(|x| -x), Interval { median: -2.0, low: -4.0, high: -1.0 });
        assert_eq!(interval.map(|x| x * 2.0), Interval { median: 4.0, low: 2.0, high: 8.0 });
    }
}
