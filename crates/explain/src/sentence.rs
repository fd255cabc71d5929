// SPDX-License-Identifier: MIT OR Apache-2.0
//! The main reason, in plain words.

use crate::cause::{CauseKind, Who};
use crate::counts::{Counts, RAISES};
use crate::explanation::{CauseRow, Explanation};
use crate::words::pool_words;
use base::text::time;
use bfq::PolicyName;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What is told as one reason, whoever is behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Pool,
    Turns,
    WriteCache,
    Nobody,
    Own,
    DeviceFull,
    DeviceBehind,
    Device,
}

fn subject(row: &CauseRow) -> Subject {
    match row.reason.kind {
        CauseKind::Pool(_) => Subject::Pool,
        CauseKind::BehindServed
        | CauseKind::BehindHeld
        | CauseKind::BehindIdling
        | CauseKind::BehindInjected => Subject::Turns,
        CauseKind::Nobody => Subject::Nobody,
        CauseKind::WriteCache => Subject::WriteCache,
        CauseKind::Own | CauseKind::OwnKept => Subject::Own,
        CauseKind::OwnDeviceTaken | CauseKind::DeviceBehind => Subject::DeviceBehind,
        CauseKind::DeviceFull => Subject::DeviceFull,
        CauseKind::Phase(_) if row.who.is_some() => Subject::DeviceBehind,
        CauseKind::Device | CauseKind::Phase(_) => Subject::Device,
    }
}

/// The main reason: rows of one subject, and who is behind it.
struct Main<'a> {
    subject: Subject,
    rows: Vec<&'a CauseRow>,
    who: String,
}

impl<'a> Main<'a> {
    /// The subject that took most, of one culprit if that is most of it, else of all of them: many
    /// equal ones are no less of a reason than one.
    fn of(explanation: &'a Explanation) -> Option<Main<'a>> {
        let mut all: BTreeMap<Subject, Vec<&CauseRow>> = BTreeMap::new();
        for row in &explanation.causes {
            all.entry(subject(row)).or_default().push(row);
        }
        // The device's own time is the reason only if it is most of it.
        let in_device_ns = all.get(&Subject::Device).map_or(0, |rows| sum_ns(rows));
        if in_device_ns * 2 < explanation.latency_ns {
            all.remove(&Subject::Device);
        }
        let (&subject, rows) = all.iter().max_by_key(|(_, rows)| sum_ns(rows))?;
        let others = all.iter().filter(|(other, _)| **other != subject);
        let next_ns = others.map(|(_, rows)| sum_ns(rows)).max().unwrap_or(0);
        let culprits = culprits(rows);
        let (main, main_rows) = culprits.first()?;
        let alone_ns = sum_ns(main_rows);
        if alone_ns * 2 >= sum_ns(rows) && alone_ns >= next_ns {
            return Some(Main { subject, rows: main_rows.clone(), who: (*main).to_owned() });
        }
        let who = match &culprits[..] {
            [(only, _)] => (*only).to_owned(),
            [(one, _), (other, _)] => format!("{one} and {other}"),
            several => format!("{main} and {} others", several.len() - 1),
        };
        Some(Main { subject, rows: rows.clone(), who })
    }

    fn ns(&self) -> u64 {
        sum_ns(&self.rows)
    }

    /// Why there was no free request, most of the time.
    fn pool_words(&self) -> &'static str {
        let limit = |row: &&CauseRow| match row.reason.kind {
            CauseKind::Pool(limit) => Some((row.ns, limit)),
            _ => None,
        };
        let longest = self.rows.iter().filter_map(limit).max_by_key(|(ns, _)| *ns);
        longest.map_or("", |(_, limit)| pool_words(limit))
    }
}

fn sum_ns(rows: &[&CauseRow]) -> u64 {
    rows.iter().map(|row| row.ns).sum()
}

