// SPDX-License-Identifier: MIT OR Apache-2.0
//! The waiting requests of a queue: by sector, by age, and the one to serve next (spec 2.4–2.6).

use super::{
    ids::RequestId,
    request::{Content, FIFO, NewRequest, Request, Requests},
};
use crate::{
    store::{
        list::{Hook, Hooked, List},
        sorted::Sorted,
        tree::{LEFT, Node, RIGHT},
    },
    tunables::BackSeeks,
    units::{Sector, Sectors, Time},
};

/// The waiting requests of one queue.
#[derive(Debug)]
pub(crate) struct Waiting {
    by_sector: Sorted<RequestId>,
    by_age: List<RequestId, FIFO>,
    /// The request to serve next; exists iff anything waits.
    pub next: Option<RequestId>,
    /// The next one was chosen because its deadline had passed: what comes now comes after it.
    next_is_due: bool,
    /// Waiting requests: async, sync.
    counts: [u32; 2],
    /// None of them is longer, in sectors.
    longest: u32,
}

/// Where a request was that leaves: there is a gap to be closed.
#[derive(Debug)]
struct Gap {
    sector: Sector,
    /// Who was beside it by sector.
    neighbours: [Option<RequestId>; 2],
    /// Its place by age.
    hook: Hook<RequestId>,
}

impl Waiting {
    pub const fn new() -> Self {
        Waiting {
            by_sector: Sorted::new(),
            by_age: List::new(),
            next: None,
            next_is_due: false,
            counts: [0; 2],
            longest: 0,
        }
    }

