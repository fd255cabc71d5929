// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one ordered set: an intrusive red-black tree over an arena, optionally augmented.
//!
//! It serves the positions of `merge`, by way of `sorted` the active and idle trees of `fair` and
//! the waiting requests of a queue, and by way of `indexed` the order of `policy/time`. The
//! balancing rules are the classic ones (Cormen et al., *Introduction to Algorithms*, ch. 13):
//! equal keys go to the right, a removed node with two children is replaced by its in-order
//! successor. They matter beyond balance: the shape decides what the inexact walk of spec 1.4
//! finds, which is kept for comparison with the reference.
//!
//! The tree is threaded: each entry knows its neighbours in the order, and the tree its ends, so
//! that looking beside an entry needs no walk.

use crate::store::arena::{Arena, Key};

/// A side of a node.
pub const LEFT: usize = 0;
/// The side of the greater entries.
pub const RIGHT: usize = 1;

/// The place of an entry in one tree.
#[derive(Clone, Copy, Debug)]
pub struct Links<K> {
    neighbour: [Option<K>; 2],
    parent: Option<K>,
    child: [Option<K>; 2],
    red: bool,
}

impl<K: Copy> Links<K> {
    /// Links of an entry that is in no tree.
    pub const fn new() -> Self {
        Links { neighbour: [None; 2], parent: None, child: [None; 2], red: false }
    }

    /// The subtree of what comes before this entry.
    pub const fn left(&self) -> Option<K> {
        self.child[LEFT]
    }

    /// The entry beside this one on a side.
    pub const fn neighbour(&self, side: usize) -> Option<K> {
        self.neighbour[side]
    }

    /// The entries beside this one, by side.
    pub const fn neighbours(&self) -> [Option<K>; 2] {
        self.neighbour
    }

    /// The subtree of what comes after this entry (or equals it).
    pub const fn right(&self) -> Option<K> {
        self.child[RIGHT]
    }
}

/// An entry that can be in a tree.
pub trait Node<K>: Sized {
    /// The links of the entry.
    fn links(&self) -> &Links<K>;
    /// The same, to change them.
    fn links_mut(&mut self) -> &mut Links<K>;
    /// Recomputes what `arena[key]` keeps about its subtree from itself and its children; returns
    /// whether that changed. Without augmentation there is nothing to do.
    fn refresh(arena: &mut Arena<K, Self>, key: K) -> bool {
        let _ = (arena, key);
        false
    }
    /// Whether what `arena[key]` keeps about its subtree is right; for checks.
    fn is_fresh(arena: &Arena<K, Self>, key: K) -> bool {
        let _ = (arena, key);
        true
    }
}

/// An ordered set of entries of an arena.
#[derive(Debug)]
pub struct Tree<K> {
    root: Option<K>,
    ends: [Option<K>; 2],
}

impl<K: Key> Tree<K> {
    pub const fn new() -> Self {
        Tree { root: None, ends: [None; 2] }
    }

    /// Whether nothing is in the tree.
    pub const fn is_empty(&self) -> bool {
        self.ends[LEFT].is_none()
    }

    /// Whether `key`, which is this entry, is in the tree, if it is in no other.
    #[inline]
    pub fn contains<T: Node<K>>(&self, key: K, entry: &T) -> bool {
        entry.links().parent.is_some() || self.root == Some(key)
    }

    /// The topmost node, from which a search descends by [`Links::left`] and [`Links::right`].
    pub const fn root(&self) -> Option<K> {
        self.root
    }

    /// The entry with the least key; none if the tree is empty.
    pub const fn first(&self) -> Option<K> {
        self.ends[LEFT]
    }

    /// The entry with the greatest key; none if the tree is empty.
    pub const fn last(&self) -> Option<K> {
        self.ends[RIGHT]
    }

    /// The entry after `key`.
    pub fn next<T: Node<K>>(&self, arena: &Arena<K, T>, key: K) -> Option<K> {
        arena[key].links().neighbour[RIGHT]
    }

    /// The entry before `key`.
    pub fn previous<T: Node<K>>(&self, arena: &Arena<K, T>, key: K) -> Option<K> {
        arena[key].links().neighbour[LEFT]
    }

