// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arenas: growable tables whose entries are named by small typed indices instead of pointers.
//!
//! An arena grows only in [`Arena::vacancy`], and fallibly; all else is indexing.
//!
//! Hosts let arenas grow where they cannot wait for memory and must not be held up: under a lock,
//! with interrupts off. Memory in large pieces is not to be had there, and moving many entries
//! takes long. So each entry has memory of its own, and what is in one piece is a directory of
//! twelve bytes for each of them. How large the next one will be is known in advance
//! ([`Arena::next_pieces_bytes`]).

use alloc::{boxed::Box, vec::Vec};
use core::{
    marker::PhantomData,
    ops::{Index, IndexMut},
};

/// The host has no memory left; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl core::fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("out of memory")
    }
}

impl core::error::Error for OutOfMemory {}

/// Appends to a vector in which room was made: `Vec::push` without the code that makes room, and
/// panics if there is none.
#[inline]
pub fn append<T>(vec: &mut Vec<T>, value: T) {
    debug_assert!(vec.len() < vec.capacity(), "there is no room");
    if vec.len() < vec.capacity() {
        vec.push(value);
    }
}

/// A vector of `len` copies of `value`.
///
/// # Errors
/// [`OutOfMemory`].
pub fn filled<T: Copy>(len: usize, value: T) -> Result<Vec<T>, OutOfMemory> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| OutOfMemory)?;
    (0..len).for_each(|_| append(&mut vec, value));
    Ok(vec)
}

/// A typed index into an [`Arena`].
pub trait Key: Copy + Eq + core::fmt::Debug {
    /// The key of position `index`.
    fn from_index(index: usize) -> Self;
    /// The position in the arena, counted from one: a key's own number.
    fn one_based(self) -> usize;
    /// The position in the arena.
    #[inline]
    fn index(self) -> usize {
        self.one_based() - 1
    }
}

/// Declares a key: four bytes, and four bytes in an `Option` too.
macro_rules! key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(core::num::NonZeroU32);

        impl $crate::store::arena::Key for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                // Positions stay below u32::MAX (see `Arena::insert`), so this never saturates.
                $name(core::num::NonZeroU32::MIN.saturating_add(index as u32))
            }
            #[inline]
            fn one_based(self) -> usize {
                self.0.get() as usize
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), $crate::store::arena::Key::index(*self))
            }
        }
    };
}
pub(crate) use key;

