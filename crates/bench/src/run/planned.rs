// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is measured in the time there is, and what that is good for, in sentences.

use super::error::RunError;
use super::resumed::same;
use super::stage::BenchStage;
use super::warm_up::WarmUp;
use crate::model::Opening;
use crate::plan::{self, Budget, Plan};
use crate::scenarios::{Scale, Scenario};
use std::time::Duration;

/// A stage, and what is measured on it.
pub struct Planned {
    pub(super) stage: BenchStage,
    /// What the file of results begins with.
    pub opening: Opening,
    sentences: Vec<String>,
}

impl Planned {
    /// What is measured, and what that is good for.
    pub fn sentences(&self) -> &[String] {
        &self.sentences
    }

    /// How many cells there are in all.
    pub fn cells(&self) -> usize {
        let Opening { rounds, candidates, scenarios, .. } = &self.opening;
        *rounds as usize * candidates.len() * scenarios.len()
    }
}

impl WarmUp {
    /// Decides what is measured in the time there is.
    ///
    /// # Errors
    /// The target has become too small.
    pub fn plan(self, time: Option<Duration>) -> Result<Planned, RunError> {
        let WarmUp { mut stage, timed } = self;
        let spent = stage.began.elapsed();
        let budget = Budget {
            level: stage.level,
            candidates: stage.candidates.len(),
            time: time.unwrap_or_else(|| stage.level.usual_time()).saturating_sub(spent),
            is_named: time.is_some(),
            may_leave_out: !stage.scenarios_named,
        };
        let plan = plan::plan(&budget, &timed);
        let is_out = |one: &&Scenario| !plan.scenarios.iter().any(|kept| kept.name == one.name);
        let left_out = stage.scenarios.iter().copied().filter(is_out).map(|one| one.name).collect();
        stage.scenarios.clone_from(&plan.scenarios);
        stage.pace = plan.pace;
        stage.scale = Scale::new(plan.pace, stage.target.capacity_bytes())?;
        let sentences = Told { stage: &stage, plan: &plan, left_out, spent }.sentences();
        let opening = Opening { rounds: plan.rounds, ..stage.opening() };
        Ok(Planned { stage, opening, sentences })
    }
}

impl BenchStage {
    /// The plan of a run that goes on, which it can only where it began.
    ///
    /// # Errors
    /// What is different.
    pub fn as_planned(self, before: Opening) -> Result<Planned, RunError> {
        let now = self.opening();
        same("the kernel", &before.kernel, &now.kernel)?;
        same("the list of scenarios", &before.scenarios.join(","), &now.scenarios.join(","))?;
        let used = |opening: &Opening| opening.conditions.used_bytes.to_string();
        same("the size in use", &used(&before), &used(&now))?;
        Ok(Planned { stage: self, opening: before, sentences: Vec::new() })
    }
}

/// A plan, as it is told before it begins.
struct Told<'a> {
    stage: &'a BenchStage,
    plan: &'a Plan,
    left_out: Vec<&'static str>,
    /// Of the time there was.
    spent: Duration,
}

impl Told<'_> {
    fn sentences(&self) -> Vec<String> {
        let Told { stage, plan, .. } = self;
        let (candidates, scenarios) = (stage.candidates.len(), plan.scenarios.len());
        let mut text = vec![format!(
            "{} rounds of {} on {}, some {}; counted is the {}",
            plan.rounds,
            counted(candidates, "scheduler"),
            counted(scenarios, "scenario"),
            words(plan.time_of(plan.rounds)),
            stage.counted.words()
        )];
        let needed = plan.rounds_needed;
        if plan.pace != stage.level {
            text.push(format!(
                "the time is short: each is measured for {} ms, so that there are the {needed} rounds \
                 without which nothing is sure",
                stage.scale.time.as_millis()
            ));
        }
        if !self.left_out.is_empty() {
            text.push(format!("the time is too short for {}", self.left_out.join(", ")));
        }
        if !plan.can_tell() {
            text.push(self.advice());
        }
        text
    }

    /// What to do about a plan that cannot tell anything.
    fn advice(&self) -> String {
        let Told { stage, plan, .. } = self;
        let minutes = |time: Duration| ((self.spent + time).as_secs_f64() * 1.1 / 60.0).ceil();
        let (all, least) = (minutes(plan.time_of(plan.rounds_needed)), minutes(plan.least_time));
        let mut text = format!(
            "this CANNOT TELL schedulers apart: that takes {} rounds (--time {least}m",
            plan.rounds_needed
        );
        if least < all {
            text +=
                &format!(", with shorter cells or fewer scenarios; {all}m for all that is wanted");
        }
        text += ")";
        let plain = || stage.candidates.iter().filter(|one| one.tunables.is_empty());
        if let (Some(first), Some(last)) = (plain().next(), plain().next_back())
            && stage.candidates.len() > 2
            && first != last
        {
            let of_two = plan.time_of(plan::needed(2)) * 2 / stage.candidates.len() as u32;
            text += &format!(
                ", or fewer schedulers (--schedulers {first},{last}: {} rounds, some {})",
                plan::needed(2),
                words(of_two)
            );
        }
        text
    }
}

/// `1 scheduler`, `4 schedulers`.
fn counted(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

/// A time, as people say it.
fn words(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 99.5 => format!("{seconds:.0} s"),
        seconds => format!("{:.1} minutes", seconds / 60.0),
    }
}
