// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is run, as the Python half hands it over: by the names and in the words of the command.

use crate::errors::usage;
use crate::files::GivenFiles;
use base::shell::quoted;
use lab::{PolicyName, Work, duration_ns};
use pyo3::prelude::*;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use workload::ReplayMode;

/// The attributes of `bfq._arguments.Arguments`.
#[derive(FromPyObject)]
pub(crate) struct Arguments {
    /// The files' names.
    job_files: Vec<PathBuf>,
    /// What is no file, though it has the name of one: the name and the text.
    texts: Vec<(PathBuf, String)>,
    /// One device, perhaps with values to override.
    pub(crate) device: OsString,
    /// One scheduler, perhaps with tunables.
    pub(crate) scheduler: String,
    seed: u64,
    runtime: Option<String>,
    replay: Option<String>,
    ignore_unsupported: bool,
    tunables: Vec<String>,
    groups: Vec<String>,
    queue: Vec<String>,
    pub(crate) vm: Vec<String>,
}

impl Arguments {
    /// The work that is asked for.
    ///
    /// # Errors
    /// If a time or a mode is wrong.
    pub(crate) fn work(&self) -> PyResult<Work> {
        let wrong = |name: &'static str| move |error: String| usage(format!("{name}: {error}"));
        let runtime_ns = self.runtime.as_deref().map(duration_ns).transpose();
        let replay = self.replay.as_deref().map(ReplayMode::by_name).transpose();
        Ok(Work {
            job_files: self.job_files.clone(),
            replay: replay.map_err(wrong("replay"))?,
            ignore_unsupported: self.ignore_unsupported,
            runtime_ns: runtime_ns.map_err(wrong("runtime"))?,
            set: self.tunables.clone(),
            groups: self.groups.clone(),
            queue: self.queue.clone(),
            seed: self.seed,
        })
    }

    /// Where the files are: texts that were handed over, and the disk.
    pub(crate) fn files(&self) -> GivenFiles<'_> {
        GivenFiles::new(&self.texts)
    }

    /// The command that does the same, for a shell. It needs texts in files of their names.
    pub(crate) fn command(&self) -> String {
        let mut words = vec!["bfq".to_owned(), "sim".to_owned()];
        words.extend(self.job_files.iter().map(|name| quoted(name.as_os_str().as_encoded_bytes())));
        let mut option = |name: &str, value: &OsStr| {
            words.push(name.to_owned());
            words.push(quoted(value.as_encoded_bytes()));
        };
        option("--device", &self.device);
        option("--scheduler", self.scheduler.as_ref());
        option("--seed", self.seed.to_string().as_ref());
        for (name, value) in [("--runtime", &self.runtime), ("--replay", &self.replay)] {
            value.iter().for_each(|value| option(name, value.as_ref()));
        }
        for (name, values) in [
            ("--set", &self.tunables),
            ("--group", &self.groups),
            ("--queue", &self.queue),
            ("--vm", &self.vm),
        ] {
            values.iter().for_each(|value| option(name, value.as_ref()));
        }
        if self.ignore_unsupported {
            words.push("--ignore-unsupported".to_owned());
        }
        words.join(" ")
    }
}

/// The schedulers that tell their decisions, for messages.
pub(crate) fn tellers() -> String {
    let names: Vec<&str> = PolicyName::ALL.iter().map(|policy| policy.name()).collect();
    names.join(" or ")
}
