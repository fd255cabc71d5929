// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be cited of a document in `docs/spec`: sections, rows of tables, steps of lists.

use crate::repository::Repository;
use std::collections::{HashMap, HashSet};

/// The documents of `docs/spec`, by path.
pub(crate) struct Specifications(HashMap<String, Specification>);

impl Specifications {
    /// Reads those of a repository.
    pub(crate) fn new(repository: &Repository) -> Self {
        let files = repository.files.iter().filter(|file| file.path.starts_with("docs/spec/"));
        Self(files.map(|file| (file.path.clone(), Specification::new(&file.text))).collect())
    }

    /// The document at `path`, if there is one.
    pub(crate) fn get(&self, path: &str) -> Option<&Specification> {
        self.0.get(path)
    }
}

/// What a section has that can be cited by number.
#[derive(Default)]
pub(crate) struct Section {
    rows: HashSet<String>,
    steps: HashSet<String>,
}

/// The sections of a document, by number.
pub(crate) struct Specification {
    sections: HashMap<String, Section>,
}

impl Specification {
    /// The sections of the document with this text.
    pub(crate) fn new(text: &str) -> Self {
        let mut sections: HashMap<String, Section> = HashMap::new();
        let mut current = String::new();
        let mut step = String::new();
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("## ").or(line.strip_prefix("### ")) {
                let number = title.split(' ').next().unwrap_or("").trim_end_matches('.');
                current = number.to_owned();
                step.clear();
                sections.entry(current.clone()).or_default();
                continue;
            }
            let Some(section) = sections.get_mut(&current) else { continue };
            if let Some(row) = line.strip_prefix("| ") {
                let cell = row.split(" |").next().unwrap_or("");
                if is_number(cell) {
                    section.rows.insert(cell.to_owned());
                }
                continue;
            }
            section.add_steps(line.trim_start(), &mut step);
        }
        Self { sections }
    }

    /// The section of this number, if there is one.
    pub(crate) fn section(&self, number: &str) -> Option<&Section> {
        self.sections.get(number)
    }
}

impl Section {
    /// Whether one of its tables has a row of this number.
    pub(crate) fn has_row(&self, number: &str) -> bool {
        self.rows.contains(number)
    }

    /// Whether it has a step of this number, or of this number and letter.
    pub(crate) fn has_step(&self, number: &str) -> bool {
        self.steps.contains(number)
    }

    /// Adds the steps that a line begins: "7. …", a letter below it, "… 3. …" in mid-line.
    fn add_steps(&mut self, line: &str, step: &mut String) {
        let mut before = ".";
        for word in line.split(' ') {
            if let Some(mark) = word.strip_suffix('.')
                && before.ends_with('.')
            {
                if is_number(mark) {
                    mark.clone_into(step);
                    self.steps.insert(step.clone());
                } else if mark.len() == 1 && mark.chars().all(|c| c.is_ascii_lowercase()) {
                    self.steps.insert(format!("{step}{mark}"));
                }
            }
            before = word;
        }
    }
}

/// Whether the text is a number and nothing else.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
