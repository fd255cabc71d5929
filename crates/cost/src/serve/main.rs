// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `bfq serve` gives its clients, beside nbdkit, qemu-nbd and qemu-storage-daemon:
//! `make serve-bench`.
//!
//! All servers of a comparison run at the same time and are asked in turn by the same client, in
//! random order; ratios are of neighbours. Figures of speed are of one machine; shares and
//! latencies are those of an emulated disk.

mod error;
mod latency;
mod load;
mod servers;
mod shares;
mod speed;

use clap::Parser;
use error::BenchError;
use serde_json::json;
use servers::Place;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Debug, Parser)]
#[command(version, about)]
struct Arguments {
    /// The bfq command
    #[arg(long)]
    bfq: PathBuf,
    /// The file to write
    #[arg(long, default_value = "out/serve.json")]
    output: PathBuf,
    /// A folder in memory
    #[arg(long, default_value = "/dev/shm")]
    memory: PathBuf,
    /// How often each load is measured on each server
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Seconds of a round of speed
    #[arg(long, default_value_t = 1)]
    seconds: u64,
    /// Seconds of each measurement of shares and latencies
    #[arg(long, default_value_t = 5)]
    share_seconds: u64,
    /// Only one part: speed, shares or latency
    #[arg(long)]
    only: Option<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Speed,
    Shares,
    Latency,
}

fn main() -> ExitCode {
    match perform(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("serve-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn perform(arguments: &Arguments) -> Result<(), BenchError> {
    let in_folder = |path: &PathBuf, source| BenchError::File { path: path.clone(), source };
    let folder = tempfile::tempdir_in(&arguments.memory)
        .map_err(|source| in_folder(&arguments.memory, source))?;
    let place = Place { bfq: arguments.bfq.clone(), folder: folder.path().to_owned() };
    let wanted = |part| arguments.only.is_none_or(|only| only == part);
    let share_length = Duration::from_secs(arguments.share_seconds);
    let mut result = serde_json::Map::new();
    if wanted(Part::Speed) {
        let length = Duration::from_secs(arguments.seconds);
        result.insert("speed".into(), speed::measure(&place, arguments.rounds, length)?);
    }
    if wanted(Part::Shares) {
        result.insert("shares".into(), shares::measure(&place, share_length)?);
    }
    if wanted(Part::Latency) {
        result.insert("latency".into(), latency::measure(&place, share_length)?);
    }
    if let Some(parent) = arguments.output.parent() {
        std::fs::create_dir_all(parent).map_err(|source| in_folder(&arguments.output, source))?;
    }
    std::fs::write(&arguments.output, format!("{:#}\n", json!(result)))
        .map_err(|source| in_folder(&arguments.output, source))?;
    println!("written to {}", arguments.output.display());
    Ok(())
}
