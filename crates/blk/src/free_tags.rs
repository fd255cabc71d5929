// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which free tag a request gets (bfq.md §3.22).
//!
//! It matters to schedulers that confine submitters to a part of the pool: whether such a submitter
//! sleeps hangs on who holds the low tags.

/// How the pool looks for a free tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TagSearch {
    /// The lowest free one, and a limit cuts the upper part of the pool off.
    #[default]
    LowestFirst,
    /// As Linux 6.1 does, for comparisons with its recordings. The pool is divided into words of up
    /// to 64 tags, at least four words if there are four tags. A limit opens the same part of every
    /// word, at least its first tag. The search begins in the word in which a tag was given back
    /// last, and a tag that was given back is not found again before its word is exhausted. A
    /// submitter that finds none runs the dispatch loop before it sleeps; once woken it is
    /// [roused](crate::BlockLayer::take_roused), and looks when the host lets it.
    Linux6_1,
}

const BITS: u32 = u64::BITS;

/// The free tags of a pool.
#[derive(Debug)]
pub(crate) struct FreeTags {
    search: TagSearch,
    /// Tags of a word.
    width: u32,
    /// One bit a tag, set while it is free.
    free: Vec<u64>,
    /// Given back and not found again yet; a part of `free`, empty under `LowestFirst`.
    returned: Vec<u64>,
    /// Where the search begins. Under `LowestFirst` no tag of a word before is free.
    first_word: usize,
    /// Tags below this number are those of the pool.
    tags: u32,
}

impl FreeTags {
    pub fn new(search: TagSearch) -> FreeTags {
        FreeTags {
            search,
            width: BITS,
            free: Vec::new(),
            returned: Vec::new(),
            first_word: 0,
            tags: 0,
        }
    }

    /// Makes it a pool of `tags` tags, of which those are free that `is_free` says.
    pub fn reset(&mut self, tags: u32, is_free: impl Fn(u32) -> bool) {
        self.tags = tags;
        self.width = match self.search {
            TagSearch::LowestFirst => BITS,
            TagSearch::Linux6_1 => BITS.min(1 << (tags / 4).max(1).ilog2()),
        };
        let words = tags.div_ceil(self.width) as usize;
        for list in [&mut self.free, &mut self.returned] {
            list.clear();
            list.resize(words, 0);
        }
        for tag in (0..tags).filter(|&tag| is_free(tag)) {
            let (word, bit) = self.place(tag);
            self.free[word] |= bit;
        }
        self.first_word = 0;
    }

    /// Takes a free tag out of the part of the pool that `limit` opens.
    #[inline]
    pub fn take(&mut self, limit: u32) -> Option<u32> {
        match self.search {
            TagSearch::LowestFirst => self.take_lowest(limit),
            TagSearch::Linux6_1 => self.take_by_words(limit),
        }
    }

    #[inline(always)]
    fn take_lowest(&mut self, limit: u32) -> Option<u32> {
        if *self.free.get(self.first_word)? == 0 {
            self.find_first_word()?;
        }
        let word = self.free.get_mut(self.first_word)?;
        let tag = self.first_word as u32 * BITS + word.trailing_zeros();
        if tag >= limit {
            return None;
        }
        *word &= *word - 1;
        Some(tag)
    }

    /// Lets the search begin in the next word with a free tag, if there is one.
    #[inline(never)]
    fn find_first_word(&mut self) -> Option<()> {
        let words = self.free.iter().skip(self.first_word);
        self.first_word += words.take_while(|&&word| word == 0).count();
        (self.first_word < self.free.len()).then_some(())
    }

    fn take_by_words(&mut self, limit: u32) -> Option<u32> {
        let open = u64::MAX >> (BITS - self.open_in_word(limit));
        let words = self.free.len();
        for word in (self.first_word..words).chain(0..self.first_word) {
            if self.free[word] & !self.returned[word] & open == 0 {
                self.returned[word] = 0;
            }
            let found = self.free[word] & !self.returned[word] & open;
            if found != 0 {
                self.free[word] &= !(found & found.wrapping_neg());
                return Some(word as u32 * self.width + found.trailing_zeros());
            }
        }
        None
    }

