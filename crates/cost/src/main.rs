// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the schedulers cost a request, and how fast the simulator is: `make cost`.
//!
//! Instructions are counted by valgrind's callgrind, as the difference of two runs of different
//! length, and repeat exactly. Times of the same load: `benches/closed_loop.rs`.

mod check;
mod comparison;
mod counting;
mod error;
mod growth;
mod kernel;
mod peers;
mod reference;
mod simulator;

use clap::{Parser, Subcommand};
use cost::closed_loop::{ClosedLoop, PROCESSES};
use counting::{ONLY_CALLS, TURNS_COUNTED, instructions};
use error::CostError;
use growth::Grown;
use kernel::{Kernel, SHAPES, Shape};
use peers::Peers;
use serde_json::{Map, Value, json};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

#[derive(Debug, Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run everything and write the figures
    All {
        /// The bfq command, for the simulator's speed
        #[arg(long)]
        bfq: PathBuf,
        /// The file to write
        #[arg(long, default_value = "out/cost.json")]
        output: PathBuf,
        #[command(flatten)]
        peers: Peers,
    },
    /// Run the closed loop (what callgrind looks at)
    Loop {
        #[arg(help = "The scheduler")]
        scheduler: String,
        /// Number of processes
        processes: u32,
        /// Insertions, dispatches and completions
        turns: u64,
    },
    /// Call the core as a kernel does (what callgrind looks at)
    Kernel {
        /// Who submits: single, batches, processes, groups, …
        shape: String,
        /// Requests to serve
        requests: u64,
    },
    /// Run the simulator (what callgrind looks at)
    Simulate {
        #[arg(help = "The scheduler")]
        scheduler: String,
        /// Simulated time, ms
        length_ms: u64,
    },
    /// Set up many of something (what callgrind looks at)
    SetUp {
        /// What is set up
        grown: Grown,
        #[arg(help = "The scheduler")]
        scheduler: String,
        /// How many to set up
        count: u64,
    },
    /// Instructions to set up a process, a group, a request where there are many
    Growth {
        #[arg(help = "The scheduler")]
        scheduler: String,
    },
    /// Instructions a request of the core, called as a kernel calls it
    Core,
    /// Count instructions, and fail if they are more than a file of figures allows
    Check {
        #[arg(help = "The file of figures")]
        reference: PathBuf,
        /// Write the file instead
        #[arg(long)]
        renew: bool,
    },
}

fn main() -> ExitCode {
    match perform(&Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cost: {error}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: &Task) -> Result<(), CostError> {
    match task {
        Task::Loop { scheduler, processes, turns } => {
            let served = ClosedLoop::new(scheduler, *processes)?.run(*turns);
            println!("{served} requests");
            Ok(())
        }
        Task::Kernel { shape, requests } => {
            let served = Kernel::new(shape_of(shape)?)?.run(*requests);
            println!("{served} requests");
            Ok(())
        }
        Task::Simulate { scheduler, length_ms } => {
            println!("{} requests", simulator::simulate(scheduler, *length_ms)?);
            Ok(())
        }
        Task::SetUp { grown, scheduler, count } => {
            println!("{} of them", growth::set_up(*grown, scheduler, *count)?);
            Ok(())
        }
        Task::Growth { scheduler } => measure_growth(scheduler),
        Task::Check { reference, renew: true } => check::renew(reference),
        Task::Check { reference, renew: false } => check::check(reference),
        Task::Core => measure_kernel().map(|_| ()),
        Task::All { bfq, output, peers } => {
            let core = measure_core()?;
            let peers = peers.measure()?;
            let kernel = measure_kernel()?;
            let sim = simulator::measure(bfq)?;
            let all = json!({ "core": core, "peers": peers, "kernel": kernel, "sim": sim });
            write(output, &format!("{all:#}\n"))
        }
    }
}

fn shape_of(name: &str) -> Result<&'static Shape, CostError> {
    let known = || SHAPES.map(|shape| shape.name).join(", ");
    Shape::from_name(name).ok_or_else(|| CostError::NoShape { name: name.into(), known: known() })
}

fn write(path: &Path, text: &str) -> Result<(), CostError> {
    let failed = |source| CostError::Write { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)?;
    println!("written to {}", path.display());
    Ok(())
}

/// Instructions of each scheduler for each number of processes.
fn measure_core() -> Result<Value, CostError> {
    println!("{:<12} {:>9} {:>18}", "scheduler", "processes", "instructions");
    let mut all = Map::new();
    for scheduler in elevators::names() {
        let mut rows = Map::new();
        for processes in PROCESSES {
            let instructions = counted(&["loop", scheduler, &processes.to_string()], &[])?;
            println!("{scheduler:<12} {processes:>9} {:>18}", shown(instructions));
            let row = json!({ "instructions_per_request": instructions });
            rows.insert(processes.to_string(), row);
        }
        all.insert(scheduler.to_owned(), Value::Object(rows));
    }
    Ok(Value::Object(all))
}

/// Instructions of the core for each shape of a kernel's calls.
fn measure_kernel() -> Result<Value, CostError> {
    println!("{:<16} {:>18}", "shape", "instructions");
    let mut all = Map::new();
    for shape in SHAPES {
        let instructions = counted(&["kernel", shape.name], &[ONLY_CALLS])?;
        println!("{:<16} {:>18}", shape.name, shown(instructions));
        all.insert(shape.name.into(), json!({ "instructions_per_request": instructions }));
    }
    Ok(Value::Object(all))
}

/// Instructions to set up one more of something, up to half of the number and up to the whole.
fn measure_growth(scheduler: &str) -> Result<(), CostError> {
    println!(
        "{:<12} {:>10} {:>14} {:>14} {:>6}",
        "what", "number", "first half", "second", "ratio"
    );
    for (_, name, count) in Grown::ALL {
        let each = |from, to| instructions(&["set-up", name, scheduler], &[], [from, to]);
        let (first, second) = (each(0, count / 2)?, each(count / 2, count)?);
        println!("{name:<12} {count:>10} {first:>14.1} {second:>14.1} {:>6.2}", second / first);
    }
    Ok(())
}

/// Instructions a request; `None` where valgrind is not installed.
fn counted(task: &[&str], options: &[&str]) -> Result<Option<f64>, CostError> {
    match instructions(task, options, TURNS_COUNTED) {
        Err(CostError::NoValgrind) => Ok(None),
        counted => counted.map(Some),
    }
}

fn shown(instructions: Option<f64>) -> String {
    instructions.map_or("no valgrind".into(), |count| format!("{count:.1}"))
}
