// SPDX-License-Identifier: MIT OR Apache-2.0
//! What groups and jobs got beside what their weights entitle them to.

use crate::results::Run;
use crate::study::options::written;
use crate::summary::GroupSummary;

/// The greatest distance between what a group got of what it and its siblings got, and what its
/// weight entitles it to; none if no group has a sibling.
pub(super) fn of_groups(run: &Run) -> Option<f64> {
    let groups = &run.summary.groups;
    groups
        .iter()
        .filter_map(|group| Some((entitled(groups, group)? - got(groups, group)).abs()))
        .reduce(f64::max)
        .map(|distance| distance * 100.0)
}

/// The part of a group and its siblings that its weight entitles it to, 0 to 1;
/// none without siblings.
pub(crate) fn entitled(groups: &[GroupSummary], group: &GroupSummary) -> Option<f64> {
    let weights = siblings(groups, group).map(|sibling| sibling.weight.unwrap_or(0));
    let (count, sum) = weights.fold((0, 0), |(count, sum), weight| (count + 1, sum + weight));
    (count > 1 && sum > 0).then(|| f64::from(group.weight.unwrap_or(0)) / f64::from(sum))
}

/// The part of a group and its siblings that it got, 0 to 1.
pub(crate) fn got(groups: &[GroupSummary], group: &GroupSummary) -> f64 {
    let sum: u64 = siblings(groups, group).map(|sibling| sibling.io_bytes).sum();
    group.io_bytes as f64 / sum.max(1) as f64
}

fn siblings<'a>(
    groups: &'a [GroupSummary],
    group: &'a GroupSummary,
) -> impl Iterator<Item = &'a GroupSummary> {
    let parent = |path: &'a str| path.rsplit_once('/').map_or("", |(parent, _)| parent);
    groups.iter().filter(move |other| {
        let real = other.path != "/" && group.path != "/";
        real && other.phase == group.phase && parent(&other.path) == parent(&group.path)
    })
}

/// The same of jobs without groups, whose weights come of their priorities: the greatest distance,
/// within a phase, between the part that a job has of the sum of the jobs' rates and the part that
/// it has of their weights. Rates, for jobs of a given size move that in the end under every
/// scheduler. None where groups divide the device, or classes of which one goes first.
pub(super) fn of_jobs(run: &Run) -> Option<f64> {
    let jobs = &run.summary.jobs;
    if !run.summary.groups.is_empty() {
        return None;
    }
    let weights: Vec<f64> = (0..jobs.len()).map(|job| weight(run, job)).collect::<Option<_>>()?;
    let distance = |(place, weight): (usize, &f64)| {
        let phase = || (0..jobs.len()).filter(|&other| jobs[other].phase == jobs[place].phase);
        let rates: u64 = phase().map(|other| jobs[other].bw_bytes).sum();
        let part = jobs[place].bw_bytes as f64 / rates.max(1) as f64;
        let due = weight / phase().map(|other| weights[other]).sum::<f64>();
        (phase().count() > 1).then(|| (part - due).abs() * 100.0)
    };
    weights.iter().enumerate().filter_map(distance).reduce(f64::max)
}

/// The weight of a job's processes together; none of another class than best-effort.
fn weight(run: &Run, job: usize) -> Option<f64> {
    const DEFAULT_LEVEL: u32 = 4;
    let number = |name| written(run, job, &[name]).map(|text| text.parse::<u32>().ok());
    let level = match (number("prioclass"), number("prio")) {
        (None | Some(Some(0 | 2)), Some(level)) => level?,
        // Class 0 is none.
        (None | Some(Some(0)), None) => DEFAULT_LEVEL,
        // As under fio, a class without a level has level 0.
        (Some(Some(2)), None) => 0,
        _ => return None,
    };
    Some(f64::from((8 - level.min(7)) * 10 * run.summary.jobs[job].processes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{MeasureKind, Study};
    use crate::tests::samples::{JobSample, run, source};

    #[test]
    fn shares_of_jobs_without_groups_are_judged_by_priorities() {
        // Weights 80 and 20.
        let shared = |scheduler: &str, high_kib: u64, low_kib: u64, class: &'static str| {
            let job = |name, options, kib: u64| JobSample::steady(name, options, 50_000, kib << 10);
            let high = [("prio", "0"), ("prioclass", class)];
            let low = [("prio", "6")];
            let jobs = [job("job-0", &high, high_kib), job("job-6", &low, low_kib)];
            let mut run = run(scheduler, &jobs, &[]);
            run.summary.groups.clear();
            run
        };
        let judged = |class| {
            let runs = vec![shared("bfq", 400, 100, class), shared("none", 250, 250, class)];
            let mut source = source("any", runs);
            for run in &mut source.results.runs {
                run.scenario.as_mut().unwrap().notes.insert("Measure", "shares".to_owned());
            }
            source
        };
        assert_eq!(
            Study::of(&[judged("2")]).chapters[0].stages[0].verdict[0],
            "Shares are off their weights by 0.0 points under bfq; 30.0 points under none."
        );
        let sources = [judged("1")];
        let stage = &Study::of(&sources).chapters[0].stages[0];
        assert!(stage.verdict[0].starts_with("Throughput is"), "the real-time class goes first");
        assert!(stage.measures.iter().all(|measure| measure.kind != MeasureKind::Shares));
    }

    /// Class 0 is that nothing was said, as under fio.
    #[test]
    fn a_class_without_a_level_has_that_of_fio() {
        for (options, weight_of_one) in [
            (&[][..], Some(40.0)),
            (&[("prioclass", "0")], Some(40.0)),
            (&[("prioclass", "2")], Some(80.0)),
            (&[("prio", "7")], Some(10.0)),
            (&[("prioclass", "1"), ("prio", "0")], None),
        ] {
            let run = run("bfq", &[JobSample::steady("one", options, 1000, 4096)], &[]);
            assert_eq!(weight(&run, 0), weight_of_one, "{options:?}");
        }
    }
}
