// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every candidate is chosen once before anything is written or measured: so it is known early what
//! the kernel refuses, and which of them, if any, is what the disk had.

use super::error::RunError;
use host::{Candidate, Machine, QueueTunables};

/// The candidates can be chosen.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tried {
    /// What the disk had, as a candidate is written; none if disks of the target had different
    /// tunables.
    pub(super) current: Option<String>,
    /// What is to be said of it.
    pub(super) note: Option<String>,
}

/// Chooses one candidate after the other. `scheduler` is the one in force, which the candidates are
/// compared with: one of its name is what the disk had only if its tunables are, too.
///
/// # Errors
/// [`RunError::Candidate`], or tunables cannot be read.
pub(super) fn try_all(
    machine: &mut dyn Machine,
    candidates: &[Candidate],
    scheduler: &str,
) -> Result<Tried, RunError> {
    let found = machine.tunables()?;
    let (mut current, mut is_named) = (None, false);
    for candidate in candidates {
        machine.select(candidate).map_err(RunError::Candidate)?;
        if candidate.scheduler == scheduler {
            is_named = true;
            if current.is_none() && machine.tunables()? == found {
                current = Some(candidate.to_string());
            }
        }
    }
    if current.is_some() || !is_named {
        let current = current.or_else(|| Some(scheduler.to_owned()));
        return Ok(Tried { current, note: None });
    }
    machine.select(&Candidate::plain(scheduler)).map_err(RunError::Candidate)?;
    let tuned = tuned(scheduler, &found, &machine.tunables()?);
    let note = format!(
        "{} as it is set now is not among what is compared: a tunable that --schedulers does not \
         name has its default there",
        tuned.as_ref().map_or(scheduler.to_owned(), Candidate::to_string)
    );
    Ok(Tried { current: tuned.map(String::from), note: Some(note) })
}

/// The scheduler with those tunables that are not at their defaults, if these are the same on all
/// disks.
fn tuned(
    scheduler: &str,
    found: &[QueueTunables],
    defaults: &[QueueTunables],
) -> Option<Candidate> {
    let differ = |(found, defaults): (&QueueTunables, &QueueTunables)| -> Vec<_> {
        let is_other = |(name, value): &(&String, &String)| defaults.get(*name) != Some(*value);
        let other = found.iter().filter(is_other);
        other.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let mut of_disks = found.iter().zip(defaults).map(differ);
    let tunables = of_disks.next()?;
    let is_told = !tunables.is_empty() || found == defaults;
    let is_same = is_told && of_disks.all(|of_disk| of_disk == tunables);
    is_same.then(|| Candidate { scheduler: scheduler.to_owned(), tunables })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Metric;
    use crate::tests::made_up_runs::{TrueValues, measurements, opening};
    use crate::verdict::judge;
    use host::MachineError;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// A machine of disks whose bfq has two tunables.
    struct Fake(Vec<QueueTunables>);

    fn bfq(low_latency: &str, slice_idle: &str) -> QueueTunables {
        let pairs = [("low_latency", low_latency), ("slice_idle", slice_idle)];
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    impl Machine for Fake {
        fn select(&mut self, candidate: &Candidate) -> Result<(), MachineError> {
            for disk in &mut self.0 {
                *disk = if candidate.scheduler == "bfq" { bfq("1", "8") } else { [].into() };
                for (name, value) in &candidate.tunables {
                    let tunable = disk.get_mut(name);
                    let tunable = tunable.ok_or_else(|| MachineError::new("no such tunable"))?;
                    tunable.clone_from(value);
                }
            }
            Ok(())
        }

        fn tunables(&self) -> Result<Vec<QueueTunables>, MachineError> {
            Ok(self.0.clone())
        }

        fn group(&mut self, _: &str, _: u32) -> Result<PathBuf, MachineError> {
            unreachable!()
        }

        fn scratch(&mut self, _: &Path) -> Result<PathBuf, MachineError> {
            unreachable!()
        }

        fn mark(&self, _: &mut Command) {}

        fn restore(&mut self) -> Result<(), MachineError> {
            Ok(())
        }
    }

    fn tried(found: &[QueueTunables], list: &[&str], scheduler: &str) -> Result<Tried, RunError> {
        let candidates: Vec<_> = list.iter().map(|text| text.parse().unwrap()).collect();
        try_all(&mut Fake(found.to_vec()), &candidates, scheduler)
    }

    #[test]
    fn what_is_set_now_has_its_tunables() {
        let default = || bfq("1", "8");
        let tuned = "bfq:low_latency=0";
        for (found, candidates, scheduler, current) in [
            (vec![default()], &["none", "bfq"][..], "bfq", Some("bfq")),
            (vec![bfq("0", "8")], &["none", "bfq"], "bfq", Some(tuned)),
            (vec![bfq("0", "8")], &["none", "bfq", tuned], "bfq", Some(tuned)),
            (vec![default()], &["none", tuned], "bfq", Some("bfq")),
            (vec![bfq("0", "8"), default()], &["none", "bfq"], "bfq", None),
            (vec![[].into()], &["none", "bfq"], "none", Some("none")),
            (vec![bfq("0", "8")], &["none"], "bfq", Some("bfq")),
        ] {
            let tried = tried(&found, candidates, scheduler).unwrap();
            assert_eq!(tried.current.as_deref(), current, "{found:?} {candidates:?}");
            let is_compared = current.is_some_and(|current| candidates.contains(&current));
            let is_named = candidates.iter().any(|name| name.starts_with(scheduler));
            assert_eq!(tried.note.is_some(), is_named && !is_compared, "{tried:?}");
        }
    }

    #[test]
    fn defaults_that_were_measured_are_not_called_set_where_others_are() {
        let table: [TrueValues; 1] = [("start-readers", Metric::StartUp, &[2.0, 9.0])];
        let mut opening = opening(&["none", "bfq"], &table);
        let mut said = |found: QueueTunables| {
            opening.current = tried(&[found], &["none", "bfq"], "bfq").unwrap().current;
            let measured = measurements(&opening, &table, 8, 0.02, 1);
            judge(&opening, &measured, &["desktop".parse().unwrap()]).to_string()
        };
        assert!(said(bfq("1", "8")).contains("(beside bfq, which is set now)"));
        assert!(!said(bfq("0", "8")).contains("set now"));
    }

    #[test]
    fn a_candidate_that_cannot_be_chosen_is_wrong_input() {
        let error = tried(&[[].into()], &["none", "bfq:nonsense=1"], "none").unwrap_err();
        assert!(error.is_usage(), "{error}");
        assert_eq!(error.to_string(), "--schedulers: no such tunable");
    }
}
