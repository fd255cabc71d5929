//! Two candidates compared on all questions that are asked of them: what differs, by how much, and
//! whether that may be called a difference.

use super::bootstrap::{Interval, median, median_interval};
use super::permutation::{LEVEL, corrected_p, rounds_needed};
use crate::model::{Better, Matters, Metric};
use serde::{Deserialize, Serialize};

/// What a round measured of two candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Of the first.
    pub one: f64,
    /// Of the second.
    pub other: f64,
}

/// A metric, and what the rounds measured of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What was measured.
    pub metric: Metric,
    /// Round by round; none where one of the two is missing. All questions that are asked together
    /// have as many.
    pub rounds: Vec<Option<Paired>>,
}

/// What may be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// The first is better.
    Better,
    /// The second is better.
    Worse,
    /// No difference that is sure and matters.
    None,
    /// Too few rounds to tell, but in each of them the first was better by far.
    SeemsBetter,
    /// Too few rounds to tell, but in each of them the second was better by far.
    SeemsWorse,
    /// Too few rounds to tell.
    TooFew,
}

/// How two candidates differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The first divided by the second, or the first less the second for a metric whose
    /// [`Matters`] is in points: the median of the rounds, and its interval.
    pub effect: Interval,
    /// The probability that chance gives an effect as strong somewhere, corrected for the number of
    /// questions and pairs.
    pub p: f64,
    /// Rounds in which both were measured.
    pub rounds: usize,
    /// What follows.
    pub finding: Finding,
}

impl Difference {
    /// The same of the second compared with the first.
    pub fn turned(self, matters: Matters) -> Self {
        let turn = |value: f64| match matters {
            Matters::Ratio { .. } => 1.0 / value,
            Matters::Points(_) => -value,
        };
        let Interval { median, low, high } = self.effect;
        let effect = Interval { median: turn(median), low: turn(high), high: turn(low) };
        let finding = match self.finding {
            Finding::Better => Finding::Worse,
            Finding::Worse => Finding::Better,
            Finding::SeemsBetter => Finding::SeemsWorse,
            Finding::SeemsWorse => Finding::SeemsBetter,
            same @ (Finding::None | Finding::TooFew) => same,
        };
        Difference { effect, finding, ..self }
    }
}

/// Ratios of values that are less than this are those of this.
const TINY: f64 = 1e-9;

