// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparisons as a page of Markdown tables.

use super::case::ORDERS;
use super::comparison::{Agreement, Comparison};
use super::figures::FIGURES;
use super::repeated::JobComparison;
use super::spread::{Proximity, SpreadComparison};
use std::fmt::Write;

/// A section for each scenario with a line for each job; then the scenarios that were simulated in
/// several orders, with a line for each figure.
pub fn markdown(lines: &[JobComparison]) -> String {
    let (mut once, mut orders) = (Vec::new(), Vec::new());
    for line in lines {
        match line {
            JobComparison::Once(comparison) => once.push(comparison),
            JobComparison::Orders(comparison) => orders.push(comparison),
        }
    }
    let mut text = String::new();
    if !once.is_empty() {
        write_once(&mut text, &once);
    }
    let (chaotic, differing): (Vec<_>, Vec<_>) = orders.iter().partition(|line| line.chaotic);
    for (heading, lines) in [(DIFFERING, differing), (CHAOTIC, chaotic)] {
        if !lines.is_empty() {
            write_orders(&mut text, heading, &lines);
        }
    }
    text
}

fn write_once(text: &mut String, lines: &[&Comparison]) {
    let count = |verdict| lines.iter().filter(|line| line.agreement() == verdict).count();
    let _ = writeln!(
        text,
        "# Simulated and recorded\n\n\
         Each line is a job of a scenario, as recorded on Linux 6.1 and as simulated on a host like \
         the recording one (behaviour=linux-6.1, tags found as there, some microseconds of CPU \
         time). A line agrees if its share differs by no more than one percentage point, its \
         throughput by no more than 3 % or one I/O, its mean latency by no more than 10 %; of `cmd`, \
         which starts, the time it took instead of the throughput, by no more than 10 %. *A slot*: \
         throughput or latency differ by more, but the throughput by no more than one slot of \
         service (125 ms) moves.\n\n\
         Of {} lines {} agree, {} within a slot.",
        lines.len(),
        count(Agreement::Agrees),
        count(Agreement::WithinSlot),
    );
    let mut scenario = "";
    for line in lines {
        if line.recorded.scenario != scenario {
            scenario = &line.recorded.scenario;
            let _ = write!(
                text,
                "\n## {scenario}\n\n\
                 | disk | depth | scheduler | job | MB/s recorded | simulated | differs by \
                 | share recorded | simulated | mean latency recorded | simulated | differs by \
                 | agrees |\n\
                 |---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
            );
        }
        write_line(text, line);
    }
}

fn write_line(text: &mut String, line: &Comparison) {
    let [throughput, share, latency, start_up] = &FIGURES;
    let (recorded, simulated) = (&line.recorded, &line.simulated);
    let (main, unit) = if recorded.is_start_up() { (start_up, " s") } else { (throughput, "") };
    let _ = write!(
        text,
        "| {} | {} | {} | {} |",
        recorded.disk, recorded.depth, recorded.scheduler, recorded.job
    );
    for (figure, unit, with_difference) in
        [(main, unit, true), (share, "", false), (latency, " ms", true)]
    {
        let digits = figure.digits;
        let _ = write!(
            text,
            " {:.digits$}{unit} | {:.digits$}{unit} |",
            (figure.recorded)(recorded),
            (figure.simulated)(simulated),
        );
        if with_difference {
            let _ = write!(text, " {} |", percent(line.difference(figure)));
        }
    }
    let agrees = match line.agreement() {
        Agreement::Agrees => "yes",
        Agreement::WithinSlot => "a slot",
        Agreement::Differs => "**no**",
    };
    let _ = writeln!(text, " {agrees} |");
}

fn percent(part: f64) -> String {
    if part.is_finite() { format!("{:+.1} %", part * 100.0) } else { "-".into() }
}

/// Above the lines that differ on the recording host as it stands.
const DIFFERING: &str = "# Lines that differ, after other histories\n\n\
     These lines differ with the CPU run times that the recording host gives its processes.";
/// Above those of which it was known before that the order decides.
const CHAOTIC: &str = "# Chaotic scenarios\n\n\
     Runs of many readers under bfq with its defaults: who is merged or raised hangs on the order of \
     simultaneous events, and so may their totals. Mean latencies are shown and not judged: they hang \
     on which of few very long waits the end of a run cuts off.";

fn write_orders(text: &mut String, heading: &str, lines: &[&SpreadComparison]) {
    let count = |place| lines.iter().filter(|line| line.proximity() == place).count();
    let _ = write!(
        text,
        "\n{heading} They were simulated in {ORDERS} orders. The recorded value of a figure is \
         *inside* if it lies between the least and the greatest of these, *near* if it differs from \
         one of them by no more than figures that agree.\n\n\
         Of {} lines {} are inside with all figures that count, {} near, {} outside.\n\n\
         | scenario | disk | depth | scheduler | job | figure | recorded | least | median | greatest | recorded is |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
        lines.len(),
        count(Proximity::Inside),
        count(Proximity::Near),
        count(Proximity::Outside),
    );
    for line in lines {
        let recorded = &line.recorded;
        for figure in FIGURES.iter().filter(|figure| figure.is_judged(recorded)) {
            let (digits, spread) = (figure.digits, line.spread(figure));
            let place = match line.proximity_of(figure) {
                Proximity::Inside => "inside",
                Proximity::Near => "near",
                Proximity::Outside => "**outside**",
            };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {:.digits$} | {:.digits$} | {:.digits$} | \
                    {:.digits$} | {place} |",
                recorded.scenario,
                recorded.disk,
                recorded.depth,
                recorded.scheduler,
                recorded.job,
                figure.name,
                (figure.recorded)(recorded),
                spread.low,
                spread.median,
                spread.high,
            );
        }
    }
}
