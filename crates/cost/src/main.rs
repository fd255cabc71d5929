// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the schedulers cost a request, and how fast the simulator is: `make cost`.
//!
//! Times are medians of several rounds of one process; compare them with each other, not with those
//! of another machine. Instructions are counted by valgrind's callgrind, as the difference of two
//! runs of different length, and repeat exactly.

mod closed_loop;
mod error;
mod kernel;
mod places;
mod simulator;

use clap::{Parser, Subcommand};
use closed_loop::ClosedLoop;
use error::CostError;
use kernel::{Kernel, SHAPES, Shape};
use serde_json::{Map, Value, json};
use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Instant,
};

/// Processes of the closed loop.
const PROCESSES: [u32; 3] = [16, 1000, 10_000];
/// Rounds whose median time counts.
const ROUNDS: usize = 9;
/// Turns in a round.
const TURNS: u64 = 400_000;
/// Makes callgrind count what the core does, not its host.
const ONLY_CALLS: &str = "--toggle-collect=cost::kernel::calls::*";
/// Turns of the short and the long run under callgrind.
const COUNTED_TURNS: [u64; 2] = [100_000, 300_000];

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
    /// Instructions a request of the core, called as a kernel calls it
    Core,
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
        Task::Core => measure_kernel().map(|_| ()),
        Task::All { bfq, output } => {
            let core = measure_core()?;
            let kernel = measure_kernel()?;
            let sim = simulator::measure(bfq)?;
            let text = format!("{:#}\n", json!({ "core": core, "kernel": kernel, "sim": sim }));
            write(output, &text)
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

/// Time and instructions of each scheduler for each number of processes.
fn measure_core() -> Result<Value, CostError> {
    println!("{:<12} {:>9} {:>12} {:>18}", "scheduler", "processes", "ns/request", "instructions");
    let mut all = Map::new();
    for scheduler in elevators::names() {
        let mut rows = Map::new();
        for processes in PROCESSES {
            let ns = median_ns(scheduler, processes)?;
            let instructions = instructions(&["loop", scheduler, &processes.to_string()], &[])?;
            println!("{scheduler:<12} {processes:>9} {ns:>12.1} {:>18}", shown(instructions));
            let row = json!({ "ns_per_request": ns, "instructions_per_request": instructions });
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
        let instructions = instructions(&["kernel", shape.name], &[ONLY_CALLS])?;
        println!("{:<16} {:>18}", shape.name, shown(instructions));
        all.insert(shape.name.into(), json!({ "instructions_per_request": instructions }));
    }
    Ok(Value::Object(all))
}

fn shown(instructions: Option<f64>) -> String {
    instructions.map_or("no valgrind".into(), |count| format!("{count:.1}"))
}

fn median_ns(scheduler: &str, processes: u32) -> Result<f64, CostError> {
    let mut state = ClosedLoop::new(scheduler, processes)?;
    state.run(TURNS);
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let served = state.run(TURNS);
        rounds.push(start.elapsed().as_nanos() as f64 / served.max(1) as f64);
    }
    rounds.sort_by(f64::total_cmp);
    Ok(rounds[ROUNDS / 2])
}

/// Instructions a request of this program's `task`, which takes the number of turns as its last
/// argument; `None` where valgrind is not installed. `options` are callgrind's.
fn instructions(task: &[&str], options: &[&str]) -> Result<Option<f64>, CostError> {
    let mut totals = [0.0; 2];
    let mut served = [0.0; 2];
    for (at, turns) in COUNTED_TURNS.into_iter().enumerate() {
        let Some((instructions, requests)) = callgrind(task, options, turns)? else {
            return Ok(None);
        };
        totals[at] = instructions;
        served[at] = requests;
    }
    Ok(Some((totals[1] - totals[0]) / (served[1] - served[0]).max(1.0)))
}

/// Instructions and served requests of one run of this program under callgrind.
fn callgrind(task: &[&str], options: &[&str], turns: u64) -> Result<Option<(f64, f64)>, CostError> {
    let program = "valgrind".to_owned();
    let failed = |message: String| CostError::Failed { program: program.clone(), message };
    let own = std::env::current_exe()
        .map_err(|source| CostError::Run { program: "this program".into(), source })?;
    let output = Command::new(&program)
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(options)
        .arg(own)
        .args(task)
        .arg(turns.to_string())
        .output();
    let output = match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(CostError::Run { program, source }),
        Ok(output) => output,
    };
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let collected = stderr.lines().find_map(|line| line.split("Collected :").nth(1));
    let instructions = collected.and_then(|count| count.trim().parse().ok());
    let served = stdout.split_whitespace().next().and_then(|count| count.parse().ok());
    match (instructions, served) {
        (Some(instructions), Some(served)) => Ok(Some((instructions, served))),
        _ => Err(failed(stderr.into_owned())),
    }
}
