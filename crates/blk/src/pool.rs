//! The pool of requests: numbered tags, the lowest free one first (bfq.md §3.22, last paragraph).

use std::ops::{Index, IndexMut};

use crate::ids::Tag;
use crate::request::{Request, TagState};

const WORD_BITS: usize = u64::BITS as usize;

/// All requests of a layer. Elevators get it to look requests up: `pool[tag]`.
///
/// Tags below [`nr_requests`](Pool::nr_requests) can be allocated. After the pool was made smaller,
/// requests with tags up to [`tags`](Pool::tags) may still be on their way.
#[derive(Debug)]
pub struct Pool {
    requests: Vec<Request>,
    /// One bit a tag, set while it is free.
    free: Vec<u64>,
    /// No tag of a word before this one is free.
    first_word: usize,
    nr_requests: u32,
    in_use: u32,
}

impl Pool {
    pub(crate) fn new(nr_requests: u32) -> Pool {
        let mut pool = Pool {
            requests: Vec::new(),
            free: Vec::new(),
            first_word: 0,
            nr_requests: 0,
            in_use: 0,
        };
        pool.resize(nr_requests);
        pool
    }

    /// How many requests may be allocated at a time.
    pub fn nr_requests(&self) -> u32 {
        self.nr_requests
    }

    /// Every tag that occurs is below this number, which never gets smaller.
    pub fn tags(&self) -> u32 {
        self.requests.len() as u32
    }

    /// How many requests are allocated.
    pub fn in_use(&self) -> u32 {
        self.in_use
    }

    /// The requests that are allocated, by tag.
    pub fn iter(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(|request| request.state != TagState::Free)
    }

    /// Changes how many requests may be allocated. Allocated ones above the new number live on.
    pub(crate) fn resize(&mut self, nr_requests: u32) {
        self.nr_requests = nr_requests;
        for number in self.requests.len() as u32..nr_requests {
            self.requests.push(Request::unused(Tag(number)));
        }
        let words = self.requests.len().div_ceil(WORD_BITS);
        self.free.clear();
        self.free.resize(words, 0);
        for request in &self.requests[..nr_requests as usize] {
            if request.state == TagState::Free {
                let index = request.tag.index();
                self.free[index / WORD_BITS] |= 1 << (index % WORD_BITS);
            }
        }
        self.first_word = 0;
    }

    /// Takes the lowest free tag, if that is below `limit`.
    pub(crate) fn allocate(&mut self, limit: u32) -> Option<Tag> {
        while *self.free.get(self.first_word)? == 0 {
            self.first_word += 1;
        }
        let word = &mut self.free[self.first_word];
        let index = self.first_word * WORD_BITS + word.trailing_zeros() as usize;
        if index >= limit as usize {
            return None;
        }
        *word &= *word - 1;
        self.in_use += 1;
        Some(Tag(index as u32))
    }

    /// Gives a tag back. Returns whether it can be allocated again (not after a shrink below it).
    pub(crate) fn release(&mut self, tag: Tag) -> bool {
        let index = tag.index();
        self.requests[index].state = TagState::Free;
        self.in_use -= 1;
        if tag.0 >= self.nr_requests {
            return false;
        }
        self.free[index / WORD_BITS] |= 1 << (index % WORD_BITS);
        self.first_word = self.first_word.min(index / WORD_BITS);
        true
    }

    /// How many tags could be allocated now.
    pub(crate) fn free_tags(&self) -> u32 {
        self.free.iter().map(|word| word.count_ones()).sum()
    }

    /// Asserts that the free bits, the states and the count tell the same.
    pub(crate) fn check(&self) {
        let mut in_use = 0;
        for (index, request) in self.requests.iter().enumerate() {
            assert_eq!(request.tag.index(), index, "a request must carry its own tag");
            let bit = self.free[index / WORD_BITS] >> (index % WORD_BITS) & 1 == 1;
            let free = request.state == TagState::Free;
            in_use += u32::from(!free);
            assert_eq!(bit, free && index < self.nr_requests as usize, "free bit of tag {index}");
        }
        assert_eq!(in_use, self.in_use, "count of allocated requests");
        assert!(
            self.free.iter().take(self.first_word).all(|&word| word == 0),
            "free tags before word {}",
            self.first_word
        );
    }
}

impl Index<Tag> for Pool {
    type Output = Request;

    fn index(&self, tag: Tag) -> &Request {
        &self.requests[tag.index()]
    }
}

impl IndexMut<Tag> for Pool {
    fn index_mut(&mut self, tag: Tag) -> &mut Request {
        &mut self.requests[tag.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(pool: &mut Pool, limit: u32) -> Option<u32> {
        let tag = pool.allocate(limit)?;
        pool[tag].state = TagState::Issued;
        pool.check();
        Some(tag.0)
    }

    #[test]
    fn the_lowest_free_tag_goes_first_and_limits_cut_the_upper_part_off() {
        let mut pool = Pool::new(130);
        for number in 0..130 {
            assert_eq!(take(&mut pool, u32::MAX), Some(number));
        }
        assert_eq!(take(&mut pool, u32::MAX), None);
        for freed in [129, 64, 3] {
            assert!(pool.release(Tag(freed)));
        }
        pool.check();
        assert_eq!(take(&mut pool, 3), None, "3 is free, but not below 3");
        assert_eq!(take(&mut pool, 4), Some(3));
        assert_eq!(take(&mut pool, 64), None);
        assert_eq!(take(&mut pool, 65), Some(64));
        assert_eq!(take(&mut pool, u32::MAX), Some(129));
    }

    #[test]
    fn a_smaller_pool_lets_its_upper_requests_end() {
        let mut pool = Pool::new(4);
        for number in 0..4 {
            assert_eq!(take(&mut pool, u32::MAX), Some(number));
        }
        pool.resize(2);
        pool.check();
        assert!(!pool.release(Tag(3)), "above the pool: not allocated again");
        assert!(pool.release(Tag(1)));
        pool.check();
        assert_eq!(take(&mut pool, u32::MAX), Some(1));
        assert_eq!(take(&mut pool, u32::MAX), None);
        pool.resize(8);
        pool.check();
        assert_eq!((pool.tags(), pool.nr_requests(), pool.in_use()), (8, 8, 3));
        assert_eq!(take(&mut pool, u32::MAX), Some(3));
    }
}
