// SPDX-License-Identifier: MIT OR Apache-2.0
//! From measurements to a verdict.

use super::figures::{NoValue, Row, rows, whole_rounds};
use super::outcome::{Advice, Answer, Disturbed, Lack, OfGoal, Pair, Verdict};
use super::weights::Weights;
use crate::model::{
    Better, Level, Matters, Measurement, Metric, Opening, Others, ResultsError, ResultsFile,
};
use crate::scenarios::{Need, SCENARIOS, Scenario};
use crate::statistics::{Difference, Direction, Finding, compare, rounds_needed};
use host::Candidate;
use std::collections::BTreeSet;
use std::path::Path;

/// Better by a larger factor than this counts no more.
const MOST_TIMES: f64 = 10.0;

/// The points of a percentage that count like twice as good.
const POINTS_LIKE_TWICE: f64 = 10.0;

/// Sums that differ by less, in parts of the largest weight, are equal.
const ROUNDING: f64 = 1e-9;

/// Judges a run for the goals that are asked for. The same measurements give the same verdict.
pub fn judge(opening: &Opening, measurements: &[Measurement], goals: &[Weights]) -> Verdict {
    let rows = rows(opening, measurements);
    let counts =
        |row: &&Row| goals.iter().any(|weights| weights.of_metric(&row.scenario, row.metric) > 0.0);
    let asked: Vec<&Row> = rows.iter().filter(counts).collect();
    let pairs = pairs(opening, &asked);
    let mut verdict = Verdict {
        opening: opening.clone(),
        rounds: whole_rounds(opening, measurements),
        rounds_needed: rounds_needed(number_of_pairs(opening.candidates.len())),
        goals: Vec::new(),
        pairs,
        figures: rows.iter().map(Row::figure).collect(),
        lacks: rows.iter().flat_map(|row| lacks(opening, row)).collect(),
        untested: untested(opening, measurements, goals),
        disturbed: disturbed(measurements),
    };
    verdict.untested.extend(verdict.lacks.iter().map(|lack| format!("{lack}.")));
    verdict.goals = goals.iter().map(|weights| of_goal(&verdict, weights)).collect();
    verdict
}

/// Judges a run that was kept in a file of results.
///
/// # Errors
/// [`ResultsError`]: the file cannot be read.
pub fn judge_file(path: &Path, goals: &[Weights]) -> Result<Verdict, ResultsError> {
    let (opening, measurements) = ResultsFile::read(path)?;
    Ok(judge(&opening, &measurements, goals))
}

fn number_of_pairs(candidates: usize) -> usize {
    candidates * candidates.saturating_sub(1) / 2
}

fn pairs(opening: &Opening, asked: &[&Row]) -> Vec<Pair> {
    let candidates = &opening.candidates;
    let number = number_of_pairs(candidates.len());
    let mut pairs = Vec::new();
    for one in 0..candidates.len() {
        for other in one + 1..candidates.len() {
            let questions: Vec<_> = asked.iter().map(|row| row.question(one, other)).collect();
            let differences = compare(&questions, number, opening.seed);
            let answer = |(row, difference): (&&Row, Option<Difference>)| {
                let (scenario, metric) = (row.scenario.clone(), row.metric);
                Some(Answer { scenario, metric, difference: difference? })
            };
            pairs.push(Pair {
                one: candidates[one].clone(),
                other: candidates[other].clone(),
                answers: asked.iter().zip(differences).filter_map(answer).collect(),
            });
        }
    }
    pairs
}

fn lacks(opening: &Opening, row: &Row) -> Vec<Lack> {
    let lack = |found: NoValue| Lack {
        candidate: opening.candidates[found.candidate].clone(),
        rival: opening.candidates[found.rival].clone(),
        scenario: row.scenario.clone(),
        metric: row.metric,
        missing: found.missing,
        rounds: found.rounds,
    };
    row.without_values().into_iter().map(lack).collect()
}

fn of_goal(verdict: &Verdict, weights: &Weights) -> OfGoal {
    let counts = |answer: &&Answer| weights.of_metric(&answer.scenario, answer.metric) > 0.0;
    let answers = || verdict.pairs.iter().flat_map(|pair| &pair.answers).filter(counts);
    let too_few = |answer: &Answer| matches!(answer.difference.finding, Finding::TooFew { .. });
    let advice = match answers().map(|answer| answer.difference.rounds).max() {
        None => lacking(verdict, weights, None).unwrap_or(Advice::Unknown),
        Some(rounds) if answers().all(too_few) => Advice::TooFew { rounds },
        Some(_) => advice(verdict, weights),
    };
    OfGoal { weights: weights.clone(), advice }
}

