// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rates and the time that a transfer takes at them.

const NS_PER_S: u64 = 1_000_000_000;

/// When a command that came at `now_ns` ends at the soonest. One that took no time would let a
/// process that issues one after the other do so for ever, in the same instant.
pub(crate) fn soonest_end_ns(now_ns: u64) -> u64 {
    now_ns.saturating_add(1)
}

/// A rate of transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    pub bytes_per_s: u64,
}

impl Rate {
    pub fn new(bytes_per_s: u64) -> Self {
        debug_assert!(bytes_per_s > 0, "the schema bounds every rate from below");
        Rate { bytes_per_s }
    }

    /// Time for `bytes`, rounded up: nothing is ever faster than its rate.
    pub fn transfer_ns(self, bytes: u64) -> u64 {
        // The narrow division is several times as fast, and wide enough for 18 GB.
        match bytes.checked_mul(NS_PER_S) {
            Some(scaled) => scaled.div_ceil(self.bytes_per_s),
            None => {
                let ns = (u128::from(bytes) * u128::from(NS_PER_S))
                    .div_ceil(u128::from(self.bytes_per_s));
                u64::try_from(ns).unwrap_or(u64::MAX)
            }
        }
    }
}

/// Something that one user at a time can have, first come, first served.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resource {
    pub free_ns: u64,
    pub busy_ns: u64,
}

impl Resource {
    /// Occupies it for `ns` from `from_ns` on, or from when it is free; returns the end.
    pub fn occupy(&mut self, from_ns: u64, ns: u64) -> u64 {
        self.free_ns = self.free_ns.max(from_ns) + ns;
        self.busy_ns += ns;
        self.free_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_round_up_and_never_overflow() {
        let cases = [
            (262_144, 100_000_000, 2_621_440),
            (512, 300_000_000, 1_707),
            (0, 1, 0),
            (u64::from(u32::MAX) * 512, 1_000_000_000, 2_199_023_255_040),
            (u64::MAX, 1_000, u64::MAX),
        ];
        for (bytes, rate, ns) in cases {
            assert_eq!(Rate::new(rate).transfer_ns(bytes), ns, "{bytes} B at {rate} B/s");
        }
    }
}
