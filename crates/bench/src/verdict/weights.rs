// SPDX-License-Identifier: MIT OR Apache-2.0
//! What counts how much: the weights of metrics under the goals, and those a user makes up.

use crate::model::{Goal, METRICS, Metric};
use crate::scenarios::Scenario;
use base::suggest::{did_you_mean, nearest};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// How much each metric counts under each goal, in the scenarios that serve the goal. A metric's
/// weight is shared by all scenarios that measure it. The first is what the goal is named after.
const OF_GOALS: [(Goal, &[(Metric, f64)]); 5] = [
    (
        Goal::Desktop,
        &[
            (Metric::StartUp, 4.0),
            (Metric::LatencyTail, 2.0),
            (Metric::LatencyMedian, 2.0),
            (Metric::LateFrames, 2.0),
            (Metric::Throughput, 1.0),
            (Metric::CpuPerIo, 0.5),
        ],
    ),
    (
        Goal::Server,
        &[
            (Metric::LatencyTail, 3.0),
            (Metric::ShareError, 2.0),
            (Metric::SyncTail, 2.0),
            (Metric::Throughput, 2.0),
            (Metric::CpuPerIo, 1.0),
        ],
    ),
    (
        Goal::Database,
        &[
            (Metric::SyncTail, 4.0),
            (Metric::Iops, 3.0),
            (Metric::LatencyTail, 3.0),
            (Metric::LatencyMedian, 2.0),
            (Metric::CpuPerIo, 1.0),
        ],
    ),
    (
        Goal::Media,
        &[(Metric::LateFrames, 4.0), (Metric::LatencyTail, 2.0), (Metric::CpuPerIo, 0.5)],
    ),
    (Goal::Throughput, &[(Metric::Throughput, 4.0), (Metric::Iops, 2.0), (Metric::CpuPerIo, 2.0)]),
];

/// Metrics that count for a goal wherever they are measured. Processor time is spent by whatever
/// the disk is used for.
const EVERYWHERE: [Metric; 1] = [Metric::CpuPerIo];

/// A goal or a metric, and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Goal(Goal, f64),
    Metric(Metric, f64),
}

/// What a user wants, as weights. Written as a goal, `desktop`, or as goals and metrics with
/// their weights: `desktop=2,database=1`, `start_up=5,throughput=1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Weights {
    parts: Vec<Part>,
}

/// Weights were not written as they should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: expected goals or metrics as in `desktop` or `start_up=5,throughput=1`. \
         There are the goals {} and the metrics {}; {why}",
        Goal::ALL.map(Goal::name).join(", "), METRICS.map(|row| row.name).join(", "))]
pub struct WeightsError {
    text: String,
    why: String,
}

impl Weights {
    /// Those of a goal.
    pub fn of(goal: Goal) -> Self {
        Weights { parts: vec![Part::Goal(goal, 1.0)] }
    }

    /// Those of all goals, each by itself.
    pub fn of_all_goals() -> Vec<Self> {
        Goal::ALL.map(Weights::of).to_vec()
    }

    /// How much a metric of a scenario counts. Scenarios that are not in the table, as those of
    /// imported results, may serve any goal.
    pub fn of_metric(&self, scenario: &str, metric: Metric) -> f64 {
        let row = Scenario::named(scenario);
        let serves = |goal| row.is_none_or(|row| row.goals.contains(&goal));
        let weight = |part: &Part| match *part {
            Part::Metric(of, weight) if of == metric => weight,
            Part::Goal(goal, weight) if serves(goal) || EVERYWHERE.contains(&metric) => {
                weight * of_goal(goal, metric)
            }
            Part::Metric(..) | Part::Goal(..) => 0.0,
        };
        self.parts.iter().map(weight).sum()
    }

    /// The largest of them as it is written.
    pub(super) fn largest(&self) -> f64 {
        let weight = |part: &Part| match *part {
            Part::Goal(_, weight) | Part::Metric(_, weight) => weight,
        };
        self.parts.iter().map(weight).fold(0.0, f64::max)
    }

    /// The goals among them.
    pub fn goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.parts.iter().filter_map(|part| match part {
            Part::Goal(goal, _) => Some(*goal),
            Part::Metric(..) => None,
        })
    }

    /// Whether it is all about somebody who sits there: at a desk, or before a film.
    pub fn are_of_people(&self) -> bool {
        let is_of_people = |part: &Part| matches!(part, Part::Goal(Goal::Desktop | Goal::Media, _));
        self.parts.iter().all(is_of_people)
    }

    /// What the goal is named after, if it is a single one: no scheduler is recommended for it that
    /// is worse in that.
    pub fn named_after(&self) -> Option<Metric> {
        let [Part::Goal(goal, _)] = self.parts[..] else { return None };
        let row = OF_GOALS.iter().find(|(of, _)| *of == goal);
        row.map(|(_, metrics)| metrics[0].0)
    }

    /// What people call it: `desktop use`.
    pub fn title(&self) -> String {
        match self.parts[..] {
            [Part::Goal(Goal::Desktop, _)] => "desktop use".to_owned(),
            [Part::Goal(Goal::Server, _)] => "a server".to_owned(),
            [Part::Goal(Goal::Database, _)] => "a database".to_owned(),
            [Part::Goal(Goal::Media, _)] => "playing media".to_owned(),
            [Part::Goal(Goal::Throughput, _)] => "pure throughput".to_owned(),
            _ => self.to_string(),
        }
    }
}

