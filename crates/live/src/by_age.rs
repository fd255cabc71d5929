// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keys in the order in which they came: what has been there longest is found without a search.

use std::collections::VecDeque;

/// Keys of a map, the oldest first, those of what has left it among them: to take one out of the
/// middle at each end of I/O would cost more than to pass over it later.
#[derive(Clone, Debug)]
pub(crate) struct ByAge<K>(VecDeque<K>);

impl<K> Default for ByAge<K> {
    fn default() -> Self {
        ByAge(VecDeque::new())
    }
}

impl<K: Copy> ByAge<K> {
    /// Puts a key behind the others, of which no more than `most` are there. Those of what has left
    /// go when they are the first, or too many.
    pub fn push(&mut self, key: K, most: usize, is_there: impl Fn(&K) -> bool) {
        self.oldest(&is_there);
        if self.0.len() >= 2 * most {
            self.0.retain(is_there);
        }
        self.0.push_back(key);
    }

    /// The oldest key of what is there.
    pub fn oldest(&mut self, is_there: impl Fn(&K) -> bool) -> Option<K> {
        while self.0.front().is_some_and(|key| !is_there(key)) {
            self.0.pop_front();
        }
        self.0.front().copied()
    }

    /// How many are kept.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
