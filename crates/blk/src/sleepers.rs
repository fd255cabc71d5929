// SPDX-License-Identifier: MIT OR Apache-2.0
//! Submitters without a tag, and whom a freed tag wakes.

use std::collections::VecDeque;

use crate::bios::BioSlot;
use crate::free_tags::TagSearch;

/// Lines in which submitters wait under [`TagSearch::Linux6_1`].
const LINES: usize = 8;
/// There, the most freed tags that are collected before a sleeper is woken.
const LARGEST_BATCH: u32 = 8;

/// A submitter that waits for a tag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sleeper {
    pub bio: BioSlot,
    /// Only tags below this one will do, as the elevator said when the allocation began.
    pub limit: u32,
}

/// One that was woken, and the line in which it lies down if it finds no tag.
pub(crate) type Woken = (Sleeper, usize);

/// All submitters without a tag. Under [`TagSearch::LowestFirst`] each freed tag wakes one,
/// first come first.
///
/// Under [`TagSearch::Linux6_1`] there are eight lines; each submitter that lies down takes the
/// next one, and so does each that is woken, for the case that it finds no tag. Freed tags are
/// counted while a process sleeps; each full batch of them wakes as many, but of one line only:
/// the next one with a sleeper in it. A batch is an eighth of the tags that every process may
/// have, 1 to 8.
#[derive(Debug)]
pub(crate) struct Sleepers {
    lines: Vec<VecDeque<Sleeper>>,
    /// The line of the next one to lie down.
    next_line: usize,
    /// The line in which the next batch looks first.
    wake_line: usize,
    batch: u32,
    /// Submitters in the lines.
    asleep: usize,
    /// Freed tags that have not woken a sleeper yet.
    freed: u32,
    /// They have not looked for a tag yet.
    woken: VecDeque<Woken>,
    /// How many of them, from the first, were told so ([`take_roused`](Sleepers::take_roused)).
    roused: usize,
}

impl Sleepers {
    /// An empty set of sleepers, for a pool that is searched in this way.
    pub fn new(search: TagSearch) -> Sleepers {
        let lines = match search {
            TagSearch::LowestFirst => 1,
            TagSearch::Linux6_1 => LINES,
        };
        Sleepers {
            lines: vec![VecDeque::new(); lines],
            next_line: 0,
            wake_line: 0,
            batch: 1,
            asleep: 0,
            freed: 0,
            woken: VecDeque::new(),
            roused: 0,
        }
    }

    /// The pool has `common_tags` tags that every process may have.
    pub fn set_common_tags(&mut self, common_tags: u32) {
        if self.lines.len() > 1 {
            self.batch = (common_tags / LINES as u32).clamp(1, LARGEST_BATCH);
        }
    }

    /// A process found no tag.
    pub fn lie_down(&mut self, sleeper: Sleeper) {
        let line = self.take_line();
        self.lie_down_again((sleeper, line));
    }

    /// A process that was woken found none.
    pub fn lie_down_again(&mut self, (sleeper, line): Woken) {
        self.lines[line].push_back(sleeper);
        self.asleep += 1;
    }

    /// A tag was freed, or one that was freed is free still.
    #[inline]
    pub fn tag_freed(&mut self) {
        if self.is_empty() && self.woken.is_empty() {
            self.freed = 0;
            return;
        }
        self.freed += 1;
        if self.freed >= self.batch {
            self.freed -= self.batch;
            self.wake_batch();
        }
    }

    /// All are to look for a tag: the pool is another one now.
    pub fn wake_all(&mut self) {
        for line in 0..self.lines.len() {
            while let Some(sleeper) = self.lines[line].pop_front() {
                self.asleep -= 1;
                self.wake(sleeper);
            }
        }
    }

    /// The next one that was woken and is to look for a tag.
    pub fn take_woken(&mut self) -> Option<Woken> {
        let woken = self.woken.pop_front()?;
        self.roused = self.roused.saturating_sub(1);
        Some(woken)
    }

    /// Whether a process was woken and has not looked for a tag yet.
    #[inline]
    pub fn has_woken(&self) -> bool {
        !self.woken.is_empty()
    }

    /// The bio of the next one that was woken and was not told yet.
    pub fn take_roused(&mut self) -> Option<BioSlot> {
        let (sleeper, _) = self.woken.get(self.roused)?;
        self.roused += 1;
        Some(sleeper.bio)
    }

    /// The first one that was told, has not looked yet, and sleeps for such a bio.
    pub fn take_woken_of(&mut self, is_wanted: impl Fn(BioSlot) -> bool) -> Option<Woken> {
        let place = self.woken.iter().take(self.roused).position(|(s, _)| is_wanted(s.bio))?;
        self.roused -= 1;
        self.woken.remove(place)
    }

