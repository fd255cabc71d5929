// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which schedulers run, and with which tunables: a list as people write
//! it (`--scheduler`, `--set`).

use crate::lists;
use crate::lists::name_and_value;
use base::suggest::{did_you_mean, nearest};
use bfq::why::Observer;
use blk::{DeviceLimits, Elevator};
use elevators::BuildError;

/// A scheduler as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name with its tunables: `bfq:low_latency=0,slice_idle=0`.
    spec: String,
}

/// Why a choice of schedulers is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// The list names no scheduler.
    #[error("--scheduler {list}: names no scheduler")]
    Empty {
        /// The list as it was written.
        list: String,
    },
    /// A setting is not of the form NAME=VALUE.
    #[error("--set {text}: expected NAME=VALUE")]
    Syntax {
        /// The setting as the user wrote it.
        text: String,
    },
    /// None of the schedulers has the tunable.
    #[error("--set {name}={value}: none of the chosen schedulers ({chosen}) has such a tunable{}",
            did_you_mean(nearest.as_deref()))]
    NobodyHas {
        /// Name of the tunable.
        name: String,
        /// Value of the tunable.
        value: String,
        /// The schedulers that were chosen.
        chosen: String,
        /// The tunable of one of them that was most likely meant.
        nearest: Option<String>,
    },
    /// All schedulers together have no tunables.
    #[error("--scheduler all:{tunables}: `all` has no tunables; expected all, and --set {}",
            tunables.replace(',', " --set "))]
    OfAll {
        /// The tunables, as the user wrote them.
        tunables: String,
    },
    /// The scheduler is unknown or does not take a tunable.
    #[error("--scheduler: {0}")]
    Build(#[from] BuildError),
    /// A scheduler does not take what is set in all.
    #[error("--set: {0}")]
    Set(#[source] BuildError),
}

impl Choice {
    /// The name of the scheduler, without its tunables.
    pub fn name(&self) -> &str {
        self.spec.split(':').next().unwrap_or(&self.spec).trim()
    }

    /// Its name with its tunables, as it was asked for.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// What was asked for, if it is more than a name: `bfq:low_latency=0`.
    pub fn variant(&self) -> Option<&str> {
        self.spec.contains(':').then_some(self.spec.as_str())
    }

    /// Makes the scheduler for a device.
    ///
    /// # Errors
    /// If there is no such scheduler or tunable, or a value is wrong.
    pub fn build(&self, limits: &DeviceLimits) -> Result<Box<dyn Elevator>, BuildError> {
        elevators::build(&self.spec, 0, limits)
    }

    /// As [`build`](Self::build); a scheduler that tells its decisions tells them to the observer,
    /// if there is one.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_before(
        &self,
        limits: &DeviceLimits,
        observer: Option<&(impl Observer + Clone + 'static)>,
    ) -> Result<Box<dyn Elevator>, BuildError> {
        match observer {
            Some(observer) => elevators::build_observed(&self.spec, 0, limits, observer.clone()),
            None => self.build(limits),
        }
    }

    /// Sets the tunables that it has, and notes in `taken` which of them are. As one tunable may
    /// decide which others there are, those that it did not have are offered again after it.
    fn set_all(
        &mut self,
        settings: &[(&str, &str)],
        taken: &mut [bool],
        limits: &DeviceLimits,
    ) -> Result<(), ChoiceError> {
        let mut left: Vec<usize> = (0..settings.len()).collect();
        loop {
            let before = left.len();
            let mut refused = Vec::new();
            for place in left {
                let (name, value) = settings[place];
                if elevators::tunables(&self.spec)?.iter().any(|tunable| tunable.name == name) {
                    self.set(name, value);
                    self.build(limits).map_err(ChoiceError::Set)?;
                    taken[place] = true;
                } else {
                    refused.push(place);
                }
            }
            if refused.len() == before {
                return Ok(());
            }
            left = refused;
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        let separator = if self.spec.contains(':') { ',' } else { ':' };
        self.spec = format!("{}{separator}{name}={value}", self.spec);
    }
}

/// Reads the list of `--scheduler` and adds the tunables of `--set` to every scheduler that has
/// them. All of it is tried out, so that building later cannot fail.
///
/// # Errors
/// If a scheduler, tunable or value is wrong.
pub fn parse(list: &str, set: &[String]) -> Result<Vec<Choice>, ChoiceError> {
    let mut choices: Vec<Choice> = Vec::new();
    for entry in lists::entries(list.as_bytes()) {
        let spec = String::from_utf8_lossy(&entry).into_owned();
        if spec == "all" {
            choices.extend(elevators::names().map(|name| Choice { spec: name.to_owned() }));
        } else if let Some(tunables) = spec.strip_prefix("all:") {
            return Err(ChoiceError::OfAll { tunables: tunables.to_owned() });
        } else {
            choices.push(Choice { spec });
        }
    }
    if choices.is_empty() {
        return Err(ChoiceError::Empty { list: list.to_owned() });
    }
    let limits = DeviceLimits::new(32, true);
    for choice in &choices {
        choice.build(&limits)?;
    }
    let settings = set
        .iter()
        .map(|text| name_and_value(text).ok_or_else(|| ChoiceError::Syntax { text: text.clone() }));
    let settings: Vec<(&str, &str)> = settings.collect::<Result<_, _>>()?;
    let mut taken = vec![false; settings.len()];
    for choice in &mut choices {
        choice.set_all(&settings, &mut taken, &limits)?;
    }
    if let Some(place) = taken.iter().position(|&taken| !taken) {
        let (name, value) = settings[place];
        let chosen: Vec<_> = choices.iter().map(Choice::name).collect();
        let known = choices.iter().filter_map(|choice| elevators::tunables(choice.spec()).ok());
        let known: Vec<_> = known.flatten().map(|tunable| tunable.name).collect();
        return Err(ChoiceError::NobodyHas {
            name: name.to_owned(),
            value: value.to_owned(),
            chosen: chosen.join(", "),
            nearest: nearest(name, known).map(str::to_owned),
        });
    }
    Ok(choices)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(list: &str, set: &[&str]) -> Result<Vec<String>, String> {
        let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
        let choices = parse(list, &set).map_err(|error| error.to_string())?;
        Ok(choices.into_iter().map(|choice| choice.spec).collect())
    }

    #[test]
    fn settings_go_to_every_scheduler_that_has_them() {
        for (list, set, expected) in [
            (
                "none,mq-deadline",
                &["fifo_batch = 2"][..],
                &["none", "mq-deadline:fifo_batch=2"][..],
            ),
            (
                "mq-deadline,mq-deadline:fifo_batch=1",
                &["read_expire=9", "writes_starved=3"],
                &[
                    "mq-deadline:read_expire=9,writes_starved=3",
                    "mq-deadline:fifo_batch=1,read_expire=9,writes_starved=3",
                ],
            ),
        ] {
            assert_eq!(parsed(list, set).unwrap(), expected);
        }
    }

    #[test]
    fn settings_go_to_the_variant_that_was_chosen() {
        let both = "cfq:generation=2.6.35,group_isolation=1";
        for (list, set, expected) in [
            ("cfq:generation=2.6.35", &["group_isolation=1"][..], Some(both)),
            ("cfq", &["generation=2.6.35", "group_isolation=1"], Some(both)),
            ("cfq", &["group_isolation=1", "generation=2.6.35"], Some(both)),
            ("cfq", &["group_isolation=1", "quantum=8"], None),
            ("cfq", &["group_isolation=1", "generation=2.6.32"], None),
        ] {
            match (parsed(list, set), expected) {
                (Ok(specs), Some(expected)) => assert_eq!(specs, [expected]),
                (Err(error), None) => assert!(error.starts_with("--set group_isolation=1: none")),
                (found, _) => panic!("{list} {set:?}: {found:?}"),
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (list, set, expected) in [
            ("", &[][..], "names no scheduler"),
            ("mq-deadlin", &[], "did you mean `mq-deadline`?"),
            ("mq-deadline:fifo_bach=8", &[], "did you mean `fifo_batch`?"),
            ("mq-deadline:fifo_batch=many", &[], "fifo_batch=many"),
            ("mq-deadline", &["fifo_batch=many"], "--set: fifo_batch=many"),
            ("bfq", &["low_latency=2"], "--set: low_latency=2: expected a number from 0 to 1"),
            (
                "none,all:low_latency=0,slice_idle=0",
                &[],
                "--scheduler all:low_latency=0,slice_idle=0: `all` has no tunables; expected all, \
                 and --set low_latency=0 --set slice_idle=0",
            ),
            ("none", &["fifo_batch=8"], "none of the chosen schedulers (none) has such a tunable"),
            ("none,bfq", &["slice_idl=8"], "has such a tunable; did you mean `slice_idle`?"),
            ("mq-deadline", &["fifo_batch"], "--set fifo_batch: expected NAME=VALUE"),
            ("mq-deadline", &["=8"], "--set =8: expected NAME=VALUE"),
        ] {
            let message = parsed(list, set).unwrap_err();
            assert!(message.contains(expected), "{list}: {message}");
        }
    }
}
