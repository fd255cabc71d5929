// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explaining what the scheduler of a real machine did, from a recording of it.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{self, Format, OutputOptions};
use crate::progress::Progress;
use crate::values;
use ::explain::RecordedRun;
use host::{Decisions, DecisionsError};
use lab::Draft;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The options that say what is run, where nothing is.
const OPTIONS_OF_RUNS: [&str; 12] = [
    "job_files",
    "scheduler",
    "replay",
    "ignore_unsupported",
    "set",
    "queue",
    "group",
    "seed",
    "runtime",
    "vm",
    "device",
    "target",
];

/// Where a recording comes from.
#[derive(Debug, clap::Args)]
pub struct Source {
    /// Look at the scheduler of this disk at work
    ///
    /// A disk (sda, nvme0n1) that is under the kernel module of this project. Needs root.
    #[arg(long, value_name = "DISK", conflicts_with = "recording",
          conflicts_with_all = OPTIONS_OF_RUNS)]
    pub kernel: Option<String>,
    /// For how long: 10s, 500ms, 2m; Ctrl-C ends it earlier
    #[arg(long = "for", hide_short_help = true, value_name = "T", requires = "kernel",
          conflicts_with_all = ["job_files", "recording"], default_value = "10s",
          value_parser = lab::duration_ns, allow_negative_numbers = true)]
    for_ns: u64,
    /// Keep what was seen in this file, for --recording (and, if the module records from attach on,
    /// for bfq fidelity)
    #[arg(long, hide_short_help = true, value_name = "FILE", requires = "kernel",
          conflicts_with_all = ["job_files", "recording"], value_parser = values::new_file())]
    save: Option<PathBuf>,
    /// Look at a recording that was kept
    #[arg(long, value_name = "FILE", conflicts_with_all = OPTIONS_OF_RUNS,
          value_parser = values::input())]
    pub recording: Option<PathBuf>,
}

impl Source {
    /// Whether there is a recording to be explained, and no jobs to be run.
    pub fn are_given(&self) -> bool {
        self.kernel.is_some() || self.recording.is_some()
    }
}

/// Says who did I/O, or why that of a job took as long as it did.
///
/// # Errors
/// With exit code 2 if there is no such recording, disk or job, with 1 if reading fails.
pub fn run(
    options: &Source,
    job: Option<&str>,
    slowest: usize,
    output: &OutputOptions,
) -> Result<(), Failure> {
    output.check(&options.recording)?;
    output::check(options.save.as_deref())?;
    let (bytes, source) = match (&options.kernel, &options.recording) {
        (Some(disk), _) => (watch(options, disk, output.quiet)?, disk.clone()),
        (None, Some(path)) => (read(path)?, path.display().to_string()),
        (None, None) => return Err(Failure::usage("expected --kernel or --recording")),
    };
    let malformed = |error| Failure::usage(format!("{source}: {error}"));
    let run = RecordedRun::read(bytes).map_err(malformed)?;
    let version = env!("CARGO_PKG_VERSION");
    let json = output.format() == Format::Json;
    let text = match job {
        None if json => run.overview(version).to_json(),
        None => run.overview(version).text(output.look()),
        Some(job) => {
            let explanation = run.explanation(job, slowest, version);
            let explanation = explanation.map_err(Failure::usage)?;
            if json { explanation.to_json() } else { explanation.text(output.look()) }
        }
    };
    output.write_text(&text)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// Reads from the kernel for a while.
fn watch(options: &Source, disk: &str, quiet: bool) -> Result<Vec<u8>, Failure> {
    let stream = Decisions::open(Path::new("/sys"), disk).map_err(no_stream)?;
    let interrupt = Interrupt::listen()?;
    let progress = Progress::new(format!("reading {}", stream.path().display()), quiet);
    let bytes = stream.read_for(Duration::from_nanos(options.for_ns), &mut |elapsed| {
        progress.at(elapsed.as_nanos() as u64, Some(options.for_ns));
        if interrupt.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    progress.clear();
    let bytes = bytes.map_err(Failure::run)?;
    if let Some(path) = &options.save {
        let saved = Draft::create(path).and_then(|mut draft| {
            draft.file().write_all(&bytes)?;
            draft.finish()
        });
        saved.map_err(|error| Failure::run(format!("cannot write {}: {error}", path.display())))?;
    }
    Ok(bytes)
}

/// Why the scheduler of a disk cannot be looked at, with the option that names the disk.
fn no_stream(error: DecisionsError) -> Failure {
    match error {
        DecisionsError::NoDebugfs | DecisionsError::Unreadable { .. } => Failure::usage(error),
        of_disk => Failure::usage(format!("--kernel {of_disk}")),
    }
}
