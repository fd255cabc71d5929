// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much is cached, and what goes when memory is full.
//!
//! An approximation of Linux's lists: stretches of pages stand in line in the order in which they
//! came. Room is made at the front. A page used a second time since it came, or since it was last
//! spared, goes to the end of the line once more instead (a second chance); so do pages that are
//! dirty or under way. So a stream read once goes first, and what is used again and again stays.

use std::collections::VecDeque;
use std::ops::Range;

use super::pages::{Flag, Pages};

/// The stretches that are looked at to make room once: what cannot go must not cost the run its
/// speed. The cache is over its size for a while then.
const LOOKED_AT: u32 = 64;
/// A line shorter than this is not looked through for stretches that are gone.
const SHORT_LINE: usize = 1024;
/// The longest stretch, pages.
const STRETCH_PAGES: u64 = 512;

/// What has left the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dropped {
    pub pages: u64,
    /// Of these, read ahead and never used.
    pub wasted: u64,
}

/// The line of cached pages.
#[derive(Debug)]
pub(super) struct Memory {
    most: u64,
    cached: u64,
    line: VecDeque<Range<u64>>,
    /// The length of the line at which what has gone from it is taken out.
    look_through_at: usize,
}

impl Memory {
    /// Memory for that number of pages.
    pub(super) fn new(most: u64) -> Memory {
        Memory { most, cached: 0, line: VecDeque::new(), look_through_at: SHORT_LINE }
    }

    /// How many pages are cached.
    pub(super) fn cached(&self) -> u64 {
        self.cached
    }

    /// Takes those pages of the range into the cache that are not there yet, and makes room. They
    /// are dirty or being read already, so that they are not what goes.
    pub(super) fn add(&mut self, pages: &mut Pages, range: Range<u64>) -> Dropped {
        let mut next = range.start;
        while let Some(start) = pages.first(next..range.end, |word| !word.of(Flag::Cached)) {
            next = pages.run_end(start..range.end, |word| !word.of(Flag::Cached));
            self.cached += pages.set(Flag::Cached, start..next);
            self.queue(start..next);
        }
        if self.cached > self.most { self.make_room(pages) } else { Dropped::default() }
    }

    fn queue(&mut self, range: Range<u64>) {
        match self.line.back_mut() {
            Some(last) if last.end == range.start && last.end - last.start < STRETCH_PAGES => {
                last.end = range.end;
            }
            _ => self.line.push_back(range),
        }
    }

    /// Drops what can be dropped of the range, whatever its place in the line.
    pub(super) fn drop_range(&mut self, pages: &mut Pages, range: Range<u64>) -> Dropped {
        let dropped = self.take_out(pages, range);
        if self.line.len() >= self.look_through_at {
            let cached =
                |stretch: &Range<u64>| pages.first(stretch.clone(), |word| word.of(Flag::Cached));
            self.line.retain(|stretch| cached(stretch).is_some());
            self.look_through_at = SHORT_LINE.max(2 * self.line.len());
        }
        dropped
    }

    fn take_out(&mut self, pages: &mut Pages, range: Range<u64>) -> Dropped {
        let mut dropped = Dropped::default();
        let mut next = range.start;
        while let Some(start) = pages.first(next..range.end, |word| word.droppable()) {
            next = pages.run_end(start..range.end, |word| word.droppable());
            dropped.wasted += pages.count(start..next, |word| word.of(Flag::Ahead));
            dropped.pages += next - start;
            pages.forget(start..next);
        }
        self.cached -= dropped.pages;
        dropped
    }

    /// Pages that could not be read were never there.
    pub(super) fn failed(&mut self, pages: &mut Pages, range: Range<u64>) {
        pages.clear(Flag::Ahead, range.clone());
        pages.clear(Flag::Marker, range.clone());
        self.drop_range(pages, range);
    }

    fn make_room(&mut self, pages: &mut Pages) -> Dropped {
        let mut all = Dropped::default();
        for _ in 0..LOOKED_AT {
            if self.cached <= self.most {
                break;
            }
            let Some(stretch) = self.line.pop_front() else { break };
            let dropped = self.take_from(pages, stretch);
            all.pages += dropped.pages;
            all.wasted += dropped.wasted;
        }
        all
    }

