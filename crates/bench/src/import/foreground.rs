// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of the jobs of a run is the foreground: the job that a user waits for while
//! the others work.

use super::figures::{Jobs, Role};

/// The foreground of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Foreground {
    /// The job of this name, because the user says so.
    Named(String),
    /// The job of this name, which is the only one of its run that has this.
    Guessed { job: String, because: String },
    /// None of these can be told from the others.
    Unclear(Vec<String>),
    /// Nothing runs beside anything.
    Alone,
}

impl Foreground {
    /// That of these jobs: the one that is named, or the only one that waits or paces itself, or
    /// the only one with a single I/O in flight beside deeper ones.
    ///
    /// # Errors
    /// The name, if there is no such job.
    pub fn among(all: &[Jobs], named: Option<&str>) -> Result<Self, String> {
        if let Some(job) = named {
            let is_there = all.iter().any(|jobs| jobs.name == job);
            return is_there.then(|| Foreground::Named(job.to_owned())).ok_or(job.to_owned());
        }
        if all.len() < 2 {
            return Ok(Foreground::Alone);
        }
        let waits = all.iter().filter_map(|jobs| Some((jobs, jobs.waits()?.to_owned())));
        let shallow = all.iter().filter(|jobs| jobs.in_flight() == 1);
        let shallow = shallow.map(|jobs| (jobs, "1 I/O in flight beside deeper ones".to_owned()));
        let guesses: [Vec<(&Jobs, String)>; 2] = [waits.collect(), shallow.collect()];
        let guess = guesses.iter().find_map(|guess| match &guess[..] {
            [(jobs, because)] => Some((jobs.name.to_owned(), because.clone())),
            _ => None,
        });
        Ok(match guess {
            Some((job, because)) => Foreground::Guessed { job, because },
            None => Foreground::Unclear(all.iter().map(|jobs| jobs.name.to_owned()).collect()),
        })
    }

    /// What a job is.
    pub fn role_of(&self, name: &str) -> Role {
        match self {
            Foreground::Named(job) | Foreground::Guessed { job, .. } if job == name => {
                Role::Foreground
            }
            Foreground::Named(_) | Foreground::Guessed { .. } => Role::Background,
            Foreground::Unclear(_) | Foreground::Alone => Role::Alone,
        }
    }

    /// What was concluded and not said by the user.
    pub fn conclusion(&self) -> Option<String> {
        match self {
            Foreground::Guessed { job, because } => Some(format!(
                "the job `{job}` is taken for the foreground, as it alone has {because} \
                 (--foreground JOB names another)"
            )),
            Foreground::Unclear(jobs) => Some(format!(
                "which of the jobs {} is the foreground cannot be told (--foreground JOB names it), \
                 so each is judged by everything",
                jobs.join(", ")
            )),
            Foreground::Named(_) | Foreground::Alone => None,
        }
    }
}