    /// All entries in order.
    pub fn iter<'a, T: Node<K>>(
        &self,
        arena: &'a Arena<K, T>,
    ) -> impl Iterator<Item = K> + use<'a, K, T> {
        core::iter::successors(self.first(), move |&key| arena[key].links().neighbour[RIGHT])
    }

    /// Inserts `key`, which is in no tree, before the first entry for which `comes_before` says
    /// that `key` does; so it ends up behind its equals.
    pub fn insert<T: Node<K>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        comes_before: impl Fn(&T, &T) -> bool,
    ) {
        let Some(mut parent) = self.root else {
            *arena[key].links_mut() = Links::new();
            T::refresh(arena, key);
            (self.root, self.ends) = (Some(key), [Some(key); 2]);
            return;
        };
        let entry = &arena[key];
        let side = loop {
            let node = &arena[parent];
            let side = if comes_before(entry, node) { LEFT } else { RIGHT };
            match node.links().child[side] {
                Some(child) => parent = child,
                None => break side,
            }
        };
        self.hang(arena, key, parent, side);
        T::refresh(arena, key);
        refresh_upwards(arena, Some(parent));
        self.rebalance_after_insertion(arena, key, parent);
    }

    /// Whether there is a tree above the entries: otherwise there are none, or they only know their
    /// neighbours (see [`Tree::link`]).
    #[inline]
    pub const fn is_planted(&self) -> bool {
        self.root.is_some()
    }

    /// Inserts `key` into a set without a tree, behind `previous` or before all others.
    #[inline]
    pub fn link<T: Node<K>>(&mut self, arena: &mut Arena<K, T>, key: K, previous: Option<K>) {
        debug_assert!(!self.is_planted(), "{key:?} is to be sorted into a tree");
        let next = match previous {
            Some(previous) => arena[previous].links_mut().neighbour[RIGHT].replace(key),
            None => self.ends[LEFT].replace(key),
        };
        self.set_neighbour(arena, next, LEFT, Some(key));
        arena[key].links_mut().neighbour = [previous, next];
    }

    /// Takes the entry with these `neighbours` out of a set without a tree.
    #[inline]
    pub fn unlink<T: Node<K>>(&mut self, arena: &mut Arena<K, T>, neighbours: [Option<K>; 2]) {
        debug_assert!(!self.is_planted(), "an entry is to be taken out of a tree");
        self.close_gap(arena, neighbours);
    }

    /// The entry between two others, or an end of the set, is gone: they are neighbours now.
    #[inline]
    fn close_gap<T: Node<K>>(&mut self, arena: &mut Arena<K, T>, [before, after]: [Option<K>; 2]) {
        self.set_neighbour(arena, before, RIGHT, after);
        self.set_neighbour(arena, after, LEFT, before);
    }

    /// Removes the tree, but not the entries, from the set.
    pub fn fell(&mut self) {
        self.root = None;
    }

    /// Makes `key` the child of `parent` on `side`, where there is none: a new neighbour too.
    fn hang<T: Node<K>>(&mut self, arena: &mut Arena<K, T>, key: K, parent: K, side: usize) {
        let above = arena[parent].links_mut();
        debug_assert!(
            above.child[side].is_none(),
            "{parent:?} has a child in the place of {key:?}"
        );
        above.child[side] = Some(key);
        let beyond = above.neighbour[side].replace(key);
        let links = arena[key].links_mut();
        *links = Links { parent: Some(parent), red: true, ..Links::new() };
        links.neighbour[side] = beyond;
        links.neighbour[1 - side] = Some(parent);
        self.set_neighbour(arena, beyond, 1 - side, Some(key));
    }

    /// Tells `key` its neighbour on `side`; without a key, it is the tree that has a new end.
    #[inline]
    fn set_neighbour<T: Node<K>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: Option<K>,
        side: usize,
        neighbour: Option<K>,
    ) {
        match key {
            Some(key) => arena[key].links_mut().neighbour[side] = neighbour,
            None => self.ends[1 - side] = neighbour,
        }
    }

    /// The last entry that `is_low`, given that all before a low one are low, too.
    #[inline]
    pub fn last_low<T: Node<K>>(
        &self,
        arena: &Arena<K, T>,
        is_low: impl Fn(&T) -> bool,
    ) -> Option<K> {
        let mut found = None;
        let mut next = self.root;
        while let Some(key) = next {
            let entry = &arena[key];
            if is_low(entry) {
                found = Some(key);
                next = entry.links().child[RIGHT];
            } else {
                next = entry.links().child[LEFT];
            }
        }
        found
    }

    /// Takes `key`, which is in this tree, out of it.
    pub fn remove<T: Node<K>>(&mut self, arena: &mut Arena<K, T>, key: K) {
        debug_assert!(self.is_planted(), "{key:?} is in no tree");
        let links = *arena[key].links();
        self.close_gap(arena, links.neighbour);
        let after = links.neighbour[RIGHT];
        let (removed_black, orphan, parent);
        if let ([Some(_), Some(right)], Some(successor)) = (links.child, after) {
            let successor_links = *arena[successor].links();
            orphan = successor_links.child[RIGHT];
            removed_black = !successor_links.red;
            if successor == right {
                parent = Some(successor);
            } else {
                parent = successor_links.parent;
                self.replace(arena, successor, orphan);
                arena[successor].links_mut().child[RIGHT] = Some(right);
                arena[right].links_mut().parent = Some(successor);
            }
            self.replace(arena, key, Some(successor));
            let left = links.child[LEFT];
            let moved = arena[successor].links_mut();
            moved.child[LEFT] = left;
            moved.red = links.red;
            if let Some(left) = left {
                arena[left].links_mut().parent = Some(successor);
            }
            refresh_upwards(arena, parent);
            T::refresh(arena, successor);
            let above = arena[successor].links().parent;
            refresh_upwards(arena, above);
        } else {
            orphan = links.child[LEFT].or(links.child[RIGHT]);
            removed_black = !links.red;
            parent = links.parent;
            self.replace(arena, key, orphan);
            refresh_upwards(arena, parent);
        }
        *arena[key].links_mut() = Links::new();
        if removed_black {
            self.rebalance_after_removal(arena, orphan, parent);
        }
    }

    /// Puts `heir` where `key` hangs below its parent.
    fn replace<T: Node<K>>(&mut self, arena: &mut Arena<K, T>, key: K, heir: Option<K>) {
        let parent = arena[key].links().parent;
        debug_assert!(parent.is_some() || self.root == Some(key), "{key:?} is in another tree");
        match parent {
            Some(parent) => {
                let side = side_of(arena, parent, Some(key));
                arena[parent].links_mut().child[side] = heir;
            }
            None => self.root = heir,
        }
        if let Some(heir) = heir {
            arena[heir].links_mut().parent = parent;
        }
    }

    /// Moves `key` down to `side`; its child of the other side takes its place.
    fn rotate<T: Node<K>>(&mut self, arena: &mut Arena<K, T>, key: K, side: usize) {
        let Some(riser) = arena[key].links().child[1 - side] else {
            unreachable!("a rotation raises a child that exists")
        };
        let middle = arena[riser].links().child[side];
        self.replace(arena, key, Some(riser));
        arena[riser].links_mut().child[side] = Some(key);
        let links = arena[key].links_mut();
        links.parent = Some(riser);
        links.child[1 - side] = middle;
        if let Some(middle) = middle {
            arena[middle].links_mut().parent = Some(key);
        }
        T::refresh(arena, key);
        T::refresh(arena, riser);
    }

    /// Restores the rule that no red node has a red child after `node` was hung below `parent`.
    fn rebalance_after_insertion<T: Node<K>>(
        &mut self,
        arena: &mut Arena<K, T>,
        mut node: K,
        mut parent: K,
    ) {
        while arena[parent].links().red {
            debug_assert_eq!(arena[node].links().parent, Some(parent), "{node:?} hangs elsewhere");
            let Some(grandparent) = arena[parent].links().parent else {
                unreachable!("the root is black")
            };
            let side = side_of(arena, grandparent, Some(parent));
            let uncle = arena[grandparent].links().child[1 - side];
            if let Some(uncle) = uncle.filter(|&uncle| arena[uncle].links().red) {
                arena[parent].links_mut().red = false;
                arena[uncle].links_mut().red = false;
                let Some(above) = arena[grandparent].links().parent else { return };
                arena[grandparent].links_mut().red = true;
                (node, parent) = (grandparent, above);
                continue;
            }
            if arena[parent].links().child[1 - side] == Some(node) {
                self.rotate(arena, parent, side);
                parent = node;
            }
            arena[parent].links_mut().red = false;
            arena[grandparent].links_mut().red = true;
            self.rotate(arena, grandparent, 1 - side);
            return;
        }
    }

    /// Restores equal black heights after a black node above `orphan` (below `parent`) is gone.
    fn rebalance_after_removal<T: Node<K>>(
        &mut self,
        arena: &mut Arena<K, T>,
        mut orphan: Option<K>,
        mut parent: Option<K>,
    ) {
        while let Some(above) = parent.filter(|_| is_black(arena, orphan)) {
            debug_assert!(
                orphan.is_none_or(|orphan| arena[orphan].links().parent == parent),
                "{orphan:?} hangs elsewhere"
            );
            let side = side_of(arena, above, orphan);
            let Some(mut sibling) = arena[above].links().child[1 - side] else {
                unreachable!("a node that lost a black child has another one")
            };
            if arena[sibling].links().red {
                arena[sibling].links_mut().red = false;
                arena[above].links_mut().red = true;
                self.rotate(arena, above, side);
                match arena[above].links().child[1 - side] {
                    Some(new_sibling) => sibling = new_sibling,
                    None => unreachable!("a red sibling has two black children"),
                }
            }
            let nephews = arena[sibling].links().child;
            if nephews.iter().all(|&nephew| is_black(arena, nephew)) {
                arena[sibling].links_mut().red = true;
                orphan = Some(above);
                parent = arena[above].links().parent;
                continue;
            }
            if is_black(arena, nephews[1 - side]) {
                set_black(arena, nephews[side]);
                arena[sibling].links_mut().red = true;
                self.rotate(arena, sibling, 1 - side);
                if let Some(new_sibling) = arena[above].links().child[1 - side] {
                    sibling = new_sibling;
                }
            }
            arena[sibling].links_mut().red = arena[above].links().red;
            arena[above].links_mut().red = false;
            let outer = arena[sibling].links().child[1 - side];
            set_black(arena, outer);
            self.rotate(arena, above, side);
            return set_black(arena, self.root);
        }
        set_black(arena, orphan);
    }

    /// Asserts order, links, colours and augmentation.
    ///
    /// # Panics
    /// If the tree is not well-formed.
    pub fn check<T: Node<K>>(&self, arena: &Arena<K, T>, out_of_order: impl Fn(&T, &T) -> bool) {
        let Some(root) = self.root else { return assert!(self.ends == [None; 2]) };
        assert!(arena[root].links().parent.is_none() && is_black(arena, Some(root)));
        black_height(arena, root);
        assert!(self.ends == [LEFT, RIGHT].map(|side| Some(extreme(arena, root, side))));
        let mut previous = None;
        let mut next = self.first();
        while let Some(key) = next {
            if let Some(previous) = previous {
                assert!(!out_of_order(&arena[previous], &arena[key]), "{previous:?} > {key:?}");
            }
            assert!(T::is_fresh(arena, key), "{key:?} has a stale augmentation");
            previous = next;
            next = self.next(arena, key);
        }
    }
}