    /// Whether no request of the queue waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.next.is_none()
    }

    /// Number of waiting requests.
    #[inline]
    pub fn len(&self) -> u32 {
        debug_assert_eq!(
            self.counts == [0; 2],
            self.next.is_none(),
            "something is next, or nothing"
        );
        self.counts[0] + self.counts[1]
    }

    /// Number of waiting requests that are sync, or that are not.
    #[inline]
    pub fn count(&self, sync: bool) -> u32 {
        self.counts[usize::from(sync)]
    }

    /// Sorts `id`, which is in the table as this and whose deadline is set, in by sector and by
    /// age, and lets it compete for being next, seen from `position`; returns whether it is.
    // Each policy calls it at one place, for each request. With several policies the compiler would
    // make it a call.
    #[inline(always)]
    pub fn add(
        &mut self,
        requests: &mut Requests,
        id: RequestId,
        what: &Content,
        position: Sector,
        seeks: &BackSeeks,
    ) -> bool {
        self.counts[usize::from(what.sync)] += 1;
        if self.next.is_none() {
            self.longest = 0;
        }
        self.note_length(what.sectors);
        self.sort_in(requests, id);
        self.by_age.push_back(requests, id);
        self.compete(requests, id, what, position, seeks)
    }

    /// A waiting request has so many sectors, or will have.
    #[inline]
    pub fn note_length(&mut self, sectors: Sectors) {
        self.longest = self.longest.max(sectors.as_u32());
    }

    /// Lets `id` compete for being next; returns whether it is.
    #[inline(always)]
    fn compete(
        &mut self,
        requests: &Requests,
        id: RequestId,
        what: &Content,
        position: Sector,
        seeks: &BackSeeks,
    ) -> bool {
        let wins = match self.next {
            None => true,
            Some(_) if self.next_is_due => false,
            Some(next) => next == id || !is_better(&requests[next].what(), what, position, seeks),
        };
        if wins {
            self.next = Some(id);
        }
        wins
    }

    /// Whatever made the next request the next one, a better one may take its place. (So it is
    /// in the reference.)
    pub fn let_next_yield(&mut self) {
        self.next_is_due = false;
    }

    /// Takes `id` out. If it was the next one, another becomes next ([`Waiting::take_next`]).
    #[inline(always)]
    pub fn remove(
        &mut self,
        requests: &mut Requests,
        id: RequestId,
        expired_first: Option<Time>,
        seeks: &BackSeeks,
    ) {
        if self.next == Some(id) {
            self.take_next(requests, id, expired_first, seeks);
        } else {
            self.take_other(requests, id);
        }
    }

    /// Takes `id`, the next one, out, and another becomes next: one whose deadline has passed at
    /// the time `expired_first`, if that is given, else the nearest.
    #[inline(always)]
    pub fn take_next(
        &mut self,
        requests: &mut Requests,
        id: RequestId,
        expired_first: Option<Time>,
        seeks: &BackSeeks,
    ) {
        debug_assert_eq!(self.next, Some(id), "it is not next");
        let gap = self.leave(requests, id);
        let due = expired_first.and_then(|now| self.due_after(requests, id, now));
        self.next_is_due = due.is_some();
        self.next = match due {
            Some(due) => Some(due),
            None => self.after(requests, id, &gap, seeks),
        };
        self.close_gap(requests, id, gap);
    }

    /// Takes out `id`, which is not the next one.
    #[inline]
    pub fn take_other(&mut self, requests: &mut Requests, id: RequestId) {
        debug_assert_ne!(self.next, Some(id), "it is next");
        let gap = self.leave(requests, id);
        self.close_gap(requests, id, gap);
    }

    /// `id` leaves: it does not count any more, and the others do not know yet.
    #[inline(always)]
    fn leave(&mut self, requests: &mut Requests, id: RequestId) -> Gap {
        let request = &mut requests[id];
        self.counts[usize::from(request.sync)] -= 1;
        Gap {
            sector: request.sector,
            neighbours: request.links().neighbours(),
            hook: request.hook_mut().take(),
        }
    }

    /// Closes the gap that `id` has left; what is next stays.
    #[inline(always)]
    fn close_gap(&mut self, requests: &mut Requests, id: RequestId, gap: Gap) {
        self.by_sector.remove_between(requests, id, gap.neighbours);
        self.by_age.close(requests, id, gap.hook);
        debug_assert_eq!(self.next.is_none(), self.by_age.is_empty(), "one waits, none is next");
    }

    /// The oldest request, if it is another one than `last` and its deadline has passed.
    #[inline(always)]
    fn due_after(&self, requests: &Requests, last: RequestId, now: Time) -> Option<RequestId> {
        let is_due = |&oldest: &RequestId| oldest != last && requests[oldest].fifo_deadline <= now;
        self.by_age.front().filter(is_due)
    }

    /// The request to serve after `last`, which has left, by its place (spec 2.6).
    #[inline(always)]
    fn after(
        &self,
        requests: &Requests,
        last: RequestId,
        gap: &Gap,
        seeks: &BackSeeks,
    ) -> Option<RequestId> {
        let ahead = gap.neighbours[RIGHT];
        let ahead = ahead.or(self.by_sector.first().filter(|&first| first != last));
        choose(requests, ahead, gap.neighbours[LEFT], gap.sector, seeks)
    }

    /// Sorts `id` anew after its first sector changed, and lets it compete for being next.
    #[inline(never)]
    pub fn resort(
        &mut self,
        requests: &mut Requests,
        id: RequestId,
        position: Sector,
        seeks: &BackSeeks,
    ) {
        self.by_sector.remove(requests, id);
        self.sort_in(requests, id);
        let what = requests[id].what();
        self.compete(requests, id, &what, position, seeks);
    }

    #[inline]
    fn sort_in(&mut self, requests: &mut Requests, id: RequestId) {
        self.by_sector.insert(requests, id, |a: &Request, b| a.sector < b.sector);
    }

    /// Gives `heir` the fifo place and deadline of `absorbed`, if that is the earlier one.
    pub fn inherit_age(&mut self, requests: &mut Requests, heir: RequestId, absorbed: RequestId) {
        debug_assert_ne!(heir, absorbed, "a request takes its own place");
        let deadline = requests[absorbed].fifo_deadline;
        if deadline < requests[heir].fifo_deadline {
            requests[heir].fifo_deadline = deadline;
            self.by_age.remove(requests, heir);
            self.by_age.insert_before(requests, heir, absorbed);
        }
    }

    /// The neighbour in sector order.
    pub fn following(&self, requests: &Requests, id: RequestId) -> Option<RequestId> {
        self.by_sector.next(requests, id)
    }

    /// The neighbour in sector order.
    pub fn preceding(&self, requests: &Requests, id: RequestId) -> Option<RequestId> {
        self.by_sector.previous(requests, id)
    }

    /// The last waiting request that starts at or before `sector`.
    pub fn at_or_before(&self, requests: &Requests, sector: Sector) -> Option<RequestId> {
        self.by_sector.last_low(requests, |request| request.sector <= sector)
    }

    /// The waiting request that `new` continues, if there is one; looked for are `last` and those
    /// before it. All that start behind `last` start behind the start of `new`.
    ///
    /// Requests may overlap, so others may start between the start of that one and its end: the
    /// search ends where the longest one would end before `new`. It passes only those that begin
    /// that closely before `new`, or in it: as a rule, none.
    pub fn continued_by(
        &self,
        requests: &Requests,
        last: Option<RequestId>,
        new: &NewRequest,
    ) -> Option<RequestId> {
        let (start, longest) = (new.start(), Sectors::from(self.longest));
        let mut before = last;
        while let Some(id) = before {
            let what = requests[id].what();
            if what.is_continued_by(new) {
                break;
            }
            if what.sector < start && what.sector.distance(start) > longest {
                return None;
            }
            before = self.preceding(requests, id);
        }
        before
    }

    /// All waiting requests by sector.
    pub fn iter<'a>(&self, requests: &'a Requests) -> impl Iterator<Item = RequestId> + use<'a> {
        self.by_sector.iter(requests)
    }

    /// Asserts counts, order and the existence of the next request.
    pub fn check(&self, requests: &Requests) {
        self.by_sector.check(requests, |a, b| a.sector > b.sector);
        let mut counts = [0; 2];
        self.by_sector.iter(requests).for_each(|id| {
            counts[usize::from(requests[id].sync)] += 1;
            assert!(requests[id].sectors() <= Sectors::from(self.longest), "{id:?} is longer");
        });
        assert_eq!(counts, self.counts);
        assert_eq!(self.by_age.iter(requests).count() as u32, self.len());
        assert_eq!(self.is_empty(), self.counts == [0; 2]);
        if let Some(next) = self.next {
            assert!(self.by_sector.iter(requests).any(|id| id == next));
        }
    }
}

