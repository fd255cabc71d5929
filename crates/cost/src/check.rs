// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cost check`: counts every case that has a reference figure, and compares or renews the figures.

use crate::comparison::{Basis, ComparisonRow, Verdict, compare};
use crate::counting::{ONLY_CALLS, TURNS_COUNTED, instructions};
use crate::error::CostError;
use crate::kernel::SHAPES;
use crate::reference::{Origin, Reference};
use cost::closed_loop::PROCESSES;
use std::collections::HashMap;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Schedulers whose closed loop is counted.
const LOOPED: [&str; 2] = ["bfq", "tfq"];
/// Schedulers under which the simulator is counted.
const SIMULATED: [&str; 3] = ["none", "bfq", "tfq"];
/// Lengths of the two runs of the simulator, simulated milliseconds.
const SIMULATED_MS: [u64; 2] = [20, 60];

/// Something of which instructions a request are counted.
struct Case {
    /// The task of this program that does it, without the length; the case's name in the file.
    task: String,
    /// What callgrind is told in addition.
    options: &'static [&'static str],
    lengths: [u64; 2],
}

impl Case {
    fn count(&self) -> Result<f64, CostError> {
        let task: Vec<&str> = self.task.split(' ').collect();
        instructions(&task, self.options, self.lengths)
    }
}

fn cases() -> Vec<Case> {
    let loops = LOOPED.iter().flat_map(|scheduler| {
        PROCESSES.map(|processes| Case {
            task: format!("loop {scheduler} {processes}"),
            options: &[],
            lengths: TURNS_COUNTED,
        })
    });
    let shapes = SHAPES.map(|shape| Case {
        task: format!("kernel {}", shape.name),
        options: &[ONLY_CALLS],
        lengths: TURNS_COUNTED,
    });
    let simulated = SIMULATED.map(|scheduler| Case {
        task: format!("simulate {scheduler}"),
        options: &[],
        lengths: SIMULATED_MS,
    });
    loops.chain(shapes).chain(simulated).collect()
}

/// Counts all cases, as many at a time as there are processors: a count does not depend on what
/// else runs.
fn count_all() -> Result<Vec<(String, f64)>, CostError> {
    let cases = cases();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut counted = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            counted.push((case.task.as_str(), case.count()));
        }
        counted
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let mut counted: HashMap<_, _> = thread::scope(|scope| {
        let started: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let ended = started.into_iter().map(|worker| worker.join());
        ended.flat_map(|counted| counted.expect("a worker does not panic")).collect()
    });
    let figure_of = |case: &Case| {
        let figure = counted.remove(case.task.as_str()).expect("each case was counted");
        Ok((case.task.clone(), figure?))
    };
    cases.iter().map(figure_of).collect()
}

/// Writes the file anew.
///
/// # Errors
/// Whatever keeps from counting or writing.
pub fn renew(path: &Path) -> Result<(), CostError> {
    let figures = count_all()?;
    for (case, figure) in &figures {
        println!("{case:<24} {figure:>9.1}");
    }
    std::fs::write(path, Reference::text(&Origin::of_this_program(), &figures))
        .map_err(|source| CostError::Write { path: path.to_owned(), source })?;
    println!("written to {}", path.display());
    Ok(())
}

/// Counts, prints a row for each case and fails if one is dearer than its figure allows.
///
/// # Errors
/// [`CostError::Dearer`], or whatever keeps from comparing.
pub fn check(path: &Path) -> Result<(), CostError> {
    let reference = Reference::read(path)?;
    let own = Origin::of_this_program();
    let basis = Basis::of(&reference.counted_on, &own);
    println!("{}", on_what(basis, &reference.counted_on, &own));
    if basis == Basis::OtherProcessor {
        return Ok(());
    }
    println!("{:<24} {:>9} {:>9}", "instructions a request", "figure", "counted");
    let rows = compare(&reference, &count_all()?, basis);
    for row in &rows {
        println!("{row}");
    }
    judge(path, &rows)
}

/// What the figures were counted on, and what follows from that.
fn on_what(basis: Basis, figures: &Origin, own: &Origin) -> String {
    let bound = basis.bound_percent();
    match basis {
        Basis::SameCompiler => format!("{}, as the figures: bound {bound} %", own.compiler),
        Basis::OtherCompiler => format!(
            "{}, and the figures were counted with {}: bound {bound} %",
            own.compiler, figures.compiler
        ),
        Basis::OtherProcessor => format!(
            "The figures are of {}, and this is {}: nothing is compared",
            figures.processor, own.processor
        ),
    }
}

fn judge(path: &Path, rows: &[ComparisonRow]) -> Result<(), CostError> {
    let failing: Vec<_> = rows.iter().filter(|row| row.verdict.fails()).collect();
    if !failing.is_empty() {
        let shown: String = failing.iter().map(|row| format!("\n  {row}")).collect();
        return Err(CostError::Dearer { path: path.to_owned(), rows: shown });
    }
    if rows.iter().any(|row| row.verdict == Verdict::Cheaper) {
        println!("Better than the figures: `make cost-check RENEW=1` renews them.");
    }
    Ok(())
}
