// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of each page of the target: a few bits, kept as bitmaps of 512 pages each.
//!
//! Pages are numbered from the start of the target. A stretch of which nothing is cached has no
//! bitmap, so memory follows what is cached: some 400 bytes for 2 MiB.

use std::ops::Range;

/// Pages of a chunk.
const CHUNK_PAGES: u64 = 512;
const WORDS: usize = CHUNK_PAGES as usize / 64;

/// A fact about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    /// It is in the cache, or on its way there.
    Cached,
    /// It is being read.
    Reading,
    /// It is newer than what the device has.
    Dirty,
    /// It is being written.
    Writeback,
    /// A process that reaches it starts the read of the next window.
    Marker,
    /// It was read ahead, and is not used yet.
    Ahead,
    /// It was used, once or more.
    Used,
    /// It was used again, later.
    Hot,
}

const FLAGS: usize = Flag::Hot as usize + 1;

/// 64 pages: a word of each bitmap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word([u64; FLAGS]);

impl Word {
    /// The pages of which the flag is true.
    #[inline]
    pub(super) fn of(&self, flag: Flag) -> u64 {
        self.0[flag as usize]
    }

    /// Pages that are up to date.
    #[inline]
    pub(super) fn readable(&self) -> u64 {
        self.of(Flag::Cached) & !self.of(Flag::Reading)
    }

    /// Pages that wait to be written and are not being written.
    #[inline]
    pub(super) fn writable(&self) -> u64 {
        self.of(Flag::Dirty) & !self.of(Flag::Writeback)
    }

    /// Pages that can leave the cache without a process having to wait.
    #[inline]
    pub(super) fn droppable(&self) -> u64 {
        self.readable() & !self.of(Flag::Dirty) & !self.of(Flag::Writeback)
    }
}

const NOTHING: Word = Word([0; FLAGS]);

/// The pages of a target.
#[derive(Debug, Default)]
pub(super) struct Pages {
    chunks: Vec<Option<Box<[Word; WORDS]>>>,
}

/// The part of a range that lies in one word: which word, and its bits.
fn parts(range: Range<u64>) -> impl DoubleEndedIterator<Item = (u64, u64)> {
    let words = range.start / 64..range.end.div_ceil(64).max(range.start / 64);
    words.map(move |word| {
        let from = range.start.saturating_sub(word * 64);
        let until = (range.end - word * 64).min(64);
        let below_end = if until == 64 { u64::MAX } else { (1 << until) - 1 };
        (word, below_end & (u64::MAX << from))
    })
}

impl Pages {
    #[inline]
    fn word(&self, word: u64) -> &Word {
        let chunk = self.chunks.get((word / WORDS as u64) as usize);
        match chunk {
            Some(Some(chunk)) => &chunk[(word % WORDS as u64) as usize],
            _ => &NOTHING,
        }
    }

    /// The word, if its chunk exists.
    #[inline]
    fn word_mut(&mut self, word: u64) -> Option<&mut Word> {
        let chunk = self.chunks.get_mut((word / WORDS as u64) as usize)?.as_mut()?;
        Some(&mut chunk[(word % WORDS as u64) as usize])
    }

    fn word_made(&mut self, word: u64) -> &mut Word {
        let chunk = (word / WORDS as u64) as usize;
        if self.chunks.len() <= chunk {
            self.chunks.resize(chunk + 1, None);
        }
        let chunk = self.chunks[chunk].get_or_insert_with(|| Box::new([NOTHING; WORDS]));
        &mut chunk[(word % WORDS as u64) as usize]
    }

    /// Is the flag true of the page?
    #[inline]
    pub(super) fn is(&self, flag: Flag, page: u64) -> bool {
        self.word(page / 64).of(flag) >> (page % 64) & 1 == 1
    }

    /// Makes the flag true of all pages of the range. Returns of how many it was false.
    pub(super) fn set(&mut self, flag: Flag, range: Range<u64>) -> u64 {
        let mut changed = 0;
        for (word, mask) in parts(range) {
            let bits = &mut self.word_made(word).0[flag as usize];
            changed += u64::from((mask & !*bits).count_ones());
            *bits |= mask;
        }
        changed
    }

    /// Makes the flag false of all pages of the range. Returns of how many it was true.
    pub(super) fn clear(&mut self, flag: Flag, range: Range<u64>) -> u64 {
        let mut changed = 0;
        for (word, mask) in parts(range) {
            let Some(word) = self.word_mut(word) else { continue };
            let bits = &mut word.0[flag as usize];
            changed += u64::from((mask & *bits).count_ones());
            *bits &= !mask;
        }
        changed
    }

    /// The pages of the range are used. Returns how many of them had been read ahead for this.
    #[inline]
    pub(super) fn touch(&mut self, range: Range<u64>) -> u64 {
        let mut read_ahead = 0;
        for (word, mask) in parts(range) {
            let Some(Word(bits)) = self.word_mut(word) else { continue };
            bits[Flag::Hot as usize] |= bits[Flag::Used as usize] & mask;
            bits[Flag::Used as usize] |= mask;
            read_ahead += u64::from((bits[Flag::Ahead as usize] & mask).count_ones());
            bits[Flag::Ahead as usize] &= !mask;
        }
        read_ahead
    }

