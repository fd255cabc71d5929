// SPDX-License-Identifier: MIT OR Apache-2.0
//! A suspicious reader: takes the printed words apart and holds each against the measurements.
//!
//! It shares no code with what makes the words. Medians, intervals and probabilities are those of
//! `bench::statistics`, which have tests of their own.

use base::Interval;
use bench::model::perception::NOTICED_TIMES;
use bench::model::{Better, Goal, Matters, Measurement, Metric};
use bench::statistics::{LEVEL, median, median_interval, rounds_needed};
use bench::verdict::{Verdict, Weights};
use host::Candidate;
use report::comparison::Shade;

/// Fewer values have no interval of 95 %.
const LEAST_OF_AN_INTERVAL: usize = 6;

/// How verbs and objects give away what was measured, and whether it is better.
const VERBS: [(&str, &str, Metric, bool); 21] = [
    ("starts", "faster", Metric::StartUp, true),
    ("starts", "slower", Metric::StartUp, false),
    ("moves", "more", Metric::Throughput, true),
    ("moves", "as much", Metric::Throughput, true),
    ("moves", "less", Metric::Throughput, false),
    ("does", "more operations", Metric::Iops, true),
    ("does", "as many operations", Metric::Iops, true),
    ("does", "fewer operations", Metric::Iops, false),
    ("answers", "faster", Metric::LatencyMedian, true),
    ("answers", "slower", Metric::LatencyMedian, false),
    ("has", "shorter worst waits", Metric::LatencyTail, true),
    ("has", "longer worst waits", Metric::LatencyTail, false),
    ("has", "fewer late frames", Metric::LateFrames, true),
    ("has", "more late frames", Metric::LateFrames, false),
    ("is", "nearer to fair shares", Metric::ShareError, true),
    ("is", "further from fair shares", Metric::ShareError, false),
    ("syncs", "faster", Metric::SyncTail, true),
    ("syncs", "slower", Metric::SyncTail, false),
    ("takes", "less processor time for an I/O", Metric::CpuPerIo, true),
    ("takes", "more processor time for an I/O", Metric::CpuPerIo, false),
    ("takes", "as much processor time for an I/O", Metric::CpuPerIo, false),
];

/// A number with its interval, as printed.
#[derive(Clone, Copy, Debug)]
struct Printed {
    median: f64,
    low: f64,
    high: f64,
    /// Half of the last digit of the median.
    rounding: f64,
}

/// A clause of a sentence.
#[derive(Clone, Debug)]
struct Clause {
    metric: Metric,
    is_better: bool,
    scenario: String,
    printed: Printed,
    unit: String,
    text: String,
}

/// Everything that the words say and the measurements do not.
pub fn complaints(verdict: &Verdict, measured: &[Measurement], text: &str) -> Vec<String> {
    let reader = Reader { verdict, measured };
    let mut found = Vec::new();
    let head = text.split("\n\n").next().unwrap_or_default();
    for sentence in head.lines().filter(|line| line.starts_with("For ")) {
        found.extend(reader.sentence(sentence));
    }
    found.extend(reader.details(head));
    found.extend(reader.table(text));
    found.extend(reader.drawing());
    found
}

struct Reader<'a> {
    verdict: &'a Verdict,
    measured: &'a [Measurement],
}

