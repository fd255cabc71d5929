// SPDX-License-Identifier: MIT OR Apache-2.0
//! An ordered list of which some entries are in a tree, too: its index.
//!
//! Where most entries find their place beside the one that was placed before, links to neighbours
//! are all they need, and keeping each in a balanced tree would cost many times as much. The others
//! are found by the index, to which one of [`APART`] entries is added as it is placed. A search
//! goes through the index, then from entry to entry up to the next one of the index: `APART` steps
//! on average. More may have come to stand between two of the index; then the search that passes
//! them adds one of as many to it. So a single search may pass all entries, but not the next one:
//! an operation adds at most one entry to a stretch, or takes one out of the index, so that all
//! together make no more than about `2 * APART` steps each.

use crate::store::{
    arena::{Arena, Key},
    list::{Hooked, List},
    tree::{Node, Tree},
};

/// The number of the list in which entries have hooks.
pub const ORDER: usize = 0;
/// One of so many entries that are placed is added to the index, and one of so many passed.
const APART: u32 = 32;
/// To a list of at most so many entries placing adds none of them.
const SHORT: u32 = 64;
/// So many steps are made from entry to entry before a search in the index.
const NEAR: usize = 8;

/// An ordered list of entries of an arena.
#[derive(Debug)]
pub struct IndexedList<K> {
    entries: List<K, ORDER>,
    index: Tree<K>,
    len: u32,
    /// The entry that was placed last, if it is still here: the next one may belong beside it.
    placed: Option<K>,
    /// How many were placed since one was added to the index.
    since_indexed: u32,
}

impl<K: Key> IndexedList<K> {
    /// An empty list.
    pub const fn new() -> Self {
        IndexedList {
            entries: List::new(),
            index: Tree::new(),
            len: 0,
            placed: None,
            since_indexed: 0,
        }
    }

    /// Whether nothing is in the list.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry with the least key; none if the list is empty.
    #[inline]
    pub const fn first(&self) -> Option<K> {
        self.entries.front()
    }

    /// The entry with the greatest key; none if the list is empty.
    #[inline]
    pub const fn last(&self) -> Option<K> {
        self.entries.back()
    }

