// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdict for programs: what is told to people, without the sentences.

use super::outcome::{Advice, Answer, OfGoal, Pair, Verdict};
use crate::model::{Metric, Opening, Others};
use crate::statistics::{Direction, Estimate, Finding};
use base::Interval;
use host::Candidate;
use serde::Serialize;

/// What a run says, as JSON: docs/schema/verdict.schema.json.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramVerdict {
    /// What was measured, and where.
    opening: Opening,
    /// Whole rounds that were measured.
    rounds: usize,
    /// Rounds without which nothing can be sure, for this number of candidates.
    rounds_needed: usize,
    /// For each goal asked for, what to do.
    goals: Vec<Recommendation>,
    /// Every pair of candidates, on all that counts for one of the goals.
    comparisons: Vec<Comparison>,
    /// Everything that was measured, of each candidate.
    figures: Vec<Measured>,
    /// What could not be tested, a sentence each.
    untested: Vec<String>,
    /// The most that others did on the machine meanwhile, if that was anything to speak of.
    others: Option<Others>,
}

/// What to do for a goal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Recommendation {
    /// The goal, or the weights of goals and metrics, as on the command line.
    goal: String,
    /// What kind of answer there is.
    advice: AdviceKind,
    /// The one to choose, or that would be chosen if it did not depend.
    candidate: Option<Candidate>,
    /// The one that it is compared with.
    rival: Option<Candidate>,
    /// Those that were not found to be worse for this goal.
    as_good: Vec<Candidate>,
    /// The same in a sentence.
    summary: String,
}

/// What kind of answer there is for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum AdviceKind {
    /// One candidate is better than others.
    Choose,
    /// One would be better, were it not worse in what the goal is named after.
    Depends,
    /// No difference was found in what counts for this goal.
    NoDifference,
    /// The one that would be recommended, or left as it is, lacks a figure that counts.
    Lacks,
    /// Too few rounds to tell anything.
    TooFew,
    /// Nothing that counts for this goal was measured of two candidates.
    Unknown,
}

/// How two candidates differ in a metric of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Comparison {
    /// The candidate that is compared.
    one: Candidate,
    /// The candidate that it is compared with.
    other: Candidate,
    /// Name of the scenario.
    scenario: String,
    /// The metric that it is about.
    metric: Metric,
    /// What may be said.
    finding: FindingKind,
    /// The first divided by the second, or less the second for a metric in percent: the median of
    /// the rounds.
    effect: f64,
    /// Its interval of 95 %, if there were enough rounds for one.
    low: Option<f64>,
    /// The upper end of the interval.
    high: Option<f64>,
    /// The probability that chance gives an effect as strong somewhere.
    p: f64,
    /// Rounds in which both were measured.
    rounds: usize,
}

/// What may be said of two candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum FindingKind {
    /// The first is better, and that matters.
    Better,
    /// The second is better, and that matters.
    Worse,
    /// One is better, but by so little that it does not matter.
    Slight,
    /// It is not known which is better, or whether one is.
    Open,
    /// Too few rounds to tell anything.
    TooFew,
}

/// A metric of a scenario under a candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Measured {
    /// The candidate that was measured.
    candidate: Candidate,
    /// Name of the scenario.
    scenario: String,
    /// The metric that it is about.
    metric: Metric,
    /// The unit of its values.
    unit: &'static str,
    /// The median of the rounds.
    median: f64,
    /// The lower end of its interval: of 95 %, or of fewer than six rounds the least value; none
    /// of a single round.
    low: Option<f64>,
    /// The upper end of the interval.
    high: Option<f64>,
}

impl Verdict {
    /// The verdict for programs.
    pub fn for_programs(&self) -> ProgramVerdict {
        ProgramVerdict {
            opening: self.opening.clone(),
            rounds: self.rounds,
            rounds_needed: self.rounds_needed,
            goals: self.goals.iter().map(|goal| self.recommendation(goal)).collect(),
            comparisons: self.pairs.iter().flat_map(comparisons).collect(),
            figures: self.measured(),
            untested: self.untested.clone(),
            others: self.disturbed.map(|disturbed| disturbed.most),
        }
    }

    /// The same as JSON.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(&self.for_programs());
        text.expect("names, numbers and texts only") + "\n"
    }

    fn recommendation(&self, goal: &OfGoal) -> Recommendation {
        let none = Vec::new;
        let (advice, candidate, rival, as_good) = match &goal.advice {
            Advice::Choose { candidate, as_good, rival } => {
                (AdviceKind::Choose, Some(candidate), Some(rival), as_good.clone())
            }
            Advice::Depends { candidate, rival } => {
                (AdviceKind::Depends, Some(candidate), Some(rival), none())
            }
            Advice::NoDifference => (AdviceKind::NoDifference, None, None, none()),
            Advice::Lacks(_) => (AdviceKind::Lacks, None, None, none()),
            Advice::TooFew { .. } => (AdviceKind::TooFew, None, None, none()),
            Advice::Unknown => (AdviceKind::Unknown, None, None, none()),
        };
        Recommendation {
            goal: goal.weights.to_string(),
            advice,
            candidate: candidate.cloned(),
            rival: rival.cloned(),
            as_good,
            summary: self.summary(goal),
        }
    }

    fn measured(&self) -> Vec<Measured> {
        let of_figure = self.figures.iter().flat_map(|figure| {
            let values = self.opening.candidates.iter().zip(&figure.values);
            values.filter_map(move |(candidate, value)| {
                let interval = interval((*value)?);
                Some(Measured {
                    candidate: candidate.clone(),
                    scenario: figure.scenario.clone(),
                    metric: figure.metric,
                    unit: figure.metric.info().unit,
                    median: (*value)?.median(),
                    low: interval.map(|interval| interval.low),
                    high: interval.map(|interval| interval.high),
                })
            })
        });
        of_figure.collect()
    }
}

fn interval(estimate: Estimate) -> Option<Interval> {
    match estimate {
        Estimate::Once(_) => None,
        Estimate::Few(interval) | Estimate::Known(interval) => Some(interval),
    }
}

fn comparisons(pair: &Pair) -> impl Iterator<Item = Comparison> {
    pair.answers.iter().map(|Answer { scenario, metric, difference }| {
        let interval = difference.finding.interval();
        Comparison {
            one: pair.one.clone(),
            other: pair.other.clone(),
            scenario: scenario.clone(),
            metric: *metric,
            finding: match &difference.finding {
                Finding::Apart(apart) if apart.direction() == Direction::Better => {
                    FindingKind::Better
                }
                Finding::Apart(_) => FindingKind::Worse,
                Finding::Slight(_) => FindingKind::Slight,
                Finding::Open(_) => FindingKind::Open,
                Finding::TooFew { .. } => FindingKind::TooFew,
            },
            effect: difference.finding.median(),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            p: difference.p,
            rounds: difference.rounds,
        }
    })
}
