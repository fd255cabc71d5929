// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs that did exactly the same, whatever their schedulers are called, so that they
//! are told once.

use crate::results::Run;

/// Runs that did exactly the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// Their places in the list that was looked at, ascending; at least one.
    pub places: Vec<usize>,
    /// Why they did the same, as far as that is known. Runs that are alone have no reason.
    pub because: Option<Because>,
}

/// Why schedulers did the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// Each request left the scheduler at the instant at which it came.
    NothingWaited,
    /// Requests waited, but never two at a time.
    NoChoice,
}

impl Because {
    /// In words, as the end of a sentence about several schedulers.
    pub fn words(self) -> &'static str {
        match self {
            Because::NothingWaited => "nothing ever waited in them",
            Because::NoChoice => "at most one request waited in them at a time",
        }
    }
}

impl Alike {
    /// The place of the run that stands for all of them.
    pub fn first(&self) -> usize {
        self.places[0]
    }

    /// What they are called together: all names if there is room, or the first one and how many
    /// more there are.
    pub fn label(&self, labels: &[String]) -> String {
        const ROOM: usize = 22;
        let names: Vec<&str> = self.places.iter().map(|&place| labels[place].as_str()).collect();
        let all = names.join(", ");
        match names.len() {
            1 => all,
            _ if all.chars().count() <= ROOM => all,
            several => format!("{} + {} more", names[0], several - 1),
        }
    }

    /// What is to be said of them: `none, noop and kyber: exactly the same; nothing ever waited in
    /// them.`, with the names that `labels` has for all runs that were looked at. None of a run
    /// that is alone.
    pub fn sentence(&self, labels: &[impl AsRef<str>]) -> Option<String> {
        let names: Vec<&str> = self.places.iter().map(|&place| labels[place].as_ref()).collect();
        let (last, most) = names.split_last().filter(|(_, most)| !most.is_empty())?;
        let because = self.because.map_or(String::new(), |why| format!("; {}", why.words()));
        Some(format!("{} and {last}: exactly the same{because}.", most.join(", ")))
    }
}

/// Puts the runs together that did exactly the same on one device: all figures of the jobs, of the
/// groups, of the page cache and of the device are equal, to the nanosecond. What schedulers count
/// and set by themselves is not looked at. The order is that of the first of each.
pub fn alike(runs: &[&Run]) -> Vec<Alike> {
    let mut all: Vec<Alike> = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        match all.iter_mut().find(|alike| same(runs[alike.first()], run)) {
            Some(alike) => alike.places.push(place),
            None => all.push(Alike { places: vec![place], because: None }),
        }
    }
    for alike in all.iter_mut().filter(|alike| alike.places.len() > 1) {
        alike.because = because(alike.places.iter().map(|&place| runs[place]));
    }
    all
}

fn same(one: &Run, other: &Run) -> bool {
    let bins =
        |run: &Run| run.plots.as_ref().map(|plots| (plots.elapsed_ns, plots.latencies.clone()));
    one.device == other.device
        && one.summary == other.summary
        && one.fio.jobs == other.fio.jobs
        && one.fio.disk_util == other.fio.disk_util
        && one.device_stats == other.device_stats
        && one.page_cache == other.page_cache
        && bins(one) == bins(other)
}

/// What the block layer counted of all of them says why.
fn because<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> Option<Because> {
    let all = |name: &str, holds: fn(u64) -> bool| {
        runs.clone().all(|run| run.queue_stats.get(name).is_some_and(|&value| holds(value)))
    };
    if all("waited", |waited| waited == 0) {
        Some(Because::NothingWaited)
    } else if all("waiting_max", |most| most <= 1) {
        Some(Because::NoChoice)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::samples::{JobSample, run};

    fn of(scheduler: &str, latency_us: u64, waited: Option<(u64, u64)>) -> Run {
        let job = JobSample::steady("click", &[], latency_us, 4096);
        let mut run = run(scheduler, &[job], &[]);
        if let Some((waited, most)) = waited {
            run.queue_stats = [("waited", waited), ("waiting_max", most)].into_iter().collect();
        }
        run
    }

    #[test]
    fn equal_figures_make_equal_runs() {
        let mut tuned = of("noop", 5, None);
        tuned.tunables.insert("quantum", 1.into());
        tuned.scheduler_stats.insert("dispatched", 7);
        let mut elsewhere = of("kyber", 5, None);
        elsewhere.device.profile = Some("other".into());
        let mut more_seeks = of("cfq", 5, None);
        more_seeks.device_stats.insert("seeks", 8);
        let runs = [of("bfq", 9, None), of("none", 5, None), elsewhere, tuned, more_seeks];
        let alike = alike(&runs.each_ref());
        let places: Vec<_> = alike.iter().map(|alike| alike.places.clone()).collect();
        assert_eq!(places, [vec![0], vec![1, 3], vec![2], vec![4]]);
        assert!(alike.iter().all(|alike| alike.because.is_none()), "it was not counted who waited");
    }

    #[test]
    fn a_reason_is_told_only_if_all_of_them_counted_it() {
        let sentence = |counts: [Option<(u64, u64)>; 3]| {
            let names = ["none", "noop", "kyber"];
            let runs: Vec<Run> =
                names.iter().zip(counts).map(|(name, count)| of(name, 5, count)).collect();
            alike(&runs.iter().collect::<Vec<_>>())[0].sentence(&names)
        };
        let same = "none, noop and kyber: exactly the same";
        for (counts, end) in [
            ([Some((0, 4)), Some((0, 4)), Some((0, 4))], "; nothing ever waited in them."),
            (
                [Some((3, 1)), Some((0, 0)), Some((3, 1))],
                "; at most one request waited in them at a time.",
            ),
            ([Some((3, 2)), Some((0, 0)), Some((3, 1))], "."),
            ([Some((0, 1)), None, Some((0, 1))], "."),
        ] {
            assert_eq!(sentence(counts), Some(format!("{same}{end}")), "{counts:?}");
        }
        assert_eq!(alike(&[&of("bfq", 5, None)])[0].sentence(&["bfq"]), None);
    }
}
