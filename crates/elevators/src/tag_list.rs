// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doubly linked lists of requests through per-tag links, so that no operation allocates.

use blk::Tag;

#[derive(Debug, Clone, Copy, Default)]
struct Link {
    previous: Option<Tag>,
    next: Option<Tag>,
}

/// The links of all tags; shared by lists that never hold the same tag at the same time.
#[derive(Debug, Default)]
pub(crate) struct TagLinks(Vec<Link>);

impl TagLinks {
    /// Makes room for tags below `tags`.
    pub fn resize(&mut self, tags: u32) {
        let tags = self.0.len().max(tags as usize);
        self.0.resize(tags, Link::default());
    }

    /// The tag after `tag` in its list.
    pub fn next(&self, tag: Tag) -> Option<Tag> {
        self.0[tag.index()].next
    }

    /// The tag before `tag` in its list.
    pub fn previous(&self, tag: Tag) -> Option<Tag> {
        self.0[tag.index()].previous
    }
}

/// A list of tags.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TagList {
    first: Option<Tag>,
    last: Option<Tag>,
}

impl TagList {
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub fn first(&self) -> Option<Tag> {
        self.first
    }

    pub fn push_back(&mut self, links: &mut TagLinks, tag: Tag) {
        links.0[tag.index()] = Link { previous: self.last, next: None };
        match self.last.replace(tag) {
            Some(last) => links.0[last.index()].next = Some(tag),
            None => self.first = Some(tag),
        }
    }

    pub fn push_front(&mut self, links: &mut TagLinks, tag: Tag) {
        match self.first {
            Some(first) => self.insert_before(links, tag, first),
            None => self.push_back(links, tag),
        }
    }

    /// Inserts `tag` before `next`, which is in the list.
    pub fn insert_before(&mut self, links: &mut TagLinks, tag: Tag, next: Tag) {
        let previous = links.0[next.index()].previous.replace(tag);
        links.0[tag.index()] = Link { previous, next: Some(next) };
        match previous {
            Some(previous) => links.0[previous.index()].next = Some(tag),
            None => self.first = Some(tag),
        }
    }

    /// Takes `tag`, which is in the list, out of it.
    pub fn remove(&mut self, links: &mut TagLinks, tag: Tag) {
        let Link { previous, next } = std::mem::take(&mut links.0[tag.index()]);
        match previous {
            Some(previous) => links.0[previous.index()].next = next,
            None => self.first = next,
        }
        match next {
            Some(next) => links.0[next.index()].previous = previous,
            None => self.last = previous,
        }
    }

    pub fn pop_front(&mut self, links: &mut TagLinks) -> Option<Tag> {
        let tag = self.first?;
        self.remove(links, tag);
        Some(tag)
    }

    pub fn iter<'a>(&self, links: &'a TagLinks) -> impl Iterator<Item = Tag> + use<'a> {
        std::iter::successors(self.first, |tag| links.0[tag.index()].next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_links_point_both_ways() {
        let (mut list, mut links) = (TagList::default(), TagLinks::default());
        links.resize(5);
        list.push_back(&mut links, Tag(1));
        list.push_back(&mut links, Tag(2));
        list.push_front(&mut links, Tag(0));
        list.insert_before(&mut links, Tag(4), Tag(2));
        list.insert_before(&mut links, Tag(3), Tag(0));
        for (removed, left) in [
            (None, &[3, 0, 1, 4, 2][..]),
            (Some(1), &[3, 0, 4, 2]),
            (Some(2), &[3, 0, 4]),
            (Some(3), &[0, 4]),
            (Some(0), &[4]),
            (Some(4), &[]),
        ] {
            removed.into_iter().for_each(|tag| list.remove(&mut links, Tag(tag)));
            let forwards: Vec<u32> = list.iter(&links).map(|tag| tag.0).collect();
            let back = |tag: &Tag| links.0[tag.index()].previous;
            let mut backwards: Vec<u32> =
                std::iter::successors(list.last, back).map(|tag| tag.0).collect();
            backwards.reverse();
            assert_eq!((&forwards[..], &backwards[..]), (left, left));
        }
        assert!(list.is_empty() && list.pop_front(&mut links).is_none());
    }
}