impl Reader<'_> {
    fn values(&self, of: &str, scenario: &str, metric: Metric) -> Vec<(u32, f64)> {
        let is = |one: &&Measurement| one.candidate.to_string() == of && one.scenario == scenario;
        let cells = self.measured.iter().filter(is);
        cells.filter_map(|one| Some((one.round, *one.values.get(&metric)?))).collect()
    }

    /// The first divided by the second, or less the second, round by round, as median and interval;
    /// and in how many rounds.
    fn effect(&self, pair: [&str; 2], scenario: &str, metric: Metric) -> Option<(Interval, usize)> {
        let [one, other] = pair.map(|of| self.values(of, scenario, metric));
        let by_ratio = by_ratio(metric);
        let of_round = |(round, one): &(u32, f64)| {
            let (_, other) = other.iter().find(|(of, _)| of == round)?;
            let ratio = one.max(1e-9) / other.max(1e-9);
            Some(if by_ratio { ratio.ln() } else { one - other })
        };
        let rounds: Vec<f64> = one.iter().filter_map(of_round).collect();
        let interval = median_interval(&rounds)?;
        let interval = if by_ratio { interval.map(f64::exp) } else { interval };
        Some((interval, rounds.len()))
    }

    fn least_rounds(&self) -> usize {
        let candidates = self.verdict.opening.candidates.len();
        rounds_needed(candidates * (candidates - 1) / 2)
    }

    /// A sentence about goals.
    fn sentence(&self, sentence: &str) -> Vec<String> {
        let Some((candidate, told, rival)) = parts(sentence) else {
            return match sentence.contains('[') {
                true => vec![format!("an interval in a sentence that chooses none: {sentence}")],
                false => Vec::new(),
            };
        };
        let mut found = Vec::new();
        let clauses = clauses(told);
        if clauses.is_empty() {
            found.push(format!("no reason is told: {sentence}"));
        }
        for clause in &clauses {
            match clause {
                Err(complaint) => found.push(complaint.clone()),
                Ok(clause) => found.extend(self.clause([candidate, rival], clause)),
            }
        }
        for weights in &self.verdict.goals {
            let weights = &weights.weights;
            if sentence.split([':', ';']).next().is_some_and(|of| of.contains(&weights.title())) {
                found.extend(self.lead(weights, [candidate, rival], &clauses));
            }
        }
        let chooses = !sentence.contains(" it depends, on ");
        let title = sentence.split(':').next().unwrap_or_default();
        for weights in Goal::ALL.map(Weights::of).iter().filter(|of| title.contains(&of.title())) {
            let named = weights.named_after();
            let fails = |clause: &&Clause| Some(clause.metric) == named && !clause.is_better;
            let failing = clauses.iter().flatten().find(fails);
            if let Some(failing) = failing.filter(|_| chooses) {
                let title = weights.title();
                found.push(format!("worse in what {title} is named after: {}", failing.text));
            }
        }
        found
    }

    /// Whether a clause is borne out.
    fn clause(&self, pair: [&str; 2], clause: &Clause) -> Vec<String> {
        let Clause { metric, printed, text, .. } = clause;
        let Some((effect, rounds)) = self.effect(pair, &clause.scenario, *metric) else {
            return vec![format!("not measured of both: {text}")];
        };
        let mut found = Vec::new();
        let mut complain = |what: String| found.push(format!("{what}: {text}"));
        if rounds < self.least_rounds() {
            complain(format!("too few rounds ({rounds})"));
        }
        let equality = if by_ratio(*metric) { 1.0 } else { 0.0 };
        let is_more = effect.median > equality;
        let is_better = is_more == (metric.info().better == Better::Higher);
        if is_better != clause.is_better {
            complain("the direction is the other one".to_owned());
        }
        if effect.low <= equality && equality <= effect.high {
            complain(format!("equality is in {effect:?}"));
        }
        let is_time = ["s", "ms"].contains(&metric.info().unit);
        if is_time && clause.unit != "times" {
            complain("a ratio of times is told in percent".to_owned());
        }
        let (truth, shown_equality) = match clause.unit.as_str() {
            "times" if is_more => (effect, 1.0),
            "times" => (effect.map(|value| 1.0 / value), 1.0),
            "%" if is_more => (effect.map(|value| 100.0 * (value - 1.0)), 0.0),
            "%" => (effect.map(|value| 100.0 * (1.0 - value)), 0.0),
            _ if is_more => (effect, 0.0),
            _ => (effect.map(|value| -value), 0.0),
        };
        let slack = 1e-9 * truth.high.abs().max(1.0);
        if (printed.median - truth.median).abs() > printed.rounding + slack {
            complain(format!("the median is {}", truth.median));
        }
        if printed.low > truth.low + slack || printed.high < truth.high - slack {
            complain(format!("narrower than {truth:?}"));
        }
        if printed.low <= shown_equality {
            complain("what is printed reaches equality".to_owned());
        }
        if !(printed.low <= printed.median && printed.median <= printed.high) {
            complain("the median is not in its interval".to_owned());
        }
        found
    }

    /// What comes first has to be the largest sure difference that counts.
    fn lead(
        &self,
        weights: &Weights,
        pair: [&str; 2],
        clauses: &[Result<Clause, String>],
    ) -> Option<String> {
        let [one, other]: [Candidate; 2] = pair.map(|name| name.parse().unwrap());
        let size = |scenario: &str, metric| {
            let (effect, _) = self.effect(pair, scenario, metric)?;
            let points = effect.median * std::f64::consts::LN_2 / 10.0;
            Some(if by_ratio(metric) { effect.median.ln().abs() } else { points.abs() })
        };
        let answers = self.verdict.compared(&one, &other);
        let sure = answers.iter().filter(|answer| {
            let (scenario, metric) = (answer.scenario.as_str(), answer.metric);
            answer.difference.p <= LEVEL
                && weights.of_metric(scenario, metric) > 0.0
                && self.excludes_equality(pair, scenario, metric)
                && self.matters(pair, scenario, metric)
                && (!weights.are_of_people() || self.is_noticed(pair, scenario, metric))
        });
        let sizes = sure.filter_map(|of| size(&of.scenario, of.metric));
        let largest = sizes.reduce(f64::max)?;
        let first = clauses.first()?.as_ref().ok()?;
        let of_first = size(&first.scenario, first.metric)?;
        // What differs by less than a twentieth is as large.
        (of_first < largest - 0.051).then(|| {
            format!("not the largest, which is {:.2} times: {}", largest.exp(), first.text)
        })
    }

    fn excludes_equality(&self, pair: [&str; 2], scenario: &str, metric: Metric) -> bool {
        let equality = if by_ratio(metric) { 1.0 } else { 0.0 };
        let effect = self.effect(pair, scenario, metric);
        effect.is_some_and(|(of, _)| of.low > equality || of.high < equality)
    }

    fn matters(&self, pair: [&str; 2], scenario: &str, metric: Metric) -> bool {
        let Some((effect, _)) = self.effect(pair, scenario, metric) else { return false };
        match metric.info().matters {
            Matters::Points(least) => effect.median.abs() >= least,
            Matters::Ratio { factor, distance } => {
                let times = effect.median.max(1.0 / effect.median);
                times >= factor && self.distance(pair, scenario, metric, true) >= distance
            }
        }
    }

    fn is_noticed(&self, pair: [&str; 2], scenario: &str, metric: Metric) -> bool {
        let Some(least_ms) = metric.noticed_ms() else { return true };
        let Some((effect, _)) = self.effect(pair, scenario, metric) else { return false };
        let times = effect.median.max(1.0 / effect.median);
        times >= NOTICED_TIMES && self.distance(pair, scenario, metric, false) >= least_ms
    }

    /// How far the medians of two candidates are apart; of all rounds, or of those both have.
    fn distance(&self, pair: [&str; 2], scenario: &str, metric: Metric, both: bool) -> f64 {
        let values = pair.map(|of| self.values(of, scenario, metric));
        let shared = |round: u32, other: &Vec<(u32, f64)>| other.iter().any(|of| of.0 == round);
        let of = |place: usize| {
            let kept = values[place].iter().filter(|of| !both || shared(of.0, &values[1 - place]));
            median(&kept.map(|of| of.1).collect::<Vec<_>>()).unwrap_or(f64::NAN)
        };
        (of(0) - of(1)).abs()
    }

    /// The lines below the sentence, if one goal was asked for.
    fn details(&self, head: &str) -> Vec<String> {
        let mut pair: Option<[&str; 2]> = None;
        let mut found = Vec::new();
        for line in head.lines().filter(|line| line.starts_with("  ")) {
            let line = line.trim();
            if let Some(names) = line.strip_prefix("Beside ") {
                pair = names.split_once(", ").map(|(rival, candidate)| [candidate, rival]);
                continue;
            }
            // The scenario is told by its title here.
            let Some((said, what)) = line.split_once(": ") else { continue };
            let what = what.strip_suffix(" (less than a person notices)").unwrap_or(what);
            let scenarios = &self.verdict.opening.scenarios;
            let title = |name: &str| {
                bench::scenarios::Scenario::named(name)
                    .map_or(name.to_owned(), |of| of.title.into())
            };
            let scenario = scenarios.iter().find(|name| title(name) == what);
            match (pair, scenario, scenario.map(|name| clause(said, name))) {
                (Some(pair), Some(_), Some(Ok(clause))) => found.extend(self.clause(pair, &clause)),
                (_, _, Some(Err(complaint))) => found.push(complaint),
                _ => found.push(format!("cannot be looked up: {line}")),
            }
        }
        found
    }

    /// The table: how much of an interval each cell may have.
    fn table(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let columns = |line: &str| -> Vec<String> {
            let cells = line.trim().split("  ").map(str::trim).filter(|cell| !cell.is_empty());
            cells.map(str::to_owned).collect()
        };
        let mut lines = text.lines().skip_while(|line| !line.starts_with("  median "));
        let names = lines.next().map(columns).unwrap_or_default();
        for cells in lines.map(columns) {
            let Some((scenario, rest)) = cells[0].split_once(": ") else { continue };
            let title = rest.rsplit_once(", ").map_or(rest, |(title, _)| title);
            let is = |info: &&bench::model::MetricInfo| info.title == title;
            let Some(info) = bench::model::METRICS.iter().find(is) else { continue };
            for (name, cell) in names.iter().zip(&cells).skip(1) {
                let count = self.values(name, scenario, info.metric).len();
                let allowed = match count {
                    0 => cell == "–",
                    1 => !cell.contains(['[', '(']),
                    2..LEAST_OF_AN_INTERVAL => !cell.contains('['),
                    _ => cell.contains('['),
                };
                if !allowed {
                    found.push(format!(
                        "an interval of {count} rounds: {}, {name}: {cell}",
                        cells[0]
                    ));
                }
            }
        }
        found
    }

    /// The drawing: shade, line and label say the same, and the same as the measurements.
    fn drawing(&self) -> Vec<String> {
        let comparison = self.verdict.comparison();
        let mut found = Vec::new();
        let reference = &comparison.candidates[comparison.reference];
        for drawn in &comparison.metrics {
            let even = if drawn.by_ratio { 1.0 } else { 0.0 };
            for (name, effect) in comparison.candidates.iter().zip(&drawn.effects) {
                let Some(effect) = effect else { continue };
                let case = format!(
                    "{}, {}: {name} beside {reference} is drawn {:?} and told {:?}",
                    drawn.scenario, drawn.metric, effect.shade, effect.words
                );
                let Some([low, high]) = effect.interval else {
                    if effect.shade != Shade::TooFew || effect.words.contains('[') {
                        found.push(format!("without an interval: {case}"));
                    }
                    continue;
                };
                let Some((printed, _)) = printed(&effect.words) else {
                    found.push(format!("an interval that is not told: {case}"));
                    continue;
                };
                let holds = |low: f64, high: f64| low <= even && even <= high;
                let good = match effect.shade {
                    Shade::Better => low > even && printed.low > even,
                    Shade::Worse => high < even && printed.high < even,
                    Shade::Slight => {
                        let apart = !holds(low, high) && !holds(printed.low, printed.high);
                        apart && effect.words.ends_with("slight")
                    }
                    Shade::Open => holds(low, high) && holds(printed.low, printed.high),
                    Shade::TooFew => false,
                };
                if !good || printed.low > low + 1e-9 || printed.high < high - 1e-9 * high.abs() {
                    found.push(format!("drawn otherwise than told: {case}"));
                }
            }
        }
        found
    }
}

