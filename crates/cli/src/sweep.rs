// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq sweep`: hands a study over to the Python package, which simulates its cells.

use crate::failure::Failure;
use crate::values::{count, whole};
use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The module that does the work: docs/sweeps.md.
const MODULE: &str = "bfq.sweeps";

/// Which Python has the package.
const PYTHON_VARIABLE: &str = "BFQ_PYTHON";

/// The command line of `bfq sweep`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
#[command(after_long_help = "\
A study is a TOML file: job files, devices, schedulers, tunables and seeds, of which each \
combination is a cell. A cell that fails, takes too long or wants too much memory is a row with \
its error. What the folder has already is not simulated again: a sweep that was stopped goes on by \
the same command. Needs the Python package bfq with its extra `sweep` (and `ray`); the variable \
BFQ_PYTHON names another Python than python3. docs/sweeps.md has all of it.\n\
\n\
Examples:\n  \
  bfq sweep study.toml\n  \
  bfq sweep study.toml --ray auto --out results\n  \
  bfq sweep report results -o report.md\n\
\n\
Exit codes: 0 every cell has a result; 1 some have none, or it could not go on; 2 command line or \
study wrong.")]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    /// The study, a TOML file
    #[arg(required = true)]
    study: Option<PathBuf>,
    /// The folder of the table [default: NAME.sweep]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Simulate on a cluster of Ray: HOST:PORT, or auto
    #[arg(long, value_name = "ADDRESS")]
    ray: Option<OsString>,
    /// Processes, or tasks in flight [default: enough]
    #[arg(long, value_name = "N", value_parser = count::<u32>(),
          allow_negative_numbers = true)]
    workers: Option<u32>,
    /// Seconds that a cell may take [default: 60]
    #[arg(long, value_name = "S", value_parser = count::<u32>(),
          allow_negative_numbers = true)]
    time_limit: Option<u32>,
    /// MiB that a cell may take [default: 1024]
    #[arg(long, value_name = "MIB", value_parser = count::<u32>(),
          allow_negative_numbers = true)]
    memory_limit: Option<u32>,
    /// Tries more if a cell's process ends [default: 2]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=u32::MAX.into()),
          allow_negative_numbers = true)]
    retries: Option<u32>,
    /// Try those cells again that have no result
    #[arg(long)]
    again: bool,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Say what came out: who wins where, which tunables matter
    Report {
        /// The folder of the table
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The report, in Markdown, with its drawings beside it [default: DIR/report.md]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// Runs the command; it returns only if that fails.
///
/// # Errors
/// With exit code 1 if there is no such Python, or it lacks the package.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let python = env::var_os(PYTHON_VARIABLE).unwrap_or_else(|| "python3".into());
    let name = python.to_string_lossy();
    let probe = format!("import importlib.util as i; exit(not i.find_spec({MODULE:?}))");
    let found = Command::new(&python).args(["-c", &probe]).stderr(Stdio::null()).status();
    match found {
        Ok(status) if status.success() => {}
        Ok(_) => {
            return Err(Failure::run(format!(
                "{name} has no package {MODULE}; in a copy of the repository, \
                 `{name} -m pip install './bindings/python[sweep]'` installs it; \
                 {PYTHON_VARIABLE} names another Python"
            )));
        }
        Err(error) => {
            return Err(Failure::run(format!("{name}: {error}; {PYTHON_VARIABLE} names another")));
        }
    }
    let mut command = Command::new(&python);
    let error = command.args(["-m", MODULE]).args(arguments.words()).exec();
    Err(Failure::run(format!("{name}: {error}")))
}

impl Arguments {
    /// The same command line, for the module.
    fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        if let Some(What::Report { folder, output }) = &self.what {
            words.extend(["report".into(), folder.into()]);
            option(&mut words, "--output", output.as_ref());
            return words;
        }
        words.extend(self.study.iter().map(OsString::from));
        option(&mut words, "--out", self.out.as_ref());
        option(&mut words, "--ray", self.ray.as_ref());
        for (name, number) in [
            ("--workers", self.workers),
            ("--time-limit", self.time_limit),
            ("--memory-limit", self.memory_limit),
            ("--retries", self.retries),
        ] {
            option(&mut words, name, number.map(|number| number.to_string()));
        }
        words.extend(self.again.then(|| "--again".into()));
        words.extend(self.quiet.then(|| "--quiet".into()));
        words
    }
}

/// An option with its value, in one word, so that a value may begin with a dash.
fn option(words: &mut Vec<OsString>, name: &str, value: Option<impl Into<OsString>>) {
    if let Some(value) = value {
        let mut word = OsString::from(format!("{name}="));
        word.push(value.into());
        words.push(word);
    }
}