/// What follows from the differences that were called.
fn advice(verdict: &Verdict, weights: &Weights) -> Advice {
    let candidates = &verdict.opening.candidates;
    let sum = |one: &Candidate, other: &Candidate| -> f64 {
        let answers = verdict.compared(one, other);
        let weigh = answers.iter().filter(|answer| verdict.weighs(weights, [one, other], answer));
        weigh.map(|answer| gain(answer, &answers, weights)).sum()
    };
    let others =
        |one: &Candidate| candidates.iter().filter(move |other| *other != one).collect::<Vec<_>>();
    let lead = |one: &Candidate| others(one).iter().map(|other| sum(one, other)).sum::<f64>();
    let rounding = ROUNDING * weights.largest();
    let unbeaten = |one: &Candidate| others(one).iter().all(|other| sum(one, other) > -rounding);
    let lacks_none = |one: &Candidate| lacking(verdict, weights, Some(one)).is_none();
    // Unbeaten first (if each is beaten by another, in a circle, none is); of those the ones that
    // lack no figure; of those the one that beats the others most; of equals the first.
    let best = candidates.iter().enumerate().max_by(|(place, one), (later, other)| {
        let by_lead = || lead(one).total_cmp(&lead(other));
        let by_figures = || lacks_none(one).cmp(&lacks_none(other));
        let unbeaten = unbeaten(one).cmp(&unbeaten(other));
        unbeaten.then_with(by_figures).then_with(by_lead).then(later.cmp(place))
    });
    let Some((_, best)) = best else { return Advice::NoDifference };
    let beside = |keep: &dyn Fn(f64) -> bool| {
        others(best).into_iter().filter(|other| keep(sum(best, other))).collect::<Vec<_>>()
    };
    let worse = beside(&|lead| lead > rounding);
    let as_good =
        beside(&|lead| lead.abs() <= rounding).into_iter().filter(|other| lacks_none(other));
    let set_now = worse.iter().find(|other| verdict.is_set_now(other)).copied();
    let nearest =
        || worse.iter().copied().min_by(|one, other| sum(best, one).total_cmp(&sum(best, other)));
    let Some(rival) = set_now.or_else(nearest) else {
        return lacking(verdict, weights, None).unwrap_or(Advice::NoDifference);
    };
    if let Some(lacking) = lacking(verdict, weights, Some(best)) {
        return lacking;
    }
    // The rival before the others.
    let all = std::iter::once(rival).chain(others(best));
    let candidate = best.clone();
    match all.into_iter().find(|other| fails(verdict, weights, [best, other])) {
        Some(rival) => Advice::Depends { candidate, rival: rival.clone() },
        None => {
            Advice::Choose { candidate, as_good: as_good.cloned().collect(), rival: rival.clone() }
        }
    }
}

/// That a candidate, or any, lacks a figure that counts for a goal, if so.
fn lacking(verdict: &Verdict, weights: &Weights, who: Option<&Candidate>) -> Option<Advice> {
    let counts = |lack: &&Lack| {
        who.is_none_or(|who| lack.candidate == *who)
            && weights.of_metric(&lack.scenario, lack.metric) > 0.0
    };
    verdict.lacks.iter().find(counts).cloned().map(Advice::Lacks)
}

/// Whether the first is worse than the second in what the goal is named after.
fn fails(verdict: &Verdict, weights: &Weights, pair: [&Candidate; 2]) -> bool {
    let answers = verdict.compared(pair[0], pair[1]);
    let is_worse = |answer: &Answer| {
        let apart = answer.difference.finding.apart();
        apart.is_some_and(|apart| apart.direction() == Direction::Worse)
    };
    let is_named = |answer: &&Answer| weights.named_after() == Some(answer.metric);
    let mut named = answers.iter().filter(is_named);
    named.any(|answer| is_worse(answer) && verdict.weighs(weights, pair, answer))
}

/// What a difference adds to the case for the first; its weight is shared with the other scenarios
/// that measure the same.
fn gain(answer: &Answer, all: &[Answer], weights: &Weights) -> f64 {
    let Some(apart) = answer.difference.finding.apart() else { return 0.0 };
    let weight = weights.of_metric(&answer.scenario, answer.metric);
    let measures = |other: &&Answer| {
        other.metric == answer.metric && weights.of_metric(&other.scenario, other.metric) > 0.0
    };
    let sharing = all.iter().filter(measures).count().max(1);
    weight * merit(answer.metric, apart.effect().median) / sharing as f64
}

