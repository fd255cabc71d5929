// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the user wants measured, from the command line or from the file of a run that is resumed.

use super::Arguments;
use crate::failure::Failure;
use bench::model::{Conditions, Level, Opening};
use bench::scenarios::{Need, SCENARIOS, Scenario};
use host::Candidate;
use std::path::PathBuf;

/// What is wanted, as far as that can be said without looking at the machine.
#[derive(Clone, Debug)]
pub struct Wishes {
    pub target: PathBuf,
    pub level: Level,
    /// By name; none: by the level.
    pub scenarios: Option<Vec<&'static Scenario>>,
    pub candidates: Candidates,
    pub command: Option<String>,
    pub size_bytes: Option<u64>,
    pub allow_write: bool,
    pub seed: u64,
    /// The folder of the journals, if not the usual one.
    pub journals: Option<PathBuf>,
    /// What has to be as it was.
    pub conditions: Option<Conditions>,
}

/// Who is to be compared.
#[derive(Clone, Debug)]
pub enum Candidates {
    /// By the level.
    Usual,
    /// These, as written.
    Listed(String),
    /// The candidates that the user names.
    Given(Vec<Candidate>),
}

impl Wishes {
    /// Those of a command line.
    pub fn of(arguments: &Arguments) -> Result<Self, Failure> {
        let scenarios = match &arguments.scenarios {
            Some(list) => Some(list.split(',').map(scenario).collect::<Result<Vec<_>, _>>()?),
            None => None,
        };
        let needs_command = |scenario: &&Scenario| scenario.needs.contains(&Need::Command);
        if arguments.command.is_none()
            && let Some(scenario) = scenarios.iter().flatten().copied().find(needs_command)
        {
            let message = format!("--scenarios {}: expected --command with it", scenario.name);
            return Err(Failure::usage(message));
        }
        if arguments.command.as_ref().is_some_and(|command| command.trim().is_empty()) {
            return Err(Failure::usage("--command: expected a command, found nothing"));
        }
        Ok(Wishes {
            target: arguments.target.clone().expect("clap requires it"),
            level: arguments.level.into(),
            scenarios,
            candidates: match &arguments.schedulers {
                Some(list) => Candidates::Listed(list.clone()),
                None => Candidates::Usual,
            },
            command: arguments.command.clone(),
            size_bytes: arguments.size,
            allow_write: arguments.allow_write,
            seed: arguments.seed,
            journals: arguments.journals.clone(),
            conditions: None,
        })
    }

    /// Those of a run that is resumed.
    pub fn of_opening(opening: &Opening) -> Self {
        let conditions = opening.conditions.clone();
        let scenarios = opening.scenarios.iter().filter_map(|name| Scenario::named(name));
        Wishes {
            target: PathBuf::from(&opening.target),
            level: conditions.level,
            scenarios: Some(scenarios.collect()),
            candidates: Candidates::Given(opening.candidates.clone()),
            command: conditions.command.clone(),
            size_bytes: Some(conditions.used_bytes),
            allow_write: conditions.writes,
            seed: opening.seed,
            journals: None,
            conditions: Some(conditions),
        }
    }

    /// The scenarios that can be played, and what is to be said of the others.
    pub fn playable(&self, can: impl Fn(Need) -> bool) -> (Vec<&'static Scenario>, Vec<String>) {
        let wanted: Vec<_> = match &self.scenarios {
            Some(named) => named.clone(),
            None => SCENARIOS.iter().filter(|scenario| scenario.from <= self.level).collect(),
        };
        let (mut playable, mut notes) = (Vec::new(), Vec::new());
        for scenario in wanted {
            match scenario.needs.iter().find(|need| !can(**need)) {
                None => playable.push(scenario),
                // A command that was not named is not missing.
                Some(Need::Command) if self.command.is_none() => {}
                Some(need) => {
                    notes.push(format!("{} is left out: {}", scenario.name, words(*need)));
                }
            }
        }
        (playable, notes)
    }
}

/// What to do about a need.
fn words(need: Need) -> &'static str {
    match need {
        Need::Writes => "it writes; say --allow-write if the data of the target may be destroyed",
        Need::Groups => "it needs root and control groups for block I/O",
        Need::Command => "emptying the caches before a command takes root",
    }
}

/// All names, for the help.
pub fn names() -> String {
    SCENARIOS.map(|scenario| scenario.name).join(", ")
}

fn scenario(name: &str) -> Result<&'static Scenario, Failure> {
    Scenario::named(name.trim()).ok_or_else(|| {
        Failure::usage(format!(
            "--scenarios: `{name}` is no scenario; expected some of {}",
            names()
        ))
    })
}
