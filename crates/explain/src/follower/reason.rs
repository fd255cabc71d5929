// SPDX-License-Identifier: MIT OR Apache-2.0
//! Causes as results name them.

use crate::account::Io;
use crate::cast::{Cast, ProcessNumber};
use crate::cause::{Cause, CauseKind, Reason, Who};
use crate::queues::{Belongs, Parties, Party};
use crate::record::Doing;

/// A cause as results name it.
pub(crate) fn reason(cause: Cause, io: &Io, parties: &Parties, cast: &Cast) -> Reason {
    let of_process = |process: Option<ProcessNumber>| match process {
        Some(process) => who_of(&[process], io, cast).unwrap_or(Who::Unknown),
        None => Who::Unknown,
    };
    let of_party = |party: Party| match parties.of(party) {
        Belongs::To(processes) => who_of(processes, io, cast).unwrap_or(Who::Party(party)),
        _ => Who::Party(party),
    };
    let (kind, who, rule) = match cause {
        Cause::Pool(limit) => (CauseKind::Pool(limit), None, None),
        Cause::Behind(party, Doing::Served(rule)) => {
            (CauseKind::BehindServed, Some(of_party(party)), rule)
        }
        Cause::Behind(party, Doing::WriteCache) => {
            (CauseKind::WriteCache, Some(of_party(party)), None)
        }
        Cause::Behind(party, Doing::Held(rule)) => {
            (CauseKind::BehindHeld, Some(of_party(party)), rule)
        }
        Cause::Behind(party, Doing::Idling(rule)) => {
            (CauseKind::BehindIdling, Some(of_party(party)), rule)
        }
        Cause::Behind(_, Doing::Injected(party)) => {
            (CauseKind::BehindInjected, Some(of_party(party)), None)
        }
        Cause::Nobody => (CauseKind::Nobody, None, None),
        Cause::Own => (CauseKind::Own, None, None),
        Cause::OwnKept(rule) => (CauseKind::OwnKept, None, Some(rule)),
        Cause::OwnDeviceTaken(process) => {
            (CauseKind::OwnDeviceTaken, Some(of_process(process)), None)
        }
        Cause::DeviceFull => (CauseKind::DeviceFull, None, None),
        Cause::DeviceBehind(process) => (CauseKind::DeviceBehind, Some(of_process(process)), None),
        Cause::Device => (CauseKind::Device, None, None),
        Cause::Phase(phase, older) => (CauseKind::Phase(phase), older.map(of_process), None),
    };
    Reason { kind, who, rule }
}

/// The job that all these processes are of, if it is one.
fn who_of(processes: &[ProcessNumber], io: &Io, cast: &Cast) -> Option<Who> {
    let job = cast.job_of(*processes.first()?)?;
    let one_job = processes.iter().all(|&process| cast.job_of(process) == Some(job));
    match one_job {
        true if cast.job_of(io.process) == Some(job) => Some(Who::Sibling),
        true => Some(Who::Job(job)),
        false => None,
    }
}
