// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who takes part in a scenario: its jobs, those of a numbered series (`reader-1`,
//! `reader-2`, …) together that do the same, if perhaps at another time and place.

use crate::results::Run;
use crate::study::options::written;
use crate::summary::JobSummary;

/// A job, or the jobs of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The job's name; of a series what its names have in common, and its length.
    pub name: String,
    /// The jobs, by their places in the summary.
    pub jobs: Vec<usize>,
    /// How many processes they have together.
    pub processes: u32,
}

/// The parts of a run, in the order of their first jobs.
pub(super) fn parts(run: &Run) -> Vec<Participant> {
    let jobs = &run.summary.jobs;
    let mut parts: Vec<Participant> = Vec::new();
    for (place, job) in jobs.iter().enumerate() {
        let series = |part: &&mut Participant| {
            let first = &jobs[part.jobs[0]];
            stem(&job.jobname).is_some_and(|stem_of_job| stem(&first.jobname) == Some(stem_of_job))
                && (first.phase, &first.cgroup) == (job.phase, &job.cgroup)
                && do_the_same(run, part.jobs[0], place)
        };
        match parts.iter_mut().find(series) {
            Some(part) => {
                part.jobs.push(place);
                part.processes += job.processes;
            }
            None => parts.push(Participant::of_job(place, job)),
        }
    }
    for part in parts.iter_mut().filter(|part| part.jobs.len() > 1) {
        let series = series(&jobs[part.jobs[0]].jobname).unwrap_or_default();
        part.name = format!("{series} ×{}", part.processes);
    }
    parts
}

/// Options in which jobs of a series may differ: when and where they work, what they are called,
/// and what one of several says for all.
const BESIDE_THE_WORK: [&str; 18] = [
    "runtime",
    "timeout",
    "ramp_time",
    "startdelay",
    "offset",
    "offset_increment",
    "filename",
    "directory",
    "size",
    "randseed",
    "description",
    "stonewall",
    "new_group",
    "cgroup_weight",
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "write_hist_log",
];

/// Whether two jobs do the same, by their options or those of all jobs.
fn do_the_same(run: &Run, one: usize, other: usize) -> bool {
    let names = |job: usize| run.summary.jobs[job].options.iter().map(|(name, _)| name);
    let mut of_work = names(one).chain(names(other)).filter(|name| !BESIDE_THE_WORK.contains(name));
    of_work.all(|name| written(run, one, &[name]) == written(run, other, &[name]))
}

fn name(job: &JobSummary) -> String {
    match job.processes {
        1 => job.jobname.clone(),
        several => format!("{} ×{several}", job.jobname),
    }
}

/// What the names of a numbered series have in common: `reader` of `reader-1`.
pub(super) fn series(name: &str) -> Option<&str> {
    stem(name).map(|stem| stem.trim_end_matches(['-', '_', '.']))
}

/// What stands before the number at the end of a name, if both are there.
fn stem(name: &str) -> Option<&str> {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (stem.len() < name.len() && !stem.is_empty()).then_some(stem)
}

impl Participant {
    /// A job by itself, which has that place in the summary.
    pub(crate) fn of_job(place: usize, job: &JobSummary) -> Participant {
        Participant { name: name(job), jobs: vec![place], processes: job.processes }
    }

    /// Bytes that the part moved in a run.
    pub fn bytes(&self, run: &Run) -> u64 {
        self.jobs.iter().map(|&job| run.summary.jobs[job].io_bytes).sum()
    }

    /// Of these, the bytes that count in the rate of all jobs together.
    pub(crate) fn bytes_in_total(&self, run: &Run) -> u64 {
        let jobs = self.jobs.iter().map(|&job| &run.summary.jobs[job]);
        jobs.map(|job| job.in_total(job.io_bytes)).sum()
    }

    /// Whether a job is of this part.
    pub fn has(&self, job: usize) -> bool {
        self.jobs.contains(&job)
    }
}

#[cfg(test)]
mod tests {
    use crate::study::Study;
    use crate::tests::samples::{JobSample, run, source};

    /// All eight priorities were once one job with 100 % of the bytes.
    #[test]
    fn numbered_jobs_are_a_series_only_if_they_do_the_same() {
        type Options = &'static [(&'static str, &'static str)];
        // The options of `job1` and of `job2`, and whether they are one part.
        let cases: [(Options, Options, bool); 6] = [
            (&[("bs", "4k")], &[("bs", "4k")], true),
            (&[("bs", "4k"), ("offset", "1g")], &[("startdelay", "2"), ("bs", "4k")], true),
            (&[("bs", "4k"), ("thinktime", "20ms")], &[("bs", "4k")], false),
            (&[("bs", "4k")], &[("bs", "4k"), ("iodepth", "16")], false),
            (&[("prio", "0")], &[("prio", "1")], false),
            (&[], &[], true),
        ];
        for (one, two, together) in cases {
            let jobs = [("job1", one), ("job2", two)]
                .map(|(name, options)| JobSample::steady(name, options, 1000, 4096));
            let sources = [source("jobs", vec![run("bfq", &jobs, &[])])];
            let parts = &Study::of(&sources).chapters[0].stages[0].parts;
            let names: Vec<_> = parts.iter().map(|part| part.name.as_str()).collect();
            let expected: &[&str] = if together { &["job ×2"] } else { &["job1", "job2"] };
            assert_eq!(names, expected, "{one:?} {two:?}");
        }
    }
}
