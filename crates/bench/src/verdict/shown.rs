// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdict as people read it: sentences are put together here, of clauses that `words` made.

use super::judge::magnitude;
use super::outcome::{Advice, Answer, Disturbed, Lack, OfGoal, Verdict};
use super::words::{clause, figure};
use crate::model::{Matters, Metric};
use crate::scenarios::Scenario;
use crate::statistics::{Apart, Direction, Estimate, Finding};
use host::Candidate;
use std::fmt::{self, Display, Formatter};

/// The most gains, and the most costs, in a summary.
const MOST_CLAUSES: usize = 2;

/// The logarithm of a twentieth more.
const A_TWENTIETH: f64 = 0.05;

impl Verdict {
    /// A goal in one sentence: what to choose, what it gains over the scheduler that is set now, or
    /// over the best of the others, and what it costs.
    pub fn summary(&self, goal: &OfGoal) -> String {
        format!("for {}{}", goal.weights.title(), self.said_of(goal))
    }

    /// What follows the name of a goal.
    fn said_of(&self, goal: &OfGoal) -> String {
        match &goal.advice {
            Advice::Unknown => match &self.opening.candidates[..] {
                [alone] => format!(": there is nothing to compare {alone} with"),
                _ => ": nothing was measured that tells".to_owned(),
            },
            Advice::TooFew { rounds } => format!(": {}", self.too_few(*rounds)),
            Advice::NoDifference => {
                let room = match self.scatters(goal) {
                    true => {
                        "; but most measurements scatter so much that a quarter more or less would \
                         not be seen: more rounds or a quieter machine may tell"
                    }
                    false => ", and most intervals leave no room for one of a quarter",
                };
                format!(" no difference was found that counts{room}{}", self.stays())
            }
            Advice::Lacks(lack) => {
                format!(" it cannot be told: {lack}; longer measurements may tell")
            }
            Advice::Depends { candidate, rival } => format!(
                " it depends, on {candidate} or {rival}: {candidate} {}{}",
                self.told(goal, candidate, rival),
                self.beside(rival)
            ),
            Advice::Choose { candidate, as_good, rival } => {
                let told = self.told(goal, candidate, rival);
                let mut text = format!(": {candidate}; {told}{}", self.beside(rival));
                if !as_good.is_empty() {
                    text +=
                        &format!("; no difference that counts was found to {}", listed(as_good));
                }
                if let Some(current) = as_good.iter().find(|one| self.is_set_now(one)) {
                    text += &format!(" ({current} is set now and may stay)");
                }
                text
            }
        }
    }

    fn beside(&self, rival: &Candidate) -> String {
        let now = if self.is_set_now(rival) { ", which is set now" } else { "" };
        format!(" (beside {rival}{now})")
    }

    /// A sentence for each goal, or for all of which the same is to be said.
    pub(super) fn advice(&self) -> Vec<String> {
        let mut said: Vec<(Vec<String>, String)> = Vec::new();
        for goal in &self.goals {
            let (title, text) = (goal.weights.title(), self.said_of(goal));
            match said.iter_mut().find(|(_, known)| *known == text) {
                Some((titles, _)) => titles.push(title),
                None => said.push((vec![title], text)),
            }
        }
        said.iter().map(|(titles, text)| format!("For {}{text}.", listed(titles))).collect()
    }

    fn too_few(&self, rounds: usize) -> String {
        format!(
            "{} too few to tell; with {} candidates it takes at least {}",
            match rounds {
                1 => "1 round is".to_owned(),
                number => format!("{number} rounds are"),
            },
            self.opening.candidates.len(),
            self.rounds_needed
        )
    }

    /// Whether most of what counts has intervals so wide that a difference of a quarter may
    /// be in them.
    fn scatters(&self, goal: &OfGoal) -> bool {
        const QUARTER: f64 = 1.25;
        let counts = |answer: &&Answer| {
            let by_ratio = matches!(answer.metric.info().matters, Matters::Ratio { .. });
            by_ratio && goal.weights.of_metric(&answer.scenario, answer.metric) > 0.0
        };
        let is_wide = |answer: &&Answer| {
            let interval = answer.difference.finding.interval();
            interval.is_none_or(|of| of.high > QUARTER || of.low < 1.0 / QUARTER)
        };
        let counted = || self.pairs.iter().flat_map(|pair| &pair.answers).filter(counts);
        counted().filter(is_wide).count() * 2 > counted().count()
    }

    /// What to do if nothing is better.
    fn stays(&self) -> String {
        let current = self.opening.current.as_ref();
        current.map_or(String::new(), |current| format!("; leave it at {current}"))
    }

    /// What the first gains over the second and what it costs; what is largest comes first.
    fn told(&self, goal: &OfGoal, one: &Candidate, other: &Candidate) -> String {
        let answers = self.compared(one, other);
        let weigh = answers.iter().filter(|of| self.weighs(&goal.weights, [one, other], of));
        let mut apart: Vec<(&Answer, &Apart)> =
            weigh.filter_map(|of| Some((of, of.difference.finding.apart()?))).collect();
        // What differs by less than a twentieth is as large; then what weighs more comes first.
        let size = |(of, apart): &(&Answer, &Apart)| {
            (magnitude(of.metric, apart.effect().median).abs() / A_TWENTIETH).round()
        };
        let weight = |(of, _): &(&Answer, &Apart)| goal.weights.of_metric(&of.scenario, of.metric);
        apart.sort_by(|one, other| {
            let by_size = size(other).total_cmp(&size(one));
            by_size.then_with(|| weight(other).total_cmp(&weight(one)))
        });
        let of_direction = |direction: Direction| {
            let mut metrics: Vec<Metric> = Vec::new();
            let mut clauses = Vec::new();
            for (of, apart) in apart.iter().filter(|(_, apart)| apart.direction() == direction) {
                if !metrics.contains(&of.metric) && clauses.len() < MOST_CLAUSES {
                    metrics.push(of.metric);
                    clauses.push(format!("{} ({})", clause(of.metric, apart), of.scenario));
                }
            }
            listed(&clauses)
        };
        let (gains, costs) = (of_direction(Direction::Better), of_direction(Direction::Worse));
        let cost_leads = apart.first().is_some_and(|(_, of)| of.direction() == Direction::Worse);
        match (costs.is_empty(), cost_leads) {
            (true, _) => gains,
            (false, false) => format!("{gains}, but {costs}"),
            (false, true) => format!("{costs}, but {gains}"),
        }
    }

