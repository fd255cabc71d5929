// SPDX-License-Identifier: MIT OR Apache-2.0
//! Schedulers by name: what there is, and how to build one from `name[:tunable=value,...]`.

use ::bfq::why::{Observer, Silent};
use ::bfq::{Behaviour, PolicyName};
use base::suggest::meant_or_all;
use blk::{DeviceLimits, Elevator, Tunable, TunableError};
use std::sync::LazyLock;

use crate::bfq::{self, BEHAVIOUR, Scheduled};
use crate::cfq::{Cfq, GENERATION};
use crate::deadline::Deadline;
use crate::kyber::Kyber;
use crate::mq_deadline::MqDeadline;
use crate::none::Fifo;
use crate::noop::Noop;

/// A row of the registry.
#[derive(Debug)]
pub struct Scheduler {
    /// Name of the scheduler.
    pub name: &'static str,
    /// What it is, in a line.
    pub doc: &'static str,
    kind: Kind,
}

/// What a scheduler is built from.
#[derive(Debug)]
enum Kind {
    /// A policy of our core.
    Core(PolicyName),
    /// One of the others, at a time.
    Other(fn(limits: &DeviceLimits) -> Box<dyn Elevator>),
}

/// All schedulers: those of our core, in the order of its table, and the others.
static SCHEDULERS: LazyLock<Vec<Scheduler>> = LazyLock::new(|| {
    let of_core = |&policy: &PolicyName| Scheduler {
        name: policy.name(),
        doc: policy.about(),
        kind: Kind::Core(policy),
    };
    PolicyName::ALL.iter().map(of_core).chain(OTHERS).collect()
});

/// The schedulers that are not of our core. A new one is a new row.
const OTHERS: [Scheduler; 6] = [
    Scheduler {
        name: Fifo::NAME,
        doc: "first come, first served; no sorting, no fairness",
        kind: Kind::Other(|_| Box::new(Fifo::new())),
    },
    Scheduler {
        name: MqDeadline::NAME,
        doc: "sector sweeps in batches, two of reads for one of writes, soft deadlines, ioprio \
            classes",
        kind: Kind::Other(|limits| Box::new(MqDeadline::new(limits))),
    },
    Scheduler {
        name: Kyber::NAME,
        doc: "turns of reads and writes, first come, first served; depths adjusted to latencies",
        kind: Kind::Other(|limits| Box::new(Kyber::new(limits))),
    },
    Scheduler {
        name: Noop::NAME,
        doc: "of single-queue kernels: first come, first served; neighbours become one request",
        kind: Kind::Other(|_| Box::new(Noop::new())),
    },
    Scheduler {
        name: Deadline::NAME,
        doc: "of single-queue kernels: as mq-deadline, without ioprio classes and limits",
        kind: Kind::Other(|_| Box::new(Deadline::new())),
    },
    Scheduler {
        name: Cfq::NAME,
        doc: "of single-queue kernels: time slices by ioprio, as in Linux 2.6.32; \
            cfq:generation=2.6.35 has groups, too",
        kind: Kind::Other(|limits| Box::new(Cfq::new(limits))),
    },
];

/// Why a scheduler was not built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// There is no scheduler of that name.
    #[error("no scheduler `{name}`{}", meant_or_all(name, &names().collect::<Vec<_>>()))]
    Unknown {
        /// The scheduler's name as the caller wrote it.
        name: String,
    },
    /// A part of the list of tunables is not of the form `name=value`.
    #[error("{scheduler}: `{part}`: expected tunable=value")]
    Syntax {
        /// Name of the scheduler.
        scheduler: &'static str,
        /// The part that is wrong.
        part: String,
    },
    /// A tunable was refused.
    #[error(transparent)]
    Tunable(#[from] TunableError),
}

/// The registry of schedulers.
pub fn schedulers() -> &'static [Scheduler] {
    &SCHEDULERS
}