/// Declares a key that hosts use: they may look at its number, or choose it.
macro_rules! host_key {
    ($(#[$doc:meta])* $name:ident) => {
        $crate::store::arena::key!(
            $(#[$doc])*
            $name
        );

        impl $name {
            /// The name of position `index`, for hosts that number things themselves.
            pub fn from_index(index: usize) -> Self {
                $crate::store::arena::Key::from_index(index)
            }

            /// The position that it names.
            pub fn index(self) -> usize {
                $crate::store::arena::Key::index(self)
            }
        }
    };
}
pub(crate) use host_key;

/// An entry has memory of its own: what moves when an arena grows is where it is.
type Slot<T> = Box<[T; 1]>;

/// In place of the next vacant entry: the entry is in use.
const IN_USE: u32 = u32::MAX;
/// In place of the next vacant entry: there is none.
const NONE_VACANT: u32 = u32::MAX - 1;
/// How many entries an arena has room for at first; then for twice as many each time.
const FIRST_ROOM: usize = 16;

/// A table of `T`s named by `K`s. Freed entries are reused, the last freed first.
#[derive(Debug)]
pub struct Arena<K, T> {
    slots: Vec<Slot<T>>,
    /// For each entry the next vacant one, if it is vacant itself, or [`IN_USE`].
    next_vacant: Vec<u32>,
    first_vacant: u32,
    vacant: usize,
    key: PhantomData<K>,
}

/// Memory for one more entry of an arena: that of a vacant entry, or a vector with room for it.
#[derive(Debug)]
pub struct Vacancy<T>(Option<Vec<T>>);

impl<K: Key, T> Arena<K, T> {
    /// An empty arena; allocates nothing.
    pub const fn new() -> Self {
        Arena {
            slots: Vec::new(),
            next_vacant: Vec::new(),
            first_vacant: NONE_VACANT,
            vacant: 0,
            key: PhantomData,
        }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// [`OutOfMemory`], with the arena unchanged.
    #[inline]
    pub fn insert(&mut self, value: T) -> Result<K, OutOfMemory> {
        let vacancy = self.vacancy()?;
        Ok(self.fill(vacancy, value))
    }

    /// Memory for one more entry: for values that are not to be lost, or are large. The arena is
    /// unchanged until it is filled, which has to come before the next entry is added.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    #[inline(never)]
    pub fn vacancy(&mut self) -> Result<Vacancy<T>, OutOfMemory> {
        debug_assert_eq!(self.slots.len(), self.next_vacant.len(), "an entry without its link");
        if self.first_vacant != NONE_VACANT {
            return Ok(Vacancy(None));
        }
        let position = self.slots.len();
        if position >= NONE_VACANT as usize {
            return Err(OutOfMemory);
        }
        if position == self.room() {
            self.grow()?;
        }
        let mut memory = Vec::new();
        memory.try_reserve_exact(1).map_err(|_| OutOfMemory)?;
        Ok(Vacancy(Some(memory)))
    }

    /// Adds an entry for which there is memory.
    #[inline]
    pub fn fill(&mut self, vacancy: Vacancy<T>, value: T) -> K {
        let Some(mut memory) = vacancy.0 else {
            return self.reuse(value);
        };
        append(&mut memory, value);
        let position = self.slots.len();
        debug_assert!(position < self.room(), "no room was made for entry {position}");
        let Ok(slot) = memory.try_into() else {
            unreachable!("a vector of one entry with room for one makes an array of one")
        };
        append(&mut self.slots, slot);
        append(&mut self.next_vacant, IN_USE);
        K::from_index(position)
    }

    /// Puts a value into the first vacant entry, which there is.
    #[inline]
    fn reuse(&mut self, value: T) -> K {
        let position = self.first_vacant as usize;
        debug_assert!(self.next_vacant[position] != IN_USE, "entry {position} is in use");
        self.slots[position][0] = value;
        self.first_vacant = core::mem::replace(&mut self.next_vacant[position], IN_USE);
        self.vacant -= 1;
        K::from_index(position)
    }

    /// Frees an entry. Its value stays in place, unreachable, until the entry is reused.
    pub fn remove(&mut self, key: K) {
        let next = &mut self.next_vacant[key.index()];
        assert!(*next == IN_USE, "an entry was freed twice");
        *next = core::mem::replace(&mut self.first_vacant, key.index() as u32);
        self.vacant += 1;
    }

    /// Entries that there is room for without a larger directory.
    fn room(&self) -> usize {
        self.slots.capacity().min(self.next_vacant.capacity())
    }

    /// Entries that the next directory has room for.
    fn next_room(&self) -> usize {
        (2 * self.room()).max(FIRST_ROOM)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let more = self.next_room() - self.slots.len();
        self.slots.try_reserve_exact(more).map_err(|_| OutOfMemory)?;
        self.next_vacant.try_reserve_exact(more).map_err(|_| OutOfMemory)
    }

    /// The sizes of what is allocated in one piece when the arena grows, if half of the directory
    /// is used; else zeros.
    pub fn next_pieces_bytes(&self) -> [usize; 2] {
        if 2 * self.len() < self.room() { [0; 2] } else { self.directory_bytes(self.next_room()) }
    }

    /// The same for `more` entries: zeros if there is room for them.
    pub fn pieces_bytes_for(&self, more: usize) -> [usize; 2] {
        let room = if self.slots.len() + more > self.room() { self.next_room() } else { 0 };
        self.directory_bytes(room)
    }

    fn directory_bytes(&self, room: usize) -> [usize; 2] {
        [size_of::<Slot<T>>(), size_of::<u32>()].map(|bytes| bytes * room)
    }

    /// Whether `key` names an entry in use.
    pub fn contains(&self, key: K) -> bool {
        self.next_vacant.get(key.index()) == Some(&IN_USE)
    }

    /// The entry at the position of `key`, be it in use or not: for tables that free nothing, and
    /// for entries that know it themselves.
    #[inline]
    pub fn at_position(&self, key: K) -> Option<&T> {
        self.slots.get(key.index()).map(|slot| &slot[0])
    }

    /// The same, to change it.
    #[inline]
    pub fn at_position_mut(&mut self, key: K) -> Option<&mut T> {
        self.slots.get_mut(key.index()).map(|slot| &mut slot[0])
    }

    /// Number of entries in use.
    pub fn len(&self) -> usize {
        self.slots.len() - self.vacant
    }

    /// The key behind `key` in the order of positions, `None` at the end; from the first if `None`.
    pub fn next_key(&self, key: Option<K>) -> Option<K> {
        let from = key.map_or(0, |key| key.index() + 1);
        let mut positions = from..self.next_vacant.len();
        positions.find(|&position| self.next_vacant[position] == IN_USE).map(K::from_index)
    }

    /// All entries in use, in the order of positions.
    pub fn iter(&self) -> impl Iterator<Item = (K, &T)> {
        let entries = self.slots.iter().zip(&self.next_vacant).enumerate();
        let used = entries.filter(|(_, (_, next))| **next == IN_USE);
        used.map(|(at, (slot, _))| (K::from_index(at), &slot[0]))
    }
}

impl<K: Key, T> Index<K> for Arena<K, T> {
    type Output = T;
    #[inline]
    fn index(&self, key: K) -> &T {
        debug_assert!(self.contains(key), "{key:?} is not in use");
        // The same check as the one below, in terms of which the subtraction vanishes.
        if key.one_based() > self.slots.len() {
            beyond_arena();
        }
        &self.slots[key.index()][0]
    }
}

impl<K: Key, T> IndexMut<K> for Arena<K, T> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut T {
        debug_assert!(self.contains(key), "{key:?} is not in use");
        if key.one_based() > self.slots.len() {
            beyond_arena();
        }
        &mut self.slots[key.index()][0]
    }
}

/// A key of another arena: the one way in which an index can fail, in one place for all of them.
#[cold]
#[inline(never)]
fn beyond_arena() -> ! {
    panic!("a key names an entry beyond its arena")
}

#[cfg(test)]
mod tests {
    use super::*;

    key!(
        /// A key for the test.
        Name
    );

    #[test]
    fn entries_are_reused_and_keys_are_small() {
        assert_eq!(size_of::<Option<Name>>(), 4);
        let mut arena: Arena<Name, &str> = Arena::new();
        let a = arena.insert("a").unwrap();
        let b = arena.insert("b").unwrap();
        arena.remove(a);
        assert!(!arena.contains(a) && arena.contains(b));
        assert_eq!(arena.insert("c"), Ok(a));
        assert_eq!((arena[a], arena[b], arena.len()), ("c", "b", 2));
        arena.remove(a);
        assert_eq!(arena.iter().collect::<Vec<_>>(), [(b, &"b")]);
        assert_eq!(arena.next_key(None), Some(b));
        assert_eq!(arena.next_key(Some(b)), None);
    }

    #[test]
    fn the_entry_freed_last_is_reused_first() {
        let mut arena: Arena<Name, u32> = Arena::new();
        let keys: Vec<Name> = (0..40).map(|value| arena.insert(value).unwrap()).collect();
        for freed in [3, 17, 5] {
            arena.remove(keys[freed]);
        }
        let again: Vec<usize> = (0..4).map(|_| arena.insert(7).unwrap().index()).collect();
        assert_eq!(again, [5, 17, 3, 40]);
        assert_eq!((arena.len(), arena[keys[39]]), (41, 39));
    }

    #[test]
    fn the_next_directory_is_announced_in_time() {
        let mut arena: Arena<Name, usize> = Arena::new();
        let mut announced = Vec::new();
        for value in 0..70 {
            let (pieces, room) = (arena.next_pieces_bytes(), arena.room());
            arena.insert(value).unwrap();
            if arena.room() > room {
                assert_eq!(pieces, [8, 4].map(|bytes| bytes * arena.room()));
            }
            if announced.last().is_none_or(|&(_, last)| last != pieces) {
                announced.push((value, pieces));
            }
        }
        let none = [0; 2];
        let expected = [(0, [128, 64]), (1, none), (8, [256, 128]), (17, [512, 256])];
        assert_eq!(announced[..4], expected, "from half on");
        assert_eq!(announced[4..], [(33, [1024, 512]), (65, [2048, 1024])]);
        assert!(
            arena.iter().enumerate().all(|(at, (key, &value))| (key.index(), value) == (at, at))
        );
    }

    #[test]
    #[should_panic(expected = "freed twice")]
    fn freeing_twice_is_a_bug() {
        let mut arena: Arena<Name, ()> = Arena::new();
        let a = arena.insert(()).unwrap();
        arena.remove(a);
        arena.remove(a);
    }
}
