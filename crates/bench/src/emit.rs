// SPDX-License-Identifier: MIT OR Apache-2.0
//! What makes a choice permanent: the text of a rule, with where to put it.
//!
//! Each text is whole and commented, so that a person who finds it on a machine years later knows
//! where it is from and how to be rid of it. Nothing here writes anything.

mod cost;
mod forms;

pub use cost::{Measured, rule as io_cost};

use crate::verdict::Verdict;
use host::Candidate;
use host::Disk;
use std::{fmt, str::FromStr};

/// For whom a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// udev: whenever the disk is found.
    Udev,
    /// A unit of systemd: at boot.
    Systemd,
    /// A profile of TuneD.
    Tuned,
    /// Lines of paths and values, as sysctl has them: for systemd-tmpfiles, as sysctl does
    /// not reach disks.
    SysctlLike,
    /// The model of the disk for the controller io.cost of cgroup version 2.
    IoCost,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 5] =
        [Form::Udev, Form::Systemd, Form::Tuned, Form::SysctlLike, Form::IoCost];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Form::Udev => "udev",
            Form::Systemd => "systemd",
            Form::Tuned => "tuned",
            Form::SysctlLike => "sysctl-like",
            Form::IoCost => "io.cost",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Form {
    type Err = EmitError;

    fn from_str(text: &str) -> Result<Self, EmitError> {
        let form = Form::ALL.into_iter().find(|form| form.name() == text);
        form.ok_or_else(|| EmitError::Form { text: text.to_owned() })
    }
}

/// There is no rule to be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// No such form.
    #[error("`{text}` is no form of a rule; there are {}", Form::ALL.map(Form::name).join(", "))]
    Form {
        /// What was asked for.
        text: String,
    },
    /// The verdict recommends nothing.
    #[error("nothing to make permanent: {summary}")]
    NothingChosen {
        /// What the verdict says.
        summary: String,
    },
    /// The value of a tunable has letters that the form has a meaning of its own for.
    #[error("`{value}` cannot be written for {form}: expected letters, digits, `.`, `_`, `-`")]
    Value {
        /// The value that the form cannot hold.
        value: String,
        /// The form of the rule.
        form: Form,
    },
    /// Nothing that io.cost needs was measured.
    #[error(
        "nothing to tell io.cost: it takes the scenario `sequential` or `deep`, neither of which \
         was measured"
    )]
    NothingMeasured,
}

/// What is written where: a scheduler and its tunables, for the disks of a target.
struct Setting<'a> {
    candidate: &'a Candidate,
    disk: &'a Disk,
    /// Why, a line each.
    why: Vec<String>,
}

/// The rule that makes the recommendation for the first goal permanent.
///
/// # Errors
/// [`EmitError`]: nothing is recommended, or it cannot be written in this form.
pub fn rule(verdict: &Verdict, disk: &Disk, form: Form) -> Result<String, EmitError> {
    if form == Form::IoCost {
        return cost::rule(&Measured::by(verdict), disk);
    }
    let goal = verdict.goals.first();
    let Some((goal, candidate)) = goal.zip(verdict.recommended()) else {
        let summary = goal.map_or(String::new(), |goal| verdict.summary(goal));
        return Err(EmitError::NothingChosen { summary });
    };
    let why = vec![format!("By bfq bench, {}.", verdict.summary(goal))];
    setting(candidate, disk, why, form)
}

/// The rule that makes any candidate permanent; `why` stands at its top.
///
/// # Errors
/// [`EmitError::Value`].
pub fn rule_for(
    candidate: &Candidate,
    disk: &Disk,
    why: &str,
    form: Form,
) -> Result<String, EmitError> {
    setting(candidate, disk, vec![why.to_owned()], form)
}

fn setting(
    candidate: &Candidate,
    disk: &Disk,
    why: Vec<String>,
    form: Form,
) -> Result<String, EmitError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    for (_, value) in &candidate.tunables {
        if !value.chars().all(plain) {
            return Err(EmitError::Value { value: value.clone(), form });
        }
    }
    let setting = Setting { candidate, disk, why };
    match form {
        Form::Udev => Ok(setting.udev()),
        Form::Systemd => Ok(setting.systemd()),
        Form::Tuned => Ok(setting.tuned()),
        Form::SysctlLike => Ok(setting.sysctl_like()),
        Form::IoCost => Err(EmitError::NothingMeasured),
    }
}

/// Lines of a comment; long ones are broken.
fn comment(lines: &[String]) -> String {
    const WIDTH: usize = 96;
    let mut text = String::new();
    for line in lines {
        let mut length = WIDTH;
        for word in line.split(' ') {
            if length + word.chars().count() >= WIDTH {
                text.push_str(if text.is_empty() { "#" } else { "\n#" });
                length = 1;
            }
            text.push(' ');
            text.push_str(word);
            length += 1 + word.chars().count();
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tools_tests;
