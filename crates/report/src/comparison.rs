//! Candidates that were measured in rounds, and how they differ: what `bfq bench` found, as plain
//! data for readers. Whoever measured has judged too; nothing is decided here.

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
    /// The candidates.
    pub candidates: Vec<String>,
    /// The place of the candidate that the others are compared with.
    pub reference: usize,
    /// What was measured.
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
    /// Its unit.
    pub unit: String,
    /// Whether effects are ratios; else distances in points.
    pub by_ratio: bool,
    /// By candidate; none if it was not measured.
    pub values: Vec<Option<Spread>>,
    /// How much better than under the reference, by candidate; none if that was not asked.
    pub effects: Vec<Option<Effect>>,
}

/// A median and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How much better a candidate is than the reference: so many times, or by so many points. Worse is
/// below 1, or negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// How much.
    pub size: Spread,
    /// What may be called so.
    pub finding: Finding,
}

/// What an effect may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
    /// There are too few rounds, but each had it better by far.
    SeemsBetter,
    /// There are too few rounds, but each had it worse by far.
    SeemsWorse,
    /// No difference was found.
    None,
}

impl Finding {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Finding::Better => "better",
            Finding::Worse => "worse",
            Finding::SeemsBetter => "better?",
            Finding::SeemsWorse => "worse?",
            Finding::None => "no difference",
        }
    }
}

impl Spread {
    /// The median with its interval, with as many digits as are worth reading.
    pub fn shown(&self) -> String {
        let digits = match self.median.abs() {
            ..1.0 => 3,
            1.0..10.0 => 2,
            10.0..100.0 => 1,
            _ => 0,
        };
        let show = |value: f64| format!("{value:.digits$}");
        format!("{} [{} – {}]", show(self.median), show(self.low), show(self.high))
    }
}

impl Effect {
    /// `6.1 [5.2 – 7.0] ×`, or in points.
    pub fn shown(&self, by_ratio: bool) -> String {
        let Spread { median, low, high } = self.size;
        // Each with its own digits: beside 16 times there may be a twentieth.
        let show = |value: f64| match value.abs() {
            ..10.0 => format!("{value:.2}"),
            _ => format!("{value:.0}"),
        };
        let unit = if by_ratio { "×" } else { "points" };
        format!("{} [{} – {}] {unit}", show(median), show(low), show(high))
    }
}
