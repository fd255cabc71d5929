// SPDX-License-Identifier: MIT OR Apache-2.0
//! Does the device queue commands? Found out by watching how many it takes (spec 3.18).

/// More than this in the device at once: it queues.
const QUEUEING_DEPTH: u32 = 3;
/// The verdict falls once this number of samples has been exceeded.
const SAMPLES: u32 = 32;

/// The detector. Unknown counts as "queues".
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandQueueing {
    verdict: Option<bool>,
    most_in_flight: u32,
    samples: u32,
}

impl CommandQueueing {
    pub const fn new() -> Self {
        CommandQueueing { verdict: None, most_in_flight: 0, samples: 0 }
    }

    /// The device is known to take one command at a time.
    pub fn is_known_not_to_queue(&self) -> bool {
        self.verdict == Some(false)
    }

    /// The largest number of requests seen in the device.
    pub fn most_in_flight(&self) -> u32 {
        self.most_in_flight
    }

    /// Looks at a completion, before the counters are lowered; returns whether a verdict
    /// fell. `offered` is what the queue in service has in flight and waiting, if its think
    /// time is short.
    #[inline]
    pub fn on_completion(
        &mut self,
        in_flight: u32,
        queued: u32,
        offered: impl FnOnce() -> Option<u32>,
    ) -> bool {
        debug_assert!(in_flight > 0, "the completed request counts still");
        self.most_in_flight = self.most_in_flight.max(in_flight);
        if self.verdict == Some(true) || in_flight + queued <= QUEUEING_DEPTH {
            return false;
        }
        // A queue that does not offer depth proves nothing about the device.
        if in_flight < QUEUEING_DEPTH && offered().is_some_and(|count| count < QUEUEING_DEPTH) {
            return false;
        }
        self.samples += 1;
        if self.samples <= SAMPLES {
            return false;
        }
        self.verdict = Some(self.most_in_flight > QUEUEING_DEPTH);
        self.most_in_flight = 0;
        self.samples = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(
        in_flight: u32,
        queued: u32,
        offered: Option<u32>,
        completions: u32,
    ) -> CommandQueueing {
        let mut detector = CommandQueueing::new();
        (0..completions).for_each(|_| {
            detector.on_completion(in_flight, queued, || offered);
        });
        detector
    }

    #[test]
    fn the_verdict_falls_at_the_thirty_third_sample() {
        assert_eq!(after(4, 4, None, 32).verdict, None);
        assert_eq!(after(4, 4, None, 33).verdict, Some(true));
        assert_eq!(after(2, 4, None, 33).verdict, Some(false));
        assert_eq!(after(2, 1, None, 1000).verdict, None, "not enough to do");
        assert_eq!(after(2, 8, Some(2), 1000).verdict, None, "its process offers no depth");
    }

    #[test]
    fn once_seen_it_stays() {
        let mut detector = after(8, 0, None, 33);
        for _ in 0..100 {
            detector.on_completion(1, 30, || None);
        }
        assert!(!detector.is_known_not_to_queue());
        assert_eq!(detector.most_in_flight(), 1, "it goes on being tracked");
    }
}