/// The better of two requests for a head at `position` (spec 2.5).
#[inline(always)]
pub(crate) fn choose(
    requests: &Requests,
    first: Option<RequestId>,
    second: Option<RequestId>,
    position: Sector,
    seeks: &BackSeeks,
) -> Option<RequestId> {
    let (Some(a), Some(b)) = (first, second) else { return first.or(second) };
    if a == b {
        return first;
    }
    let is_first = is_better(&requests[a].what(), &requests[b].what(), position, seeks);
    if is_first { first } else { second }
}

/// Whether the first of two other requests is the better one for a head at `position` (spec 2.5).
#[inline(always)]
fn is_better(one: &Content, two: &Content, position: Sector, seeks: &BackSeeks) -> bool {
    let rank = |what: &Content| 2 * u8::from(what.sync) + u8::from(what.metadata);
    if rank(one) != rank(two) {
        return rank(one) > rank(two);
    }
    let first = reach(one.sector, position, seeks);
    let second = reach(two.sector, position, seeks);
    first < second || (first == second && one.sector >= two.sector)
}

/// What it costs to get from `position` to a sector: a seek, or, dearer than all seeks, a sweep
/// from the start of the disk, which comes by this sector. One number, so that to compare two needs
/// no branch.
#[inline(always)]
fn reach(sector: Sector, position: Sector, seeks: &BackSeeks) -> u128 {
    const SWEEP: u128 = 1 << 64;
    if sector >= position {
        return sector.distance(position).count().into();
    }
    let behind = position.distance(sector);
    if behind <= seeks.max {
        behind.count().saturating_mul(seeks.penalty).into()
    } else {
        SWEEP + u128::from(sector.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::request::{Operation, grow};

    const SEEKS: BackSeeks = BackSeeks { max: Sectors::of_kib(16384), penalty: 2 };

    fn table(contents: &[(u64, bool, bool)]) -> Requests {
        let mut requests = Requests::new();
        grow(&mut requests, contents.len() as u32).unwrap();
        for (at, &(sector, sync, metadata)) in contents.iter().enumerate() {
            requests[RequestId::from_index(at)].set_what(&Content {
                sector: Sector::at(sector),
                sectors: Sectors::of(8),
                process: None,
                operation: Operation::Read,
                sync,
                metadata,
            });
        }
        requests
    }

    #[test]
    fn choices_as_in_the_vectors() {
        let far = 16384 * 2;
        for (one, two, position, expected) in [
            ((100, true, false), (300, true, false), 200, 1), // costs 200 and 100
            ((150, true, false), (300, true, false), 200, 1), // equal costs: the higher sector
            ((300, true, false), (150, true, false), 200, 0),
            ((900, true, false), (200, false, false), 200, 0), // sync first
            ((900, true, true), (200, true, false), 200, 0),   // then metadata
            ((10, true, false), (far + 10, true, false), far + 11, 1), // one needs a sweep
            ((20, true, false), (10, true, false), far + 100, 1), // both do: the lower sector
            ((10, true, false), (10, true, false), far + 100, 0),
        ] {
            let requests = table(&[one, two]);
            let [a, b] = [0, 1].map(RequestId::from_index);
            let chosen = choose(&requests, Some(a), Some(b), Sector::at(position), &SEEKS);
            assert_eq!(chosen.unwrap().index(), expected, "{one:?} {two:?} at {position}");
        }
    }

    #[test]
    fn an_expired_request_goes_first() {
        let mut requests = table(&[(1000, true, false), (100, true, false), (1008, true, false)]);
        let [a, b, c] = [0, 1, 2].map(RequestId::from_index);
        let contents = [a, b, c].map(|id| requests[id].what());
        let mut waiting = Waiting::new();
        for (id, deadline) in [(a, 50), (b, 60), (c, 70)] {
            requests[id].fifo_deadline = Time::from_ns(deadline);
            waiting.add(&mut requests, id, &contents[id.index()], Sector::at(1000), &SEEKS);
        }
        assert_eq!(waiting.next, Some(a));
        waiting.check(&requests);
        waiting.remove(&mut requests, a, Some(Time::from_ns(60)), &SEEKS);
        // The fifo head at the time of the check is `a` itself, so sector order decides.
        assert_eq!(waiting.next, Some(c));
        waiting.add(&mut requests, a, &contents[a.index()], Sector::FIRST, &SEEKS);
        waiting.next = Some(c);
        waiting.remove(&mut requests, c, Some(Time::from_ns(60)), &SEEKS);
        assert_eq!(waiting.next, Some(b), "its deadline has passed");
        waiting.add(&mut requests, c, &contents[c.index()], Sector::FIRST, &SEEKS);
        assert_eq!(waiting.next, Some(b), "what comes now comes after it");
        waiting.remove(&mut requests, c, None, &SEEKS);
        waiting.remove(&mut requests, b, None, &SEEKS);
        assert_eq!((waiting.next, waiting.len()), (Some(a), 1));
        waiting.check(&requests);
    }

    #[test]
    fn a_survivor_inherits_the_older_place() {
        let mut requests = table(&[(100, true, false), (108, true, false), (500, true, false)]);
        let ids = [0, 1, 2].map(RequestId::from_index);
        let contents = ids.map(|id| requests[id].what());
        let mut waiting = Waiting::new();
        for (id, deadline) in ids.into_iter().zip([30, 10, 40]) {
            requests[id].fifo_deadline = Time::from_ns(deadline);
            waiting.add(&mut requests, id, &contents[id.index()], Sector::FIRST, &SEEKS);
        }
        waiting.inherit_age(&mut requests, ids[0], ids[1]);
        waiting.remove(&mut requests, ids[1], None, &SEEKS);
        assert_eq!(waiting.by_age.front(), Some(ids[0]));
        assert_eq!(requests[ids[0]].fifo_deadline, Time::from_ns(10));
        assert_eq!(waiting.at_or_before(&requests, Sector::at(499)), Some(ids[0]));
        assert_eq!(waiting.at_or_before(&requests, Sector::at(99)), None);
    }
}
