// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the drawings of a report are made from: bounded in size, whatever the length of the run.

use crate::histogram::{Bin, Histogram};
use crate::series::ByteSeries;
use crate::timeline::{self, Timeline};
use crate::totals::{JobInfo, ProcessRecord};
use base::Direction;
use serde::{Deserialize, Deserializer, Serialize, de::Error};

/// The data of a run's drawings. Jobs are named by their place in the summary's list of jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plots {
    /// How long the run took, ns.
    pub elapsed_ns: u64,
    /// Throughput over time.
    #[serde(deserialize_with = "checked")]
    pub throughput: Throughput,
    /// Latency distributions: one for each job and kind of I/O that it did.
    pub latencies: Vec<LatencyBins>,
    /// The schedule of a part of the run; absent if it was not recorded.
    #[serde(
        default,
        deserialize_with = "timeline::checked",
        skip_serializing_if = "Option::is_none"
    )]
    pub timeline: Option<Timeline>,
}

/// Bytes by time and job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Throughput {
    /// Width of a slot, ns. The first begins with the run.
    pub slot_ns: u64,
    /// For each job the bytes of its I/Os that ended in each slot, up to the last that has any.
    pub job_bytes: Vec<Vec<u64>>,
}

/// Reads throughput out of a result, which may have been edited: slots must have a width.
fn checked<'de, D: Deserializer<'de>>(from: D) -> Result<Throughput, D::Error> {
    let throughput = Throughput::deserialize(from)?;
    let has_slots = throughput.job_bytes.iter().any(|slots| !slots.is_empty());
    match has_slots && throughput.slot_ns == 0 {
        true => Err(D::Error::custom("the slots of a throughput have no width: slot_ns is 0")),
        false => Ok(throughput),
    }
}

/// How long the I/Os of one kind of one job took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencyBins {
    /// Index of the job.
    pub job: usize,
    /// `read`, `write`, `trim` or `sync`.
    pub kind: String,
    /// The bins that hold any, ascending, four to each power of two: `[from_ns, until_ns, count]`.
    pub bins: Vec<Bin>,
}

/// The data of a run's drawings, but for the timeline.
pub fn plots(jobs: &[JobInfo], processes: &[ProcessRecord], elapsed_ns: u64) -> Plots {
    let latencies = (0..jobs.len()).flat_map(|job| latencies(job, processes));
    Plots {
        elapsed_ns,
        throughput: throughput(jobs.len(), processes),
        latencies: latencies.collect(),
        timeline: None,
    }
}

fn throughput(jobs: usize, processes: &[ProcessRecord]) -> Throughput {
    let mut series = vec![ByteSeries::new(); jobs];
    for process in processes {
        if let Some(theirs) = &process.recorder.series {
            series[process.job].merge(theirs);
        }
    }
    let shift = series.iter().map(ByteSeries::shift).max().unwrap_or(0);
    series.iter_mut().for_each(|series| series.widen_to(shift));
    Throughput {
        slot_ns: 1 << shift,
        job_bytes: series.into_iter().map(ByteSeries::into_bytes).collect(),
    }
}

fn latencies(job: usize, processes: &[ProcessRecord]) -> Vec<LatencyBins> {
    let members = || processes.iter().filter(move |process| process.job == job);
    let of = |kind: &str, histogram: Histogram| LatencyBins {
        job,
        kind: kind.to_owned(),
        bins: histogram.bins(),
    };
    let directions =
        [(Direction::Read, "read"), (Direction::Write, "write"), (Direction::Trim, "trim")];
    let mut all: Vec<LatencyBins> = Vec::new();
    for (direction, kind) in directions {
        let records = members().filter_map(|process| process.recorder.record(direction));
        all.push(of(kind, sum(records.map(|record| &record.clat_histogram))));
    }
    let syncs = members().filter_map(|process| process.recorder.sync.as_ref());
    all.push(of("sync", sum(syncs.map(|record| &record.histogram))));
    all.retain(|latencies| !latencies.bins.is_empty());
    all
}

fn sum<'a>(histograms: impl Iterator<Item = &'a Histogram>) -> Histogram {
    let mut sum = Histogram::new();
    histograms.for_each(|histogram| sum.merge(histogram));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::{Recorder, Sample};

    const MS: u64 = 1_000_000;

    fn process(job: usize, ends_ns: &[u64]) -> ProcessRecord {
        let mut recorder = Recorder::new(false, None);
        recorder.start(0);
        for &end_ns in ends_ns {
            let sample = Sample {
                direction: Direction::Read,
                bytes: 4096,
                created_ns: end_ns - MS,
                accepted_ns: end_ns - MS,
            };
            recorder.completed(end_ns, &sample);
        }
        ProcessRecord { job, recorder }
    }

    #[test]
    fn every_byte_and_every_io_is_drawn() {
        let jobs = [JobInfo::default(), JobInfo::default(), JobInfo::default()];
        let mut synced = process(2, &[]);
        synced.recorder.synced(5 * MS, 2 * MS);
        let processes =
            [process(0, &[MS, 3 * MS]), process(0, &[900 * MS]), process(1, &[2 * MS]), synced];
        let plots = plots(&jobs, &processes, 900 * MS);
        let bytes: Vec<u64> =
            plots.throughput.job_bytes.iter().map(|slots| slots.iter().sum()).collect();
        assert_eq!(bytes, [3 * 4096, 4096, 0]);
        let last = plots.throughput.job_bytes[0].len() as u64;
        assert_eq!(last, 900 * MS / plots.throughput.slot_ns + 1);
        let kinds: Vec<_> =
            plots.latencies.iter().map(|one| (one.job, one.kind.as_str())).collect();
        assert_eq!(kinds, [(0, "read"), (1, "read"), (2, "sync")]);
        assert_eq!(plots.latencies[0].bins.iter().map(|bin| bin.count).sum::<u64>(), 3);
        let sync = plots.latencies[2].bins[0];
        assert!(sync.from_ns <= 3 * MS && 3 * MS < sync.until_ns);
    }
    #[test]
    fn slots_without_width_are_an_error() {
        let read = |slot_ns, bytes| {
            let throughput = format!(r#"{{"slot_ns":{slot_ns},"job_bytes":[{bytes}]}}"#);
            checked(&mut serde_json::Deserializer::from_str(&throughput))
        };
        assert!(read(1, "[7]").is_ok());
        assert!(read(0, "[]").is_ok(), "as where nothing was measured");
        let error = read(0, "[],[7]").unwrap_err().to_string();
        assert!(error.contains("slot_ns is 0"), "{error}");
    }
}
