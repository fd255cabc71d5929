// SPDX-License-Identifier: MIT OR Apache-2.0
//! "Did you mean …": the known names that come nearest to a misspelt one. The distances are
//! strsim's; which distance is near enough is decided here.

use std::borrow::Borrow;
use std::string::{String, ToString};
use std::vec::Vec;

/// Letters of a misspelt word that are looked at; what is longer is not a slip of the fingers.
const MOST_LETTERS: usize = 64;

/// The candidate with the fewest single-letter edits from `name`, the first of equals; `None` if
/// even that one has nothing to do with it (more edits than half of the longer name).
///
/// For a few names that differ much.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    candidates
        .into_iter()
        .map(|candidate| (strsim::levenshtein(name, candidate), candidate))
        .filter(|(edits, candidate)| 2 * edits <= letters.max(candidate.chars().count()))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// The candidate that a misspelt word was most likely meant to be; none if none is near.
///
/// For many names, of which some are of one family. Near is what differs in a third of the letters
/// at most (in one, of short words; letters that changed places count once); of equally near ones,
/// what begins with the same word up to a `_`, then the first. If none is near, one that begins
/// with the same word is: `thinktime_pause` may be one of `thinktime_…`.
pub fn nearest_of_families<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let family = word.split('_').next().unwrap_or_default();
    let has_family = family.len() >= 4 && family.len() < word.len();
    let near = (word.chars().count() / 3).max(1);
    let looked_at: String = word.chars().take(MOST_LETTERS).collect();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let edits = strsim::osa_distance(&looked_at, candidate);
            let is_kin = candidate.split('_').next() == Some(family);
            let is_likely = edits <= near || (has_family && is_kin);
            is_likely.then_some(((edits > near, edits, !is_kin), candidate))
        })
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, candidate)| candidate)
}

/// What is less like a path, from 0 to 1, was hardly meant.
const LEAST_LIKENESS: f64 = 0.5;

/// The candidates, `most` at most, that are most like a path that a user wrote, by their whole or
/// by their last part, the nearest first; none if all have little to do with it.
pub fn most_alike<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_string();
    let likeness = |path: &str| {
        let whole = strsim::normalized_damerau_levenshtein(path, written);
        whole.max(strsim::normalized_damerau_levenshtein(&last(path), &last(written)))
    };
    let mut ranked: Vec<(f64, &str)> =
        candidates.into_iter().map(|path| (likeness(path), path)).collect();
    ranked.retain(|(likeness, _)| *likeness >= LEAST_LIKENESS);
    ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    ranked.into_iter().take(most).map(|(_, path)| path).collect()
}

/// The end of a message about an unknown name: `` ; did you mean `read_expire`?``, or nothing.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| std::format!("; did you mean `{name}`?"))
}

/// The same of several names: `` ; did you mean `a`, `b` or `c`?``.
pub fn did_you_mean_one_of(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        [name] => did_you_mean(Some(name)),
        [names @ .., last] => {
            std::format!("; did you mean `{}` or `{last}`?", names.join("`, `"))
        }
    }
}

/// The end of a message about a name that is not among a few `known` ones: which one was probably
/// meant (as [`nearest`] finds it) or, if none is like it, all of them; nothing if there are none.
pub fn meant_or_all<S: Borrow<str>>(name: &str, known: &[S]) -> String {
    match nearest(name, known.iter().map(Borrow::borrow)) {
        None if known.is_empty() => String::new(),
        None => std::format!("; there are: {}", known.join(", ")),
        found => did_you_mean(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_within_a_few_edits_are_found() {
        let names = ["read_expire", "write_expire", "fifo_batch", "none"];
        for (typed, found) in [
            ("read_expier", Some("read_expire")),
            ("wite_expire", Some("write_expire")),
            ("fifobatch", Some("fifo_batch")),
            ("nome", Some("none")),
            ("none", Some("none")),
            ("xyz", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, names), found, "{typed}");
        }
    }

    #[test]
    fn the_nearest_word_is_the_one_with_the_fewest_edits() {
        for (word, nearest) in [
            ("iodpeth", "iodepth"),
            ("io_depth", "iodepth"),
            ("thinktimes", "thinktime"),
            ("blksize", "blocksize"),
        ] {
            let candidates = ["runtime", "iodepth", "thinktime", "blocksize", "size"];
            assert_eq!(nearest_of_families(word, candidates), Some(nearest));
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
            assert_eq!(nearest_of_families(word, candidates), nearest, "{word}");
        }
    }

    #[test]
    fn what_was_probably_meant_is_told_or_all_there_is() {
        for (known, end) in [
            (&["fifo_batch", "async_depth"][..], "; did you mean `fifo_batch`?"),
            (&["quantum", "group_idle"], "; there are: quantum, group_idle"),
            (&[], ""),
        ] {
            assert_eq!(meant_or_all("fifo_bath", known), end);
        }
    }

    #[test]
    fn paths_are_alike_by_their_whole_or_their_last_part() {
        let paths = ["2008-page/streams", "tenants/container-tree", "shared-disk"];
        assert_eq!(most_alike("steams", paths, 1), ["2008-page/streams"]);
        assert_eq!(most_alike("tenant/container-tre", paths, 1), ["tenants/container-tree"]);
        assert_eq!(most_alike("shared_disk", paths, 2), ["shared-disk"]);
        assert!(most_alike("zzz", paths, 2).is_empty());
    }

    #[test]
    fn several_names_are_told_in_one_question() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (nearest, end) in [
            (&[][..], ""),
            (&["a"], "; did you mean `a`?"),
            (&["a", "b", "c"], "; did you mean `a`, `b` or `c`?"),
        ] {
            assert_eq!(did_you_mean_one_of(&names(nearest)), end);
        }
    }
}
