// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time of a device, divided among the requests that it has.
//!
//! At each moment, each of the N requests in the device has an N-th of its time. A clock that goes
//! N times slower shows what one request got: what passes on it between issue and completion. So
//! the parts of all add up to the time in which the device had any.

/// The times of a device.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeviceTime {
    now_ns: u64,
    requests: u32,
    /// What one request that was there all the time would have got, ns.
    part_ns: f64,
    /// The time in which there was any request, ns.
    busy_ns: u64,
    /// The number of requests, over the time: request-ns.
    depth_ns: f64,
    deepest: u32,
}

impl DeviceTime {
    /// Goes on to a time. One that has passed already changes nothing.
    pub fn go_to(&mut self, now_ns: u64) {
        let passed_ns = now_ns.saturating_sub(self.now_ns);
        // The first time is where the clock begins.
        if self.now_ns > 0 && self.requests > 0 {
            self.part_ns += passed_ns as f64 / f64::from(self.requests);
            self.busy_ns += passed_ns;
            self.depth_ns += passed_ns as f64 * f64::from(self.requests);
        }
        self.now_ns = self.now_ns.max(now_ns);
    }

    /// The device has a request more.
    pub fn enter(&mut self) {
        self.requests += 1;
        self.deepest = self.deepest.max(self.requests);
    }

    /// The device has a request less.
    pub fn leave(&mut self) {
        self.requests -= 1;
    }

    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    pub fn part_ns(&self) -> f64 {
        self.part_ns
    }

    /// The time in which there was any request, the number of requests over the time, and the
    /// most there were, since this was called last.
    pub fn take_sums(&mut self) -> (u64, f64, u32) {
        let deepest = std::mem::replace(&mut self.deepest, self.requests);
        (std::mem::take(&mut self.busy_ns), std::mem::take(&mut self.depth_ns), deepest)
    }
}