    /// Gives a tag of the pool back.
    #[inline(always)]
    pub fn give_back(&mut self, tag: u32) {
        match self.search {
            TagSearch::LowestFirst => {
                let word = (tag / BITS) as usize;
                self.free[word] |= 1 << (tag % BITS);
                self.first_word = self.first_word.min(word);
            }
            TagSearch::Linux6_1 => {
                let (word, bit) = self.place(tag);
                self.free[word] |= bit;
                self.returned[word] |= bit;
                self.first_word = word;
            }
        }
    }

    /// How many tags `limit` opens.
    pub fn open_tags(&self, limit: u32) -> u32 {
        match self.search {
            TagSearch::LowestFirst => limit.min(self.tags),
            TagSearch::Linux6_1 => {
                let words = (0..self.tags).step_by(self.width as usize);
                words.map(|first| self.open_in_word(limit).min(self.tags - first)).sum()
            }
        }
    }

    /// How many tags of each word `limit` opens, under `Linux6_1`.
    fn open_in_word(&self, limit: u32) -> u32 {
        match limit < self.tags {
            true => {
                ((u64::from(limit) * u64::from(self.width) / u64::from(self.tags)) as u32).max(1)
            }
            false => self.width,
        }
    }

    fn place(&self, tag: u32) -> (usize, u64) {
        ((tag / self.width) as usize, 1 << (tag % self.width))
    }

    /// Asserts that those tags are free that `is_free` says, and that the search misses none.
    pub fn check(&self, is_free: impl Fn(u32) -> bool) {
        for tag in 0..self.tags {
            let (word, bit) = self.place(tag);
            assert_eq!(self.free[word] & bit != 0, is_free(tag), "free bit of tag {tag}");
        }
        for (word, (free, returned)) in self.free.iter().zip(&self.returned).enumerate() {
            assert_eq!(returned & !free, 0, "returned and not free in word {word}");
        }
        let before = &self.free[..self.first_word.min(self.free.len())];
        assert!(
            self.search != TagSearch::LowestFirst || before.iter().all(|&word| word == 0),
            "free tags before word {}",
            self.first_word
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linux(tags: u32) -> FreeTags {
        let mut free = FreeTags::new(TagSearch::Linux6_1);
        free.reset(tags, |_| true);
        free
    }

    #[test]
    fn words_are_at_least_four() {
        for (tags, width) in [(1024, 64), (256, 64), (255, 32), (64, 16), (62, 8), (4, 1), (3, 1)] {
            assert_eq!(linux(tags).width, width, "{tags} tags");
        }
    }

    #[test]
    fn a_limit_opens_the_same_part_of_every_word() {
        let mut free = linux(256);
        let taken: Vec<_> = (0..5).map(|_| free.take(1)).collect();
        assert_eq!(taken, [Some(0), Some(64), Some(128), Some(192), None]);
        assert_eq!(free.take(8), Some(1), "two of each word");
        assert_eq!(free.take(u32::MAX), Some(2));
        let left = std::iter::from_fn(|| free.take(u32::MAX)).count();
        assert_eq!(left, 250);
        assert_eq!([1, 8, 255, 256].map(|limit| free.open_tags(limit)), [4, 8, 252, 256]);
        assert_eq!(linux(62).open_tags(1), 8, "seven words of 8 and one of 6");
    }

    #[test]
    fn a_tag_that_was_given_back_comes_again_when_its_word_is_exhausted() {
        let mut free = linux(16);
        assert_eq!(free.take(16), Some(0));
        free.give_back(0);
        let taken: Vec<_> = (0..4).map(|_| free.take(16)).collect();
        assert_eq!(taken, [Some(1), Some(2), Some(3), Some(0)]);
        free.give_back(1);
        assert_eq!(free.take(4), Some(4), "only the first of each word is open");
        assert_eq!(free.take(16), Some(1), "the search in vain made it visible again");
        free.check(|tag| tag > 4);
    }

    #[test]
    fn a_word_is_searched_first_if_a_tag_was_given_back_there() {
        let mut free = linux(16);
        let taken: Vec<_> = (0..6).map(|_| free.take(16)).collect();
        assert_eq!(taken.last(), Some(&Some(5)));
        free.give_back(1);
        assert_eq!(free.take(16), Some(1));
        free.give_back(4);
        assert_eq!(free.take(16), Some(6));
    }
}
