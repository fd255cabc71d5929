//! Arenas: growable tables whose entries are named by small typed indices instead of pointers.
//!
//! An arena grows only in [`Arena::insert`], and fallibly; all else is indexing.

use alloc::vec::Vec;
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

        impl $crate::arena::Key for $name {
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
                write!(f, concat!(stringify!($name), "({})"), $crate::arena::Key::index(*self))
            }
        }
    };
}
pub(crate) use key;

/// Declares a key that hosts use: they may look at its number, or choose it.
macro_rules! host_key {
    ($(#[$doc:meta])* $name:ident) => {
        $crate::arena::key!(
            $(#[$doc])*
            $name
        );

        impl $name {
            /// The name of position `index`, for hosts that number things themselves.
            pub fn from_index(index: usize) -> Self {
                $crate::arena::Key::from_index(index)
            }

            /// The position that it names.
            pub fn index(self) -> usize {
                $crate::arena::Key::index(self)
            }
        }
    };
}
pub(crate) use host_key;

/// A table of `T`s named by `K`s. Freed entries are reused, the last freed first.
#[derive(Debug)]
pub struct Arena<K, T> {
    slots: Vec<T>,
    free: Vec<u32>,
    live: Vec<bool>,
    key: PhantomData<K>,
}

impl<K: Key, T> Arena<K, T> {
    /// An empty arena; allocates nothing.
    pub const fn new() -> Self {
        Arena { slots: Vec::new(), free: Vec::new(), live: Vec::new(), key: PhantomData }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// [`OutOfMemory`], with the arena unchanged.
    pub fn insert(&mut self, value: T) -> Result<K, OutOfMemory> {
        if let Some(position) = self.free.pop() {
            let position = position as usize;
            self.slots[position] = value;
            self.live[position] = true;
            return Ok(K::from_index(position));
        }
        let position = self.slots.len();
        if position >= u32::MAX as usize - 1 {
            return Err(OutOfMemory);
        }
        self.slots.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.live.try_reserve(1).map_err(|_| OutOfMemory)?;
        // Room to free every entry, so that `remove` never allocates.
        self.free.try_reserve(position + 1).map_err(|_| OutOfMemory)?;
        append(&mut self.slots, value);
        append(&mut self.live, true);
        Ok(K::from_index(position))
    }

    /// Frees an entry. Its value stays in place, unreachable, until the entry is reused.
    pub fn remove(&mut self, key: K) {
        let position = key.index();
        assert!(core::mem::replace(&mut self.live[position], false), "an entry was freed twice");
        append(&mut self.free, position as u32);
    }

    /// Whether `key` names an entry in use.
    pub fn contains(&self, key: K) -> bool {
        self.live.get(key.index()).copied().unwrap_or(false)
    }

    /// The entry at the position of `key`, be it in use or not: for tables that free nothing, and
    /// for entries that know it themselves.
    #[inline]
    pub fn at_position(&self, key: K) -> Option<&T> {
        self.slots.get(key.index())
    }

    /// The same, to change it.
    #[inline]
    pub fn at_position_mut(&mut self, key: K) -> Option<&mut T> {
        self.slots.get_mut(key.index())
    }

    /// Number of entries in use.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The key behind `key` in the order of positions, `None` at the end; from the first if `None`.
    pub fn next_key(&self, key: Option<K>) -> Option<K> {
        let from = key.map_or(0, |key| key.index() + 1);
        (from..self.slots.len()).find(|&position| self.live[position]).map(K::from_index)
    }

    /// All entries in use, in the order of positions.
    pub fn iter(&self) -> impl Iterator<Item = (K, &T)> {
        let live = self.slots.iter().zip(&self.live).enumerate();
        live.filter(|(_, (_, live))| **live).map(|(at, (value, _))| (K::from_index(at), value))
    }
}

impl<K: Key, T> Index<K> for Arena<K, T> {
    type Output = T;
    #[inline]
    fn index(&self, key: K) -> &T {
        debug_assert!(self.live[key.index()], "{key:?} is not in use");
        // The same check as the one below, in terms of which the subtraction vanishes.
        if key.one_based() > self.slots.len() {
            beyond_arena();
        }
        &self.slots[key.index()]
    }
}

impl<K: Key, T> IndexMut<K> for Arena<K, T> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut T {
        debug_assert!(self.live[key.index()], "{key:?} is not in use");
        if key.one_based() > self.slots.len() {
            beyond_arena();
        }
        &mut self.slots[key.index()]
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
    #[should_panic(expected = "freed twice")]
    fn freeing_twice_is_a_bug() {
        let mut arena: Arena<Name, ()> = Arena::new();
        let a = arena.insert(()).unwrap();
        arena.remove(a);
        arena.remove(a);
    }
}