/// The names of all schedulers.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCHEDULERS.iter().map(|scheduler| scheduler.name)
}

/// Builds a scheduler from `name` or `name:tunable=value,tunable=value,...`, for a device,
/// at a time.
///
/// # Errors
/// An unknown name, an unknown tunable, or a value that the tunable does not have; a number out of
/// range is refused, too, which a tunable's file would clamp.
pub fn build(
    spec: &str,
    now_ns: u64,
    limits: &DeviceLimits,
) -> Result<Box<dyn Elevator>, BuildError> {
    build_observed(spec, now_ns, limits, Silent)
}

/// As [`build`]; if the scheduler reports its decisions (those of our core do),
/// `observer` gets them.
///
/// # Errors
/// As [`build`].
pub fn build_observed(
    spec: &str,
    now_ns: u64,
    limits: &DeviceLimits,
    observer: impl Observer + 'static,
) -> Result<Box<dyn Elevator>, BuildError> {
    let (scheduler, tunables) = parts(spec)?;
    match scheduler.kind {
        Kind::Core(policy) => of_core(policy, now_ns, limits, tunables, observer),
        Kind::Other(build) => with_tunables(build(limits), &tunables, now_ns),
    }
}

/// A tunable as it was written: name and value.
type Written<'a> = (&'a str, &'a str);

/// The scheduler that `spec` names, and its tunables as written.
fn parts<'a>(spec: &'a str) -> Result<(&'static Scheduler, Vec<Written<'a>>), BuildError> {
    let (name, tunables) = spec.split_once(':').unwrap_or((spec, ""));
    let scheduler = find(name.trim())?;
    let parts = tunables.split(',').map(str::trim).filter(|part| !part.is_empty());
    let written = |part: &'a str| {
        let syntax = || BuildError::Syntax { scheduler: scheduler.name, part: part.to_owned() };
        let (tunable, value) = part.split_once('=').ok_or_else(syntax)?;
        Ok((tunable.trim(), value.trim()))
    };
    Ok((scheduler, parts.map(written).collect::<Result<_, BuildError>>()?))
}

/// One of our own. Its behaviour is chosen when it is built, if the policy has several.
fn of_core(
    policy: PolicyName,
    now_ns: u64,
    limits: &DeviceLimits,
    mut tunables: Vec<Written<'_>>,
    observer: impl Observer + 'static,
) -> Result<Box<dyn Elevator>, BuildError> {
    let mut behaviour = Behaviour::Improved;
    if policy.has_behaviours() {
        for (_, value) in tunables.extract_if(.., |(name, _)| *name == BEHAVIOUR) {
            behaviour = bfq::behaviour(value)?;
        }
    }
    let elevator = Scheduled::of(policy, now_ns, limits, behaviour, observer);
    with_tunables(Box::new(elevator), &tunables, now_ns)
}

