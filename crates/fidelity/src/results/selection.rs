// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of the recorded cases are compared, and the comparisons of all of them.

use super::behaviours::{BehaviourComparison, compare_behaviours};
use super::case::Case;
use super::error::ResultsError;
use super::recording::{Recording, cases, read_recordings};
use super::repeated::{JobComparison, repeat};
use std::ops::ControlFlow;
use std::path::Path;
use workload::Job;

/// Which of the recorded cases are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Those of these schedulers, as the recordings call them; if there is none, of all.
    pub schedulers: Vec<String>,
    /// Those of these scenarios; if there is none, of all.
    pub scenarios: Vec<String>,
    /// Those of bfq only, the one scheduler that has a behaviour of its own beside the kernel's.
    pub only_bfq: bool,
}

/// The cases of a selection, and the recordings that they are from. There is at least one case.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedCases {
    recordings: Vec<Recording>,
    cases: Vec<Case>,
}

/// Is told before each case how many of all are done, and says whether to go on.
pub type Observe<'o> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'o;

impl Selection {
    fn has(&self, case: &Case) -> bool {
        let is_wanted = |list: &[String], name: &String| list.is_empty() || list.contains(name);
        case.is_comparable()
            && (case.is_of_bfq() || !self.only_bfq)
            && is_wanted(&self.schedulers, &case.scheduler)
            && is_wanted(&self.scenarios, &case.scenario)
    }
}

impl SelectedCases {
    /// Reads the recordings of a file, as [`read_recordings`] does, and selects from their cases.
    ///
    /// # Errors
    /// If the file cannot be read or is wrong, or no case of it is selected.
    pub fn read(path: &Path, selection: &Selection) -> Result<Self, ResultsError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ResultsError::Unreadable { path: path.to_owned(), source })?;
        let recordings = read_recordings(&text)?;
        let mut cases = cases(&recordings);
        cases.retain(|case| selection.has(case));
        if cases.is_empty() {
            return Err(ResultsError::NoCase { path: path.to_owned() });
        }
        Ok(SelectedCases { recordings, cases })
    }

    /// Repeats each case, as [`repeat`] does. `scenarios` is the folder of the job files, which are
    /// called as the scenarios are.
    ///
    /// # Errors
    /// If a job file is wrong, a simulation fails, or the caller does not want to go on.
    pub fn repeat_all(
        &self,
        scenarios: &Path,
        observe: &mut Observe<'_>,
    ) -> Result<Vec<JobComparison>, ResultsError> {
        let lines =
            self.of_each(scenarios, observe, |case, jobs| repeat(&self.recordings, case, jobs))?;
        Ok(lines.into_iter().flatten().collect())
    }

    /// Simulates each case under both behaviours, as [`compare_behaviours`] does.
    ///
    /// # Errors
    /// As for [`repeat_all`](Self::repeat_all).
    pub fn compare_behaviours(
        &self,
        scenarios: &Path,
        observe: &mut Observe<'_>,
    ) -> Result<Vec<BehaviourComparison>, ResultsError> {
        self.of_each(scenarios, observe, compare_behaviours)
    }

    /// What `compare` makes of each case and the jobs of its scenario.
    fn of_each<T>(
        &self,
        scenarios: &Path,
        observe: &mut Observe<'_>,
        compare: impl Fn(&Case, &[Job]) -> Result<T, ResultsError>,
    ) -> Result<Vec<T>, ResultsError> {
        let of_one = |(done, case): (usize, &Case)| {
            if observe(done, self.cases.len()).is_break() {
                return Err(ResultsError::Interrupted);
            }
            let jobs = workload::load(&scenarios.join(format!("{}.fio", case.scenario)))?;
            compare(case, &jobs)
        };
        self.cases.iter().enumerate().map(of_one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn recordings() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("data/results/kernel-results.csv")
    }

    fn selected(selection: &Selection) -> Result<SelectedCases, ResultsError> {
        SelectedCases::read(&recordings(), selection)
    }

    fn one(name: &str) -> Vec<String> {
        vec![name.to_owned()]
    }

    #[test]
    fn what_is_selected_is_comparable_and_of_the_names_asked_for() {
        let all = selected(&Selection::default()).unwrap();
        assert!(all.cases.iter().all(Case::is_comparable));
        let bfq = selected(&Selection { only_bfq: true, ..Selection::default() }).unwrap();
        assert!(bfq.cases.iter().all(Case::is_of_bfq) && bfq.cases.len() < all.cases.len());
        let scenario = &all.cases[0].scenario;
        let of_one = selected(&Selection { scenarios: one(scenario), ..Selection::default() });
        assert!(of_one.unwrap().cases.iter().all(|case| case.scenario == *scenario));
        let nothing = Selection { schedulers: one("none"), only_bfq: true, ..Selection::default() };
        let error = selected(&nothing).unwrap_err();
        assert!(matches!(error, ResultsError::NoCase { .. }) && error.is_usage(), "{error}");
    }

    #[test]
    fn a_caller_that_does_not_want_to_go_on_and_a_missing_job_file_are_errors() {
        let cases = selected(&Selection::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut told = None;
        let stopped = cases.repeat_all(folder.path(), &mut |done, all| {
            told = Some((done, all));
            ControlFlow::Break(())
        });
        assert_eq!(told, Some((0, cases.cases.len())));
        assert!(!stopped.unwrap_err().is_usage());
        let error = cases.compare_behaviours(folder.path(), &mut |_, _| ControlFlow::Continue(()));
        let error = error.unwrap_err();
        assert!(matches!(error, ResultsError::Jobs(_)) && error.is_usage(), "{error}");
    }
}