/// With too few rounds a difference seems to be one only if each of them shows this ratio…
const SEEMS_RATIO: f64 = 1.2;
/// … or so many times the points that matter …
const SEEMS_POINTS: f64 = 2.0;
/// … and there are so many.
const SEEMS_ROUNDS: usize = 3;

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
        question.answer(p.map(|p| (p * pairs.max(1) as f64).min(1.0)))
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
    fn answer(&self, p: Option<f64>) -> Option<Difference> {
        let differences: Vec<f64> = self.differences().into_iter().flatten().collect();
        let interval = median_interval(&differences)?;
        let finding = match p {
            None if self.seems(&differences) => self.direction(interval.median, true),
            None => Finding::TooFew,
            Some(p) => {
                let sure = p <= LEVEL && (interval.low > 0.0 || interval.high < 0.0);
                match sure && self.matters(interval.median) {
                    true => self.direction(interval.median, false),
                    false => Finding::None,
                }
            }
        };
        let effect = match self.metric.info().matters {
            Matters::Points(_) => interval,
            Matters::Ratio { .. } => Interval {
                median: interval.median.exp(),
                low: interval.low.exp(),
                high: interval.high.exp(),
            },
        };
        Some(Difference { effect, p: p.unwrap_or(1.0), rounds: differences.len(), finding })
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

    /// Whether so few rounds show it all alike and by far.
    fn seems(&self, differences: &[f64]) -> bool {
        let far = match self.metric.info().matters {
            Matters::Points(points) => points * SEEMS_POINTS,
            Matters::Ratio { .. } => SEEMS_RATIO.ln(),
        };
        let above = differences.iter().all(|difference| *difference >= far);
        let below = differences.iter().all(|difference| *difference <= -far);
        differences.len() >= SEEMS_ROUNDS && (above || below) && self.matters(differences[0])
    }

    fn direction(&self, difference: f64, seems: bool) -> Finding {
        let better = match self.metric.info().better {
            Better::Higher => difference > 0.0,
            Better::Lower => difference < 0.0,
        };
        match (better, seems) {
            (true, false) => Finding::Better,
            (false, false) => Finding::Worse,
            (true, true) => Finding::SeemsBetter,
            (false, true) => Finding::SeemsWorse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(metric: Metric, pairs: &[(f64, f64)]) -> Question {
        let rounds = pairs.iter().map(|&(one, other)| Some(Paired { one, other })).collect();
        Question { metric, rounds }
    }

    /// The finding of rounds that have all the same ratio, give or take a hundredth.
    fn finding(metric: Metric, one: f64, other: f64, rounds: usize) -> Finding {
        let wobble = |round: usize| 1.0 + 0.01 * (round % 3) as f64;
        let pairs: Vec<_> = (0..rounds).map(|round| (one * wobble(round), other)).collect();
        compare(&[question(metric, &pairs)], 1, 0)[0].unwrap().finding
    }

    #[test]
    fn a_difference_is_one_if_it_is_sure_and_matters() {
        use Finding::{Better, None, SeemsBetter, SeemsWorse, TooFew, Worse};
        for (metric, one, other, rounds, expected) in [
            (Metric::StartUp, 1.0, 6.0, 10, Better),
            (Metric::StartUp, 6.0, 1.0, 10, Worse),
            (Metric::Throughput, 6.0, 1.0, 10, Better),
            (Metric::StartUp, 1.0, 1.05, 10, None), // too small a ratio
            (Metric::StartUp, 0.01, 0.06, 10, None), // too short a time for anybody to notice
            (Metric::LateFrames, 0.0, 30.0, 10, Better),
            (Metric::LateFrames, 1.2, 1.0, 10, None),
            (Metric::StartUp, 1.0, 6.0, 5, SeemsBetter),
            (Metric::StartUp, 6.0, 1.0, 3, SeemsWorse),
            (Metric::StartUp, 1.0, 6.0, 2, TooFew),
            (Metric::StartUp, 1.0, 1.15, 5, TooFew),
            (Metric::LateFrames, 5.0, 1.0, 5, SeemsWorse),
        ] {
            let found = finding(metric, one, other, rounds);
            assert_eq!(found, expected, "{metric:?} {one} {other} in {rounds} rounds");
        }
    }

    #[test]
    fn rounds_that_disagree_show_nothing() {
        let pairs = [(1.0, 2.0), (2.0, 1.0), (1.0, 2.1), (2.0, 0.9), (1.0, 2.0), (2.0, 1.0)];
        let answer = compare(&[question(Metric::Iops, &pairs)], 1, 0)[0].unwrap();
        assert_eq!(answer.finding, Finding::None);
        assert!(answer.effect.low < 1.0 && answer.effect.high > 1.0, "{answer:?}");
    }

    #[test]
    fn more_pairs_ask_for_more_rounds() {
        let pairs = [(1.0, 9.0), (1.1, 9.0), (1.2, 9.0), (1.0, 9.0), (1.1, 9.0), (1.2, 9.0)];
        let question = [question(Metric::StartUp, &pairs)];
        assert_eq!(compare(&question, 1, 0)[0].unwrap().finding, Finding::Better);
        assert_eq!(compare(&question, 3, 0)[0].unwrap().finding, Finding::SeemsBetter);
    }

    #[test]
    fn what_was_not_measured_has_no_answer() {
        let none = Question { metric: Metric::Iops, rounds: vec![None; 9] };
        assert_eq!(compare(&[none], 1, 0), [None]);
    }
}
