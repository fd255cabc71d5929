// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decaying mean (bfq.md §2.9) by which CFQ learns the think time of a process (peers.md §5.2)
//! and, in generation A, how far it seeks.

/// A mean in which a new sample weighs one eighth.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DecayingMean {
    /// Grows from 0 towards 249.
    weight: u64,
    /// The decaying sum of the samples, times 256.
    total: u64,
    mean: u64,
}

impl DecayingMean {
    pub fn add(&mut self, sample: u64) {
        self.weight = (7 * self.weight + 256) / 8;
        self.total = (7 * self.total + 256 * sample) / 8;
        self.mean = (self.total + 128) / self.weight;
    }

    /// The mean, trusted or not.
    pub fn value(&self) -> u64 {
        self.mean
    }

    /// The mean, once there were samples enough: three.
    pub fn trusted(&self) -> Option<u64> {
        (self.weight > 80).then_some(self.mean)
    }

    /// Whether only the first two or three samples came so far.
    pub fn is_young(&self) -> bool {
        self.weight <= 60
    }
}

/// How long a process takes from the end of a request to its next one.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThinkTime {
    mean: DecayingMean,
    last_completion_ticks: i64,
}

impl ThinkTime {
    /// Of a process that begins now.
    pub fn new(now_ticks: i64) -> ThinkTime {
        ThinkTime { mean: DecayingMean::default(), last_completion_ticks: now_ticks }
    }

    /// A synchronous request of the process has ended.
    pub fn completed(&mut self, now_ticks: i64) {
        self.last_completion_ticks = now_ticks;
    }

    /// A request of the process arrives; a think time beyond `cap_ticks` counts as that.
    pub fn arrived(&mut self, now_ticks: i64, cap_ticks: i64) {
        let thought = (now_ticks - self.last_completion_ticks).clamp(0, cap_ticks);
        self.mean.add(thought as u64);
    }

    /// The mean in ticks, once it can be trusted.
    pub fn trusted_ticks(&self) -> Option<i64> {
        self.mean.trusted().map(|ticks| ticks as i64)
    }
}
