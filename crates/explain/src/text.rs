// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result for people.

use crate::cause::CauseKind;
use crate::explanation::{CauseRow, Explanation, SlowIo, SlowIoStep};
use crate::look::Look;
use crate::words::{phase_words, pool_words};
use base::text::{exact_size, time, wrapped};
use std::fmt::Write;

/// What stands at the right of the table of causes: a share and two times, with blanks before.
const FIGURES_LETTERS: usize = 28;

/// A row of the table.
struct Row {
    indent: usize,
    what: String,
    ns: u64,
}

impl Explanation {
    /// The result for people.
    pub fn text(&self, look: Look) -> String {
        let mut text = String::new();
        let about = &self.about;
        let kind = if about.mode == "sim" { "simulated " } else { "" };
        let seed = about.seed.map_or(String::new(), |seed| format!(", seed {seed}"));
        let how = format!("{kind}{}{seed}", about.device);
        let group = self.group.as_ref().map_or(String::new(), |path| format!(" of group {path}"));
        let processes = match self.processes {
            1 => String::new(),
            count => format!(", {count} processes"),
        };
        let head = format!("{}{group}{processes}, under {} on {how}", self.job, about.scheduler);
        let _ = writeln!(text, "{}\n", look.heading(&head));
        let _ = writeln!(text, "{}\n", look.paragraph(&self.sentence));
        if self.ios > 0 {
            self.table(&mut text, look);
        }
        self.counts_table(&mut text, look);
        for (place, slow) in self.slowest.iter().enumerate() {
            let before = place.checked_sub(1).map(|before| &self.slowest[before]);
            slow_text(&mut text, slow, place, before, look);
        }
        if let Some(each_ns) = self.flush_latency_ns.checked_div(self.flushes) {
            let said = format!(
                "Its {} flushes bypass the scheduler and are not counted above; each took {}.",
                self.flushes,
                time(each_ns)
            );
            let _ = writeln!(text, "\n{}", look.paragraph(&said));
        }
        if self.failed > 0 {
            let _ = writeln!(text, "\n{} of its I/Os failed and are not counted.", self.failed);
        }
        if let Some(note) = &self.about.note {
            let _ = writeln!(text, "\n{}", look.heading(&format!("Note: {note}")));
        }
        text
    }

    /// What the terms mean that occur in the text.
    pub fn glossary(&self, look: Look) -> String {
        let terms = self.terms();
        let width = terms.iter().map(|(term, _)| term.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        if !terms.is_empty() {
            let _ = writeln!(text, "\n{}", look.heading("What the words mean"));
        }
        for (term, meaning) in terms {
            look.beside(&mut text, &format!("  {term:<width$}  "), meaning);
        }
        text
    }

    fn table(&self, text: &mut String, look: Look) {
        let rows = rows(&self.causes, self.latency_ns);
        let title = format!("Where the time of its {} I/Os went", self.ios);
        let widest = rows.iter().map(|row| 2 + 2 * row.indent + row.what.chars().count()).max();
        let room = look.columns().saturating_sub(FIGURES_LETTERS);
        let width = widest.unwrap_or(0).min(room).max(title.chars().count());
        let head = format!("{title:width$} {:>7} {:>9} {:>9}", "share", "per I/O", "in all");
        let _ = writeln!(text, "{}", look.heading(&head));
        for row in rows {
            let indent = 2 + 2 * row.indent;
            let mut words = wrapped(&row.what, width - indent).into_iter();
            let first = words.next().unwrap_or_default();
            let _ = writeln!(
                text,
                "{:indent$}{first:rest$} {:>6.1}% {:>9} {:>9}",
                "",
                row.ns as f64 * 100.0 / self.latency_ns.max(1) as f64,
                time(row.ns / self.ios),
                time(row.ns),
                rest = width - indent,
            );
            for line in words {
                let _ = writeln!(text, "{:indent$}  {line}", "");
            }
        }
    }

    fn counts_table(&self, text: &mut String, look: Look) {
        let _ = writeln!(text, "\n{}", look.heading("What was decided about it"));
        for row in &self.counts {
            look.beside(text, &format!("  {:>8}  ", row.count), &row.doc);
        }
    }
}

/// The table's rows: causes of one stage under a common line.
fn rows(causes: &[CauseRow], all_ns: u64) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for stage in [Stage::Request, Stage::Queue, Stage::Device] {
        let mut of_stage: Vec<_> =
            causes.iter().filter(|row| stage_of(row.reason.kind) == stage && row.ns > 0).collect();
        of_stage.sort_by_key(|row| std::cmp::Reverse(row.ns));
        let sum: u64 = of_stage.iter().map(|row| row.ns).sum();
        let what = match stage {
            Stage::Request => "waiting for a request, because",
            Stage::Queue => "waiting in the scheduler, while",
            Stage::Device => "in the device",
        };
        if sum > 0 {
            rows.push(Row { indent: 0, what: what.to_owned(), ns: sum });
        }
        let (shown, small): (Vec<&CauseRow>, Vec<_>) =
            of_stage.into_iter().partition(|row| row.is_worth_a_line());
        for row in &shown {
            rows.push(Row { indent: 1, what: cause_words(row), ns: row.ns });
        }
        match small.as_slice() {
            [] => {}
            [row] => rows.push(Row { indent: 1, what: cause_words(row), ns: row.ns }),
            rest => {
                let what = format!("{} smaller causes", rest.len());
                rows.push(Row { indent: 1, what, ns: rest.iter().map(|row| row.ns).sum() });
            }
        }
    }
    rows.push(Row { indent: 0, what: "all".to_owned(), ns: all_ns });
    rows
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Request,
    Queue,
    Device,
}

