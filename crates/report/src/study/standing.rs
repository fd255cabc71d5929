// SPDX-License-Identifier: MIT OR Apache-2.0
//! How bfq stands in a scenario: beside the best of the other schedulers, by what the
//! scenario is about.

use crate::study::kind::MeasureKind;
use crate::study::measure::Measure;
use crate::study::stage::StudyStage;

/// What came out for bfq. It is better or worse only by more than chance
/// may do ([`Measure::is_best`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StandingOutcome {
    /// Better than every other.
    Better,
    /// As good as the best of the others.
    Level,
    /// Some other is better.
    Worse,
}

/// bfq beside the best of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The column of bfq, as [`Standing::place_of_bfq`] has it.
    pub bfq: usize,
    /// The column of the best of the others.
    pub rival: usize,
    /// Whether bfq is ahead, behind or as good as the rival.
    pub outcome: StandingOutcome,
    /// How much better bfq is.
    pub lead: Lead,
}

/// How much better one is than another; where it is worse, below 1 or below 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lead {
    /// The ratio: of times and throughput.
    Times(f64),
    /// The percentage points: of shares, and of what is due.
    Points(f64),
}

impl Lead {
    fn of(kind: MeasureKind, own: f64, other: f64) -> Lead {
        // What takes no time at all takes a nanosecond.
        let times = |one: f64, other: f64| Lead::Times(one.max(1.0) / other.max(1.0));
        match kind {
            MeasureKind::StartUp | MeasureKind::Latency => times(other, own),
            MeasureKind::Rate | MeasureKind::Throughput => times(own, other),
            MeasureKind::Shares => Lead::Points(other - own),
            MeasureKind::Share => Lead::Points(own - other),
            // More than is due is no lead.
            MeasureKind::Fairness => Lead::Points((own.min(1.0) - other.min(1.0)) * 100.0),
            MeasureKind::Useful => Lead::Points((own - other) * 100.0),
        }
    }

    /// A number by which leads of any kind can be put in order: above 0 where it is better. Ten
    /// points count as twice.
    pub fn order(self) -> f64 {
        match self {
            Lead::Times(times) => times.log2(),
            Lead::Points(points) => points / 10.0,
        }
    }
}

impl Standing {
    /// How bfq stands in a stage; none if it has no bfq, no other scheduler, or nothing that was
    /// measured of both.
    pub fn of(stage: &StudyStage) -> Option<Standing> {
        let measure = stage.measures.first()?;
        let bfq = Standing::place_of_bfq(stage)?;
        let columns = stage.columns.iter().enumerate();
        let others = columns.filter(|(_, column)| column.run.scheduler != "bfq");
        let values = others.filter_map(|(place, _)| Some((place, measure.values[place]?)));
        let (rival, theirs) = values.reduce(|one, other| {
            let ahead = measure.kind.advantage(other.1) > measure.kind.advantage(one.1);
            if ahead { other } else { one }
        })?;
        let mine = measure.values[bfq]?;
        let outcome = StandingOutcome::of(measure, mine, theirs);
        Some(Standing { bfq, rival, outcome, lead: Lead::of(measure.kind, mine, theirs) })
    }

    /// The column of bfq: as it is by default if there is such a run, else its first variant.
    pub fn place_of_bfq(stage: &StudyStage) -> Option<usize> {
        let columns = stage.columns.iter().enumerate();
        let own = columns.filter(|(_, column)| column.run.scheduler == "bfq");
        own.min_by_key(|(_, column)| column.run.variant.is_some()).map(|(place, _)| place)
    }
}

impl StandingOutcome {
    fn of(measure: &Measure, mine: f64, theirs: f64) -> StandingOutcome {
        let pair = Measure { values: vec![Some(mine), Some(theirs)], ..measure.clone() };
        match (pair.is_best(mine), pair.is_best(theirs)) {
            (true, true) => StandingOutcome::Level,
            (true, false) => StandingOutcome::Better,
            (false, _) => StandingOutcome::Worse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Study;
    use crate::tests::samples::{JobSample, run, source};

    /// How bfq stands if these have that throughput, KiB in ten requests.
    fn standing(runs: &[(&str, Option<&str>, u64)]) -> Option<Standing> {
        let runs = runs.iter().map(|&(scheduler, variant, kib)| {
            let job = JobSample::steady("reader", &[("bs", "1m")], 1000, kib * 1024);
            let mut run = run(scheduler, &[job], &[]);
            run.variant = variant.map(str::to_owned);
            run
        });
        let sources = [source("any", runs.collect())];
        Standing::of(&Study::of(&sources).chapters[0].stages[0])
    }

    #[test]
    fn it_stands_beside_the_best_of_the_others() {
        let as_it_is = ("bfq", None, 1000);
        for (others, rival, outcome, times) in [
            (&[("none", None, 500), ("kyber", None, 800)][..], 2, StandingOutcome::Better, 1.25),
            (
                &[("none", None, 500), ("kyber", None, 1020)],
                2,
                StandingOutcome::Level,
                1000.0 / 1020.0,
            ),
            (&[("none", None, 2000), ("kyber", None, 900)], 1, StandingOutcome::Worse, 0.5),
        ] {
            let runs: Vec<_> = [as_it_is].iter().chain(others).copied().collect();
            let standing = standing(&runs).unwrap();
            assert_eq!((standing.bfq, standing.rival, standing.outcome), (0, rival, outcome));
            let Lead::Times(lead) = standing.lead else { panic!("{:?}", standing.lead) };
            assert!((lead - times).abs() < 1e-3, "{lead} {times}");
        }
    }

    #[test]
    fn bfq_as_it_is_by_default_stands_for_it() {
        let told = ("bfq", Some("bfq:slice_idle=0"), 3000);
        let plain = ("bfq", None, 1000);
        let none = ("none", None, 2000);
        let of = |runs: &[_]| standing(runs).map(|one| (one.bfq, one.rival, one.outcome));
        assert_eq!(of(&[told, plain, none]), Some((1, 2, StandingOutcome::Worse)));
        assert_eq!(of(&[told, none]), Some((0, 1, StandingOutcome::Better)));
        assert_eq!(of(&[none]), None, "without bfq");
        assert_eq!(of(&[plain, told]), None, "without another");
    }

    #[test]
    fn leads_of_times_and_points_have_one_order() {
        let leads = [
            Lead::of(MeasureKind::Latency, 400.0, 100.0),
            Lead::of(MeasureKind::Shares, 12.0, 2.0),
            Lead::of(MeasureKind::Throughput, 100.0, 100.0),
            Lead::of(MeasureKind::Share, 30.0, 20.0),
            Lead::of(MeasureKind::StartUp, 100.0, 400.0),
        ];
        assert_eq!(leads.map(Lead::order), [-2.0, -1.0, 0.0, 1.0, 2.0]);
    }
}
