//! "Did you mean …": the known name that is nearest to a mistyped one.

/// The candidate with the fewest single-letter edits from `name`, the first of equals; `None` if
/// even that one has nothing to do with it (more edits than half of the longer name).
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    candidates
        .into_iter()
        .map(|candidate| (edits(name, candidate), candidate))
        .filter(|(edits, candidate)| 2 * edits <= letters.max(candidate.chars().count()))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance of two words.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in b.iter().enumerate() {
            let replace = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
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
}