    /// Drops from the first stretch of the line as much as is needed; what stays goes to its end,
    /// and what was not looked at back to its front.
    fn take_from(&mut self, pages: &mut Pages, stretch: Range<u64>) -> Dropped {
        let mut all = Dropped::default();
        let mut next = stretch.start;
        let end = stretch.end;
        while next < end && self.cached > self.most {
            let goes = |word: &super::pages::Word| word.droppable() & !word.of(Flag::Hot);
            let gone_until = pages.run_end(next..end, goes);
            if gone_until > next {
                let gone_until = gone_until.min(next + (self.cached - self.most));
                let dropped = self.take_out(pages, next..gone_until);
                all.pages += dropped.pages;
                all.wasted += dropped.wasted;
                next = gone_until;
                continue;
            }
            let stays_until = pages.first(next..end, goes).unwrap_or(end);
            pages.clear(Flag::Hot, next..stays_until);
            // Pages that left the line's back for other reasons are not here any more.
            let here = pages.first(next..stays_until, |word| word.of(Flag::Cached));
            if here.is_some() {
                self.queue(next..stays_until);
            }
            next = stays_until;
        }
        if next < end {
            self.line.push_front(next..end);
        }
        all
    }

    /// Asserts what must always be true. For tests.
    #[cfg(test)]
    pub(super) fn check(&self, pages: &Pages, span: Range<u64>) {
        assert_eq!(self.cached, pages.count(span.clone(), |word| word.of(Flag::Cached)));
        let lost = span
            .filter(|&page| pages.is(Flag::Cached, page))
            .find(|page| !self.line.iter().any(|stretch| stretch.contains(page)));
        assert_eq!(lost, None, "cached, and not in line");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(memory: &mut Memory, pages: &mut Pages, range: Range<u64>) -> Dropped {
        pages.set(Flag::Reading, range.clone());
        let dropped = memory.add(pages, range.clone());
        pages.clear(Flag::Reading, range);
        dropped
    }

    fn cached(pages: &Pages) -> Vec<u64> {
        (0..4000).filter(|&page| pages.is(Flag::Cached, page)).collect()
    }

    #[test]
    fn what_came_first_goes_first_unless_it_is_used_again() {
        let (mut memory, mut pages) = (Memory::new(8), Pages::default());
        read(&mut memory, &mut pages, 0..4);
        read(&mut memory, &mut pages, 100..104);
        for page in [0, 1, 2, 3, 1] {
            pages.touch(page..page + 1);
        }
        pages.set(Flag::Dirty, 2..3);
        pages.set(Flag::Ahead, 100..104);
        // 0 goes; 1 is used again and 2 is dirty: both are spared; then 3.
        assert_eq!(read(&mut memory, &mut pages, 200..202), Dropped { pages: 2, wasted: 0 });
        assert_eq!(cached(&pages), [1, 2, 100, 101, 102, 103, 200, 201]);
        assert_eq!(read(&mut memory, &mut pages, 300..303), Dropped { pages: 3, wasted: 3 });
        assert_eq!(cached(&pages), [1, 2, 103, 200, 201, 300, 301, 302]);
        // A second chance is one chance.
        assert_eq!(read(&mut memory, &mut pages, 400..404), Dropped { pages: 4, wasted: 1 });
        assert_eq!(cached(&pages), [2, 300, 301, 302, 400, 401, 402, 403]);
        memory.check(&pages, 0..4000);
    }

    #[test]
    fn what_cannot_go_stays_and_the_cache_is_too_large_for_a_while() {
        let (mut memory, mut pages) = (Memory::new(4), Pages::default());
        pages.set(Flag::Dirty, 0..4);
        memory.add(&mut pages, 0..4);
        assert_eq!(read(&mut memory, &mut pages, 10..12), Dropped::default());
        assert_eq!(memory.cached(), 6);
        pages.clear(Flag::Dirty, 0..4);
        assert_eq!(read(&mut memory, &mut pages, 20..21).pages, 3);
        memory.check(&pages, 0..4000);
    }

    #[test]
    fn stretches_of_dropped_files_do_not_pile_up() {
        let (mut memory, mut pages) = (Memory::new(100_000), Pages::default());
        for _ in 0..100 {
            for page in 0..200 {
                read(&mut memory, &mut pages, 2 * page..2 * page + 1);
            }
            memory.drop_range(&mut pages, 0..400);
        }
        assert!(memory.line.len() < 2 * SHORT_LINE, "{}", memory.line.len());
    }

    #[test]
    fn a_dropped_file_leaves_what_is_dirty() {
        let (mut memory, mut pages) = (Memory::new(100), Pages::default());
        read(&mut memory, &mut pages, 0..50);
        pages.set(Flag::Ahead, 10..20);
        pages.set(Flag::Dirty, 15..16);
        pages.set(Flag::Reading, 30..32);
        assert_eq!(memory.drop_range(&mut pages, 0..40), Dropped { pages: 37, wasted: 9 });
        assert_eq!(cached(&pages).len(), 13);
        memory.check(&pages, 0..4000);
    }
}