fn by_ratio(metric: Metric) -> bool {
    matches!(metric.info().matters, Matters::Ratio { .. })
}

/// Who is chosen, what is told, and beside whom.
fn parts(sentence: &str) -> Option<(&str, &str, &str)> {
    let begin = sentence.find(" (beside ")?;
    let rival = &sentence[begin + " (beside ".len()..];
    let rival = &rival[..rival.find([',', ')'])?];
    let rival = match rival.contains(':') {
        // A candidate with several tunables has commas in its name.
        true => {
            sentence[begin + " (beside ".len()..].split(", which is").next()?.split(')').next()?
        }
        false => rival,
    };
    let before = &sentence[..begin];
    if let Some((_, depends)) = before.split_once(" it depends, on ") {
        let (_, told) = depends.split_once(": ")?;
        let (candidate, told) = told.split_once(' ')?;
        return Some((candidate, told, rival));
    }
    let (_, chosen) = before.split_once(": ")?;
    let (candidate, told) = chosen.split_once("; ")?;
    Some((candidate, told, rival))
}

/// `A (scenario), B (scenario) and C (scenario), but D (scenario)`.
fn clauses(told: &str) -> Vec<Result<Clause, String>> {
    let mut clauses = Vec::new();
    let mut rest = told;
    while let Some((said, after)) = rest.split_once(" (") {
        let Some((scenario, after)) = after.split_once(')') else { break };
        let joints: [&str; 5] = [", but ", " but ", ", ", " and ", "and "];
        let said = joints.iter().fold(said, |said, joint| said.strip_prefix(joint).unwrap_or(said));
        clauses.push(clause(said, scenario));
        rest = after;
    }
    clauses
}

