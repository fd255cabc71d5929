// SPDX-License-Identifier: MIT OR Apache-2.0
//! A report as CSV: a line for each job and kind of I/O of each run, in units that programs like.

use crate::alike::alike;
use crate::results::Run;
use crate::study::{Column, Study, StudyStage};
use crate::summary::{JobSummary, LatencySummary};

const HEAD: [&str; 29] = [
    "scenario",
    "device",
    "simulated",
    "scheduler",
    "variant",
    "job",
    "cgroup",
    "phase",
    "processes",
    "io_bytes",
    "bw_bytes_per_s",
    "share",
    "runtime_ms",
    "error",
    "kind",
    "ios",
    "mean_ns",
    "p50_ns",
    "p95_ns",
    "p99_ns",
    "max_ns",
    "command",
    "iops",
    "kind_bytes_per_s",
    "p99_9_ns",
    "percentiles_ns",
    "same_as",
    "device_values",
    "unfinished",
];

/// The report. Jobs without any I/O have a line with an empty `kind`.
pub fn csv(study: &Study) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: &[String]| {
        writer.write_record(record).expect("memory takes all that is written");
    };
    write(&HEAD.map(str::to_owned));
    for (chapter, stage) in study.stages() {
        let runs: Vec<&Run> = stage.columns.iter().map(|column| column.run).collect();
        let distinct = alike(&runs);
        for (place, column) in stage.columns.iter().enumerate() {
            let same = distinct.iter().find(|same| same.places.contains(&place));
            let first = same.map_or(place, |same| same.first());
            let same_as = if first == place { "" } else { &stage.columns[first].label };
            for job in &column.run.summary.jobs {
                for (kind, latency) in kinds(job) {
                    write(&record(&chapter.name, stage, (column, same_as), job, kind, latency));
                }
            }
        }
    }
    let bytes = writer.into_inner().expect("memory takes all that is written");
    String::from_utf8(bytes).expect("made of strings")
}

fn kinds(job: &JobSummary) -> Vec<(&'static str, Option<&LatencySummary>)> {
    let measured: Vec<_> = job.latencies().map(|(kind, latency)| (kind, Some(latency))).collect();
    if measured.is_empty() { vec![("", None)] } else { measured }
}

fn record(
    scenario: &str,
    stage: &StudyStage,
    (column, same_as): (&Column, &str),
    job: &JobSummary,
    kind: &str,
    latency: Option<&LatencySummary>,
) -> [String; 29] {
    let figure = |pick: fn(&LatencySummary) -> u64| {
        latency.map_or(String::new(), |latency| pick(latency).to_string())
    };
    [
        scenario.to_owned(),
        stage.device.name().to_owned(),
        stage.simulated.to_string(),
        column.run.scheduler.clone(),
        column.label.clone(),
        job.jobname.clone(),
        job.cgroup.clone(),
        job.phase.to_string(),
        job.processes.to_string(),
        job.io_bytes.to_string(),
        job.bw_bytes.to_string(),
        job.share.to_string(),
        job.runtime.to_string(),
        job.error.to_string(),
        kind.to_owned(),
        figure(|latency| latency.n),
        figure(|latency| latency.mean.round() as u64),
        figure(|latency| latency.p50),
        figure(|latency| latency.p95),
        figure(|latency| latency.p99),
        figure(|latency| latency.max),
        column.run.scenario.as_ref().map_or(String::new(), |scenario| scenario.command.clone()),
        job.iops_of(kind).map_or(String::new(), |iops| iops.to_string()),
        job.bw_bytes_of(kind).map_or(String::new(), |bytes| bytes.to_string()),
        latency.and_then(|latency| latency.p99_9).map_or(String::new(), |ns| ns.to_string()),
        latency.map_or(String::new(), listed),
        same_as.to_owned(),
        stage.device.values(),
        job.unfinished.to_string(),
    ]
}

/// The percentiles that the job file asks for: `50.000000=1234 99.500000=56789`.
fn listed(latency: &LatencySummary) -> String {
    let all = latency.percentile.iter().map(|(percentage, ns)| format!("{percentage}={ns}"));
    all.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Style;
    use crate::tests::samples::{JobSample, run, source};
    use crate::{glance, markdown, tables};

    #[test]
    fn a_line_for_each_job_and_kind() {
        let click = JobSample::steady("say \"click\", please", &[], 1_000, 4096);
        let still = JobSample { ios: Vec::new(), ..JobSample::steady("still", &[], 0, 0) };
        let mut run = run("bfq", &[click, still], &[]);
        run.summary.jobs[1].unfinished = true;
        let sources = [source("clicks", vec![run])];
        let text = csv(&Study::of(&sources));
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("scenario,device,simulated,scheduler,variant,job,"));
        assert_eq!(
            lines[1],
            "clicks,disk,true,bfq,bfq,\"say \"\"click\"\", please\",/,0,1,40960,4096,1,10000,0,read,10,\
             1000000,1000000,1000000,1000000,1000000,bfq sim jobs/clicks.fio,1,4096,1000000,,,,false"
        );
        assert_eq!(
            lines[2],
            "clicks,disk,true,bfq,bfq,still,/,0,1,0,0,0,0,0,,,,,,,,bfq sim jobs/clicks.fio,,,,,,,true"
        );
    }

    /// Runs on a disk and on the same disk with another depth.
    #[test]
    fn devices_of_one_name_are_told_apart() {
        let runs = ["1", "2"].map(|depth| {
            let mut run = run("bfq", &[JobSample::steady("click", &[], 1_000, 4096)], &[]);
            run.device.overrides.insert("depth", depth.to_owned());
            run.device.overrides.insert("rpm", "5400".to_owned());
            run
        });
        let sources = [source("clicks", runs.to_vec())];
        let study = Study::of(&sources);
        let text = csv(&study);
        assert!(text.lines().nth(1).unwrap().ends_with(",\"depth=1,rpm=5400\",false"), "{text}");
        assert!(text.lines().nth(2).unwrap().ends_with(",\"depth=2,rpm=5400\",false"), "{text}");
        let plain = Style { color: false, wide: false };
        for text in
            [tables(&sources[0].results, plain), glance(&study, None, plain), markdown(&study)]
        {
            assert!(text.contains("disk:depth=1,rpm=5400"), "{text}");
            assert!(text.contains("disk:depth=2,rpm=5400"), "{text}");
        }
    }
}