    /// Inserts `key`, which is in no list, before the first entry that `key` comes before by
    /// `comes_before`; so it ends up behind its equals.
    #[inline(never)]
    pub fn insert<T: Node<K> + Hooked<K, ORDER>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        comes_before: impl Fn(&T, &T) -> bool,
    ) {
        let last = self.entries.back();
        let is_last = last.is_none_or(|last| !comes_before(&arena[key], &arena[last]));
        let gap = is_last.then_some([last, None]);
        self.len += 1;
        self.place(arena, key, gap, comes_before);
    }

    /// What `key` is sorted by has changed: it goes to where [`IndexedList::insert`] would put it,
    /// unless it is there.
    #[inline]
    pub fn relocate<T: Node<K> + Hooked<K, ORDER>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        comes_before: impl Fn(&T, &T) -> bool,
    ) {
        let entry = &arena[key];
        let [before, behind] = entry.hook().neighbours(key);
        if behind.is_some_and(|behind| !comes_before(entry, &arena[behind]))
            || before.is_some_and(|before| comes_before(entry, &arena[before]))
        {
            let near = self.placed.filter(|&placed| placed != key).or(behind).or(before);
            let gap = near.and_then(|near| find_near(arena, key, near, &comes_before));
            self.take_out(arena, key, self.index.contains(key, entry));
            self.place(arena, key, gap, comes_before);
        }
    }

    /// Takes `key`, which is in this list, out of it.
    #[inline(never)]
    pub fn remove<T: Node<K> + Hooked<K, ORDER>>(&mut self, arena: &mut Arena<K, T>, key: K) {
        self.placed.take_if(|placed| *placed == key);
        self.len -= 1;
        self.take_out(arena, key, self.index.contains(key, &arena[key]));
    }

    #[inline(always)]
    fn take_out<T: Node<K> + Hooked<K, ORDER>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        is_in_index: bool,
    ) {
        self.entries.remove(arena, key);
        if is_in_index {
            self.remove_from_index(arena, key);
        }
    }

    // Out of line, like the next one: most entries are not in the index.
    #[inline(never)]
    fn remove_from_index<T: Node<K>>(&mut self, arena: &mut Arena<K, T>, key: K) {
        self.index.remove(arena, key);
    }

    #[inline(never)]
    fn add_to_index<T: Node<K>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        comes_before: impl Fn(&T, &T) -> bool,
    ) {
        self.index.insert(arena, key, comes_before);
    }

    /// Puts `key`, which is not in the list, into a gap; if none is known, where it belongs.
    #[inline(always)]
    fn place<T: Node<K> + Hooked<K, ORDER>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        gap: Option<[Option<K>; 2]>,
        comes_before: impl Fn(&T, &T) -> bool,
    ) {
        let gap = gap.unwrap_or_else(|| self.find(arena, key, &comes_before));
        self.entries.link(arena, key, gap);
        self.placed = Some(key);
        self.since_indexed += 1;
        if self.since_indexed >= APART {
            self.since_indexed = 0;
            if self.len > SHORT {
                self.add_to_index(arena, key, comes_before);
            }
        }
    }

    /// The gap into which `key`, which is not in the list, belongs.
    #[inline(never)]
    fn find<T: Node<K> + Hooked<K, ORDER>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        comes_before: impl Fn(&T, &T) -> bool,
    ) -> [Option<K>; 2] {
        let mut found = self.index.last_low(arena, |other| !comes_before(&arena[key], other));
        let mut passed = 0;
        loop {
            let next = found.map_or(self.entries.front(), |found| arena[found].hook().next());
            let Some(low) = next.filter(|&next| !comes_before(&arena[key], &arena[next])) else {
                return [found, next];
            };
            found = Some(low);
            passed += 1;
            if passed % APART == 0 {
                self.add_to_index(arena, low, &comes_before);
            }
        }
    }

    /// Asserts order and links.
    ///
    /// # Panics
    /// If the list is not well-formed.
    pub fn check<T: Node<K> + Hooked<K, ORDER>>(
        &self,
        arena: &Arena<K, T>,
        out_of_order: impl Fn(&T, &T) -> bool,
    ) {
        self.index.check(arena, &out_of_order);
        let mut indexed = self.index.iter(arena).peekable();
        let (mut previous, mut len, mut has_placed) = (None, 0, false);
        for key in self.entries.iter(arena) {
            let before = arena[key].hook().neighbours(key)[0];
            assert!(before == previous, "{key:?} is not behind {previous:?}");
            let sorted = previous.is_none_or(|before| !out_of_order(&arena[before], &arena[key]));
            assert!(sorted, "{previous:?} > {key:?}");
            let is_in_index = self.index.contains(key, &arena[key]);
            assert!(is_in_index == indexed.next_if_eq(&key).is_some(), "{key:?} in the index");
            previous = Some(key);
            len += 1;
            has_placed |= self.placed == Some(key);
        }
        assert!(self.entries.back() == previous && indexed.next().is_none(), "behind the last");
        assert!(len == self.len, "{len} entries, and {} were counted", self.len);
        assert!(has_placed || self.placed.is_none(), "{:?} is elsewhere", self.placed);
    }
}

/// The gap into which `key` belongs, if that is within [`NEAR`] steps of `near`, another entry. It
/// is not beside `key`, which may be in the list where it does not belong any more.
#[inline]
fn find_near<K: Key, T: Hooked<K, ORDER>>(
    arena: &Arena<K, T>,
    key: K,
    near: K,
    comes_before: impl Fn(&T, &T) -> bool,
) -> Option<[Option<K>; 2]> {
    let entry = &arena[key];
    let is_behind = !comes_before(entry, &arena[near]);
    let goes_on = |beside: K| beside == key || comes_before(entry, &arena[beside]) != is_behind;
    let mut at = near;
    for _ in 0..NEAR {
        let beside = arena[at].hook().neighbours(at)[usize::from(is_behind)];
        match beside.filter(|&beside| goes_on(beside)) {
            Some(beside) => at = beside,
            None => return Some(if is_behind { [Some(at), beside] } else { [beside, Some(at)] }),
        }
    }
    None
}

#[cfg(test)]
#[path = "indexed_tests.rs"]
mod tests;