/// How much better the first is, as a logarithm.
fn merit(metric: Metric, effect: f64) -> f64 {
    let most = MOST_TIMES.ln();
    let more = magnitude(metric, effect).clamp(-most, most);
    match metric.info().better {
        Better::Higher => more,
        Better::Lower => -more,
    }
}

/// How far an effect is from equality, as a logarithm: of ratios and points on the same scale.
pub(super) fn magnitude(metric: Metric, effect: f64) -> f64 {
    match metric.info().matters {
        Matters::Ratio { .. } => effect.ln(),
        Matters::Points(_) => effect * std::f64::consts::LN_2 / POINTS_LIKE_TWICE,
    }
}

/// How much others did, and how often.
fn disturbed(measurements: &[Measurement]) -> Option<Disturbed> {
    let of = || measurements.iter().filter_map(|one| Some((one.round, one.others?)));
    let more = |one: Others, other: Others| Others {
        io_percent: one.io_percent.max(other.io_percent),
        processors_percent: one.processors_percent.max(other.processors_percent),
    };
    let rounds: BTreeSet<u32> = of().map(|(round, _)| round).collect();
    let most = of().map(|(_, others)| others).reduce(more)?;
    Some(Disturbed { rounds: rounds.len(), measurements: of().count(), most })
}

/// What is missing: candidates and scenarios that were to be measured, scenarios that were not even
/// tried, and disturbances.
fn untested(opening: &Opening, measurements: &[Measurement], goals: &[Weights]) -> Vec<String> {
    let mut untested = Vec::new();
    let missing =
        |candidate: &&Candidate| !measurements.iter().any(|one| one.candidate == **candidate);
    let candidates = opening.candidates.iter().filter(missing);
    untested.extend(candidates.map(|candidate| format!("{candidate} was not measured.")));
    let measured = |name: &str| measurements.iter().any(|one| one.scenario == name);
    let asked = |scenario: &&Scenario| {
        scenario.goals.iter().any(|goal| goals.iter().any(|one| one.goals().any(|of| of == *goal)))
    };
    let ours = opening.scenarios.iter().any(|name| Scenario::named(name).is_some());
    for scenario in SCENARIOS.iter().filter(asked).filter(|one| ours && !measured(one.name)) {
        untested.push(format!(
            "{}: {}{}.",
            scenario.name,
            scenario.title,
            how_to_test(scenario, opening)
        ));
    }
    if ours {
        untested.extend(not_seen(opening, &measured));
    }
    let disturbed: Vec<&Measurement> =
        measurements.iter().filter(|one| !one.remarks.is_empty()).collect();
    if let Some(first) = disturbed.first() {
        untested.push(format!(
            "{} of {} measurements have remarks, the first: {}.",
            disturbed.len(),
            measurements.len(),
            first.remarks[0].trim_end_matches('.')
        ));
    }
    untested
}

/// What no scenario shows, a sentence each.
fn not_seen(opening: &Opening, measured: &dyn Fn(&str) -> bool) -> [String; 2] {
    let names = opening.scenarios.iter().filter(|name| measured(name));
    let cached = names.filter(|name| Scenario::named(name).is_some_and(Scenario::is_buffered));
    let cached: Vec<&str> = cached.map(String::as_str).collect();
    let through_the_cache = match &cached[..] {
        [] => "Reading and writing through the page cache, as most programs do: all that was \
               measured bypasses it."
            .to_owned(),
        names => format!(
            "Reading and writing through the page cache, as most programs do, but for {}: all else \
             bypasses it.",
            names.join(" and ")
        ),
    };
    let long = "What a disk does that is nearly full, or worn, or written to for hours.".to_owned();
    [through_the_cache, long]
}

/// Which option has a scenario played that was not, if one does.
fn how_to_test(scenario: &Scenario, opening: &Opening) -> &'static str {
    let conditions = &opening.conditions;
    if scenario.needs.contains(&Need::Command) && conditions.command.is_none() {
        return " (--command)";
    }
    if scenario.needs.contains(&Need::Writes) && !conditions.writes {
        return " (--allow-write)";
    }
    match scenario.from {
        from if from <= conditions.level => "",
        Level::Thorough => " (--level thorough)",
        _ => " (--level normal)",
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
