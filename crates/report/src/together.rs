// SPDX-License-Identifier: MIT OR Apache-2.0
//! What several processes did together, though some of them may have had their ramp time while
//! others already counted.
//!
//! What a process moves in its ramp is not known. So a rate of all is one of the time in which none
//! has its ramp: the bytes of a process count for the part of its time that lies in it, as if it
//! had moved them evenly.

use crate::recorder::Recorder;
use crate::totals::{ProcessRecord, per_second};

/// The time in which the rate of several processes is taken.
pub(crate) struct Together {
    /// From when the first counts until the last ends, ns.
    span_ns: (u64, u64),
    /// The ramps within that, ascending and apart.
    ramps_ns: Vec<(u64, u64)>,
}

impl Together {
    pub(crate) fn of(members: &[&ProcessRecord]) -> Self {
        let recorders = || members.iter().map(|process| &process.recorder);
        let spans = || recorders().filter_map(Recorder::span_ns);
        let from_ns = spans().map(|(from_ns, _)| from_ns).min().unwrap_or(0);
        let until_ns = spans().map(|(_, until_ns)| until_ns).max().unwrap_or(0);
        let clipped = |(start_ns, end_ns): (u64, u64)| {
            (start_ns.clamp(from_ns, until_ns), end_ns.clamp(from_ns, until_ns))
        };
        let mut ramps: Vec<_> = recorders().filter_map(Recorder::ramp_ns).map(clipped).collect();
        ramps.sort_unstable();
        let mut ramps_ns: Vec<(u64, u64)> = Vec::new();
        for (start_ns, end_ns) in ramps.into_iter().filter(|(start_ns, end_ns)| start_ns < end_ns) {
            match ramps_ns.last_mut().filter(|(_, until_ns)| start_ns <= *until_ns) {
                Some((_, until_ns)) => *until_ns = end_ns.max(*until_ns),
                None => ramps_ns.push((start_ns, end_ns)),
            }
        }
        Self { span_ns: (from_ns, until_ns), ramps_ns }
    }

    /// How long it is, ns.
    pub(crate) fn ns(&self) -> u64 {
        self.left_of(self.span_ns)
    }

    /// Bytes a second of these processes in that time.
    pub(crate) fn bw_bytes(&self, members: &[&ProcessRecord]) -> u64 {
        let bytes = |process: &&ProcessRecord| {
            let (within_ns, of_ns) = self.part(&process.recorder);
            let bytes = u128::from(process.recorder.bytes()) * u128::from(within_ns);
            (bytes / u128::from(of_ns.max(1))) as u64
        };
        per_second(members.iter().map(bytes).sum(), self.ns()) as u64
    }

    /// The part that lies in that time of what these processes moved; none if all does.
    pub(crate) fn part_of(&self, members: &[&ProcessRecord]) -> Option<f64> {
        let parts = members.iter().map(|process| self.part(&process.recorder));
        let (within_ns, of_ns) = parts.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        (within_ns < of_ns).then(|| within_ns as f64 / of_ns as f64)
    }

    /// How much of the counted time of a process lies in that time, and all of it, ns.
    fn part(&self, recorder: &Recorder) -> (u64, u64) {
        let span_ns = recorder.span_ns().unwrap_or_default();
        (self.left_of(span_ns), span_ns.1 - span_ns.0)
    }

    /// What the ramps leave of a stretch of time, ns.
    fn left_of(&self, (from_ns, until_ns): (u64, u64)) -> u64 {
        let overlap = |&(start_ns, end_ns): &(u64, u64)| {
            end_ns.min(until_ns).saturating_sub(start_ns.max(from_ns))
        };
        until_ns - from_ns - self.ramps_ns.iter().map(overlap).sum::<u64>()
    }
}
