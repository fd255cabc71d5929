//! Does the device queue commands? Found out by watching how many it takes (spec 3.18).

/// More than this in the device at once: it queues.
const QUEUEING_DEPTH: u32 = 3;
/// The verdict falls once so many samples have been exceeded.
const SAMPLES: u32 = 32;

/// The detector. Unknown counts as "queues".
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandQueueing {
    verdict: Option<bool>,
    most_in_flight: u32,
    samples: u32,
}

/// What the detector looks at, at a completion and before the counters are lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub in_flight: u32,
    pub queued: u32,
    /// In flight and waiting of the queue in service, if its think time is short.
    pub in_service: Option<u32>,
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

    /// Looks at a completion; returns whether a verdict fell.
    pub fn on_completion(&mut self, load: Load) -> bool {
        self.most_in_flight = self.most_in_flight.max(load.in_flight);
        if self.verdict == Some(true) || load.in_flight + load.queued <= QUEUEING_DEPTH {
            return false;
        }
        // A queue that does not offer depth proves nothing about the device.
        let offers_none = load.in_service.is_some_and(|requests| requests < QUEUEING_DEPTH);
        if offers_none && load.in_flight < QUEUEING_DEPTH {
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

    fn after(load: Load, completions: u32) -> CommandQueueing {
        let mut detector = CommandQueueing::new();
        (0..completions).for_each(|_| {
            detector.on_completion(load);
        });
        detector
    }

    #[test]
    fn the_verdict_falls_at_the_thirty_third_sample() {
        let load = |in_flight, queued| Load { in_flight, queued, in_service: None };
        assert_eq!(after(load(4, 4), 32).verdict, None);
        assert_eq!(after(load(4, 4), 33).verdict, Some(true));
        assert_eq!(after(load(2, 4), 33).verdict, Some(false));
        assert_eq!(after(load(2, 1), 1000).verdict, None, "not enough to do");
        let shy = Load { in_flight: 2, queued: 8, in_service: Some(2) };
        assert_eq!(after(shy, 1000).verdict, None, "its process offers no depth");
    }

    #[test]
    fn once_seen_it_stays() {
        let mut detector = after(Load { in_flight: 8, queued: 0, in_service: None }, 33);
        for _ in 0..100 {
            detector.on_completion(Load { in_flight: 1, queued: 30, in_service: None });
        }
        assert!(!detector.is_known_not_to_queue());
        assert_eq!(detector.most_in_flight(), 1, "it goes on being tracked");
    }
}
