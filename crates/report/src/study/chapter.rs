// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario: its names, and the devices that it ran on.

use crate::results::{Run, Scenario};
use crate::study::stage::StudyStage;
use std::path::Path;

/// A scenario with its results.
#[derive(Debug)]
pub struct Chapter<'a> {
    /// Its short name: that of its job file, with the folder if another one is called so too.
    pub name: String,
    /// What people call it, with its name if another one has the same title.
    pub heading: String,
    /// The year it is of, if the folder of its job files begins with one (`2008-page`); else it
    /// is of today.
    pub year: Option<u32>,
    /// What its job files say of themselves, if the results know it.
    pub scenario: Option<&'a Scenario>,
    /// The commands that its results are from, each once.
    pub commands: Vec<&'a str>,
    /// The devices it ran on.
    pub stages: Vec<StudyStage<'a>>,
}

impl<'a> Chapter<'a> {
    pub(super) fn new(name: String, scenario: Option<&'a Scenario>) -> Self {
        let year = scenario.and_then(|scenario| year(scenario.files.first()?));
        let heading = name.clone();
        Self { name, heading, year, scenario, commands: Vec::new(), stages: Vec::new() }
    }

    pub(super) fn add_command(&mut self, run: &'a Run) {
        let Some(scenario) = &run.scenario else { return };
        if !self.commands.contains(&scenario.command.as_str()) {
            self.commands.push(&scenario.command);
        }
    }

    /// What its job file calls it, or its name.
    pub fn title(&self) -> &str {
        let title = self.scenario.map(|scenario| scenario.title.trim_end_matches('.'));
        title.filter(|title| !title.is_empty()).unwrap_or(&self.name)
    }
}

/// The year that the folder of a job file begins with.
fn year(file: &str) -> Option<u32> {
    let folder = Path::new(file).parent()?.file_name()?.to_str()?;
    let digits = folder.split(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|_| digits.len() == 4)
}