/// The side on which `child` (which may be an empty place) hangs below `parent`.
fn side_of<K: Key, T: Node<K>>(arena: &Arena<K, T>, parent: K, child: Option<K>) -> usize {
    if arena[parent].links().child[LEFT] == child { LEFT } else { RIGHT }
}

fn is_black<K: Key, T: Node<K>>(arena: &Arena<K, T>, key: Option<K>) -> bool {
    key.is_none_or(|key| !arena[key].links().red)
}

fn set_black<K: Key, T: Node<K>>(arena: &mut Arena<K, T>, key: Option<K>) {
    if let Some(key) = key {
        arena[key].links_mut().red = false;
    }
}

/// Refreshes `from` and its ancestors until nothing changes.
fn refresh_upwards<K: Key, T: Node<K>>(arena: &mut Arena<K, T>, from: Option<K>) {
    let mut next = from;
    while let Some(key) = next.filter(|&key| T::refresh(arena, key)) {
        next = arena[key].links().parent;
    }
}

/// Asserts that the nodes below `key` are well-formed; returns how many black ones are on
/// each way down.
fn black_height<K: Key, T: Node<K>>(arena: &Arena<K, T>, key: K) -> u32 {
    let links = arena[key].links();
    let mut heights = [1, 1];
    for side in [LEFT, RIGHT] {
        if let Some(neighbour) = links.neighbour[side] {
            let back = arena[neighbour].links().neighbour[1 - side];
            assert!(back == Some(key), "{neighbour:?} does not know its neighbour {key:?}");
        }
        if let Some(child) = links.child[side] {
            let below = arena[child].links();
            assert!(below.parent == Some(key), "{child:?} does not know its parent {key:?}");
            assert!(!(links.red && below.red), "{key:?} and its child are both red");
            let nearest = extreme(arena, child, 1 - side);
            assert!(links.neighbour[side] == Some(nearest), "{key:?} is not beside {nearest:?}");
            heights[side] = black_height(arena, child);
        }
    }
    assert!(heights[LEFT] == heights[RIGHT], "black heights differ below {key:?}");
    heights[LEFT] + u32::from(!links.red)
}

fn extreme<K: Key, T: Node<K>>(arena: &Arena<K, T>, from: K, side: usize) -> K {
    let next = |&key: &K| arena[key].links().child[side];
    core::iter::successors(Some(from), next).last().unwrap_or(from)
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
