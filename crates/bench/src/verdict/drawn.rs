// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdict as plain data for the report.

use super::figures::Figure;
use super::outcome::{Answer, Verdict};
use super::shown::what_happens;
use super::words;
use crate::model::{Better, Matters};
use crate::statistics::{Direction, Estimate, Finding};
use report::comparison::{ComparedMetric, Comparison, Effect, Shade};

impl Verdict {
    /// What the report shows: all figures, and how much better or worse than the scheduler that the
    /// disk had (else the first one) each candidate is.
    pub fn comparison(&self) -> Comparison {
        let opening = &self.opening;
        let names: Vec<String> = opening.candidates.iter().map(ToString::to_string).collect();
        let current = names.iter().position(|name| Some(name) == opening.current.as_ref());
        let reference = current.unwrap_or(0);
        let rounds = match self.rounds {
            1 => "1 round".to_owned(),
            rounds => format!("{rounds} rounds"),
        };
        Comparison {
            title: format!("Schedulers of the kernel on {}", opening.target),
            about: vec![
                format!("{}.", opening.disk),
                format!("Linux {}, bench {}, {rounds}.", opening.kernel, opening.version),
            ],
            advice: self.advice(),
            sureness: self.how_sure(),
            untested: self.untested.clone(),
            metrics: self.figures.iter().map(|figure| self.drawn(figure, reference)).collect(),
            candidates: names,
            reference,
        }
    }

    fn drawn(&self, figure: &Figure, reference: usize) -> ComparedMetric {
        let info = figure.metric.info();
        let candidates = &self.opening.candidates;
        let shown = |value: &Option<Estimate>| value.as_ref().map(words::figure);
        let effect = |place: usize| {
            let other = candidates.get(reference).filter(|_| place != reference)?;
            let answers = self.compared(&candidates[place], other);
            let is = |answer: &&Answer| {
                (&answer.scenario, answer.metric) == (&figure.scenario, figure.metric)
            };
            answers.iter().find(is).map(effect)
        };
        ComparedMetric {
            scenario: figure.scenario.clone(),
            what_happens: what_happens(&figure.scenario).to_owned(),
            metric: info.title.to_owned(),
            unit: info.unit.to_owned(),
            by_ratio: matches!(info.matters, Matters::Ratio { .. }),
            values: figure.values.iter().map(shown).collect(),
            effects: (0..candidates.len()).map(effect).collect(),
        }
    }
}

/// How much better the first is: what is drawn and what is told are the same finding.
fn effect(answer: &Answer) -> Effect {
    let info = answer.metric.info();
    let finding = match info.better {
        Better::Higher => answer.difference.finding,
        Better::Lower => answer.difference.finding.turned(info.matters),
    };
    let shade = match answer.difference.finding {
        Finding::Apart(apart) if apart.direction() == Direction::Better => Shade::Better,
        Finding::Apart(_) => Shade::Worse,
        Finding::Slight(_) => Shade::Slight,
        Finding::Open(_) => Shade::Open,
        Finding::TooFew { .. } => Shade::TooFew,
    };
    Effect {
        median: finding.median(),
        interval: finding.interval().map(|of| [of.low, of.high]),
        shade,
        words: words::effect(&finding, info.matters),
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Metric;
    use crate::tests::made_up_runs::{TrueValues, measurements, opening};
    use crate::verdict::{Weights, judge};
    use report::comparison::Shade;

    #[test]
    fn better_is_above_one_whatever_the_metric() {
        let table: [TrueValues; 3] = [
            ("start-readers", Metric::StartUp, &[8.0, 2.0]),
            ("sequential", Metric::Throughput, &[100.0, 50.0]),
            ("player", Metric::LateFrames, &[30.0, 0.0]),
        ];
        let mut opening = opening(&["mq-deadline", "bfq"], &table);
        let drawn = |opening: &crate::model::Opening| {
            let measured = measurements(opening, &table, 8, 0.01, 1);
            judge(opening, &measured, &Weights::of_all_goals()).comparison()
        };
        let comparison = drawn(&opening);
        let near = |place: usize, expected: f64, shade| {
            let effect = comparison.metrics[place].effects[1].clone().unwrap();
            assert!((effect.median / expected - 1.0).abs() < 0.05, "{effect:?}");
            let [low, high] = effect.interval.unwrap();
            assert!(low <= effect.median && effect.median <= high, "{effect:?}");
            assert_eq!(effect.shade, shade);
        };
        assert_eq!(comparison.reference, 0);
        near(0, 4.0, Shade::Better);
        near(1, 0.5, Shade::Worse);
        near(2, 30.0, Shade::Better);
        assert!(!comparison.metrics[2].by_ratio && comparison.metrics[0].effects[0].is_none());
        opening.current = Some("bfq".to_owned());
        assert_eq!(drawn(&opening).reference, 1);
    }
}
