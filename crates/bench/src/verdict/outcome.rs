// SPDX-License-Identifier: MIT OR Apache-2.0
//! All that can be said of a run, to be told in words and drawings.

use super::figures::Figure;
use super::weights::Weights;
use crate::model::{Metric, Opening, Others, perception};
use crate::statistics::Difference;
use host::Candidate;

/// All that can be said of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What was measured, and where.
    pub opening: Opening,
    /// Whole rounds that were measured.
    pub rounds: usize,
    /// Rounds without which nothing can be sure, for this number of candidates.
    pub rounds_needed: usize,
    /// For each goal asked for, what to do.
    pub goals: Vec<OfGoal>,
    /// Every pair of candidates, on all that counts.
    pub pairs: Vec<Pair>,
    /// Everything that was measured.
    pub figures: Vec<Figure>,
    /// Who did not get so far as others that there is a figure.
    pub lacks: Vec<Lack>,
    /// What could not be tested, a sentence each.
    pub untested: Vec<String>,
    /// Other load in the course of the run, if there was any to speak of.
    pub disturbed: Option<Disturbed>,
}

/// Other load in the course of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disturbed {
    /// Rounds that had some.
    pub rounds: usize,
    /// Measurements that had some.
    pub measurements: usize,
    /// The most of any.
    pub most: Others,
}

/// A candidate under which nothing was done that a figure could be read off, while another has one:
/// it may be worse there than all that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The candidate that has no figure.
    pub candidate: Candidate,
    /// The candidate that has one.
    pub rival: Candidate,
    /// Name of the scenario.
    pub scenario: String,
    /// The metric that has no value.
    pub metric: Metric,
    /// Rounds in which that is so.
    pub missing: usize,
    /// Rounds in which both were measured.
    pub rounds: usize,
}

/// What to do for a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct OfGoal {
    /// The goal's metrics and weights.
    pub weights: Weights,
    /// What is recommended for it.
    pub advice: Advice,
}

/// What to choose for a goal.
#[derive(Clone, Debug, PartialEq)]
pub enum Advice {
    /// One candidate is better than others.
    Choose {
        /// The candidate to choose.
        candidate: Candidate,
        /// Those that were not found to be worse for this goal.
        as_good: Vec<Candidate>,
        /// The one that it is compared with: of those that are worse the one that is set now, for
        /// that is what there is to gain, else the best.
        rival: Candidate,
    },
    /// One candidate would be better, were it not worse in what the goal is named after.
    Depends {
        /// The one that would be recommended otherwise.
        candidate: Candidate,
        /// The one that is better in that.
        rival: Candidate,
    },
    /// No difference was found in what counts for this goal.
    NoDifference,
    /// The one that would be recommended, or left as it is, lacks a figure that counts.
    Lacks(Lack),
    /// Too few rounds to tell anything.
    TooFew {
        /// The most that any two candidates have in common.
        rounds: usize,
    },
    /// Nothing that counts for this goal was measured of two candidates.
    Unknown,
}

/// Two candidates, on all that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The candidate that is compared.
    pub one: Candidate,
    /// The candidate that it is compared with.
    pub other: Candidate,
    /// The first compared with the second.
    pub answers: Vec<Answer>,
}

/// How two candidates differ in a metric of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Name of the scenario.
    pub scenario: String,
    /// Metric that was compared.
    pub metric: Metric,
    /// The difference that was found.
    pub difference: Difference,
}

impl Verdict {
    /// The recommended candidate for the first goal: what is made permanent.
    pub fn recommended(&self) -> Option<&Candidate> {
        match &self.goals.first()?.advice {
            Advice::Choose { candidate, .. } => Some(candidate),
            Advice::Depends { .. }
            | Advice::NoDifference
            | Advice::Lacks(_)
            | Advice::TooFew { .. }
            | Advice::Unknown => None,
        }
    }

    /// Whether the disk had it when the run began.
    pub fn is_set_now(&self, candidate: &Candidate) -> bool {
        self.opening.current.as_ref().is_some_and(|name| *name == candidate.to_string())
    }

    /// Whether a difference weighs in the case for a goal: it counts there, and those whom the goal
    /// is about can notice it.
    pub(super) fn weighs(&self, weights: &Weights, pair: [&Candidate; 2], answer: &Answer) -> bool {
        let counts = weights.of_metric(&answer.scenario, answer.metric) > 0.0;
        counts && (!weights.are_of_people() || self.is_noticed(pair, answer))
    }

    /// Whether a person can notice a difference.
    pub(super) fn is_noticed(&self, [one, other]: [&Candidate; 2], answer: &Answer) -> bool {
        let Some(least_ms) = answer.metric.noticed_ms() else { return true };
        let median = |of: &Candidate| self.median(&answer.scenario, answer.metric, of);
        let apart_ms = median(one).zip(median(other)).map(|(one, other)| (one - other).abs());
        let times = answer.difference.finding.median();
        apart_ms.is_none_or(|apart_ms| apart_ms >= least_ms)
            && times.max(1.0 / times) >= perception::NOTICED_TIMES
    }

    /// The median of a metric of a scenario under a candidate, if it was measured.
    pub(super) fn median(&self, scenario: &str, metric: Metric, of: &Candidate) -> Option<f64> {
        let place = self.opening.candidates.iter().position(|one| one == of)?;
        let is = |figure: &&Figure| (figure.scenario.as_str(), figure.metric) == (scenario, metric);
        Some(self.figures.iter().find(is)?.values[place]?.median())
    }

    /// How the first compares with the second, whichever way round they were compared.
    pub fn compared(&self, one: &Candidate, other: &Candidate) -> Vec<Answer> {
        let is = |pair: &&Pair| (&pair.one, &pair.other) == (one, other);
        let turned = |pair: &&Pair| (&pair.other, &pair.one) == (one, other);
        if let Some(pair) = self.pairs.iter().find(is) {
            return pair.answers.clone();
        }
        let found = self.pairs.iter().find(turned);
        found.map_or(Vec::new(), |pair| pair.answers.iter().map(Answer::turned).collect())
    }
}

impl Answer {
    /// The same of the second compared with the first.
    pub(super) fn turned(&self) -> Self {
        let difference = self.difference.turned(self.metric.info().matters);
        Answer { difference, ..self.clone() }
    }
}
