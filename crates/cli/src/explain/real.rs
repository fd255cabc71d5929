// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explaining a run on a real file or device.

use super::{Arguments, Plan};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::run;
use crate::watched::Watched;
use ::explain::{About, Explainer, Explanation};
use blk::SECTOR_BYTES;
use runner::{Config, Runner, SimultaneousOrder};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use uring::{EngineSettings, TargetSettings, drive};

/// What there is to say of a real target.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Run on this file or block device instead
    #[arg(long, value_name = "FILE|DEVICE", conflicts_with = "device")]
    pub target: Option<PathBuf>,
    /// Create the target with this size (4096, 64m, 10g; powers of 1024) for the run; of one that
    /// exists, use only the beginning
    #[arg(long, hide_short_help = true, value_name = "SIZE", requires = "target",
          value_parser = run::size_bytes)]
    size: Option<u64>,
    /// Let the jobs write to a target that exists. They overwrite its data
    #[arg(long, hide_short_help = true, requires = "target")]
    allow_write: bool,
    /// How many requests the target gets at a time
    #[arg(long, hide_short_help = true, value_name = "N", requires = "target", default_value_t = 32,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    depth: u32,
    /// Serve requests no faster than a disk that moves this many bytes per second, one request
    /// after the other (200m; powers of 1024)
    #[arg(long, hide_short_help = true, value_name = "SIZE", requires = "target",
          value_parser = run::rate_bytes_per_s)]
    limit_bytes_per_s: Option<NonZeroU64>,
}

/// Runs on the target, and gives what was found out and whether the run went wrong (the note says
/// how) or was stopped.
pub fn explain(
    arguments: &Arguments,
    plan: &Plan,
    path: &Path,
    interrupt: &Interrupt,
) -> Result<(Explanation, bool), Failure> {
    let options = &arguments.real;
    run::survive_the_file_size_limit()?;
    let settings = TargetSettings {
        path: path.to_owned(),
        size_bytes: options.size,
        writes: plan.jobs.iter().any(run::writes),
        allow_write: options.allow_write,
        direct: true,
        keep: false,
    };
    let target = run::open(&settings, arguments.output.quiet, interrupt)?;
    run::check_alignment(&plan.jobs, &target)?;
    let limits = run::limits(&target, &plan.settings, options.depth, None);
    let longest_bytes = limits.max_sectors * SECTOR_BYTES as u32;
    let settings = EngineSettings { depth: limits.depth, longest_bytes, kind: None };
    let mut engine = target.engine(settings).map_err(Failure::run)?;

    let explainer = Explainer::new(plan.cast.clone(), arguments.slowest);
    let elevator = explainer.elevator(&limits, &plan.tunables);
    let elevator = elevator.map_err(|error| Failure::usage(format!("--set: {error}")))?;
    let config = Config {
        jobs: &plan.jobs,
        group_weights: &plan.group_weights,
        settings: plan.settings,
        page_cache: None,
        limits,
        seed: arguments.work.seed,
        order: SimultaneousOrder::AsCreated,
    };
    let runner = Runner::new(&config, elevator).map_err(Failure::usage)?;
    let planned_ns = runner.planned_ns();
    let progress = Progress::new(format!("bfq on {}", path.display()), arguments.output.quiet);
    let mut watch = |now_ns| {
        progress.at(now_ns, planned_ns);
        run::go_on_unless(interrupt.requested())
    };
    let mut watched = Watched { runner, witness: explainer };
    let driven = drive(&mut watched, &mut engine, options.limit_bytes_per_s, &mut watch);
    progress.clear();
    let driven = driven.map_err(Failure::run)?;
    let mut notes = target.notes().to_vec();
    if driven.interrupted {
        notes.push("interrupted; this is about the time so far".to_owned());
    }
    notes.extend(driven.failures.iter().map(ToString::to_string));
    let about = About {
        bfq_version: env!("CARGO_PKG_VERSION").into(),
        mode: "run".into(),
        seed: Some(arguments.work.seed),
        device: path.display().to_string(),
        elapsed_ns: driven.elapsed_ns,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    };
    let failed = driven.interrupted || !driven.failures.is_empty();
    Ok((watched.witness.explanation(about), failed))
}
