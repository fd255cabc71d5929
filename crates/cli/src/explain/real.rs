// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explaining a run on a real file or device.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::run;
use crate::values::whole;
use ::explain::Explanation;
use lab::{ExplainPlan, TargetOptions};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Where nothing is run. (That they conflict with what an option requires does not suffice: clap
/// waives a requirement that conflicts with what is given.)
const RECORDED: [&str; 2] = ["kernel", "recording"];

/// What there is to say of a real target.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Run on this file or block device instead
    #[arg(long, value_name = "FILE|DEVICE", conflicts_with = "device")]
    target: Option<PathBuf>,
    /// Create the target with this size (4096, 64m, 10g; powers of 1024) for the run; of one that
    /// exists, use only the beginning
    #[arg(long, hide_short_help = true, value_name = "SIZE", requires = "target",
          conflicts_with_all = RECORDED, value_parser = base::size::size_bytes)]
    size: Option<u64>,
    /// Let the jobs write to a target that exists. They overwrite its data
    #[arg(long, hide_short_help = true, requires = "target", conflicts_with_all = RECORDED)]
    allow_write: bool,
    /// How many requests the target gets at a time
    #[arg(long, hide_short_help = true, value_name = "N", requires = "target", default_value_t = 32,
          conflicts_with_all = RECORDED, value_parser = whole::<u32>(1..=1024),
          allow_negative_numbers = true)]
    depth: u32,
    /// Serve requests no faster than a disk that moves this many bytes per second, one request
    /// after the other (200m; powers of 1024)
    #[arg(long, hide_short_help = true, value_name = "SIZE", requires = "target",
          conflicts_with_all = RECORDED, value_parser = run::rate_bytes_per_s)]
    limit_bytes_per_s: Option<NonZeroU64>,
}

impl Options {
    /// The target and how it is used, if there is one.
    pub fn target(&self) -> Option<TargetOptions> {
        Some(TargetOptions {
            path: self.target.clone()?,
            size_bytes: self.size,
            allow_write: self.allow_write,
            depth: self.depth,
            limit_bytes_per_s: self.limit_bytes_per_s,
            rotational: None,
            engine: None,
            buffered: false,
            keep: false,
        })
    }
}

/// Runs on the target, and gives what was found out and whether the run went wrong (the note says
/// how) or was stopped.
pub fn explain(
    plan: &ExplainPlan,
    target: &TargetOptions,
    interrupt: &Interrupt,
    quiet: bool,
) -> Result<(Explanation, bool), Failure> {
    run::survive_the_file_size_limit()?;
    let mut stage = run::filled(&target.path, quiet, interrupt, |fill| {
        plan.stage(target, fill).map_err(Failure::of)
    })?;
    let what = format!("{} on {}", plan.scheduler().name(), target.path.display());
    let progress = Progress::new(what, quiet);
    let rate = target.limit_bytes_per_s;
    let explained = plan.on_target(&mut stage, rate, &mut |now_ns, planned_ns| {
        progress.at(now_ns, planned_ns);
        interrupt.go_on()
    });
    progress.clear();
    explained.map_err(Failure::of)
}