fn clause(said: &str, scenario: &str) -> Result<Clause, String> {
    let (printed, unit) =
        printed(said).ok_or_else(|| format!("no number with an interval that is clear: {said}"))?;
    if printed.low < 0.0 {
        return Err(format!("a claim whose interval reaches beyond equality: {said}"));
    }
    let is = |(verb, object, ..): &&(&str, &str, Metric, bool)| {
        said.starts_with(&format!("{verb} ")) && said.ends_with(object)
    };
    let &(_, _, metric, is_better) =
        VERBS.iter().find(is).ok_or_else(|| format!("words without a meaning: {said}"))?;
    let (scenario, text) = (scenario.to_owned(), format!("{said} ({scenario})"));
    Ok(Clause { metric, is_better, scenario, printed, unit, text })
}

/// The first `6.1 [5.2–7.0] times` or `28 % [22–31 %]` of a text, and its unit.
fn printed(text: &str) -> Option<(Printed, String)> {
    let (before, rest) = text.split_once('[')?;
    let (inside, after) = rest.split_once(']')?;
    let is_percent = inside.ends_with(" %");
    let before = before.trim_end();
    let before = if is_percent { before.strip_suffix(" %")? } else { before };
    let median = before.rsplit(' ').next()?;
    let inside = inside.strip_suffix(" %").unwrap_or(inside);
    let (low, high) = inside.split_once(" to ").or_else(|| inside.split_once('–'))?;
    let number = |text: &str| text.replace('−', "-").parse::<f64>().ok();
    let digits = median.split_once('.').map_or(0, |(_, digits)| digits.len());
    let unit = if is_percent { "%" } else { after.trim().split([' ', ',']).next()? };
    let printed = Printed {
        median: number(median)?,
        low: number(low)?,
        high: number(high)?,
        rounding: 0.5 * 10_f64.powi(-(digits as i32)),
    };
    Some((printed, unit.to_owned()))
}
