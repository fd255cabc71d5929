// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the device queues commands, learnt from how many it holds at a time (peers.md §5.10).

use super::generation::Generation;

/// This number of requests on the device, or waiting, makes a sample; a device that holds as many
/// queues.
const MANY: u32 = 5;
const SAMPLES: u32 = 50;

/// What is known of the device.
#[derive(Debug, Clone)]
pub(super) struct Queueing {
    generation: Generation,
    /// `None`: not known yet.
    known: Option<bool>,
    most_in_flight: u32,
    samples: u32,
}

/// What a completion finds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    /// On the device, the one that completes among them.
    pub in_flight: u32,
    pub waiting: u32,
    /// Requests of the active queue in flight and waiting, if it is one that is waited for.
    pub waited_for: Option<u32>,
}

impl Queueing {
    pub fn new(generation: Generation) -> Queueing {
        Queueing { generation, known: None, most_in_flight: 0, samples: 0 }
    }

    /// Whether the device queues commands; assumed as long as it is not known.
    pub fn queues(&self) -> bool {
        self.known.unwrap_or(true)
    }

    /// Learns from a completion how many commands the device had under way.
    pub fn completes(&mut self, load: Load) {
        self.most_in_flight = self.most_in_flight.max(load.in_flight);
        let offers_depth = load.in_flight > MANY || load.waiting > MANY;
        let judged = match self.generation {
            Generation::Linux2_6_32 => offers_depth.then_some(self.most_in_flight >= MANY),
            Generation::Linux2_6_35 => {
                // A queue that is waited for may simply have no more to offer.
                let starved =
                    load.in_flight < MANY && load.waited_for.is_some_and(|few| few < MANY);
                let valid = load.in_flight + load.waiting > MANY && !starved;
                (valid && self.known != Some(true)).then_some(self.most_in_flight > MANY)
            }
        };
        let Some(queues) = judged else { return };
        self.samples += 1;
        if self.samples == SAMPLES {
            *self = Queueing { known: Some(queues), ..Queueing::new(self.generation) };
        }
    }
}
