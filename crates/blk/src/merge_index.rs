// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds waiting requests to merge with, the way the kernel does for mq-deadline and bfq: a
//! one-entry hint, then a hash by end sector, then the elevator's own order by start sector
//! (peers.md §1.2, bfq.md §2.7).

use crate::bio::Bio;
use crate::ids::Tag;
use crate::merge::MergeRules;
use crate::pool::Pool;
use crate::request::{Merge, MergeKind};
use base::random::GOLDEN;

/// A request's place in the hash.
#[derive(Debug, Clone, Copy)]
struct Node {
    end_sector: u64,
    next: Option<Tag>,
    previous: Option<Tag>,
    hashed: bool,
}

const UNUSED: Node = Node { end_sector: 0, next: None, previous: None, hashed: false };

/// The device-wide part of merging: the hash and the hint. The tree by start sector is the
/// elevator's, which needs one anyway.
#[derive(Debug, Default)]
pub struct MergeIndex {
    /// The nodes by tag.
    nodes: Vec<Node>,
    /// Tags of the chains' first nodes; a power of two of them.
    buckets: Vec<Option<Tag>>,
    hint: Option<Tag>,
}

impl MergeIndex {
    /// An index for no tags yet.
    pub fn new() -> MergeIndex {
        MergeIndex::default()
    }

    /// Makes room for tags below `tags`. What is in the index stays.
    pub fn resize(&mut self, tags: u32) {
        let tags = tags as usize;
        if tags <= self.nodes.len() {
            return;
        }
        self.nodes.resize(tags, UNUSED);
        self.buckets = vec![None; (2 * tags).next_power_of_two()];
        for tag in 0..tags as u32 {
            if self.nodes[tag as usize].hashed {
                self.link(Tag(tag), self.nodes[tag as usize].end_sector);
            }
        }
    }

    /// The request that grew last, or the first one of those that wait.
    #[cfg(test)]
    fn hint(&self) -> Option<Tag> {
        self.hint
    }

    /// Whether the request is in the index.
    pub fn contains(&self, tag: Tag) -> bool {
        self.nodes.get(tag.index()).is_some_and(|node| node.hashed)
    }

    /// A request waits now. It becomes the hint if there is none.
    pub fn inserted(&mut self, tag: Tag, pool: &Pool) {
        if pool[tag].mergeable() {
            self.link(tag, pool[tag].end_sector());
            self.hint.get_or_insert(tag);
        }
    }

    /// A request waits no more. (One that is not in the index is none of its business.)
    pub fn removed(&mut self, tag: Tag) {
        if self.contains(tag) {
            self.unlink(tag);
        }
        if self.hint == Some(tag) {
            self.hint = None;
        }
    }

    /// A waiting request has grown, at either end. It becomes the hint.
    pub fn grown(&mut self, tag: Tag, pool: &Pool) {
        let end_sector = pool[tag].end_sector();
        if self.contains(tag) && self.nodes[tag.index()].end_sector != end_sector {
            self.unlink(tag);
            self.link(tag, end_sector);
        }
        self.hint = Some(tag);
    }

    /// The waiting request that ends at `sector`; of several the one hashed last.
    pub fn ending_at(&self, sector: u64) -> Option<Tag> {
        let mut candidate = *self.buckets.get(self.bucket(sector))?;
        while let Some(tag) = candidate {
            let node = &self.nodes[tag.index()];
            if node.end_sector == sector {
                return Some(tag);
            }
            candidate = node.next;
        }
        None
    }

    /// Seeks a place for a bio: (1) the hint, back or front; (2) back of the request that ends at
    /// its start; (3) front of the request that `starting_at` its end, which the elevator looks up.
    ///
    /// `allowed` is the elevator's veto. It is asked in (1) for every hint that
    /// [admits](MergeRules::admits) the bio, before adjacency is looked at, in (2) and (3) for the
    /// request found. `elevator` is handed through to both.
    pub fn find<E>(
        &self,
        elevator: &mut E,
        bio: &Bio,
        rules: &MergeRules,
        pool: &Pool,
        allowed: impl Fn(&mut E, Tag) -> bool,
        starting_at: impl Fn(&mut E, u64) -> Option<Tag>,
    ) -> Option<Merge> {
        if let Some(tag) = self.hint
            && rules.admits(bio, &pool[tag])
            && allowed(elevator, tag)
            && let Some(kind) = pool[tag].adjacency(bio)
        {
            return Some(Merge { tag, kind });
        }
        if rules.one_hit_only {
            return None;
        }
        if let Some(tag) = self.ending_at(bio.sector)
            && rules.admits(bio, &pool[tag])
            && allowed(elevator, tag)
        {
            return Some(Merge { tag, kind: MergeKind::Back });
        }
        let tag = starting_at(elevator, bio.end_sector())?;
        (rules.admits(bio, &pool[tag]) && allowed(elevator, tag))
            .then_some(Merge { tag, kind: MergeKind::Front })
    }

