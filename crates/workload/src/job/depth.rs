// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many I/Os a process has in flight, how it submits and reaps them, and how it
//! looks at others.

/// A latency that I/Os are to keep (`latency_target` and its kin): the depth is chosen accordingly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyTarget {
    /// The latency that shall be kept, in ns: `latency_target`.
    pub target_ns: u64,
    /// `latency_window`, ns: the time after which a depth is judged.
    pub window_ns: u64,
    /// `latency_percentile`: percent of the I/Os that have to keep the target.
    pub percentile: f64,
    /// `latency_run`: the process goes on when the depth is found.
    pub goes_on: bool,
}

/// How many I/Os go through one call (`iodepth_batch` and its kin).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batches {
    /// `iodepth_batch_submit`: the most in a call; none: all that come at the same instant.
    pub submit: Option<u32>,
    /// How completions are reaped; none: each when it comes.
    pub reap: Option<Reap>,
}

/// How a process whose queue is full reaps completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reap {
    /// `iodepth_batch_complete_min`: how many a call waits for, at least 1.
    pub least: u32,
    /// `iodepth_batch_complete_max`: the most that a call takes, at least `least`.
    pub most: u32,
    /// `iodepth_low`: calls are repeated until no more than this is in flight.
    pub low: u32,
}

/// How a process keeps step with others (`flow`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// `flow_id`: which flow it is part of.
    pub id: u64,
    /// `flow`: its part of the flow's I/Os, relative to the weights of the others.
    pub weight: u32,
    /// `flow_sleep`: how long it sleeps when it is ahead, ns; 0: until it no longer is.
    pub sleep_ns: u64,
}
