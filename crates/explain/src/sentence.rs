// SPDX-License-Identifier: MIT OR Apache-2.0
//! The main reason, in plain words.

use crate::cause::{CauseKind, Who};
use crate::counts::{Counts, RAISES};
use crate::explanation::{CauseRow, Explanation};
use base::text::time;
use bfq::PolicyName;
use std::collections::BTreeMap;

/// What is told as one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Pool,
    Turns(Option<Who>),
    WriteCache,
    Nobody,
    Own,
    DeviceFull,
    DeviceBehind(Option<Who>),
    Device,
}

fn subject(row: &CauseRow) -> Subject {
    match row.reason.kind {
        CauseKind::Pool(_) => Subject::Pool,
        CauseKind::BehindServed
        | CauseKind::BehindHeld
        | CauseKind::BehindIdling
        | CauseKind::BehindInjected => Subject::Turns(row.reason.who),
        CauseKind::Nobody => Subject::Nobody,
        CauseKind::WriteCache => Subject::WriteCache,
        CauseKind::Own | CauseKind::OwnKept => Subject::Own,
        CauseKind::OwnDeviceTaken | CauseKind::DeviceBehind => {
            Subject::DeviceBehind(row.reason.who)
        }
        CauseKind::DeviceFull => Subject::DeviceFull,
        CauseKind::Phase(_) if row.who.is_some() => Subject::DeviceBehind(row.reason.who),
        CauseKind::Device | CauseKind::Phase(_) => Subject::Device,
    }
}

/// The first sentence of an explanation.
pub(crate) fn of(explanation: &Explanation, counts: &Counts) -> String {
    let job = &explanation.job;
    if explanation.ios == 0 {
        return format!("{job} did no I/O that ended well.");
    }
    let mut sums: BTreeMap<Subject, (u64, &CauseRow)> = BTreeMap::new();
    for row in &explanation.causes {
        sums.entry(subject(row)).or_insert((0, row)).0 += row.ns;
    }
    // The device's own time is the reason only if it is most of it.
    let in_device_ns = sums.get(&Subject::Device).map_or(0, |(ns, _)| *ns);
    if in_device_ns * 2 < explanation.latency_ns {
        sums.remove(&Subject::Device);
    }
    let main = sums.iter().max_by_key(|(_, (ns, _))| *ns);
    let Some((&subject, &(ns, row))) = main else {
        return format!("the I/O of {job} took no time at all.");
    };
    let each = |ns: u64| time(ns / explanation.ios);
    let who = row.who.as_deref().unwrap_or("others");
    let (part, whole) = (each(ns), time(explanation.latency_mean_ns));
    let of = format!("{part} of its {whole} mean latency");
    let idle_ns: u64 = explanation
        .causes
        .iter()
        .filter(|row| row.reason.kind == CauseKind::BehindIdling && self::subject(row) == subject)
        .map(|row| row.ns)
        .sum();
    let main = match subject {
        Subject::Pool => format!("{job} waited {of} for a free request: the pool was full"),
        Subject::Turns(_) if idle_ns * 2 > ns => {
            format!(
                "{job} waited {of} for turns of {who}, {} of it with the disk kept idle",
                each(idle_ns)
            )
        }
        Subject::Turns(_) => format!("{job} waited {of} for turns of {who}"),
        Subject::WriteCache => {
            format!("{job} waited {of} while the disk emptied its write cache, of writes of {who}")
        }
        Subject::Nobody => format!("{job} waited {of} for the scheduler to be asked"),
        Subject::Own => {
            format!("{job} waited {of} in its own queue's turns, behind its own earlier requests")
        }
        Subject::DeviceFull => format!("{job} waited {of} for room in the device"),
        Subject::DeviceBehind(_) => {
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
        true => format!("{main}; {}.", loans(counts)),
        false => format!("{main}; {}.", raises(explanation.ios, counts)),
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
