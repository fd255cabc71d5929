// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two candidates compared on all questions that are asked of them: what differs, by how much, and
//! whether that may be called a difference.

use super::bootstrap::{median, median_interval};
use super::finding::{Apart, Finding, Open};
use super::permutation::{LEVEL, corrected_p, rounds_needed};
use crate::model::{Matters, Metric};

/// What a round measured of two candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// The value of the first candidate in the round, in the metric's unit.
    pub one: f64,
    /// The value of the second candidate in the round, in the metric's unit.
    pub other: f64,
}

/// A metric, and what the rounds measured of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The metric that both candidates were measured in.
    pub metric: Metric,
    /// Round by round; none where one of the two is missing. All questions that are asked together
    /// have as many.
    pub rounds: Vec<Option<Paired>>,
}

/// How two candidates differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// What may be said.
    pub finding: Finding,
    /// The probability that chance gives an effect as strong somewhere, corrected for the number of
    /// questions and pairs.
    pub p: f64,
    /// Rounds in which both were measured.
    pub rounds: usize,
}

impl Difference {
    /// The same of the second compared with the first.
    pub fn turned(self, matters: Matters) -> Self {
        Difference { finding: self.finding.turned(matters), ..self }
    }
}

/// Ratios of values that are less than this are those of this.
const TINY: f64 = 1e-9;

/// Compares two candidates.
///
/// `pairs` is how many pairs of candidates are compared in all; the level is divided among them.
/// `seed` decides where not all permutations can be looked at. The answers are in the order of the
/// questions, and none for a question without any round.
pub fn compare(questions: &[Question], pairs: usize, seed: u64) -> Vec<Option<Difference>> {
    let least_rounds = rounds_needed(pairs);
    let enough = |question: &&Question| question.count() >= least_rounds;
    let asked: Vec<Vec<Option<f64>>> =
        questions.iter().filter(enough).map(Question::differences).collect();
    let mut corrected = corrected_p(&asked, seed).into_iter();
    let answer = |question: &Question| {
        let p = if enough(&question) { corrected.next() } else { None };
        question.answer(p.map(|p| (p * pairs.max(1) as f64).min(1.0)), least_rounds)
    };
    questions.iter().map(answer).collect()
}

impl Question {
    /// Rounds in which both were measured.
    fn count(&self) -> usize {
        self.rounds.iter().flatten().count()
    }

    /// The differences on a scale on which equals are at 0.
    fn differences(&self) -> Vec<Option<f64>> {
        let difference = |paired: &Paired| match self.metric.info().matters {
            Matters::Ratio { .. } => (paired.one.max(TINY) / paired.other.max(TINY)).ln(),
            Matters::Points(_) => paired.one - paired.other,
        };
        self.rounds.iter().map(|paired| paired.as_ref().map(difference)).collect()
    }

    /// What the rounds say; `p` is none if they are too few.
    fn answer(&self, p: Option<f64>, least_rounds: usize) -> Option<Difference> {
        let differences: Vec<f64> = self.differences().into_iter().flatten().collect();
        let interval = median_interval(&differences)?;
        let matters = self.metric.info().matters;
        let effect = match matters {
            Matters::Points(_) => interval,
            Matters::Ratio { .. } => interval.map(f64::exp),
        };
        let finding = match p {
            None => Finding::TooFew { median: effect.median, least_rounds },
            Some(p) => match Apart::new(self.metric, effect).filter(|_| p <= LEVEL) {
                None => Finding::Open(Open::new(matters, effect)),
                Some(apart) if self.matters(interval.median) => Finding::Apart(apart),
                Some(apart) => Finding::Slight(apart),
            },
        };
        Some(Difference { finding, p: p.unwrap_or(1.0), rounds: differences.len() })
    }

