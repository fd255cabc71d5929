// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time of an I/O, cut into pieces of one cause each.

use crate::cast::ProcessNumber;
use crate::cause::Cause;
use crate::queues::Serial;
use crate::record::{Doing, InDevice, PoolLimit, Record, Scene, SchedulerEvent};
use crate::rule::Rule;
use device::CommandTiming;

/// An I/O that has ended. Its times never go back in the order in which they stand here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Io {
    pub process: ProcessNumber,
    pub op: base::Op,
    pub sector: u64,
    pub sectors: u32,
    pub submitted_ns: u64,
    /// When it got a request, or a place in one.
    pub queued_ns: u64,
    /// When the scheduler handed its request out.
    pub served_ns: u64,
    /// When the device got the request.
    pub issued_ns: u64,
    pub ended_ns: u64,
    /// Its queue; none if it bypassed the queues.
    pub queue: Option<Serial>,
    /// Its place among all that was handed out.
    pub order: u64,
    /// Whether its queue was raised when it was handed out.
    pub raised: Option<bfq::why::RaiseKind>,
}

impl Io {
    /// From submission to end.
    pub fn latency_ns(&self) -> u64 {
        self.ended_ns - self.submitted_ns
    }
}

/// A part of an I/O's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub from_ns: u64,
    pub until_ns: u64,
    pub cause: Cause,
}

/// Cuts the time of an I/O into pieces that fill it without gaps, in order. `timing` is what its
/// request waited for in the device, if that tells.
pub(crate) fn cut(
    io: &Io,
    timing: Option<&CommandTiming>,
    record: &Record,
    mut take: impl FnMut(Piece),
) {
    let mut put = |from_ns, until_ns, cause| {
        if from_ns < until_ns {
            take(Piece { from_ns, until_ns, cause });
        }
    };
    if io.submitted_ns < io.queued_ns {
        put(io.submitted_ns, io.queued_ns, Cause::Pool(limit_met(io, record)));
    }
    for shown in record.scenes(io.queued_ns, io.served_ns) {
        put(shown.from_ns, shown.until_ns, waiting(io, &shown.scene));
    }
    put(io.served_ns, io.issued_ns, Cause::DeviceFull);
    let mut from_ns = io.issued_ns;
    for part in timing.iter().flat_map(|timing| timing.parts()) {
        let until_ns = part.until_ns.min(io.ended_ns);
        if part.phase.is_behind_others() {
            for shown in record.scenes(from_ns, until_ns) {
                let older = older_of_others(io, &shown.scene).map(|request| request.process);
                put(shown.from_ns, shown.until_ns, Cause::Phase(part.phase, older));
            }
        } else {
            put(from_ns, until_ns, Cause::Phase(part.phase, None));
        }
        from_ns = from_ns.max(until_ns);
    }
    for shown in record.scenes(from_ns, io.ended_ns) {
        put(shown.from_ns, shown.until_ns, in_device(io, &shown.scene));
    }
}

/// What kept it from getting a request when it asked for one.
fn limit_met(io: &Io, record: &Record) -> PoolLimit {
    let asked = record.events(io.submitted_ns, io.submitted_ns).filter_map(|(_, event)| {
        let SchedulerEvent::Limited { process, limit } = event else { return None };
        (process == io.process).then_some(limit)
    });
    // The last one: it sleeps since then.
    asked.last().unwrap_or(PoolLimit::Whole)
}

fn waiting(io: &Io, scene: &Scene) -> Cause {
    let Some(slot) = scene.slot else { return Cause::Nobody };
    if Some(slot.queue) != io.queue || slot.doing == Doing::WriteCache {
        let doing = if slot.on_loan { slot.doing.on_loan() } else { slot.doing };
        return Cause::Behind(slot.party, doing);
    }
    match (slot.in_device, slot.doing, scene.oldest[0]) {
        (_, Doing::Served(Some(rule @ Rule::Withheld(_))), _) => Cause::OwnKept(rule),
        (false, Doing::Served(_), Some(oldest)) => Cause::OwnDeviceTaken(oldest.process),
        _ => Cause::Own,
    }
}

