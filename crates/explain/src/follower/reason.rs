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
        Some(process) => who_of(&[process], io.process, cast).unwrap_or(Who::Unknown),
        None => Who::Unknown,
    };
    let of_party = |party: Party| match parties.of(party) {
        Belongs::To(processes) => who_of(processes, io.process, cast).unwrap_or(Who::Party(party)),
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

/// The job that all these processes are of, if it is one, as the process sees it that did the I/O:
/// of its own job the others are siblings, and it alone is that job.
fn who_of(processes: &[ProcessNumber], own: ProcessNumber, cast: &Cast) -> Option<Who> {
    let job = cast.job_of(*processes.first()?)?;
    let one_job = processes.iter().all(|&process| cast.job_of(process) == Some(job));
    let has_others = processes.iter().any(|&process| process != own);
    match one_job {
        true if has_others && cast.job_of(own) == Some(job) => Some(Who::Sibling),
        true => Some(Who::Job(job)),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::JobNames;

    #[test]
    fn siblings_are_other_processes_of_the_job() {
        let job = |name: &str, processes| JobNames { name: name.into(), group: None, processes };
        // Process 0 is single, 1 and 2 are of pair.
        let cast = Cast::of(vec![job("single", 1), job("pair", 2)], "single").unwrap();
        for (own, processes, who) in [
            (0, &[0][..], Some(Who::Job(0))),
            (0, &[1, 2], Some(Who::Job(1))),
            (1, &[2], Some(Who::Sibling)),
            (1, &[1, 2], Some(Who::Sibling)),
            (1, &[1], Some(Who::Job(1))),
            (1, &[0, 1], None),
        ] {
            assert_eq!(who_of(processes, own, &cast), who, "{processes:?} for {own}");
        }
    }
}
