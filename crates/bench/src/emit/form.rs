// SPDX-License-Identifier: MIT OR Apache-2.0
//! The forms of a rule, and why there is none to be had.

use base::suggest::meant_or_all;
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
    /// All forms, in the order in which messages list them.
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
    /// The name is that of no form.
    #[error("`{text}` is no form of a rule{}", meant_or_all(text, &Form::ALL.map(Form::name)))]
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
    /// The disk is not the one that was measured.
    #[error("another target was measured: {target} was {before}, and now is {now}")]
    Different {
        /// The target's path.
        target: String,
        /// What told the target that was measured from others.
        before: String,
        /// What tells the one that is there now.
        now: String,
    },
    /// The value of a tunable has letters that the form has a meaning of its own for.
    #[error("`{value}` cannot be written for {form}: expected letters, digits, `.`, `_`, `-`")]
    Value {
        /// The value that the form cannot hold.
        value: String,
        /// The form of the rule.
        form: Form,
    },
    /// Udev is not told of the disk.
    #[error(
        "udev is not told of {name}, which is a path to an NVMe disk: expected --emit systemd or \
         --emit sysctl-like"
    )]
    Hidden {
        /// Name of the path.
        name: String,
    },
    /// Nothing that io.cost needs was measured.
    #[error(
        "nothing to tell io.cost: it takes the scenario `sequential` or `deep`, neither of which \
         was measured"
    )]
    NothingMeasured,
}