    /// The pages of the range leave the cache.
    pub(super) fn forget(&mut self, range: Range<u64>) {
        for (number, mask) in parts(range.clone()) {
            let Some(word) = self.word_mut(number) else { continue };
            word.0.iter_mut().for_each(|bits| *bits &= !mask);
        }
        for chunk in range.start / CHUNK_PAGES..range.end.div_ceil(CHUNK_PAGES) {
            let Some(slot) = self.chunks.get_mut(chunk as usize) else { return };
            let is_empty =
                |words: &[Word; WORDS]| words.iter().all(|word| word.of(Flag::Cached) == 0);
            if slot.as_deref().is_some_and(is_empty) {
                *slot = None;
            }
        }
    }

    /// The first page of the range that `pick` picks from its word.
    #[inline]
    pub(super) fn first(&self, range: Range<u64>, pick: impl Fn(&Word) -> u64) -> Option<u64> {
        let mut from = range.start;
        while from < range.end {
            let chunk = self.chunks.get((from / CHUNK_PAGES) as usize);
            let until = match chunk {
                Some(None) => (from / CHUNK_PAGES + 1) * CHUNK_PAGES,
                None => range.end,
                Some(Some(_)) => 0,
            };
            if until > 0 {
                // Nothing is cached up to there: all pages are picked, or none.
                if pick(&NOTHING) != 0 {
                    return Some(from);
                }
                from = until;
                continue;
            }
            let end = range.end.min((from / CHUNK_PAGES + 1) * CHUNK_PAGES);
            for (word, mask) in parts(from..end) {
                let picked = pick(self.word(word)) & mask;
                if picked != 0 {
                    return Some(word * 64 + u64::from(picked.trailing_zeros()));
                }
            }
            from = end;
        }
        None
    }

    /// The last page of the range that `pick` picks from its word.
    pub(super) fn last(&self, range: Range<u64>, pick: impl Fn(&Word) -> u64) -> Option<u64> {
        parts(range).rev().find_map(|(word, mask)| {
            let picked = pick(self.word(word)) & mask;
            (picked != 0).then(|| word * 64 + 63 - u64::from(picked.leading_zeros()))
        })
    }

    /// The end of the run of pages, from the start of the range on, that `pick` picks.
    #[inline]
    pub(super) fn run_end(&self, range: Range<u64>, pick: impl Fn(&Word) -> u64) -> u64 {
        self.first(range.clone(), |word| !pick(word)).unwrap_or(range.end)
    }

    /// How many pages of the range `pick` picks.
    pub(super) fn count(&self, range: Range<u64>, pick: impl Fn(&Word) -> u64) -> u64 {
        parts(range)
            .map(|(word, mask)| u64::from((pick(self.word(word)) & mask).count_ones()))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cached(word: &Word) -> u64 {
        word.of(Flag::Cached)
    }

    #[test]
    fn runs_reach_over_words_and_chunks() {
        let mut pages = Pages::default();
        assert_eq!(pages.set(Flag::Cached, 60..1100), 1040);
        assert_eq!(pages.set(Flag::Cached, 1000..1101), 1);
        assert_eq!(pages.first(0..5000, cached), Some(60));
        assert_eq!(pages.run_end(60..5000, cached), 1101);
        assert_eq!(pages.run_end(60..100, cached), 100);
        assert_eq!(pages.last(0..5000, |word| !cached(word)), Some(4999));
        assert_eq!(pages.last(0..1000, |word| !cached(word)), Some(59));
        pages.forget(0..600);
        assert_eq!(pages.count(0..5000, cached), 501);
        assert!(pages.chunks[0].is_none() && pages.chunks[1].is_some());
    }

    proptest! {
        #[test]
        fn bitmaps_are_sets(
            steps in prop::collection::vec((0..3_u8, 0..1600_u64, 0..700_u64), 1..40),
            looked_at in (0..1600_u64, 0..1600_u64),
        ) {
            let mut pages = Pages::default();
            let mut model = vec![false; 2400];
            for (what, start, length) in steps {
                let range = start..start + length;
                let slice = &mut model[start as usize..(start + length) as usize];
                let count = |value| slice.iter().filter(|&&page| page == value).count() as u64;
                let (unset, set) = (count(false), count(true));
                match what {
                    0 => prop_assert_eq!(pages.set(Flag::Cached, range), unset),
                    1 => prop_assert_eq!(pages.clear(Flag::Cached, range), set),
                    _ => pages.forget(range),
                }
                slice.fill(what == 0);
            }
            let range = looked_at.0.min(looked_at.1)..looked_at.0.max(looked_at.1);
            let all: Vec<u64> = range.clone().filter(|&page| model[page as usize]).collect();
            prop_assert_eq!(pages.first(range.clone(), cached), all.first().copied());
            prop_assert_eq!(pages.last(range.clone(), cached), all.last().copied());
            prop_assert_eq!(pages.count(range.clone(), cached), all.len() as u64);
            let gap = range.clone().find(|&page| !model[page as usize]);
            prop_assert_eq!(pages.run_end(range.clone(), cached), gap.unwrap_or(range.end));
            for page in range {
                prop_assert_eq!(pages.is(Flag::Cached, page), model[page as usize]);
            }
        }
    }
}
