// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scheduler did, in a few lines.

use crate::activity::{Activity, Holder, Kept, WaitingProgram};
use crate::words::join;

/// Queues that are told of.
const MOST_HOLDERS: usize = 4;

/// Queues of which it is told that they were raised or on loan.
const MOST_DECIDED: usize = 4;

/// Causes of waiting that are told.
const MOST_CAUSES: usize = 3;

/// Parts that are smaller are not told.
const LEAST_PERCENT: f64 = 0.5;

impl Activity {
    /// Who had the disk, and what was decided about whom.
    pub fn lines(&self) -> Vec<String> {
        let percent = |ns: u64| ns as f64 * 100.0 / self.elapsed_ns.max(1) as f64;
        let mut turns: Vec<String> =
            self.holders.iter().take(MOST_HOLDERS).map(|holder| turn(holder, &percent)).collect();
        let rest_ns = self.holders.iter().skip(MOST_HOLDERS).map(|holder| holder.ns).sum();
        for (who, ns) in [("others", rest_ns), ("no process", self.nobody_ns)] {
            if percent(ns) >= LEAST_PERCENT {
                turns.push(format!("{who} {:.0} %", percent(ns)));
            }
        }
        let mut lines = vec![format!("{} had the disk serve {}", self.scheduler, turns.join(", "))];
        let mut decided: Vec<String> = self.holders.iter().filter_map(decided).collect();
        if decided.len() > MOST_DECIDED {
            let others = decided.len() - MOST_DECIDED;
            decided.truncate(MOST_DECIDED);
            decided.push(format!("and {others} more"));
        }
        lines.extend((!decided.is_empty()).then(|| decided.join(", ")));
        let merge = |merge: &crate::activity::Merge| format!("{} in {}", merge.who, merge.queue);
        let merges: Vec<String> = self.merges.iter().map(merge).collect();
        lines.extend((!merges.is_empty()).then(|| format!("shared queues: {}", merges.join(", "))));
        if self.lost > 0 {
            lines.push(format!("{} records were lost: reasons are not complete", self.lost));
        }
        lines
    }

    /// Why the I/O of a program waited; nothing if it is not among those that are told of.
    pub fn why(&self, program: &str) -> Option<&WaitingProgram> {
        self.programs.iter().find(|row| row.name == program)
    }
}

impl WaitingProgram {
    /// Why its I/O waited.
    pub fn lines(&self) -> Vec<String> {
        let shown = self.causes.iter().filter(|row| row.is_worth_a_line()).take(MOST_CAUSES);
        let cause = |row: &crate::explanation::CauseRow| {
            format!("{:.0} % {}", row.share * 100.0, crate::text::cause_words(row))
        };
        let causes: Vec<String> = shown.map(cause).collect();
        let causes = (!causes.is_empty()).then(|| causes.join("; "));
        std::iter::once(self.sentence.clone()).chain(causes).collect()
    }
}

fn turn(holder: &Holder, percent: &dyn Fn(u64) -> f64) -> String {
    let is_told = |kept: &&Kept| percent(kept.ns) >= LEAST_PERCENT;
    let kept: Vec<String> =
        holder.kept.iter().filter(is_told).map(|row| kept(row, percent)).collect();
    let kept = if kept.is_empty() { String::new() } else { format!(" ({})", kept.join(", ")) };
    format!("{} {:.0} %{kept}", holder.who, percent(holder.ns))
}

fn kept(row: &Kept, percent: &dyn Fn(u64) -> f64) -> String {
    let how = if row.idle_ns * 2 > row.ns { "idle" } else { "kept" };
    let because = row.because.map_or(String::new(), |because| format!(": {because}"));
    format!("{:.0} % {how}{because}", percent(row.ns))
}

/// What was decided about a queue's weight, if anything.
fn decided(holder: &Holder) -> Option<String> {
    let mut parts = Vec::new();
    if holder.raised_requests > 0 || !holder.raises.is_empty() {
        let mut kinds: Vec<String> = holder.raises.iter().map(|kind| (*kind).to_owned()).collect();
        kinds.sort();
        kinds.dedup();
        let kinds = if kinds.is_empty() { "from before".to_owned() } else { join(&kinds) };
        let requests = match holder.raised_requests {
            1 => "1 request".to_owned(),
            count => format!("{count} requests"),
        };
        parts.push(format!("raised ({kinds}) for {requests}"));
    }
    if holder.loans > 0 || holder.loan_ns > 0 {
        parts.push(format!("on loan for {}", base::text::time(holder.loan_ns)));
    }
    (!parts.is_empty()).then(|| format!("{} {}", holder.who, join(&parts)))
}