    /// Whether no process sleeps.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.asleep == 0
    }

    /// All that are asleep, or woken and without a tag.
    pub fn iter(&self) -> impl Iterator<Item = &Sleeper> {
        self.lines.iter().flatten().chain(self.woken.iter().map(|(sleeper, _)| sleeper))
    }

    /// Asserts that the woken processes have looked for a tag (if it does so at once), and that no
    /// full batch is left over.
    pub fn check(&self) {
        let looks_at_once = self.lines.len() == 1;
        assert!(
            !looks_at_once || self.woken.is_empty(),
            "a submitter was woken and has not looked for a tag"
        );
        assert_eq!(self.asleep, self.lines.iter().map(VecDeque::len).sum(), "count of the lines");
        assert!(self.roused <= self.woken.len(), "more were told than woken");
        assert!(self.freed < self.batch, "a batch of freed tags that woke no submitter");
    }

    fn wake_batch(&mut self) {
        for _ in 0..self.lines.len() {
            let line = self.wake_line;
            self.wake_line = (line + 1) % self.lines.len();
            if !self.lines[line].is_empty() {
                for _ in 0..self.batch {
                    let Some(sleeper) = self.lines[line].pop_front() else { break };
                    self.asleep -= 1;
                    self.wake(sleeper);
                }
                return;
            }
        }
    }

    fn wake(&mut self, sleeper: Sleeper) {
        let line = self.take_line();
        self.woken.push_back((sleeper, line));
    }

    fn take_line(&mut self) -> usize {
        let line = self.next_line;
        self.next_line = (line + 1) % self.lines.len();
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pool of 32 tags, and `count` sleepers, numbered by their limits.
    fn asleep(search: TagSearch, count: u32) -> Sleepers {
        let mut sleepers = Sleepers::new(search);
        sleepers.set_common_tags(32);
        for limit in 0..count {
            sleepers.lie_down(Sleeper { bio: BioSlot::NONE, limit });
        }
        sleepers
    }

    /// Frees tags; who is woken by each of them?
    fn woken(sleepers: &mut Sleepers, tags: u32) -> Vec<Vec<u32>> {
        let mut by_tag = Vec::new();
        for _ in 0..tags {
            sleepers.tag_freed();
            by_tag.push(std::iter::from_fn(|| Some(sleepers.take_woken()?.0.limit)).collect());
        }
        sleepers.check();
        by_tag
    }

    #[test]
    fn each_freed_tag_wakes_the_first() {
        let mut sleepers = asleep(TagSearch::LowestFirst, 3);
        assert_eq!(woken(&mut sleepers, 4), [vec![0], vec![1], vec![2], vec![]]);
    }

    #[test]
    fn linux_wakes_for_each_fourth_of_32_tags_and_of_one_line_only() {
        let mut sleepers = asleep(TagSearch::Linux6_1, 10);
        let none = Vec::new;
        let expected = [none(), none(), none(), vec![0, 8], none(), none(), none(), vec![1, 9]];
        assert_eq!(woken(&mut sleepers, 8), expected);
        assert_eq!(woken(&mut sleepers, 4)[3], [2]);
    }

    #[test]
    fn linux_lets_who_was_woken_in_vain_lie_down_behind() {
        let mut sleepers = asleep(TagSearch::Linux6_1, 2);
        for _ in 0..4 {
            sleepers.tag_freed();
        }
        let first = sleepers.take_woken().unwrap();
        assert_eq!((first.0.limit, first.1), (0, 2), "two lines are taken");
        sleepers.lie_down_again(first);
        assert_eq!(woken(&mut sleepers, 8).concat(), [1, 0]);
    }

    #[test]
    fn linux_wakes_one_by_one_where_only_single_tags_are_for_everybody() {
        let mut sleepers = asleep(TagSearch::Linux6_1, 2);
        sleepers.set_common_tags(4);
        assert_eq!(woken(&mut sleepers, 2), [[0], [1]]);
    }

    #[test]
    fn tags_freed_while_nobody_sleeps_wake_nobody_later() {
        for search in [TagSearch::LowestFirst, TagSearch::Linux6_1] {
            let mut sleepers = asleep(search, 0);
            assert_eq!(woken(&mut sleepers, 9).concat(), []);
            sleepers.lie_down(Sleeper { bio: BioSlot::NONE, limit: 7 });
            assert_eq!(woken(&mut sleepers, 4).concat(), [7]);
        }
    }
}
