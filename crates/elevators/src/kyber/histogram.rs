// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latencies counted in quarters of their target (peers.md §4.4).

/// A range of latencies: a quarter of the target, or for the last one everything from there on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bucket(u8);

impl Bucket {
    const COUNT: usize = 8;
    /// Buckets below this one are at most the target.
    const FIRST_BAD: u8 = 4;

    /// The bucket of a latency. A target below 4 ns counts as 4 ns.
    pub fn of(latency_ns: u64, target_ns: u64) -> Bucket {
        let quarter_ns = (target_ns / 4).max(1);
        let index = latency_ns.saturating_sub(1) / quarter_ns;
        Bucket(index.min(Bucket::COUNT as u64 - 1) as u8)
    }

    /// Whether the target is missed.
    pub fn is_bad(self) -> bool {
        self.0 >= Bucket::FIRST_BAD
    }

    /// The end of the range, in quarters of the target.
    pub fn end_quarters(self) -> u32 {
        u32::from(self.0) + 1
    }
}

/// How many samples fell into each bucket.
#[derive(Debug, Default)]
pub(super) struct Histogram([u32; Bucket::COUNT]);

impl Histogram {
    pub fn add(&mut self, bucket: Bucket) {
        let count = &mut self.0[usize::from(bucket.0)];
        *count = count.saturating_add(1);
    }

    pub fn samples(&self) -> u64 {
        self.0.iter().map(|&count| u64::from(count)).sum()
    }

    /// The first bucket at which `percent` of the samples, rounded up, are counted.
    pub fn percentile(&self, percent: u64) -> Bucket {
        let wanted = (self.samples() * percent).div_ceil(100);
        let counted_up_to = self.0.iter().scan(0, |counted, &count| {
            *counted += u64::from(count);
            Some(*counted)
        });
        Bucket(counted_up_to.take_while(|&counted| counted < wanted).count() as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_quarters_of_the_target() {
        const TARGET_NS: u64 = 2_000_000;
        for (latency_ns, bucket, bad) in [
            (0, 0, false),
            (1, 0, false),
            (500_000, 0, false),
            (500_001, 1, false),
            (1_000_000, 1, false),
            (1_500_000, 2, false),
            (1_500_001, 3, false),
            (2_000_000, 3, false),
            (2_000_001, 4, true),
            (3_500_000, 6, true),
            (3_500_001, 7, true),
            (4_000_001, 7, true),
            (u64::MAX, 7, true),
        ] {
            let found = Bucket::of(latency_ns, TARGET_NS);
            assert_eq!((found.0, found.is_bad()), (bucket, bad), "{latency_ns} ns");
        }
    }

    #[test]
    fn quarters_are_whole_nanoseconds_and_at_least_one() {
        for (latency_ns, target_ns, bucket) in
            [(2, 7, 1), (4, 7, 3), (5, 7, 4), (1, 0, 0), (2, 0, 1), (9, 3, 7), (1, u64::MAX, 0)]
        {
            let found = Bucket::of(latency_ns, target_ns);
            assert_eq!(found.0, bucket, "{latency_ns} of {target_ns} ns");
        }
    }

    #[test]
    fn a_percentile_is_where_that_many_samples_rounded_up_are_reached() {
        for (counts, percent, bucket) in [
            ([1, 0, 0, 0, 0, 0, 0, 0], 99, 0),
            ([9, 0, 0, 0, 0, 0, 0, 1], 90, 0),
            ([9, 0, 0, 0, 0, 0, 0, 1], 91, 7),
            ([8, 0, 0, 2, 0, 0, 0, 0], 90, 3),
            ([98, 0, 1, 0, 0, 1, 0, 0], 99, 2),
            ([989, 0, 0, 0, 11, 0, 0, 0], 99, 4),
            // 99 % of 101 is 99.99: the hundredth decides.
            ([99, 0, 0, 0, 0, 2, 0, 0], 99, 5),
            ([0, 0, 0, 0, 0, 0, 0, 5], 1, 7),
        ] {
            let found = Histogram(counts).percentile(percent);
            assert_eq!(found.0, bucket, "{percent} % of {counts:?}");
        }
    }
}
