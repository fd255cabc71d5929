// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which files of fio belong together: those of a round are compared with each other.

use host::Candidate;
use std::collections::{BTreeMap, BTreeSet};

/// A file, as far as rounds go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbered<'a> {
    /// Who was measured in it.
    pub candidate: &'a Candidate,
    /// The number in its name.
    pub number: Option<u64>,
}

/// The round of each file, and what has to be said of them.
pub(super) struct Rounds {
    /// In the order of the files, from 0.
    pub of_files: Vec<u32>,
    /// What is missing, a sentence each.
    pub notes: Vec<String>,
}

/// By the numbers in the names, if they are those of rounds; else the first file of each scheduler
/// is of the first round, and so on.
pub(super) fn rounds(sources: &[Numbered]) -> Rounds {
    by_number(sources).unwrap_or_else(|| by_order(sources))
}

/// If each file has a number, none has that of another of its scheduler, and there is a number that
/// two schedulers have: a run may as well number all files one after the other.
fn by_number(sources: &[Numbered]) -> Option<Rounds> {
    let mut files: BTreeMap<u64, BTreeSet<&Candidate>> = BTreeMap::new();
    for source in sources {
        if !files.entry(source.number?).or_default().insert(source.candidate) {
            return None;
        }
    }
    let candidates: BTreeSet<_> = files.values().flatten().copied().collect();
    if candidates.len() > 1 && files.values().all(|of| of.len() < 2) {
        return None;
    }
    let places: BTreeMap<u64, u32> = files.keys().copied().zip(0..).collect();
    let of_files = sources.iter().filter_map(|source| places.get(&source.number?).copied());
    let missing = |candidate: &Candidate| {
        let is_missing = |(_, of): &(&u64, &BTreeSet<&Candidate>)| !of.contains(candidate);
        let numbers = files.iter().filter(is_missing).map(|(number, _)| number.to_string());
        let numbers = numbers.collect::<Vec<_>>().join(", ");
        (!numbers.is_empty()).then(|| {
            format!("{candidate} has no file of number {numbers}: nothing is compared there")
        })
    };
    let notes = candidates.into_iter().filter_map(missing).collect();
    Some(Rounds { of_files: of_files.collect(), notes })
}

fn by_order(sources: &[Numbered]) -> Rounds {
    let mut files: BTreeMap<&Candidate, u32> = BTreeMap::new();
    let mut of_files = Vec::new();
    for source in sources {
        let earlier = files.entry(source.candidate).or_default();
        of_files.push(*earlier);
        *earlier += 1;
    }
    let counts: BTreeSet<_> = files.values().collect();
    let note = || {
        let each = files.iter().map(|(candidate, count)| format!("{count} of {candidate}"));
        let each = each.collect::<Vec<_>>().join(", ");
        format!(
            "there are {each}; the first files of each are compared, the second ones, and so on"
        )
    };
    Rounds { of_files, notes: (counts.len() > 1).then(note).into_iter().collect() }
}
