// SPDX-License-Identifier: MIT OR Apache-2.0
//! The next I/O: what it is, and how it is counted.

use super::overlaps::Overlaps;
use super::places::Stretch;
use super::replay::Turn;
use super::{Failure, Issuer, IssuerStep, Work};
use crate::io::{Io, IoKind, Ticket};
use crate::job::Direction;
use crate::recorded::{TraceEntry, TraceKind};

impl Issuer {
    #[inline]
    pub(super) fn work_is_over(&mut self) -> bool {
        if self.has_extras && self.overlaps.as_ref().is_some_and(Overlaps::has_held) {
            return false;
        }
        match &mut self.work {
            Work::Generated(generator) => generator.is_over(&mut self.limits),
            Work::Replayed(replay) => replay.is_over() || self.limits.are_reached(),
        }
    }

    /// It issues the next I/O, or does what comes instead of one.
    #[inline(always)]
    pub(super) fn go_on(&mut self, now_ns: u64, deadline_ns: u64) -> IssuerStep {
        if self.has_extras
            && let Some(kind) = self.syncs.due()
        {
            return self.sync(kind);
        }
        if self.has_extras
            && let Some(step) = self.submit_held(now_ns)
        {
            return step;
        }
        let generator = match &mut self.work {
            Work::Generated(generator) => generator,
            Work::Replayed(replay) => {
                let turn = replay.turn(now_ns);
                return self.replay(now_ns, deadline_ns, turn);
            }
        };
        let direction = match generator.direction(&self.pace, now_ns) {
            Ok(direction) => direction,
            Err(due_ns) => return IssuerStep::Sleep { until_ns: due_ns.min(deadline_ns) },
        };
        match generator.place(direction) {
            Some(place) => self.submit(now_ns, direction, place),
            None => self.go_on_in_next_pass(now_ns, direction),
        }
    }

    /// The region is gone through: the next I/O is the first of another pass, if there is one.
    #[inline(never)]
    fn go_on_in_next_pass(&mut self, now_ns: u64, direction: Direction) -> IssuerStep {
        let Work::Generated(generator) = &mut self.work else { return self.end() };
        if !generator.begin_again(direction, &mut self.limits) {
            return self.end();
        }
        if let Some(step) = self.sync_between_passes() {
            return step;
        }
        let Work::Generated(generator) = &mut self.work else { return self.end() };
        match generator.place(direction) {
            Some(place) => self.submit(now_ns, direction, place),
            None => self.end(),
        }
    }

    /// What `end_fsync` has it do when a pass has ended and the next one has not begun.
    pub(super) fn sync_between_passes(&mut self) -> Option<IssuerStep> {
        let pass = self.pass();
        if !self.syncs.comes_before(pass) {
            return None;
        }
        if self.in_flight > 0 {
            return Some(IssuerStep::Wait);
        }
        self.syncs.issued_before(pass);
        Some(self.sync(IoKind::Fsync))
    }

    /// It does what comes next in its trace.
    #[inline(never)]
    fn replay(&mut self, now_ns: u64, deadline_ns: u64, turn: Turn) -> IssuerStep {
        match turn {
            Turn::Io(entry) => self.submit_recorded(now_ns, &entry),
            Turn::NotBefore(due_ns) => IssuerStep::Sleep { until_ns: due_ns.min(deadline_ns) },
            Turn::Wait => IssuerStep::Wait,
            Turn::Follow { clone, completed_ios } => IssuerStep::Follow { clone, completed_ios },
            Turn::End => self.end(),
            Turn::Broken => self.fail(Failure::Trace),
        }
    }

