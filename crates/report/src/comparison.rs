// SPDX-License-Identifier: MIT OR Apache-2.0
//! Candidates that were measured in rounds, and how they differ: what `bfq bench` found, as plain
//! data for readers. The bench that measured has judged too; nothing is decided here.

/// One run of `bfq bench`, or what was imported into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What was compared, on what.
    pub title: String,
    /// The circumstances, a sentence each.
    pub about: Vec<String>,
    /// What to do, a sentence for each goal.
    pub advice: Vec<String>,
    /// How sure that is.
    pub sureness: String,
    /// What could not be tested, a sentence each.
    pub untested: Vec<String>,
    /// Names of the candidates.
    pub candidates: Vec<String>,
    /// The place of the candidate that the others are compared with.
    pub reference: usize,
    /// The metrics that were measured, one for each scenario and metric.
    pub metrics: Vec<ComparedMetric>,
}

/// A metric of a scenario under every candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedMetric {
    /// The name of the scenario.
    pub scenario: String,
    /// What happens in it.
    pub what_happens: String,
    /// The name of the metric.
    pub metric: String,
    /// Unit of the metric.
    pub unit: String,
    /// Whether effects are ratios; else distances in points.
    pub by_ratio: bool,
    /// By candidate, in words; none if it was not measured.
    pub values: Vec<Option<String>>,
    /// How much better than under the reference, by candidate; none if that was not asked.
    pub effects: Vec<Option<Effect>>,
}

/// How much better a candidate is than the reference: a factor, or a number of points. Worse is
/// below 1, or negative.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Median of the effect.
    pub median: f64,
    /// The ends of its 95 % interval, if there were enough rounds for one.
    pub interval: Option<[f64; 2]>,
    /// What may be called so.
    pub shade: Shade,
    /// The same in words.
    pub words: String,
}

/// What an effect may be called, and how it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// The candidate is better than the reference, and by enough to matter.
    Better,
    /// The candidate is worse than the reference, and by enough to matter.
    Worse,
    /// There is a difference, but it is too slight to matter.
    Slight,
    /// No difference was found.
    Open,
    /// There are too few rounds to tell.
    TooFew,
}

impl Shade {
    /// The phrase for it that a page shows with the effect.
    pub fn word(self) -> &'static str {
        match self {
            Shade::Better => "better",
            Shade::Worse => "worse",
            Shade::Slight => "too slight to matter",
            Shade::Open => "no difference found",
            Shade::TooFew => "too few rounds to tell",
        }
    }
}