/// Who is behind these rows, each with those that are of it, the one that took most first.
fn culprits<'a>(rows: &[&'a CauseRow]) -> Vec<(&'a str, Vec<&'a CauseRow>)> {
    let mut all: Vec<(Option<Who>, &str, Vec<&CauseRow>)> = Vec::new();
    for &row in rows.iter().filter(|row| row.ns > 0) {
        match all.iter_mut().find(|(who, ..)| *who == row.reason.who) {
            Some((.., rows)) => rows.push(row),
            None => {
                all.push((row.reason.who, row.who.as_deref().unwrap_or("others"), vec![row]));
            }
        }
    }
    all.sort_by_key(|(.., rows)| Reverse(sum_ns(rows)));
    all.into_iter().map(|(_, name, rows)| (name, rows)).collect()
}

/// The first sentence of an explanation.
pub(crate) fn of(explanation: &Explanation, counts: &Counts) -> String {
    let job = &explanation.job;
    if explanation.ios == 0 {
        return format!("{job} did no I/O that ended well.");
    }
    let Some(main) = Main::of(explanation) else {
        return format!("the I/O of {job} took no time at all.");
    };
    let (ns, who) = (main.ns(), &main.who);
    let each = |ns: u64| time(ns / explanation.ios);
    let of = format!("{} of its {} mean latency", each(ns), time(explanation.latency_mean_ns));
    let idle = main.rows.iter().filter(|row| row.reason.kind == CauseKind::BehindIdling);
    let idle_ns: u64 = idle.map(|row| row.ns).sum();
    let words = match main.subject {
        Subject::Pool => {
            format!("{job} waited {of} for a free request: {}", main.pool_words())
        }
        Subject::Turns if idle_ns * 2 > ns => {
            format!(
                "{job} waited {of} for turns of {who}, {} of it with the disk kept idle",
                each(idle_ns)
            )
        }
        Subject::Turns => format!("{job} waited {of} for turns of {who}"),
        Subject::WriteCache => {
            format!("{job} waited {of} while the disk emptied its write cache, of writes of {who}")
        }
        Subject::Nobody => format!("{job} waited {of} for the scheduler to be asked"),
        Subject::Own => {
            format!("{job} waited {of} in its own queue's turns, behind its own earlier requests")
        }
        Subject::DeviceFull => format!("{job} waited {of} for room in the device"),
        Subject::DeviceBehind => {
            format!("{job} waited {of} for older requests of {who} in the device")
        }
        Subject::Device => {
            let waited = explanation.latency_mean_ns.saturating_sub(ns / explanation.ios);
            format!(
                "{job} spent {of} in the device itself{} and waited {} for everything else",
                mostly(explanation),
                time(waited)
            )
        }
    };
    match explanation.about.scheduler == PolicyName::TimeFair.name() {
        true => format!("{words}; {}.", loans(counts)),
        false => format!("{words}; {}.", raises(explanation.ios, counts)),
    }
}

/// What the device did in most of that time, if it tells.
fn mostly(explanation: &Explanation) -> String {
    let of_device = explanation.causes.iter().filter(|row| subject(row) == Subject::Device);
    let longest = of_device.max_by_key(|row| row.ns);
    match longest.map(|row| (row, row.reason.kind)) {
        Some((row, CauseKind::Phase(phase))) => {
            let noun = crate::phases::row(phase).noun;
            format!(" (most for {noun}, {})", time(row.ns / explanation.ios))
        }
        _ => String::new(),
    }
}

fn loans(counts: &Counts) -> String {
    match counts.loan_requests {
        0 => "tfq never had it on loan".to_owned(),
        count => format!("tfq served {count} of its requests on loan, as of a program that starts"),
    }
}

fn raises(ios: u64, counts: &Counts) -> String {
    let kinds = RAISES.iter().zip(&counts.raised_ios).filter(|(_, count)| **count > 0);
    let told: Vec<_> = kinds
        .map(|((_, _, words), count)| match *count == ios {
            true => format!("for all {ios} of its I/Os ({words})"),
            false => format!("for {count} of its {ios} I/Os ({words})"),
        })
        .collect();
    match told.is_empty() {
        true => "bfq never raised its weight".to_owned(),
        false => format!("bfq had raised its weight {}", crate::words::join(&told)),
    }
}

#[cfg(test)]
#[path = "sentence_tests.rs"]
mod tests;
