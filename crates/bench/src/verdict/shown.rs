//! The verdict as people read it.

use super::words::{figure, phrase};
use super::{Advice, Answer, Disturbed, OfGoal, Sureness, Verdict};
use crate::model::{Candidate, Matters, Metric};
use crate::scenarios::Scenario;
use crate::statistics::Finding;
use std::fmt::{self, Display, Formatter};

/// At most so many gains, and so many costs, are in a summary.
const MOST_CLAUSES: usize = 2;

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
            Advice::DoesNotMatter => match goal.sureness {
                Sureness::Sure if self.scatters(goal) => format!(
                    " no difference could be told; but most measurements scatter so \
                     much that a quarter more or less would not be seen: more rounds or a quieter \
                     machine may tell{}",
                    self.stays()
                ),
                Sureness::Sure => format!(
                    " it does not matter: no difference was found that counts{}",
                    self.stays()
                ),
                Sureness::Hint | Sureness::TooFew => format!(": {}", self.too_few_rounds()),
            },
            Advice::Choose { candidate, as_good, rival } => {
                let clauses = self.clauses(goal, candidate, rival);
                let mut text = match goal.sureness {
                    Sureness::Sure => format!(": {candidate}"),
                    _ => format!(" it seems to be {candidate}"),
                };
                let now = if self.is_set_now(rival) { ", which is set now" } else { "" };
                text += &format!("; {} (beside {rival}{now})", listed(&clauses));
                if !as_good.is_empty() {
                    text += &format!("; not told apart from it: {}", listed(as_good));
                }
                if let Some(current) = as_good.iter().find(|one| self.is_set_now(one)) {
                    text += &format!(" ({current} is set now and may stay)");
                }
                text
            }
        }
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

    fn too_few_rounds(&self) -> String {
        format!(
            "{} too few to tell; with {} candidates it takes at least {}",
            match self.rounds {
                1 => "1 round is".to_owned(),
                number => format!("{number} rounds are"),
            },
            self.opening.candidates.len(),
            self.rounds_needed
        )
    }

    /// Whether most of what counts has intervals so wide that a difference of a quarter may be in
    /// them.
    fn scatters(&self, goal: &OfGoal) -> bool {
        const QUARTER: f64 = 1.25;
        let counts = |answer: &&Answer| {
            let by_ratio = matches!(answer.metric.info().matters, Matters::Ratio { .. });
            by_ratio && goal.weights.of_metric(&answer.scenario, answer.metric) > 0.0
        };
        let is_wide = |answer: &&Answer| {
            let effect = answer.difference.effect;
            effect.high > QUARTER || effect.low < 1.0 / QUARTER
        };
        let counted = || self.pairs.iter().flat_map(|pair| &pair.answers).filter(counts);
        counted().filter(is_wide).count() * 2 > counted().count()
    }

    /// What to do if nothing is better.
    fn stays(&self) -> String {
        let current = self.opening.current.as_ref();
        current.map_or(String::new(), |current| format!("; leave it at {current}"))
    }

    /// Gains, then costs.
    fn clauses(&self, goal: &OfGoal, one: &Candidate, other: &Candidate) -> Vec<String> {
        let answers = self.compared(one, other);
        let weight = |answer: &Answer| goal.weights.of_metric(&answer.scenario, answer.metric);
        let mut counted: Vec<&Answer> = answers.iter().filter(|one| weight(one) > 0.0).collect();
        // The heaviest first, of equals the largest effect.
        let size = |answer: &Answer| answer.difference.effect.median.max(1e-9).ln().abs();
        counted.sort_by(|one, other| {
            let by_weight = weight(other).total_cmp(&weight(one));
            by_weight.then_with(|| size(other).total_cmp(&size(one)))
        });
        let (mut gains, mut costs) = (Vec::new(), Vec::new());
        for answer in counted {
            let clauses = match answer.difference.finding {
                Finding::Better | Finding::SeemsBetter => &mut gains,
                Finding::Worse | Finding::SeemsWorse => &mut costs,
                // What is paid with is told even if it is too little to be sure of.
                _ if is_loss_of_throughput(answer) => &mut costs,
                _ => continue,
            };
            if !clauses.iter().any(|(metric, _)| *metric == answer.metric) {
                clauses.push((answer.metric, format!("{} ({})", phrase(answer), answer.scenario)));
            }
        }
        let most = |clauses: Vec<(Metric, String)>| clauses.into_iter().take(MOST_CLAUSES);
        most(gains).chain(most(costs)).map(|(_, clause)| clause).collect()
    }

    fn detail(&self, f: &mut Formatter<'_>, goal: &OfGoal) -> fmt::Result {
        let Advice::Choose { candidate, .. } = &goal.advice else { return Ok(()) };
        for other in self.opening.candidates.iter().filter(|other| *other != candidate) {
            let answers = self.compared(candidate, other);
            let called = |answer: &&Answer| {
                let counts = goal.weights.of_metric(&answer.scenario, answer.metric) > 0.0;
                counts && !matches!(answer.difference.finding, Finding::None | Finding::TooFew)
            };
            let mut called = answers.iter().filter(called).peekable();
            match called.peek() {
                None => writeln!(f, "  Beside {other}: no difference that counts.")?,
                Some(_) => writeln!(f, "  Beside {other} it")?,
            }
            for answer in called {
                let seems = match answer.difference.finding {
                    Finding::SeemsBetter | Finding::SeemsWorse => "seems: ",
                    _ => "",
                };
                writeln!(f, "    {seems}{}: {}", phrase(answer), what_happens(&answer.scenario))?;
            }
        }
        Ok(())
    }

    fn figures_as_table(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut table = vec![vec!["median [95 % interval]".to_owned()]];
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

    pub(super) fn how_sure(&self) -> String {
        let needed = self.rounds_needed;
        let sure = match self.rounds < needed {
            _ if self.pairs.is_empty() => format!("{} of one scheduler.", rounds(self.rounds)),
            true => format!(
                "How sure: not at all. {} of {needed} rounds were measured; where it says that \
                 something seems, each of them showed it by far.",
                self.rounds
            ),
            false => format!(
                "How sure: {}. In at most one run of twenty chance makes any claim that is \
                 wrong. More than nine of ten intervals hold the true value.",
                rounds(self.rounds)
            ),
        };
        sure + &self.disturbed.as_ref().map(ToString::to_string).unwrap_or_default()
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

/// Whether there seems to be less throughput, if only a little.
fn is_loss_of_throughput(answer: &Answer) -> bool {
    const SEEN: f64 = 0.995;
    answer.metric == Metric::Throughput && answer.difference.effect.median < SEEN
}

/// What a scenario is, or its name if it is somebody's own.
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