fn of_goal(goal: Goal, metric: Metric) -> f64 {
    let of_goal = OF_GOALS.iter().find(|(of, _)| *of == goal);
    let row = of_goal.and_then(|(_, rows)| rows.iter().find(|(of, _)| *of == metric));
    row.map_or(0.0, |(_, weight)| *weight)
}

impl FromStr for Weights {
    type Err = WeightsError;

    fn from_str(text: &str) -> Result<Self, WeightsError> {
        let wrong = |why: String| WeightsError { text: text.to_owned(), why };
        let part = |part: &str| {
            let (name, weight) = part.split_once('=').unwrap_or((part, "1"));
            let number = weight.trim().parse().ok().filter(|weight| *weight > 0.0 && *weight < 1e6);
            let weight: f64 =
                number.ok_or_else(|| wrong(format!("`{weight}` is no weight above 0")))?;
            let goal = Goal::ALL.into_iter().find(|goal| goal.name() == name.trim());
            match (goal, Metric::from_name(name.trim())) {
                (Some(goal), _) => Ok(Part::Goal(goal, weight)),
                (None, Some(metric)) => Ok(Part::Metric(metric, weight)),
                (None, None) => {
                    let name = name.trim();
                    let known = Goal::ALL.map(Goal::name).into_iter();
                    let near = nearest(name, known.chain(METRICS.map(|row| row.name)));
                    Err(wrong(format!("`{name}` is neither{}", did_you_mean(near))))
                }
            }
        };
        // `throughput` is the goal, in which the metric of that name counts most.
        Ok(Weights { parts: text.split(',').map(part).collect::<Result<_, _>>()? })
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, part) in self.parts.iter().enumerate() {
            let (name, weight) = match part {
                Part::Goal(goal, weight) => (goal.name(), *weight),
                Part::Metric(metric, weight) => (metric.info().name, *weight),
            };
            f.write_str(if place == 0 { "" } else { "," })?;
            match weight == 1.0 {
                true => f.write_str(name)?,
                false => write!(f, "{name}={weight}")?,
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for Weights {
    type Error = WeightsError;
    fn try_from(text: String) -> Result<Self, WeightsError> {
        text.parse()
    }
}

impl From<Weights> for String {
    fn from(weights: Weights) -> String {
        weights.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios::SCENARIOS;

    #[test]
    fn weights_are_read_as_they_are_written() {
        for text in ["desktop", "desktop=2,database", "start_up=5,iops=0.5"] {
            assert_eq!(text.parse::<Weights>().unwrap().to_string(), text);
        }
        for (text, told) in [
            ("", "`` is neither"),
            ("gaming", "`gaming` is neither"),
            ("desktp", "`desktp` is neither; did you mean `desktop`"),
            ("desktop=much", "`much` is no weight"),
            ("iops=-1", "`-1` is no weight"),
        ] {
            let error = text.parse::<Weights>().unwrap_err().to_string();
            assert!(error.contains(told) && error.contains("cpu_per_io"), "{error}");
        }
    }

    #[test]
    fn a_scenario_counts_for_the_goals_that_it_serves() {
        let weight = |weights: &str, scenario, metric| {
            weights.parse::<Weights>().unwrap().of_metric(scenario, metric)
        };
        assert_eq!(weight("desktop", "start-readers", Metric::StartUp), 4.0);
        assert_eq!(weight("desktop=2,database", "start-readers", Metric::StartUp), 8.0);
        assert_eq!(weight("database", "start-readers", Metric::StartUp), 0.0);
        assert_eq!(weight("media", "deep", Metric::Iops), 0.0);
        assert_eq!(weight("media", "deep", Metric::CpuPerIo), 0.5, "it counts everywhere");
        assert_eq!(weight("desktop", "somebody's own", Metric::StartUp), 4.0);
        assert_eq!(weight("sync_tail=3", "commits", Metric::SyncTail), 3.0);
    }

    #[test]
    fn every_goal_is_served_by_a_scenario_that_measures_what_counts_most() {
        for (goal, weights) in OF_GOALS {
            let (metric, _) = weights[0];
            let serves = |scenario: &&Scenario| {
                scenario.goals.contains(&goal)
                    && scenario.measures.iter().any(|measure| measure.metric() == metric)
            };
            assert!(SCENARIOS.iter().any(|scenario| serves(&scenario)), "{goal:?} {metric:?}");
        }
    }
}
