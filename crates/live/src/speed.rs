// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of what a device can do is in use.
//!
//! A device that does several requests at once is not full when it has one. What it does is told
//! here as the number of requests that it works on at once: the time that each of them takes while
//! the device has no other, added up over those that it has done, for each second. The most that
//! was ever seen is what the device can do, as far as is known.

use base::Op;

/// Sizes of requests that are told apart: powers of two of sectors.
const SIZES: usize = 12;

/// What a new time counts; the mean of those before counts the rest.
const WEIGHT_OF_NEW: f64 = 1.0 / 16.0;

/// What is known of a kind of requests: the time that one takes alone.
#[derive(Clone, Copy, Debug, Default)]
struct Alone {
    mean_ns: Option<f64>,
    /// The shortest of those that were not alone, until one was.
    shortest_ns: Option<f64>,
}

/// What a device has shown that it can do.
#[derive(Clone, Debug)]
pub(crate) struct Speed {
    alone: [[Alone; SIZES]; 4],
    /// The time that what was done in this interval takes, request by request, ns.
    work_ns: f64,
    /// The most requests that it worked on at once, over any interval.
    most_at_once: f64,
}

impl Default for Speed {
    fn default() -> Self {
        // A device can do one request at a time.
        Speed { alone: Default::default(), work_ns: 0.0, most_at_once: 1.0 }
    }
}

impl Speed {
    /// A request was done; `alone` if the device had no other all the time.
    pub fn done(&mut self, op: Op, sectors: u64, took_ns: u64, alone: bool) {
        let kind = match op {
            Op::Read => 0,
            Op::Write => 1,
            Op::Discard => 2,
            Op::Flush => 3,
        };
        let size = sectors.checked_ilog2().map_or(0, |log| log as usize).min(SIZES - 1);
        let known = &mut self.alone[kind][size];
        let took_ns = took_ns as f64;
        if alone {
            let mean_ns = known.mean_ns.get_or_insert(took_ns);
            *mean_ns += (took_ns - *mean_ns) * WEIGHT_OF_NEW;
        } else {
            let shortest_ns = known.shortest_ns.get_or_insert(took_ns);
            *shortest_ns = shortest_ns.min(took_ns);
        }
        self.work_ns += known.mean_ns.or(known.shortest_ns).unwrap_or(took_ns);
    }

    /// The part of what the device can do that was in use in an interval, which ends.
    pub fn take_utilisation(&mut self, interval_ns: u64) -> f64 {
        let at_once = std::mem::take(&mut self.work_ns) / interval_ns.max(1) as f64;
        self.most_at_once = self.most_at_once.max(at_once);
        at_once / self.most_at_once
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_does_four_at_once_is_a_quarter_full_with_one() {
        let mut speed = Speed::default();
        let mut second = |requests: u64, alone| {
            (0..requests).for_each(|_| speed.done(Op::Read, 8, 1_000_000, alone));
            speed.take_utilisation(1_000_000_000)
        };
        let table = [(500, true, 0.5), (1000, true, 1.0), (4000, false, 1.0), (1000, true, 0.25)];
        for (requests, alone, expected) in table {
            assert!((second(requests, alone) - expected).abs() < 1e-9, "{requests}");
        }
    }
}
