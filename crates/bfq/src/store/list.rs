// SPDX-License-Identifier: MIT OR Apache-2.0
//! Intrusive doubly linked lists over arenas: membership costs two keys in the entry, no memory.

use crate::store::arena::{Arena, Key};

/// The place of an entry in one list.
#[derive(Clone, Copy, Debug)]
pub struct Hook<K> {
    /// The entry before this one, or this one itself if it is the first; none outside of a list.
    previous: Option<K>,
    next: Option<K>,
}

impl<K> Hook<K> {
    /// A hook that is in no list.
    pub const fn new() -> Self {
        Hook { previous: None, next: None }
    }

    /// Whether the entry is in the list.
    pub const fn is_linked(&self) -> bool {
        self.previous.is_some()
    }
}

impl<K: Key> Hook<K> {
    /// Takes the entry off the hook; returns what the hook was, for [`List::close`].
    #[inline]
    pub fn take(&mut self) -> Hook<K> {
        core::mem::replace(self, Hook::new())
    }

    /// The entry behind this one; none if it is the last.
    #[inline]
    pub const fn next(&self) -> Option<K> {
        self.next
    }

    /// The entries beside `key`, whose hook this is: before it and behind it.
    #[inline]
    pub fn neighbours(&self, key: K) -> [Option<K>; 2] {
        [self.before(key), self.next]
    }

    /// The entry before `key`, whose hook this is; none if it is the first.
    #[inline]
    fn before(&self, key: K) -> Option<K> {
        if self.previous == Some(key) { None } else { self.previous }
    }
}

/// An entry that can be in the list numbered `LIST`.
pub trait Hooked<K, const LIST: usize> {
    /// The hook for that list.
    fn hook(&self) -> &Hook<K>;
    /// The same, to change it.
    fn hook_mut(&mut self) -> &mut Hook<K>;
}

/// A list of entries of an arena of `T`s, through their hooks numbered `LIST`.
#[derive(Debug)]
pub struct List<K, const LIST: usize> {
    front: Option<K>,
    back: Option<K>,
}

impl<K: Key, const LIST: usize> List<K, LIST> {
    pub const fn new() -> Self {
        List { front: None, back: None }
    }

    /// The entry at the front; none if the list is empty.
    pub const fn front(&self) -> Option<K> {
        self.front
    }

    /// The entry at the back; none if the list is empty.
    pub const fn back(&self) -> Option<K> {
        self.back
    }

    /// Whether nothing is in the list.
    pub const fn is_empty(&self) -> bool {
        self.front.is_none()
    }

    /// Puts `key` before all others.
    pub fn push_front<T: Hooked<K, LIST>>(&mut self, arena: &mut Arena<K, T>, key: K) {
        let next = self.front;
        self.link(arena, key, [None, next]);
    }

    /// Puts `key` behind all others.
    pub fn push_back<T: Hooked<K, LIST>>(&mut self, arena: &mut Arena<K, T>, key: K) {
        let previous = self.back;
        self.link(arena, key, [previous, None]);
    }

    /// Puts `key` directly before `position`, which is in the list.
    pub fn insert_before<T: Hooked<K, LIST>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        position: K,
    ) {
        let previous = arena[position].hook().before(position);
        self.link(arena, key, [previous, Some(position)]);
    }

    /// Puts `key` between two neighbours, or an end and an entry there.
    #[inline]
    pub fn link<T: Hooked<K, LIST>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        [previous, next]: [Option<K>; 2],
    ) {
        let hook = arena[key].hook_mut();
        debug_assert!(!hook.is_linked(), "{key:?} is in the list already");
        *hook = Hook { previous: Some(previous.unwrap_or(key)), next };
        match previous {
            Some(previous) => arena[previous].hook_mut().next = Some(key),
            None => self.front = Some(key),
        }
        match next {
            Some(next) => arena[next].hook_mut().previous = Some(key),
            None => self.back = Some(key),
        }
    }

    /// Takes `key`, which is in this list, out of it.
    pub fn remove<T: Hooked<K, LIST>>(&mut self, arena: &mut Arena<K, T>, key: K) {
        let hook = arena[key].hook_mut().take();
        self.close(arena, key, hook);
    }

    /// Closes the gap that `key` leaves in this list, whose hook this was.
    #[inline]
    pub fn close<T: Hooked<K, LIST>>(&mut self, arena: &mut Arena<K, T>, key: K, hook: Hook<K>) {
        debug_assert!(hook.is_linked(), "{key:?} is in no list");
        let previous = hook.before(key);
        match previous {
            Some(previous) => arena[previous].hook_mut().next = hook.next,
            None => self.front = hook.next,
        }
        match hook.next {
            Some(next) => arena[next].hook_mut().previous = Some(previous.unwrap_or(next)),
            None => self.back = previous,
        }
    }

    /// Takes out and returns the first entry.
    pub fn pop_front<T: Hooked<K, LIST>>(&mut self, arena: &mut Arena<K, T>) -> Option<K> {
        let front = self.front?;
        self.remove(arena, front);
        Some(front)
    }

    /// All entries from the front.
    pub fn iter<'a, T: Hooked<K, LIST>>(
        &self,
        arena: &'a Arena<K, T>,
    ) -> impl Iterator<Item = K> + use<'a, K, T, LIST> {
        core::iter::successors(self.front, move |&key| arena[key].hook().next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::arena::key;
    use alloc::vec::Vec;

    key!(
        /// A key for the test.
        Name
    );

    struct Entry(Hook<Name>);
    impl Hooked<Name, 0> for Entry {
        fn hook(&self) -> &Hook<Name> {
            &self.0
        }
        fn hook_mut(&mut self) -> &mut Hook<Name> {
            &mut self.0
        }
    }

    #[test]
    fn order_is_kept() {
        let mut arena: Arena<Name, Entry> = Arena::new();
        let mut list: List<Name, 0> = List::new();
        let keys: Vec<Name> = (0..4).map(|_| arena.insert(Entry(Hook::new())).unwrap()).collect();
        list.push_back(&mut arena, keys[1]);
        list.push_front(&mut arena, keys[0]);
        list.push_back(&mut arena, keys[3]);
        list.insert_before(&mut arena, keys[2], keys[3]);
        assert_eq!(list.iter(&arena).collect::<Vec<_>>(), keys);
        list.remove(&mut arena, keys[1]);
        list.remove(&mut arena, keys[3]);
        assert_eq!(
            [0, 1, 2, 3].map(|at| arena[keys[at]].0.is_linked()),
            [true, false, true, false]
        );
        assert_eq!(list.pop_front(&mut arena), Some(keys[0]));
        assert_eq!(list.pop_front(&mut arena), Some(keys[2]));
        assert_eq!((list.pop_front(&mut arena), list.is_empty()), (None, true));
        assert!(keys.iter().all(|&key| !arena[key].0.is_linked()));
        list.push_back(&mut arena, keys[2]);
        list.insert_before(&mut arena, keys[0], keys[2]);
        assert_eq!(list.iter(&arena).collect::<Vec<_>>(), [keys[0], keys[2]]);
        assert_eq!(size_of::<Hook<Name>>(), 8);
    }
}
