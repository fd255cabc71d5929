// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a misspelt name was most likely meant to be, for error messages.

/// The candidate that a misspelt word was most likely meant to be; none if none is near.
///
/// Near is what differs in a third of the letters at most (in one, of short words); of equally near
/// ones, what begins with the same word up to a `_`, then the first. If none is near, one that
/// begins with the same word is: `thinktime_pause` may be one of `thinktime_…`.
pub(crate) fn by_spelling<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let family = word.split('_').next().unwrap_or_default();
    let has_family = family.len() >= 4 && family.len() < word.len();
    let near = (word.chars().count() / 3).max(1);
    candidates
        .filter_map(|candidate| {
            let edits = distance(word, candidate);
            let is_kin = candidate.split('_').next() == Some(family);
            let is_likely = edits <= near || (has_family && is_kin);
            is_likely.then_some(((edits > near, edits, !is_kin), candidate))
        })
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete, replace, or swap with the next, to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().take(64).collect();
    let to: Vec<char> = to.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut current = vec![i];
        for j in 1..=to.len() {
            let replaced = last[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(current[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_the_one_with_the_fewest_edits() {
        for (word, nearest) in [
            ("iodpeth", "iodepth"),
            ("io_depth", "iodepth"),
            ("thinktimes", "thinktime"),
            ("blksize", "blocksize"),
        ] {
            let candidates = ["runtime", "iodepth", "thinktime", "blocksize", "size"];
            assert_eq!(by_spelling(word, candidates.into_iter()), Some(nearest));
        }
    }

    #[test]
    fn a_word_far_from_all_has_no_neighbour_unless_it_is_of_a_family() {
        let candidates = ["rw", "bs", "thinktime", "thinktime_spin", "rate", "rate_iops"];
        for (word, nearest) in [
            ("verify", None),
            ("colour", None),
            ("xx", None),
            ("bz", Some("bs")),
            ("thinktime_pause", Some("thinktime_spin")),
            ("rate_iosp", Some("rate_iops")),
            ("rate_of_failure", Some("rate_iops")),
        ] {
            assert_eq!(by_spelling(word, candidates.into_iter()), nearest, "{word}");
        }
    }
}
