// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pool of requests, by numbered tags (bfq.md §3.22, last paragraph).

use std::ops::{Index, IndexMut};

use crate::free_tags::{FreeTags, TagSearch};
use crate::ids::Tag;
use crate::request::{Request, TagState};

/// All requests of a layer. Elevators get it to look requests up: `pool[tag]`.
///
/// Tags below [`nr_requests`](Pool::nr_requests) can be allocated. After the pool was made smaller,
/// requests with tags up to [`tags`](Pool::tags) may still be on their way.
#[derive(Debug)]
pub struct Pool {
    requests: Vec<Request>,
    free: FreeTags,
    nr_requests: u32,
    in_use: u32,
}

impl Pool {
    pub(crate) fn new(nr_requests: u32, search: TagSearch) -> Pool {
        let free = FreeTags::new(search);
        let mut pool = Pool { requests: Vec::new(), free, nr_requests: 0, in_use: 0 };
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

    /// The request of a tag, if there ever was that tag.
    #[inline]
    pub(crate) fn get(&self, tag: Tag) -> Option<&Request> {
        self.requests.get(tag.index())
    }

    /// Changes how many requests may be allocated. Allocated ones above the new
    /// number stay allocated.
    pub(crate) fn resize(&mut self, nr_requests: u32) {
        self.nr_requests = nr_requests;
        for number in self.requests.len() as u32..nr_requests {
            self.requests.push(Request::unused(Tag(number)));
        }
        let requests = &self.requests;
        self.free.reset(nr_requests, |tag| requests[tag as usize].state == TagState::Free);
    }

    /// Takes a free tag out of the part of the pool that `limit` opens.
    #[inline(always)]
    pub(crate) fn allocate(&mut self, limit: u32) -> Option<Tag> {
        let tag = self.free.take(limit)?;
        self.in_use += 1;
        Some(Tag(tag))
    }

    /// Gives a tag back. Returns whether it can be allocated again (not after a shrink below it).
    #[inline(always)]
    pub(crate) fn release(&mut self, tag: Tag) -> bool {
        self.requests[tag.index()].state = TagState::Free;
        self.in_use -= 1;
        let in_pool = tag.0 < self.nr_requests;
        if in_pool {
            self.free.give_back(tag.0);
        }
        in_pool
    }

    /// How many tags of the pool a submitter may have that is limited to `limit` of them.
    pub(crate) fn common_tags(&self, limit: u32) -> u32 {
        self.free.open_tags(limit)
    }

    /// Asserts that the free tags, the states and the count tell the same.
    pub(crate) fn check(&self) {
        let mut in_use = 0;
        for (index, request) in self.requests.iter().enumerate() {
            assert_eq!(request.tag.index(), index, "a request must carry its own tag");
            in_use += u32::from(request.state != TagState::Free);
        }
        assert_eq!(in_use, self.in_use, "count of allocated requests");
        self.free.check(|tag| self.requests[tag as usize].state == TagState::Free);
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
        let mut pool = Pool::new(130, TagSearch::LowestFirst);
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
        let mut pool = Pool::new(4, TagSearch::LowestFirst);
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