    #[inline(always)]
    pub(super) fn submit(
        &mut self,
        now_ns: u64,
        direction: Direction,
        place: Stretch,
    ) -> IssuerStep {
        if self.has_extras && self.holds_back(direction, place) {
            return IssuerStep::Wait;
        }
        let (offset_bytes, length_bytes) = place;
        let kind = match direction {
            Direction::Read => IoKind::Read,
            Direction::Write => IoKind::Write,
            Direction::Trim => IoKind::Trim,
        };
        self.count(now_ns, direction, length_bytes);
        let ticket = self.ticket();
        if self.has_extras {
            self.note_place(ticket, direction, place);
        }
        if direction == Direction::Trim {
            // As under fio, it is waited for, whatever the engine.
            self.trim = Some(ticket);
        }
        IssuerStep::Submit(Io::new(ticket, kind, offset_bytes, length_bytes))
    }

    /// Submits the I/O that was held back, or holds it back again; none: there is no such.
    #[inline(never)]
    fn submit_held(&mut self, now_ns: u64) -> Option<IssuerStep> {
        let (direction, place) = self.overlaps.as_mut()?.take_held()?;
        Some(self.submit(now_ns, direction, place))
    }

    /// Whether an I/O has to wait for others at its place. As under fio that is a full queue.
    fn holds_back(&mut self, direction: Direction, place: Stretch) -> bool {
        let must_wait =
            self.overlaps.as_mut().is_some_and(|overlaps| overlaps.holds_back(direction, place));
        self.is_full |= must_wait;
        must_wait
    }

    /// Notes where an I/O is issued.
    fn note_place(&mut self, ticket: Ticket, direction: Direction, place: Stretch) {
        if let Some(overlaps) = &mut self.overlaps {
            overlaps.issued(ticket, direction, place);
        }
        let Some(read_back) = &mut self.read_back else { return };
        match direction {
            Direction::Read => {}
            Direction::Write => read_back.wrote(place.0, place.1),
            Direction::Trim => read_back.trimmed(place.0, place.1),
        }
    }

    /// Submits the next entry of the trace.
    fn submit_recorded(&mut self, now_ns: u64, entry: &TraceEntry) -> IssuerStep {
        let Work::Replayed(replay) = &mut self.work else { return IssuerStep::Wait };
        let offset_bytes = self.start_bytes + replay.offset_bytes(entry);
        replay.issued(now_ns, entry, self.next_ticket);
        let kind = match entry.kind {
            TraceKind::Read | TraceKind::ReadAhead => IoKind::Read,
            TraceKind::Write | TraceKind::WriteBack => IoKind::Write,
            TraceKind::Sync => return self.sync(IoKind::Fsync),
            TraceKind::DataSync => return self.sync(IoKind::Fdatasync),
        };
        let direction = if kind == IoKind::Read { Direction::Read } else { Direction::Write };
        let (length_bytes, metadata) = (entry.length_bytes, entry.metadata);
        self.count(now_ns, direction, length_bytes);
        let ticket = self.ticket();
        let (sync, read_ahead) =
            (entry.kind != TraceKind::WriteBack, entry.kind == TraceKind::ReadAhead);
        IssuerStep::Submit(Io {
            ticket,
            kind,
            offset_bytes,
            length_bytes,
            sync,
            read_ahead,
            metadata,
        })
    }

    /// A read or write is issued.
    #[inline(always)]
    pub(super) fn count(&mut self, now_ns: u64, direction: Direction, length_bytes: u32) {
        self.limits.issued(length_bytes);
        if self.has_extras {
            self.note_issue(now_ns, direction, length_bytes);
        }
    }

    fn note_issue(&mut self, now_ns: u64, direction: Direction, length_bytes: u32) {
        self.depth.issued(now_ns, self.next_ticket);
        self.pace.issued(direction, length_bytes);
        self.thinker.issued(now_ns);
        if direction == Direction::Write {
            self.syncs.wrote();
        }
    }

    pub(super) fn sync(&mut self, kind: IoKind) -> IssuerStep {
        let ticket = self.ticket();
        self.syncs.in_flight = Some(ticket);
        IssuerStep::Submit(Io::new(ticket, kind, 0, 0))
    }

    #[inline]
    pub(super) fn ticket(&mut self) -> Ticket {
        let ticket = self.next_ticket;
        self.next_ticket = ticket.next();
        self.in_flight += 1;
        ticket
    }
}