    /// Whether a difference is large enough to be worth a word.
    fn matters(&self, difference: f64) -> bool {
        match self.metric.info().matters {
            Matters::Points(points) => difference.abs() >= points,
            Matters::Ratio { factor, distance } => {
                let side = |pick: fn(&Paired) -> f64| {
                    median(&self.rounds.iter().flatten().map(pick).collect::<Vec<_>>())
                };
                let apart = side(|paired| paired.one).zip(side(|paired| paired.other));
                let apart = apart.is_some_and(|(one, other)| (one - other).abs() >= distance);
                difference.abs() >= factor.ln() && apart
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Direction;

    fn question(metric: Metric, pairs: &[(f64, f64)]) -> Question {
        let rounds = pairs.iter().map(|&(one, other)| Some(Paired { one, other })).collect();
        Question { metric, rounds }
    }

    /// The finding of rounds that have all the same ratio, give or take a hundredth, in a word.
    fn finding(metric: Metric, one: f64, other: f64, rounds: usize) -> &'static str {
        let wobble = |round: usize| 1.0 + 0.01 * (round % 3) as f64;
        let pairs: Vec<_> = (0..rounds).map(|round| (one * wobble(round), other)).collect();
        word(compare(&[question(metric, &pairs)], 1, 0)[0].unwrap())
    }

    fn word(difference: Difference) -> &'static str {
        match difference.finding {
            Finding::Apart(apart) if apart.direction() == Direction::Better => "better",
            Finding::Apart(_) => "worse",
            Finding::Slight(_) => "slight",
            Finding::Open(_) => "open",
            Finding::TooFew { .. } => "too few",
        }
    }

    #[test]
    fn a_difference_is_one_if_it_is_sure_and_matters() {
        for (metric, one, other, rounds, expected) in [
            (Metric::StartUp, 1.0, 6.0, 10, "better"),
            (Metric::StartUp, 6.0, 1.0, 10, "worse"),
            (Metric::Throughput, 6.0, 1.0, 10, "better"),
            (Metric::StartUp, 1.0, 1.15, 10, "slight"), // too small a ratio
            (Metric::StartUp, 0.01, 0.06, 10, "slight"), // too short for anybody to notice
            (Metric::LateFrames, 0.0, 30.0, 10, "better"),
            (Metric::LateFrames, 1.2, 1.0, 10, "slight"),
            (Metric::LateFrames, 0.0, 0.0, 10, "open"),
            (Metric::StartUp, 1.0, 6.0, 5, "too few"),
            (Metric::LateFrames, 5.0, 1.0, 1, "too few"),
        ] {
            let found = finding(metric, one, other, rounds);
            assert_eq!(found, expected, "{metric:?} {one} {other} in {rounds} rounds");
        }
    }

    #[test]
    fn rounds_that_disagree_show_nothing() {
        let pairs = [(1.0, 2.0), (2.0, 1.0), (1.0, 2.1), (2.0, 0.9), (1.0, 2.0), (2.0, 1.0)];
        let answer = compare(&[question(Metric::Iops, &pairs)], 1, 0)[0].unwrap();
        assert_eq!(word(answer), "open");
    }

    /// One of many questions whose own interval excludes equality: it is not told apart, and so the
    /// interval that is told includes it.
    #[test]
    fn the_interval_of_what_is_not_told_apart_holds_equality() {
        let pairs = [(1.0, 2.0), (1.0, 2.1), (1.0, 1.9), (1.0, 2.0), (2.0, 1.9), (1.0, 2.2)];
        let answer = compare(&[question(Metric::Iops, &pairs)], 1, 0)[0].unwrap();
        let Finding::Open(open) = answer.finding else { panic!("{answer:?}") };
        assert!(open.effect().high >= 1.0 && open.effect().low < 0.6, "{answer:?}");
    }

    #[test]
    fn more_pairs_ask_for_more_rounds() {
        let pairs = [(1.0, 9.0), (1.1, 9.0), (1.2, 9.0), (1.0, 9.0), (1.1, 9.0), (1.2, 9.0)];
        let question = [question(Metric::StartUp, &pairs)];
        assert_eq!(word(compare(&question, 1, 0)[0].unwrap()), "better");
        let Finding::TooFew { least_rounds, median } = compare(&question, 3, 0)[0].unwrap().finding
        else {
            panic!("six rounds are too few for three pairs")
        };
        assert_eq!(least_rounds, 7);
        assert!((median - 1.1 / 9.0).abs() < 1e-9);
    }

    #[test]
    fn what_was_not_measured_has_no_answer() {
        let none = Question { metric: Metric::Iops, rounds: vec![None; 9] };
        assert_eq!(compare(&[none], 1, 0), [None]);
    }
}
