// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq top`: who has the disks of this machine, who waits, and for what.

mod failing;
mod input;
mod plain;
mod terminal;
mod timing;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::note::note;
use crate::output::{self, FormOption, Format, printed};
use crate::restore;
use crate::streams::{print_aside, terminal_is_dumb};
use crate::values::new_file;
use ::top::{Metrics, Watch};
use failing::failure;
use host::Host;
use host::restore::Purpose;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use timing::Timing;

/// What help says of JSON.
const JSON_HELP: &str = "JSON is a line for each interval, as docs/schema/top.schema.json says; \
                         there is no screen then.";

/// The command line of `bfq top`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output_format", |form| printed(form, JSON_HELP)))]
#[command(after_long_help = "\
Shows for each disk, process and control group what it moves, its share of the disk's time, how \
long its I/O waits to be given to the disk, and how long the disk takes; of a control group the \
share that is its due, too. docs/top.md says how each figure is defined. It works under any elevator.\n\
On a terminal it is a screen (h: help); elsewhere, or with TERM=dumb, a table for each interval.\n\
Needs root, or CAP_DAC_OVERRIDE where the kernel is not locked down: it traces the kernel's block \
layer, in an instance of tracefs of its own, which it removes at its end.\n\
\n\
Examples:\n  \
  sudo bfq top\n  \
  sudo bfq top sda --output-format json --for 10s\n  \
  sudo bfq top sda --record x.trace --for 60s && bfq what-if x.trace\n\
\n\
Exit codes: 0 done; 1 failed while running; 2 command line wrong, or tracing is not possible.")]
pub struct Arguments {
    /// Look at these disks only: sda, or a folder, file or device on it
    #[arg(value_name = "DISK", conflicts_with = "restore")]
    disks: Vec<PathBuf>,
    /// Print a table for each interval
    #[arg(long, conflicts_with_all = ["restore", "json", "output_format"])]
    batch: bool,
    #[command(flatten)]
    form: FormOption<Format>,
    /// End after so long: 10s, 2m
    #[arg(long = "for", value_name = "T", value_parser = lab::duration_ns,
          allow_negative_numbers = true, conflicts_with = "restore")]
    for_ns: Option<u64>,
    /// How long an interval is
    #[arg(long = "interval", value_name = "T", default_value = "2s",
          value_parser = lab::duration_ns, allow_negative_numbers = true)]
    interval_ns: u64,
    /// Write what happens to FILE: a trace for bfq what-if and bfq sim
    #[arg(long, value_name = "FILE", conflicts_with = "restore", value_parser = new_file())]
    record: Option<PathBuf>,
    /// Serve metrics at http://ADDRESS/metrics: 127.0.0.1:9187
    ///
    /// Totals of disks and control groups, and the figures of the last interval. With port 0 the
    /// system chooses one, which is told.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "restore")]
    openmetrics: Option<SocketAddr>,
    /// Remove what a bfq top that was killed has left
    #[arg(long, conflicts_with_all = ["output_format", "json"])]
    restore: bool,
    /// Where it is written down what --restore removes [default: /var/lib/bfq/top]
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    journals: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if there is no such disk or no tracing, with 1 if it fails while running.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.restore {
        return restore::run(Purpose::Top, arguments.journals.as_deref(), false);
    }
    output::check(arguments.record.as_deref())?;
    let host = Host::here();
    let interrupt = Interrupt::listen_to_put_back()?;
    let folder = arguments.journals.as_deref();
    let journals = folder.unwrap_or(Path::new(Purpose::Top.journals_folder()));
    let mut watch = Watch::start(&host, &arguments.disks, journals).map_err(failure)?;
    if watch.is_in_container() {
        note(
            "note: these are the control groups of a container: what is due to them is of what the \
             container gets",
        );
    }
    if let Some(path) = &arguments.record {
        watch.record(path).map_err(failure)?;
    }
    if let Some(address) = arguments.openmetrics {
        let metrics = Metrics::listen(address)
            .map_err(|error| Failure::usage(format!("--openmetrics {error}")))?;
        if address.port() == 0 {
            print_aside(&format!("http://{}/metrics\n", metrics.address()))?;
        }
        watch.serve(metrics);
    }
    let timing = Timing {
        interval: Duration::from_nanos(arguments.interval_ns),
        length: arguments.for_ns.map(Duration::from_nanos),
    };
    let json = arguments.form.is_json();
    let is_screen = !arguments.batch && !json && terminal::is_there();
    let is_dumb = terminal_is_dumb();
    if is_screen && is_dumb {
        note(
            "note: this terminal cannot be drawn on (TERM is dumb or not set); \
             a table for each interval instead, as of --batch",
        );
    }
    let shown = match is_screen && !is_dumb {
        true => terminal::show(&mut watch, &timing, &interrupt),
        false => plain::show(&mut watch, &timing, json, &interrupt),
    };
    let ended = end(watch);
    shown.and(ended)
}

/// Ends it all, and says if the recording is not whole.
fn end(mut watch: Watch) -> Result<(), Failure> {
    let recorded = watch.end_recording();
    if let Ok(Some(recorded)) = &recorded
        && let Some(complaint) = recorded.complaint()
    {
        note(&complaint);
    }
    watch.end().map_err(failure)?;
    recorded.map(drop).map_err(failure)
}