/// Sets tunables. Which others there are depends on the generation, so it comes first, wherever it
/// is written.
fn with_tunables(
    mut elevator: Box<dyn Elevator>,
    tunables: &[Written<'_>],
    now_ns: u64,
) -> Result<Box<dyn Elevator>, BuildError> {
    let (first, others): (Vec<_>, Vec<_>) =
        tunables.iter().partition(|(tunable, _)| *tunable == GENERATION);
    for (tunable, value) in first.into_iter().chain(others) {
        elevator.set_tunable_in_range(now_ns, tunable, value)?;
    }
    Ok(elevator)
}

/// The tunables of a scheduler with their defaults, as on a device of depth 128. Tunables in `spec`
/// may decide which others it has.
///
/// # Errors
/// As [`build`].
pub fn tunables(spec: &str) -> Result<Vec<Tunable>, BuildError> {
    Ok(build(spec, 0, &DeviceLimits::new(128, false))?.tunables())
}

fn find(name: &str) -> Result<&'static Scheduler, BuildError> {
    let found = SCHEDULERS.iter().find(|scheduler| scheduler.name == name);
    found.ok_or_else(|| BuildError::Unknown { name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> DeviceLimits {
        DeviceLimits::new(32, false)
    }

    #[test]
    fn every_scheduler_is_built_by_its_name_and_knows_it() {
        for scheduler in schedulers() {
            let elevator = build(scheduler.name, 0, &limits()).expect(scheduler.name);
            assert_eq!(elevator.name(), scheduler.name);
            assert!(!elevator.has_work());
            assert_eq!(
                tunables(scheduler.name).map(|list| list.len()),
                Ok(elevator.tunables().len())
            );
        }
    }

    #[test]
    fn tunables_are_set_in_the_name() {
        let elevator =
            build("mq-deadline: read_expire=100 ,fifo_batch=0x8", 0, &limits()).expect("built");
        let value = |name| {
            let tunables = elevator.tunables();
            tunables.iter().find(|tunable| tunable.name == name).expect(name).value.clone()
        };
        assert_eq!((value("read_expire"), value("fifo_batch")), ("100".into(), "8".into()));
        assert_eq!(value("write_expire"), "5000");
    }

    #[test]
    fn what_decides_which_tunables_there_are_may_stand_anywhere() {
        for spec in [
            "cfq:generation=2.6.35,group_isolation=1",
            "cfq:group_isolation=1,generation=2.6.35",
            "cfq:group_isolation=1,generation=2.6.32,generation=2.6.35",
            "bfq:low_latency=0,behaviour=linux-6.12",
        ] {
            let built = tunables(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
            let changed = built.iter().filter(|tunable| tunable.value != tunable.default);
            assert_eq!(changed.count(), 2, "{spec}");
        }
    }

    #[test]
    fn mistakes_name_what_was_probably_meant() {
        for (spec, message) in [
            ("mq_deadline", "no scheduler `mq_deadline`; did you mean `mq-deadline`?"),
            ("none:quantum=3", "none has no tunable `quantum`"),
            (
                "cfq:group_isolation=1",
                "cfq of generation 2.6.32 has no tunable `group_isolation`; there are: quantum, \
                 fifo_expire_sync, fifo_expire_async, back_seek_max, back_seek_penalty, \
                 slice_sync, slice_async, slice_async_rq, slice_idle, low_latency",
            ),
            (
                "cfq:generation=2.6.36",
                "generation=2.6.36: expected 2.6.32 or 2.6.35, before the scheduler is used",
            ),
            (
                "mq-deadline:read_expires=3",
                "mq-deadline has no tunable `read_expires`; did you mean `read_expire`?",
            ),
            ("mq-deadline:fifo_batch", "mq-deadline: `fifo_batch`: expected tunable=value"),
            (
                "mq-deadline:fifo_batch=many",
                "fifo_batch=many: expected a number (decimal, 0x hexadecimal, 0 octal)",
            ),
            ("bfq:low_latency=2", "low_latency=2: expected a number from 0 to 1"),
            ("tfq:strict=7", "strict=7: expected a number from 0 to 2"),
            (
                "mq-deadline:fifo_batch=-0x1",
                "fifo_batch=-0x1: expected a number from 0 to 2147483647",
            ),
            (
                "kyber:depth=3",
                "kyber has no tunable `depth`; there are: read_lat_nsec, write_lat_nsec",
            ),
            (
                "mq-deadline:fifo_batch=4294967296",
                "fifo_batch=4294967296: too large a number, expected one from 0 to 2147483647",
            ),
        ] {
            let error = build(spec, 0, &limits()).err().expect(spec);
            assert_eq!(error.to_string(), message);
        }
        let error = build("", 0, &limits()).err().expect("no name").to_string();
        let all = names().collect::<Vec<_>>().join(", ");
        assert_eq!(error, format!("no scheduler ``; there are: {all}"));
        assert!(tunables("anticipatory").is_err());
    }
}