    fn detail(&self, f: &mut Formatter<'_>, goal: &OfGoal) -> fmt::Result {
        let (Advice::Choose { candidate, .. } | Advice::Depends { candidate, .. }) = &goal.advice
        else {
            return Ok(());
        };
        for other in self.opening.candidates.iter().filter(|other| *other != candidate) {
            let answers = self.compared(candidate, other);
            let counts = |of: &&Answer| goal.weights.of_metric(&of.scenario, of.metric) > 0.0;
            let mut apart = answers
                .iter()
                .filter(counts)
                .filter_map(|of| Some((of, of.difference.finding.apart()?)))
                .peekable();
            match apart.peek() {
                None => writeln!(f, "  Beside {other}: no difference was found that counts.")?,
                Some(_) => writeln!(f, "  Beside {other}, {candidate}")?,
            }
            for (of, apart) in apart {
                let unnoticed = match self.weighs(&goal.weights, [candidate, other], of) {
                    true => "",
                    false => " (less than a person notices)",
                };
                let what = what_happens(&of.scenario);
                writeln!(f, "    {}: {what}{unnoticed}", clause(of.metric, apart))?;
            }
        }
        Ok(())
    }

    fn figures_as_table(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let title = match self.has_intervals() {
            true => "median [95 % interval]",
            false => "median (least–greatest)",
        };
        let mut table = vec![vec![title.to_owned()]];
        table[0].extend(self.opening.candidates.iter().map(Candidate::to_string));
        for row in &self.figures {
            let info = row.metric.info();
            let mut cells = vec![format!("{}: {}, {}", row.scenario, info.title, info.unit)];
            cells.extend(row.values.iter().map(|of| of.as_ref().map_or("–".to_owned(), figure)));
            table.push(cells);
        }
        let width =
            |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..table[0].len()).map(width).collect();
        for row in &table {
            let cells = row.iter().zip(&widths);
            let line: Vec<String> = cells.map(|(cell, width)| format!("{cell:<width$}")).collect();
            writeln!(f, "  {}", line.join("  ").trim_end())?;
        }
        Ok(())
    }

    /// Whether anything was measured often enough for an interval.
    fn has_intervals(&self) -> bool {
        let mut known = self.figures.iter().flat_map(|figure| figure.values.iter().flatten());
        known.any(|estimate| matches!(estimate, Estimate::Known(_)))
    }

    pub(super) fn how_sure(&self) -> String {
        let mut findings = self.pairs.iter().flat_map(|pair| &pair.answers);
        let enough = findings.any(|of| !matches!(of.difference.finding, Finding::TooFew { .. }));
        let sure = match enough {
            _ if self.pairs.is_empty() => format!("{} of one scheduler.", rounds(self.rounds)),
            false => format!(
                "How sure: not at all. {} of {} rounds were measured.",
                self.rounds, self.rounds_needed
            ),
            true => format!(
                "How sure: {}. In at most one run of twenty chance makes any claim that is \
                 wrong. More than nine of ten intervals hold the true value.",
                rounds(self.rounds)
            ),
        };
        sure + &self.disturbed.as_ref().map(ToString::to_string).unwrap_or_default()
    }
}

impl Display for Lack {
    /// A clause of a sentence.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Lack { candidate, rival, scenario, metric, missing, rounds } = self;
        write!(
            f,
            "{} ({scenario}) has no figure under {candidate} in {missing} of {rounds} rounds in \
             which it has one under {rival}, so it may be worse than any",
            metric.info().title
        )
    }
}

impl Display for Disturbed {
    /// A sentence that follows another.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Disturbed { measurements, most, .. } = self;
        let parts = [(most.io_percent, "the I/O"), (most.processors_percent, "the processors")];
        let parts = parts.iter().filter(|(percent, _)| *percent > 0);
        let parts: Vec<String> =
            parts.map(|(percent, of)| format!("{percent} % of {of}")).collect();
        write!(
            f,
            " Others were at work in {} ({measurements} measurements), with up to {}: on a quiet \
             machine it would be surer.",
            rounds(self.rounds),
            listed(&parts)
        )
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.advice().iter().try_for_each(|sentence| writeln!(f, "{sentence}"))?;
        if let [goal] = &self.goals[..] {
            self.detail(f, goal)?;
        }
        writeln!(f, "\n{}", self.how_sure())?;
        if !self.untested.is_empty() {
            writeln!(f, "\nNot tested:")?;
            self.untested.iter().try_for_each(|one| writeln!(f, "  {one}"))?;
        }
        writeln!(f)?;
        self.figures_as_table(f)
    }
}

/// What a scenario is, or its name if it is not built in.
pub(super) fn what_happens(scenario: &str) -> &str {
    Scenario::named(scenario).map_or(scenario, |row| row.title)
}

fn rounds(number: usize) -> String {
    match number {
        1 => "1 round".to_owned(),
        _ => format!("{number} rounds"),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(things: &[impl Display]) -> String {
    let things: Vec<String> = things.iter().map(ToString::to_string).collect();
    match &things[..] {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