fn in_device(io: &Io, scene: &Scene) -> Cause {
    match older_of_others(io, scene) {
        Some(request) => Cause::DeviceBehind(request.process),
        None => Cause::Device,
    }
}

/// The oldest request in the device, if it is another process's and older than the I/O.
fn older_of_others<'s>(io: &Io, scene: &'s Scene) -> Option<&'s InDevice> {
    let mut older = scene.oldest.iter().flatten().filter(|request| request.order < io.order);
    older.find(|request| request.process != Some(io.process))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queues::{Belongs, Parties};
    use crate::record::{InDevice, Slot};

    const ME: ProcessNumber = 0;
    const OTHER: ProcessNumber = 1;

    fn io(times_ns: [u64; 5], order: u64) -> Io {
        let [submitted_ns, queued_ns, served_ns, issued_ns, ended_ns] = times_ns;
        Io {
            process: ME,
            op: base::Op::Read,
            sector: 0,
            sectors: 8,
            submitted_ns,
            queued_ns,
            served_ns,
            issued_ns,
            ended_ns,
            queue: Some(Serial(1)),
            order,
            raised: None,
        }
    }

    fn pieces(io: &Io, record: &Record) -> Vec<(u64, u64, Cause)> {
        let mut pieces = Vec::new();
        cut(io, None, record, |piece| pieces.push((piece.from_ns, piece.until_ns, piece.cause)));
        assert_eq!(pieces.iter().map(|p| p.1 - p.0).sum::<u64>(), io.latency_ns());
        assert!(pieces.windows(2).all(|pair| pair[0].1 == pair[1].0), "{pieces:?}");
        pieces
    }

    #[test]
    fn a_life_with_everything_in_it() {
        let mut parties = Parties::default();
        let me = parties.intern(Belongs::To(vec![ME]));
        let other = parties.intern(Belongs::To(vec![OTHER]));
        let slot = |queue, party, doing, in_device| {
            Some(Slot {
                queue: Serial(queue),
                party,
                since_ns: 0,
                doing,
                in_device,
                on_loan: false,
            })
        };
        let device = |order, process| Some(InDevice { order, process: Some(process) });
        let theirs = device(5, OTHER);
        let mut record = Record::default();
        for (at_ns, slot, oldest) in [
            (0, slot(2, other, Doing::Served(None), true), [theirs, None]),
            (30, slot(2, other, Doing::Idling(None), false), [None, None]),
            (40, None, [theirs, None]),
            (50, slot(1, me, Doing::Served(None), false), [theirs, None]),
            (60, slot(1, me, Doing::Served(None), true), [theirs, device(6, ME)]),
            (90, slot(1, me, Doing::Served(None), true), [device(6, ME), device(8, OTHER)]),
        ] {
            record.set(at_ns, Scene { slot, oldest });
        }
        record.add(10, SchedulerEvent::Limited { process: OTHER, limit: PoolLimit::Whole });
        record.add(10, SchedulerEvent::Limited { process: ME, limit: PoolLimit::Share });

        assert_eq!(
            pieces(&io([10, 20, 70, 75, 100], 7), &record),
            [
                (10, 20, Cause::Pool(PoolLimit::Share)),
                (20, 30, Cause::Behind(other, Doing::Served(None))),
                (30, 40, Cause::Behind(other, Doing::Idling(None))),
                (40, 50, Cause::Nobody),
                (50, 60, Cause::OwnDeviceTaken(Some(OTHER))),
                (60, 70, Cause::Own),
                (70, 75, Cause::DeviceFull),
                (75, 90, Cause::DeviceBehind(Some(OTHER))),
                (90, 100, Cause::Device),
            ]
        );
    }

    #[test]
    fn lives_without_record_or_length() {
        let record = Record::default();
        let first = io([5, 5, 9, 9, 20], 1);
        assert_eq!(pieces(&first, &record), [(5, 9, Cause::Nobody), (9, 20, Cause::Device)]);
        assert_eq!(pieces(&io([7; 5], 1), &record), []);
    }
}