    /// Seeks the waiting request that a request to be inserted can be appended to as a whole: the
    /// hint first, then the hash.
    pub fn find_insertion_merge(&self, tag: Tag, rules: &MergeRules, pool: &Pool) -> Option<Tag> {
        let request = &pool[tag];
        let suits = |candidate: &Tag| {
            *candidate != tag
                && pool[*candidate].end_sector() == request.sector
                && rules.admits_request(&pool[*candidate], request)
                && rules.fits_request(&pool[*candidate], request)
        };
        let hint = self.hint.filter(suits);
        if hint.is_some() || rules.one_hit_only {
            return hint;
        }
        self.ending_at(request.sector).filter(suits)
    }

    /// Asserts that the chains hold what the nodes say, and `tags` exactly.
    pub fn check(&self, mut tags: Vec<Tag>, pool: &Pool) {
        let mut chained = Vec::new();
        for (bucket, &first) in self.buckets.iter().enumerate() {
            let (mut previous, mut next) = (None, first);
            while let Some(tag) = next {
                let node = &self.nodes[tag.index()];
                assert!(node.hashed && node.previous == previous, "chain at tag {tag}");
                assert_eq!(self.bucket(node.end_sector), bucket, "bucket of tag {tag}");
                assert_eq!(node.end_sector, pool[tag].end_sector(), "end of tag {tag}");
                chained.push(tag);
                (previous, next) = (next, node.next);
            }
        }
        tags.sort();
        chained.sort();
        assert_eq!(chained, tags, "requests in the merge index");
        assert!(self.hint.is_none_or(|tag| tags.binary_search(&tag).is_ok()), "the hint waits");
    }

    /// Fibonacci hashing. Ends are mostly multiples of 8 sectors, hence the fold.
    fn bucket(&self, end_sector: u64) -> usize {
        let bits = self.buckets.len().trailing_zeros();
        let hash = (end_sector ^ (end_sector >> 3)).wrapping_mul(GOLDEN);
        (hash >> (u64::BITS - bits)) as usize
    }

    fn link(&mut self, tag: Tag, end_sector: u64) {
        let bucket = self.bucket(end_sector);
        let next = self.buckets[bucket].replace(tag);
        if let Some(next) = next {
            self.nodes[next.index()].previous = Some(tag);
        }
        self.nodes[tag.index()] = Node { end_sector, next, previous: None, hashed: true };
    }

