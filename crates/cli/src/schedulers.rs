//! `--scheduler` and `--set`: which schedulers run, and with which tunables.

use blk::{DeviceLimits, Elevator};
use elevators::BuildError;

/// What `--help` says of the list.
pub const LIST_HELP: &str = "\
Schedulers to run, one after the other, separated by commas, or `all`. Tunables of one follow it \
after a colon: `bfq:low_latency=0,slice_idle=0,none`. A part of the list that has a `=` and no `:` \
belongs to the scheduler before it, any other part begins a new one; so that list names two \
schedulers, bfq with two tunables, and none.";

/// A scheduler as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Tunables and values, in the order in which they are set.
    pub settings: Vec<(String, String)>,
}

/// Why a choice of schedulers is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// A part of the list says nothing.
    #[error("--scheduler {list}: an empty part; expected names separated by commas")]
    Empty {
        /// The list.
        list: String,
    },
    /// A tunable comes before any scheduler.
    #[error("--scheduler {list}: `{part}` sets a tunable, but of which scheduler?")]
    Orphan {
        /// The list.
        list: String,
        /// The part.
        part: String,
    },
    /// A setting is not of the form NAME=VALUE.
    #[error("{option} {text}: expected NAME=VALUE")]
    Syntax {
        /// The option.
        option: &'static str,
        /// What was given.
        text: String,
    },
    /// None of the schedulers has the tunable.
    #[error("--set {name}={value}: none of the chosen schedulers ({chosen}) has such a tunable")]
    NobodyHas {
        /// The tunable.
        name: String,
        /// The value.
        value: String,
        /// The schedulers.
        chosen: String,
    },
    /// The scheduler is unknown or does not take a tunable.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl Choice {
    /// Makes the scheduler for a device.
    ///
    /// # Errors
    /// If there is no such scheduler or tunable, or a value is wrong.
    pub fn build(&self, limits: &DeviceLimits) -> Result<Box<dyn Elevator>, BuildError> {
        let settings: Vec<String> =
            self.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let spec = if settings.is_empty() {
            self.name.clone()
        } else {
            format!("{}:{}", self.name, settings.join(","))
        };
        elevators::build(&spec, 0, limits)
    }
}

/// Reads the list of `--scheduler` and adds the tunables of `--set` to every scheduler that has
/// them. All of it is tried out, so that building later cannot fail.
///
/// # Errors
/// If a scheduler, tunable or value is wrong.
pub fn parse(list: &str, set: &[String]) -> Result<Vec<Choice>, ChoiceError> {
    let mut choices = parse_list(list)?;
    for setting in set {
        let (name, value) = name_and_value("--set", setting)?;
        let mut taken = false;
        for choice in &mut choices {
            if elevators::tunables(&choice.name)?.iter().any(|tunable| tunable.name == name) {
                choice.settings.push((name.clone(), value.clone()));
                taken = true;
            }
        }
        if !taken {
            let chosen: Vec<_> = choices.iter().map(|choice| choice.name.as_str()).collect();
            return Err(ChoiceError::NobodyHas { name, value, chosen: chosen.join(", ") });
        }
    }
    for choice in &choices {
        choice.build(&DeviceLimits::new(32, true))?;
    }
    Ok(choices)
}

fn parse_list(list: &str) -> Result<Vec<Choice>, ChoiceError> {
    let mut choices: Vec<Choice> = Vec::new();
    for part in list.split(',').map(str::trim) {
        if part.is_empty() {
            return Err(ChoiceError::Empty { list: list.to_owned() });
        }
        if part.contains('=') && !part.contains(':') {
            let setting = name_and_value("--scheduler", part)?;
            let orphan = || ChoiceError::Orphan { list: list.to_owned(), part: part.to_owned() };
            choices.last_mut().ok_or_else(orphan)?.settings.push(setting);
            continue;
        }
        let (name, setting) = match part.split_once(':') {
            Some((name, setting)) => (name, Some(name_and_value("--scheduler", setting)?)),
            None => (part, None),
        };
        let choice = |name: &str| Choice {
            name: name.to_owned(),
            settings: setting.clone().into_iter().collect(),
        };
        if name == "all" && setting.is_none() {
            choices.extend(elevators::names().map(choice));
        } else {
            elevators::tunables(name)?;
            choices.push(choice(name));
        }
    }
    Ok(choices)
}

/// Splits `NAME=VALUE`.
pub fn name_and_value(option: &'static str, text: &str) -> Result<(String, String), ChoiceError> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(ChoiceError::Syntax { option, text: text.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(list: &str, set: &[&str]) -> Result<String, String> {
        let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
        let choices = parse(list, &set).map_err(|error| error.to_string())?;
        let texts = choices.iter().map(|choice| {
            let settings: Vec<_> =
                choice.settings.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            format!("{}{}", choice.name, settings.concat())
        });
        Ok(texts.collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn commas_separate_schedulers_and_tunables() {
        for (list, set, expected) in [
            ("none", &[][..], "none"),
            ("none, mq-deadline", &[], "none; mq-deadline"),
            (
                "mq-deadline:fifo_batch=8,writes_starved=3,none",
                &[],
                "mq-deadline fifo_batch=8 writes_starved=3; none",
            ),
            ("mq-deadline,fifo_batch=8", &[], "mq-deadline fifo_batch=8"),
            (
                "mq-deadline,mq-deadline:fifo_batch=1",
                &["read_expire=100"],
                "mq-deadline read_expire=100; mq-deadline fifo_batch=1 read_expire=100",
            ),
            ("none,mq-deadline", &["fifo_batch = 2"], "none; mq-deadline fifo_batch=2"),
        ] {
            assert_eq!(parsed(list, set).unwrap(), expected, "{list}");
        }
    }

    #[test]
    fn all_means_every_scheduler() {
        let names: Vec<_> = elevators::names().collect();
        assert_eq!(parsed("all", &[]).unwrap(), names.join("; "));
    }

    #[test]
    fn mistakes_are_named() {
        for (list, set, expected) in [
            ("none,,none", &[][..], "an empty part"),
            ("fifo_batch=8", &[], "`fifo_batch=8` sets a tunable, but of which scheduler?"),
            ("mq-deadline:fifo_batch", &[], "--scheduler fifo_batch: expected NAME=VALUE"),
            ("mq-deadlin", &[], "mq-deadline"),
            ("mq-deadline:fifo_batsch=8", &[], "fifo_batch"),
            ("mq-deadline:fifo_batch=many", &[], "fifo_batch=many"),
            ("none", &["fifo_batch=8"], "none of the chosen schedulers (none) has such a tunable"),
            ("mq-deadline", &["fifo_batch"], "--set fifo_batch: expected NAME=VALUE"),
        ] {
            let message = parsed(list, set).unwrap_err();
            assert!(message.contains(expected), "{list}: {message}");
        }
    }
}
