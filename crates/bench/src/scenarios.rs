// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scenarios: what processes do while something is measured, in one table.
//!
//! A scenario is a fio job file in pieces (`table`), scaled to the target and to the time there
//! is ([`Scale`]). [`Scenario::jobs`] makes [`Job`]s of it, [`Measure`]s say what is read off what
//! the processes did. Start-ups are recorded ones, fitted to the room there is ([`StartUps`]).

mod measure;
mod scale;
pub(crate) mod start_ups;
mod table;

pub use measure::{CellOutcome, JobOutcome, Measure};
pub use scale::{Pace, Scale, TooSmall};
pub use start_ups::StartUps;
pub use table::{COMMAND_JOB, Need, SCENARIOS, Scenario};

use workload::{Job, JobErrors};

/// A job of a scenario, by itself and as text.
#[derive(Clone, Debug)]
pub struct ScaledJob {
    /// The job, at the target's scale.
    pub job: Job,
    /// A job file with nothing but this job.
    pub text: String,
}

impl Scenario {
    /// Its jobs on such a target in such a time.
    ///
    /// # Errors
    /// If a start-up does not fit into the room there is.
    pub fn jobs(&self, scale: &Scale) -> Result<Vec<ScaledJob>, JobErrors> {
        let start_ups = StartUps::fitted_to(scale.start_up_bytes());
        let text_of = |section: &&str| scale.fill_in(&format!("{}{section}", table::GLOBAL));
        let mut jobs = Vec::new();
        for (index, text) in self.sections.iter().map(text_of).enumerate() {
            let mut of_section = workload::parse_with(&text, self.name, &start_ups)?;
            let mut job = of_section.pop().expect("a job file has a job");
            job.index = index as u32;
            jobs.push(ScaledJob { job, text });
        }
        Ok(jobs)
    }

    /// Whether what is measured goes on for a set time, and does not end by itself.
    pub fn ends_by_time(&self) -> bool {
        !self.measures.iter().any(|measure| matches!(measure, Measure::StartUp(_)))
    }

    /// Whether what is measured works beside something else.
    pub fn has_a_load(&self) -> bool {
        let commands = self.awaited.iter().filter(|name| **name == COMMAND_JOB).count();
        self.sections.len() + commands > 1
    }

    /// Whether some of it goes through the page cache.
    pub fn is_buffered(&self) -> bool {
        self.sections.iter().any(|section| section.contains("direct=0\n"))
    }

    /// The scenario of a name.
    pub fn named(name: &str) -> Option<&'static Scenario> {
        SCENARIOS.iter().find(|scenario| scenario.name == name)
    }
}

#[cfg(test)]
mod tests;