fn stage_of(kind: CauseKind) -> Stage {
    match kind {
        CauseKind::Pool(_) => Stage::Request,
        CauseKind::DeviceFull
        | CauseKind::DeviceBehind
        | CauseKind::Device
        | CauseKind::Phase(_) => Stage::Device,
        _ => Stage::Queue,
    }
}

/// What the time of a cause went to, in words.
pub(crate) fn cause_words(row: &CauseRow) -> String {
    let who = match (&row.who, &row.group) {
        (Some(who), Some(group)) => format!("{who} ({group})"),
        (Some(who), None) => who.clone(),
        (None, _) => "others".to_owned(),
    };
    let because = row.reason.rule.map_or(String::new(), |rule| format!(": {}", rule.because()));
    match row.reason.kind {
        CauseKind::Pool(limit) => pool_words(limit).to_owned(),
        CauseKind::BehindServed => format!("it was the turn of {who}{because}"),
        CauseKind::BehindHeld => format!("it was the turn of {who}, others held back{because}"),
        CauseKind::BehindIdling => format!("the disk was idle for the turn of {who}{because}"),
        CauseKind::BehindInjected => format!("requests of {who} were served in another's turn"),
        CauseKind::WriteCache => format!("the disk emptied its write cache, of writes of {who}"),
        CauseKind::OwnKept => format!("it was its own queue's turn{because}"),
        CauseKind::Nobody => "it was no queue's turn".to_owned(),
        CauseKind::Own => "its own queue was served, earlier requests first".to_owned(),
        CauseKind::OwnDeviceTaken => format!("it was its turn, but the device was busy with {who}"),
        CauseKind::DeviceFull => "handed out, but there was no room".to_owned(),
        CauseKind::DeviceBehind => format!("with older requests of {who}"),
        CauseKind::Device => "on its own, or with younger ones".to_owned(),
        CauseKind::Phase(phase) => {
            let older = row.who.is_some().then_some(who);
            phase_words(phase, older.as_slice())
        }
    }
}

fn slow_text(text: &mut String, slow: &SlowIo, place: usize, before: Option<&SlowIo>, look: Look) {
    let which = match place {
        0 => "The slowest".to_owned(),
        _ => format!("No. {}", place + 1),
    };
    let what =
        format!("a {} of {} at byte {}", slow.op, exact_size(slow.length_bytes), slow.offset_bytes);
    let head = format!(
        "{which}: {}, {what} by {}, {} into the run",
        time(slow.latency_ns),
        slow.process,
        time(slow.submitted_ns),
    );
    let _ = writeln!(text, "\n{}", look.heading(&head));
    let alike = |before: &SlowIo| {
        let key = |step: &SlowIoStep| (step.kind.clone(), step.who.clone());
        before.steps.iter().map(key).eq(slow.steps.iter().map(key))
    };
    if before.is_some_and(alike) {
        let _ = writeln!(text, "  by the same steps as the one before");
        return;
    }
    for step in &slow.steps {
        let lasting = match step.lasting_ns {
            0 => String::new(),
            ns => time(ns),
        };
        let line = format!("  {:>11} {lasting:>10}  ", format!("+{}", time(step.at_ns)));
        look.beside(text, &line, &step.text);
    }
    let _ = writeln!(text, "  {:>11}  {:>9}  done", format!("+{}", time(slow.latency_ns)), "");
}