    fn unlink(&mut self, tag: Tag) {
        let node = self.nodes[tag.index()];
        match node.previous {
            Some(previous) => self.nodes[previous.index()].next = node.next,
            None => {
                let bucket = self.bucket(node.end_sector);
                self.buckets[bucket] = node.next;
            }
        }
        if let Some(next) = node.next {
            self.nodes[next.index()].previous = node.previous;
        }
        self.nodes[tag.index()] = UNUSED;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::free_tags::TagSearch;
    use crate::ids::GroupId;
    use base::{IoprioValue, Op};

    const RULES: MergeRules =
        MergeRules { group: GroupId::ROOT, ioprio: DEFAULT, max_sectors: 100, one_hit_only: false };
    const DEFAULT: IoprioValue = IoprioValue { class: None, level: 4 };

    /// Requests of 8 sectors at these places, all indexed in this order.
    fn index_of(sectors: &[u64]) -> (MergeIndex, Pool) {
        let (mut index, mut pool) =
            (MergeIndex::new(), Pool::new(sectors.len() as u32, TagSearch::LowestFirst));
        index.resize(sectors.len() as u32);
        for &sector in sectors {
            let tag = pool.allocate(u32::MAX).expect("as many as sectors");
            pool[tag].sector = sector;
            pool[tag].sectors = 8;
            index.inserted(tag, &pool);
        }
        (index, pool)
    }

    fn read(sector: u64) -> Bio {
        let (op, sync, metadata, read_ahead) = (Op::Read, true, false, false);
        Bio { token: 0, op, sync, metadata, read_ahead, sector, sectors: 8, process: None }
    }

    /// What is found, and of which requests the elevator was asked.
    fn find(
        index: &MergeIndex,
        pool: &Pool,
        bio: &Bio,
        rules: &MergeRules,
        veto: &[u32],
    ) -> (Option<(u32, MergeKind)>, Vec<u32>) {
        let mut asked = Vec::new();
        let allowed = |asked: &mut Vec<u32>, tag: Tag| {
            asked.push(tag.0);
            !veto.contains(&tag.0)
        };
        let starting_at = |_: &mut Vec<u32>, sector| {
            (0..pool.tags()).map(Tag).find(|tag| pool[*tag].sector == sector)
        };
        let merge = index.find(&mut asked, bio, rules, pool, allowed, starting_at);
        (merge.map(|merge| (merge.tag.0, merge.kind)), asked)
    }

    #[test]
    fn the_veto_is_asked_of_the_hint_always_and_of_others_when_found() {
        let (index, mut pool) = index_of(&[100, 200, 300]);
        assert_eq!(index.hint(), Some(Tag(0)), "the first one inserted");
        let back = |tag| Some((tag, MergeKind::Back));
        let front = |tag| Some((tag, MergeKind::Front));
        for (sector, veto, expected) in [
            (108, &[][..], (back(0), vec![0])),
            (92, &[], (front(0), vec![0])),
            (208, &[], (back(1), vec![0, 1])),
            (192, &[], (front(1), vec![0, 1])),
            (500, &[], (None, vec![0])),
            (208, &[0], (back(1), vec![0, 1])),
            (208, &[1], (None, vec![0, 1])),
            (108, &[0], (None, vec![0, 0])),
        ] {
            assert_eq!(find(&index, &pool, &read(sector), &RULES, veto), expected, "{sector}");
        }
        let one_hit = MergeRules { one_hit_only: true, ..RULES };
        assert_eq!(find(&index, &pool, &read(208), &one_hit, &[]), (None, vec![0]));
        pool[Tag(0)].op = Op::Write;
        assert_eq!(
            find(&index, &pool, &read(108), &RULES, &[]),
            (None, vec![]),
            "a hint that fails the preconditions is not asked about"
        );
    }

    #[test]
    fn the_hint_is_what_grew_last_until_it_goes() {
        let (mut index, mut pool) = index_of(&[100, 200]);
        pool[Tag(1)].sectors = 16;
        index.grown(Tag(1), &pool);
        assert_eq!(index.hint(), Some(Tag(1)));
        assert_eq!((index.ending_at(208), index.ending_at(216)), (None, Some(Tag(1))));
        index.check(vec![Tag(0), Tag(1)], &pool);
        index.removed(Tag(1));
        assert_eq!((index.hint(), index.ending_at(216)), (None, None));
        index.removed(Tag(1));
        index.inserted(Tag(1), &pool);
        assert_eq!(index.hint(), Some(Tag(1)), "there was none");
    }

    #[test]
    fn of_equal_ends_the_latest_counts_and_growing_the_index_keeps_all() {
        let (mut index, pool) = index_of(&[100, 100, 100, 300]);
        assert_eq!(index.ending_at(108), Some(Tag(2)));
        index.removed(Tag(2));
        assert_eq!(index.ending_at(108), Some(Tag(1)));
        index.resize(1000);
        index.check(vec![Tag(0), Tag(1), Tag(3)], &pool);
        assert_eq!(index.ending_at(308), Some(Tag(3)));
        assert_eq!(MergeIndex::new().ending_at(108), None);
    }

    #[test]
    fn a_request_is_appended_to_the_hint_or_to_what_the_hash_knows() {
        let (mut index, mut pool) = index_of(&[100, 200, 208, 108]);
        for tag in [2, 3] {
            index.removed(Tag(tag));
        }
        let found = |tag, rules: &MergeRules| index.find_insertion_merge(Tag(tag), rules, &pool);
        let one_hit = MergeRules { one_hit_only: true, ..RULES };
        let small = MergeRules { max_sectors: 15, ..RULES };
        assert_eq!(found(3, &one_hit), Some(Tag(0)), "the hint");
        assert_eq!(found(2, &RULES), Some(Tag(1)), "the hash");
        assert_eq!(found(2, &one_hit), None);
        assert_eq!(found(2, &small), None);
        pool[Tag(1)].started = true;
        assert_eq!(index.find_insertion_merge(Tag(2), &RULES, &pool), None);
    }
}
