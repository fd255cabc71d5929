// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merging against the last few waiting requests only, as schedulers without an index
//! do (peers.md §1.2).

use std::collections::VecDeque;

use blk::{Bio, Merge, MergeRules, Pool, Tag};

/// How many of the last requests bios are tried against.
const CANDIDATES: usize = 8;

/// Seeks a request of `waiting` that `bio` can join, the newest first. One hit only means:
/// that one only.
pub(crate) fn find_merge(
    waiting: &VecDeque<Tag>,
    bio: &Bio,
    rules: &MergeRules,
    pool: &Pool,
) -> Option<Merge> {
    if waiting.is_empty() {
        return None;
    }
    let candidates = if rules.one_hit_only { 1 } else { CANDIDATES };
    waiting.iter().rev().take(candidates).find_map(|&tag| {
        let request = &pool[tag];
        let kind = request.adjacency(bio)?;
        (rules.admits(bio, request) && rules.fits(bio, request)).then_some(Merge { tag, kind })
    })
}
