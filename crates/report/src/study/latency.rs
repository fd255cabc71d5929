// SPDX-License-Identifier: MIT OR Apache-2.0
//! The latencies of a part of the jobs, of all kinds that it did or of one.

use crate::histogram::Bin;
use crate::ordered::OrderedMap;
use crate::results::Run;
use crate::study::parts::Participant;
use crate::summary::{JobSummary, LatencySummary, SYNC};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How long the I/Os of a part took.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// `read`, `write`, `trim` or `sync`.
    pub kind: &'static str,
    /// Bins, ascending; empty if the result has none.
    pub bins: Vec<Bin>,
    /// The figures in short.
    pub summary: LatencySummary,
    /// Whether percentiles are read off the bins, as for the jobs of a series.
    pub approximate: bool,
}

/// The kinds of I/O of which these numbers were done, in different runs too, the one that tells
/// most first: syncs, for a process waits for these, then what was done most. Which it is must not
/// depend on a single run: under one scheduler most are reads and under the next one writes, and
/// their latencies say nothing of each other.
pub(crate) fn kinds_by_interest(
    numbers: impl Iterator<Item = (&'static str, u64)>,
) -> Vec<&'static str> {
    let mut sums: Vec<(&'static str, u64)> = Vec::new();
    for (kind, number) in numbers {
        match sums.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => *sum += number,
            None => sums.push((kind, number)),
        }
    }
    sums.sort_by_key(|&(kind, sum)| Reverse((kind == SYNC, sum)));
    sums.into_iter().map(|(kind, _)| kind).collect()
}

impl Participant {
    /// The kinds of I/O that the part did in any of these runs, the one that tells most first.
    pub(crate) fn kinds<'a>(&self, runs: impl Iterator<Item = &'a Run>) -> Vec<&'static str> {
        let jobs = runs.flat_map(|run| self.jobs.iter().map(|&job| &run.summary.jobs[job]));
        let latencies = jobs.flat_map(JobSummary::latencies);
        kinds_by_interest(latencies.map(|(kind, latency)| (kind, latency.n)))
    }

    /// The distributions of a part in a run, one for each kind of I/O.
    pub fn distributions(&self, run: &Run) -> Vec<Distribution> {
        let mut of_kinds: Vec<(&'static str, Vec<&LatencySummary>)> = Vec::new();
        let jobs = self.jobs.iter().map(|&job| &run.summary.jobs[job]);
        for (kind, latency) in jobs.flat_map(JobSummary::latencies) {
            match of_kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, of_jobs)) => of_jobs.push(latency),
                None => of_kinds.push((kind, vec![latency])),
            }
        }
        let distribution = |(kind, of_jobs): (_, Vec<&LatencySummary>)| {
            let bins = bins(self, run, kind);
            let approximate = of_jobs.len() > 1;
            let summary = match of_jobs[..] {
                [one] => one.clone(),
                _ => together(of_jobs.into_iter(), &bins)?,
            };
            Some(Distribution { kind, bins, approximate, summary })
        };
        of_kinds.into_iter().filter_map(distribution).collect()
    }
}

fn bins(part: &Participant, run: &Run, kind: &str) -> Vec<Bin> {
    let mut sums: BTreeMap<u64, Bin> = BTreeMap::new();
    let all = run.plots.iter().flat_map(|plots| &plots.latencies);
    for bin in all.filter(|of| of.kind == kind && part.has(of.job)).flat_map(|of| &of.bins) {
        let empty = Bin { count: 0, ..*bin };
        sums.entry(bin.from_ns).or_insert(empty).count += bin.count;
    }
    sums.into_values().collect()
}

/// The figures of several jobs as one. Without bins there are no percentiles of them.
fn together<'a>(
    jobs: impl Iterator<Item = &'a LatencySummary> + Clone,
    bins: &[Bin],
) -> Option<LatencySummary> {
    let n: u64 = jobs.clone().map(|job| job.n).sum();
    let sum: f64 = jobs.clone().map(|job| job.mean * job.n as f64).sum();
    let max = jobs.clone().map(|job| job.max).max()?;
    let percentile = |percentage| percentile(bins, percentage).map(|value| value.min(max));
    Some(LatencySummary {
        n,
        mean: sum / n.max(1) as f64,
        p50: percentile(50.0)?,
        p95: percentile(95.0)?,
        p99: percentile(99.0)?,
        max,
        p99_9: percentile(99.9),
        iops: jobs.clone().map(|job| job.iops).sum(),
        bw_bytes: jobs.map(|job| job.bw_bytes).sum(),
        percentile: OrderedMap::new(),
    })
}

/// The latency below which a percentage lies, as if values were spread evenly over each bin.
fn percentile(bins: &[Bin], percentage: f64) -> Option<u64> {
    let total: u64 = bins.iter().map(|bin| bin.count).sum();
    let rank = percentage / 100.0 * total as f64;
    let mut below = 0;
    for bin in bins {
        if (below + bin.count) as f64 >= rank {
            let inside = (rank - below as f64) / bin.count as f64;
            return Some(bin.from_ns + (inside * (bin.until_ns - bin.from_ns) as f64) as u64);
        }
        below += bin.count;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_within_their_bin() {
        let bin = |from_ns, until_ns, count| Bin { from_ns, until_ns, count };
        let bins = [bin(100, 200, 50), bin(400, 500, 49), bin(900, 1000, 1)];
        for (percentage, value) in [(25.0, 150), (50.0, 200), (99.0, 500), (100.0, 1000)] {
            assert_eq!(percentile(&bins, percentage), Some(value), "{percentage}");
        }
        assert_eq!(percentile(&[], 50.0), None);
    }
}
