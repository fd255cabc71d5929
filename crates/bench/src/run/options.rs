// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be measured: as a user names it, or from the file of a run that is resumed.

use super::resumed::Resumed;
use crate::model::Level;
use crate::scenarios::{Need, SCENARIOS, Scale, Scenario};
use base::suggest::meant_or_all;
use host::Candidate;
use host::restore::JOURNALS_FOLDER;
use std::path::{Path, PathBuf};

/// What is to be measured, as far as that can be said without looking at the machine.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// The folder, file or block device to measure on.
    pub target: PathBuf,
    /// How thorough to be.
    pub level: Level,
    /// By name; none: by the level.
    pub scenarios: Option<Vec<&'static Scenario>>,
    /// The candidates that are compared with each other.
    pub candidates: Candidates,
    /// A command of the user's own, for the shell.
    pub command: Option<String>,
    /// How large the scratch file is, or how much is used of what exists; none: by the level.
    pub size_bytes: Option<u64>,
    /// Whether the data of a file or device may be destroyed.
    pub allow_write: bool,
    /// Decides the order inside the rounds, and where random I/O goes.
    pub seed: u64,
    /// The program that is started as a worker: what runs [`work`](crate::workers::work) under
    /// the subcommand [`COMMAND`](crate::workers::COMMAND).
    pub program: PathBuf,
    /// The folder of the journals, if not the usual one.
    pub journals: Option<PathBuf>,
    /// The run that goes on, if it is no new one.
    pub resumed: Option<Resumed>,
}

/// Who is to be compared.
#[derive(Clone, Debug)]
pub enum Candidates {
    /// Those that fit the level, of what the kernel offers.
    Usual,
    /// A list as the user wrote it, separated by commas.
    Listed(String),
    /// The candidates that the user names.
    Given(Vec<Candidate>),
}

impl BenchOptions {
    /// What contradicts itself.
    ///
    /// # Errors
    /// [`OptionsError`].
    pub fn check(&self) -> Result<(), OptionsError> {
        let needs_command = |scenario: &&Scenario| scenario.needs.contains(&Need::Command);
        if self.command.is_none()
            && let Some(scenario) = self.scenarios.iter().flatten().copied().find(needs_command)
        {
            return Err(OptionsError::NoCommand { scenario: scenario.name });
        }
        if self.command.as_ref().is_some_and(|command| command.trim().is_empty()) {
            return Err(OptionsError::EmptyCommand);
        }
        if let Some(size_bytes) = self.size_bytes.filter(|size| *size < Scale::LEAST_BYTES) {
            return Err(OptionsError::TooSmall { size_bytes });
        }
        Ok(())
    }

    /// The folder of the journals.
    pub fn journals(&self) -> &Path {
        self.journals.as_deref().unwrap_or(Path::new(JOURNALS_FOLDER))
    }

    /// Those of a run that is resumed.
    pub fn of_resumed(resumed: Resumed, program: &Path) -> Self {
        let opening = &resumed.opening;
        let conditions = &opening.conditions;
        let scenarios = opening.scenarios.iter().filter_map(|name| Scenario::named(name));
        BenchOptions {
            target: PathBuf::from(&opening.target),
            level: conditions.level,
            scenarios: Some(scenarios.collect()),
            candidates: Candidates::Given(opening.candidates.clone()),
            command: conditions.command.clone(),
            size_bytes: Some(conditions.used_bytes),
            allow_write: conditions.writes,
            seed: opening.seed,
            program: program.to_owned(),
            journals: None,
            resumed: Some(resumed),
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

/// Options that contradict themselves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// There is no such scenario.
    #[error("--scenarios: `{name}` is no scenario{}",
            meant_or_all(name, &SCENARIOS.map(|scenario| scenario.name)))]
    UnknownScenario {
        /// The scenario's name as the user wrote it.
        name: String,
    },
    /// A scenario would be played twice in each round.
    #[error("--scenarios: {scenario} is named twice")]
    Twice {
        /// Name of the scenario.
        scenario: &'static str,
    },
    /// A scenario times a command, and none is given.
    #[error("--scenarios {scenario}: expected --command with it")]
    NoCommand {
        /// Name of the scenario.
        scenario: &'static str,
    },
    /// The command is empty.
    #[error("--command: expected a command, found nothing")]
    EmptyCommand,
    /// No scenario has room in that.
    #[error("--size: {size_bytes} bytes; expected at least {}m", Scale::LEAST_BYTES >> 20)]
    TooSmall {
        /// The size that the user wants, bytes.
        size_bytes: u64,
    },
}

/// The names of all scenarios.
pub fn scenario_names() -> String {
    SCENARIOS.map(|scenario| scenario.name).join(", ")
}

/// The scenarios of a list of names, separated by commas.
///
/// # Errors
/// If there is none of a name, or one is named twice.
pub fn scenarios_of(list: &str) -> Result<Vec<&'static Scenario>, OptionsError> {
    let mut scenarios: Vec<&'static Scenario> = Vec::new();
    for name in list.split(',') {
        let unknown = || OptionsError::UnknownScenario { name: name.to_owned() };
        let scenario = Scenario::named(name.trim()).ok_or_else(unknown)?;
        if scenarios.iter().any(|known| known.name == scenario.name) {
            return Err(OptionsError::Twice { scenario: scenario.name });
        }
        scenarios.push(scenario);
    }
    Ok(scenarios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_named_once() {
        let names = |list| -> Result<Vec<_>, _> {
            Ok(scenarios_of(list)?.iter().map(|scenario| scenario.name).collect())
        };
        assert_eq!(names("deep, single"), Ok(vec!["deep", "single"]));
        let twice: Result<_, OptionsError> = names("deep,single, deep");
        assert_eq!(twice.unwrap_err().to_string(), "--scenarios: deep is named twice");
    }
}
