// SPDX-License-Identifier: MIT OR Apache-2.0
//! What will happen inside a disk, in order of time.
//!
//! Nearly all of it lies less than a few hundred microseconds ahead. So time is cut into spans, and
//! those ahead have a bucket each: to add an event is to find its bucket, and to take the next one
//! is to find the first bucket with something in it. What lies further ahead is in a heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A span is 2^10 ns, about a microsecond: a fast disk has one or two events in it.
const SPAN_SHIFT: u32 = 10;
const WORDS: usize = 8;
/// Spans that have a bucket, one for each bit of the words.
const BUCKETS: u64 = WORDS as u64 * u64::BITS as u64;
/// The place of no event.
const NONE: u32 = u32::MAX;

/// Something that happens at a known time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedEvent<T> {
    pub at_ns: u64,
    /// Its place among all events in the order in which they became known.
    pub number: u64,
    pub what: T,
}

impl<T> PlannedEvent<T> {
    fn key(&self) -> (u64, u64) {
        (self.at_ns, self.number)
    }
}

/// An event of a bucket, or an unused place.
#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    event: PlannedEvent<T>,
    /// The next one of the same bucket, or the next unused place.
    next: u32,
}

/// The events to come. Those at the same time happen in the order in which they became known.
#[derive(Clone, Debug)]
pub(crate) struct Agenda<T> {
    entries: Vec<Entry<T>>,
    unused: u32,
    /// The first event of each bucket, whose events are in order.
    firsts: [u32; BUCKETS as usize],
    /// The buckets with something in them.
    filled: [u64; WORDS],
    /// The span of the event that was taken last: no event of a bucket is in an earlier one.
    span: u64,
    /// When the first event of buckets and heap is; `u64::MAX` if there is none.
    next_ns: u64,
    /// When the first event of all buckets is, and its bucket; `u64::MAX` if there is none.
    near_ns: u64,
    near_bucket: usize,
    far: BinaryHeap<Reverse<Far<T>>>,
    /// When the first event of the heap is; `u64::MAX` if there is none.
    far_ns: u64,
    next_number: u64,
}

/// An event of the heap.
#[derive(Clone, Copy, Debug)]
struct Far<T>(PlannedEvent<T>);

impl<T> PartialEq for Far<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}

impl<T> Eq for Far<T> {}

impl<T> PartialOrd for Far<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Far<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.key().cmp(&other.0.key())
    }
}

impl<T: Copy> Agenda<T> {
    /// No events yet; there is room for `expected` of them.
    pub fn new(expected: usize) -> Self {
        Agenda {
            entries: Vec::with_capacity(expected),
            unused: NONE,
            firsts: [NONE; BUCKETS as usize],
            filled: [0; WORDS],
            span: 0,
            next_ns: u64::MAX,
            near_ns: u64::MAX,
            near_bucket: 0,
            far: BinaryHeap::with_capacity(expected),
            far_ns: u64::MAX,
            next_number: 0,
        }
    }

