//! Comparisons as a page of Markdown tables.

use super::{Comparison, Verdict};
use std::fmt::Write;

/// A section for each scenario with a line for each job.
pub fn markdown(comparisons: &[Comparison]) -> String {
    let count = |verdict| comparisons.iter().filter(|line| line.verdict() == verdict).count();
    let mut text = format!(
        "# Simulated and recorded\n\n\
         Each line is a job of a scenario, as recorded on Linux 6.1 and as simulated on a host like \
         the recording one (behaviour=linux-6.1, some microseconds of CPU time). A line agrees \
         if its share differs by no more than one percentage point and its throughput (of `cmd`: \
         the time it took) by no more than 3 % or one I/O; *a slot* says that the throughput \
         differs by more, but by no more than one slot of service (125 ms) moves. Runs of many \
         readers under bfq with low_latency=1 are chaotic: who is merged or raised hangs on the \
         order of simultaneous events, and so do their totals.\n\n\
         Of {} lines {} agree, {} within a slot, {} differ.\n",
        comparisons.len(),
        count(Verdict::Agrees),
        count(Verdict::WithinSlot),
        count(Verdict::Differs),
    );
    let mut scenario = "";
    for comparison in comparisons {
        if comparison.recorded.scenario != scenario {
            scenario = &comparison.recorded.scenario;
            let _ = write!(
                text,
                "\n## {scenario}\n\n\
                 | disk | depth | scheduler | job | MB/s recorded | simulated | differs by \
                 | share recorded | simulated | median recorded | simulated | agrees |\n\
                 |---|---|---|---|---|---|---|---|---|---|---|---|\n"
            );
        }
        line(&mut text, comparison);
    }
    text
}

fn line(text: &mut String, comparison: &Comparison) {
    let (recorded, simulated) = (&comparison.recorded, &comparison.simulated);
    let main = if comparison.is_start_up() {
        let seconds = |ms: f64| format!("{:.3} s", ms / 1e3);
        format!("{} | {}", seconds(recorded.elapsed_ms), seconds(simulated.elapsed_ms))
    } else {
        format!("{:.3} | {:.3}", recorded.mb_per_s, simulated.mb_per_s)
    };
    let difference = comparison.difference();
    let difference =
        if difference.is_finite() { format!("{:+.1} %", difference * 100.0) } else { "-".into() };
    let _ = writeln!(
        text,
        "| {} | {} | {} | {} | {main} | {difference} | {:.4} | {:.4} | {} | {} | {} |",
        recorded.disk,
        recorded.depth,
        recorded.scheduler,
        recorded.job,
        recorded.share,
        simulated.share,
        milliseconds(recorded.latency_p50_us),
        milliseconds(simulated.latency_p50_us),
        match comparison.verdict() {
            Verdict::Agrees => "yes",
            Verdict::WithinSlot => "a slot",
            Verdict::Differs => "**no**",
        },
    );
}

fn milliseconds(us: f64) -> String {
    format!("{:.3} ms", us / 1e3)
}