    /// When the next event is; `u64::MAX` if there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Adds an event; returns its number.
    #[inline(always)]
    pub fn add(&mut self, at_ns: u64, what: T) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        let span = (at_ns >> SPAN_SHIFT).max(self.span);
        if span - self.span < BUCKETS {
            self.put(span, PlannedEvent { at_ns, number, what });
        } else {
            self.put_far(at_ns, number, what);
        }
        number
    }

    /// Puts an event into the heap that comes later than the buckets reach: the end of an erasure,
    /// and on most disks that of a program.
    #[inline(never)]
    fn put_far(&mut self, at_ns: u64, number: u64, what: T) {
        self.far.push(Reverse(Far(PlannedEvent { at_ns, number, what })));
        self.far_ns = self.far_ns.min(at_ns);
        self.next_ns = self.near_ns.min(self.far_ns);
    }

    /// Puts an event into the bucket of a span, behind those that come before it.
    #[inline(always)]
    fn put(&mut self, span: u64, event: PlannedEvent<T>) {
        let bucket = (span % BUCKETS) as usize;
        if event.at_ns < self.near_ns {
            (self.near_ns, self.near_bucket) = (event.at_ns, bucket);
            self.next_ns = self.near_ns.min(self.far_ns);
        }
        self.filled[bucket / 64] |= 1 << (bucket % 64);
        let (mut before, mut behind) = (NONE, self.firsts[bucket]);
        while let Some(other) = self.entries.get(behind as usize)
            && other.event.at_ns <= event.at_ns
        {
            (before, behind) = (behind, other.next);
        }
        let place = self.keep(Entry { event, next: behind });
        match self.entries.get_mut(before as usize) {
            Some(before) => before.next = place,
            None => self.firsts[bucket] = place,
        }
    }

    /// Keeps an entry in a place that is unused; returns the place.
    #[inline(always)]
    fn keep(&mut self, entry: Entry<T>) -> u32 {
        match self.entries.get_mut(self.unused as usize) {
            Some(unused) => {
                let place = std::mem::replace(&mut self.unused, unused.next);
                *unused = entry;
                place
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        }
    }

    /// Takes the next event.
    #[inline]
    pub fn take(&mut self) -> Option<PlannedEvent<T>> {
        let event = if self.is_far_first() { self.take_far()? } else { self.take_near()? };
        self.next_ns = self.near_ns.min(self.far_ns);
        self.span = self.span.max(event.at_ns >> SPAN_SHIFT);
        Some(event)
    }

    /// Whether the first event of the heap comes before those of the buckets.
    fn is_far_first(&self) -> bool {
        let near = |place: u32| self.entries.get(place as usize).map(|entry| entry.event.key());
        self.far_ns <= self.near_ns
            && self.far.peek().is_some_and(|Reverse(Far(far))| {
                near(self.firsts[self.near_bucket]).is_none_or(|near| far.key() < near)
            })
    }

    #[cold]
    fn take_far(&mut self) -> Option<PlannedEvent<T>> {
        let event = self.far.pop().map(|Reverse(Far(event))| event);
        self.far_ns = self.far.peek().map_or(u64::MAX, |Reverse(Far(event))| event.at_ns);
        event
    }

    /// Takes the first event of the first bucket with something in it.
    fn take_near(&mut self) -> Option<PlannedEvent<T>> {
        let bucket = self.near_bucket;
        let place = self.firsts[bucket];
        let Entry { event, next } = *self.entries.get(place as usize)?;
        self.entries[place as usize].next = self.unused;
        self.unused = place;
        self.firsts[bucket] = next;
        if next == NONE {
            self.filled[bucket / 64] ^= 1 << (bucket % 64);
            self.near_bucket = self.first_filled().unwrap_or(bucket);
        }
        let first = self.entries.get(self.firsts[self.near_bucket] as usize);
        self.near_ns = first.map_or(u64::MAX, |entry| entry.event.at_ns);
        Some(event)
    }

    /// The first bucket with something in it, from that of the present span on.
    #[inline]
    fn first_filled(&self) -> Option<usize> {
        let start = (self.span % BUCKETS) as usize;
        let from_start = self.filled[start / 64] >> (start % 64);
        if from_start != 0 {
            return Some(start + from_start.trailing_zeros() as usize);
        }
        // The last of these is the first word again: its bits before the start.
        let mut words = (1..=WORDS).map(|step| (start / 64 + step) % WORDS);
        let word = words.find(|&word| self.filled[word] != 0)?;
        Some(word * 64 + self.filled[word].trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// All events up to a time, by number.
    fn taken(agenda: &mut Agenda<u32>, until_ns: u64) -> Vec<u64> {
        let next = || if agenda.next_ns() <= until_ns { agenda.take() } else { None };
        std::iter::from_fn(next).map(|event| event.number).collect()
    }

    #[test]
    fn events_come_by_time_and_then_as_they_became_known() {
        let mut agenda = Agenda::new(0);
        for at_ns in [900, 5_000, 900, 1_000_000, 1_023, 1_024, 1_000_000] {
            agenda.add(at_ns, 0);
        }
        assert_eq!(taken(&mut agenda, 899), []);
        assert_eq!(agenda.next_ns(), 900);
        assert_eq!(taken(&mut agenda, 1_024), [0, 2, 4, 5]);
        // One that comes late is as near as can be.
        agenda.add(10, 0);
        assert_eq!(taken(&mut agenda, u64::MAX), [7, 1, 3, 6]);
        assert_eq!(agenda.next_ns(), u64::MAX);
        assert!(agenda.take().is_none());
    }

    #[test]
    fn it_is_as_a_sorted_list() {
        for seed in 0..50 {
            let mut random = Random::new(seed);
            let (mut agenda, mut list, mut now_ns) = (Agenda::new(8), Vec::new(), 0);
            for _ in 0..2_000 {
                match random.below(3) {
                    0 => {
                        let reach = 1 << random.below(22);
                        let at_ns = now_ns + random.below(reach);
                        list.push((at_ns, agenda.add(at_ns, 7)));
                        list.sort_unstable();
                    }
                    _ if list.is_empty() => assert_eq!(agenda.next_ns(), u64::MAX),
                    _ => {
                        now_ns = list[0].0;
                        assert_eq!(agenda.next_ns(), now_ns);
                        let event = agenda.take().expect("one that is to come");
                        assert_eq!(event.key(), list.remove(0));
                        assert_eq!(event.what, 7);
                    }
                }
            }
        }
    }
}
