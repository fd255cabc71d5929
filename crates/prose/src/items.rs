// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists of numbers in running text: "2, 4 and 19", "1–4", "3.7, 3.9 to 3.11", "6b".

/// What may stand between two members of a list, and whether it stands for those between, too.
const SEPARATORS: [(&str, bool); 6] =
    [(", ", false), (" and ", false), (" or ", false), ("–", true), (" to ", true), ("-", true)];

/// Takes a section's number (`3.9`, after `§` if there is one) off the front of `text`.
pub(crate) fn section(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('§').unwrap_or(text);
    let mut end = digits(text)?;
    while let Some(more) = text[end..].strip_prefix('.').and_then(digits) {
        end += 1 + more;
    }
    (!text[end..].starts_with(char::is_alphanumeric)).then(|| text.split_at(end))
}

/// Takes the number of a row or step (`19`, `6b`) off the front of `text`.
fn item(text: &str) -> Option<(&str, &str)> {
    let mut end = digits(text)?;
    let rest = &text[end..];
    if rest.starts_with('.') && digits(&rest[1..]).is_some() {
        return None; // a section
    }
    if rest.starts_with(|c: char| c.is_ascii_lowercase())
        && !rest[1..].starts_with(char::is_alphanumeric)
    {
        end += 1;
    }
    Some(text.split_at(end))
}

/// Takes a list of rows or steps off the front of `text`.
pub(crate) fn items(text: &str) -> Option<(Vec<String>, &str)> {
    let (first, mut rest) = item(text)?;
    let mut all = vec![first.to_owned()];
    'next: loop {
        for (separator, between) in SEPARATORS {
            let Some((next, after)) = rest.strip_prefix(separator).and_then(item) else { continue };
            if let (true, Ok(from), Ok(to)) = (between, all[all.len() - 1].parse(), next.parse()) {
                let from: u32 = from;
                all.extend((from + 1..to).map(|number| number.to_string()));
            }
            all.push(next.to_owned());
            rest = after;
            continue 'next;
        }
        return Some((all, rest));
    }
}

/// Takes what stands between two sections of a list off the front of `text`, if a section follows.
pub(crate) fn before_section(text: &str) -> Option<&str> {
    SEPARATORS.iter().find_map(|(separator, _)| {
        text.strip_prefix(separator).filter(|rest| section(rest).is_some())
    })
}

/// How many digits the text begins with, if any.
fn digits(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_numbers_with_points() {
        assert_eq!(section("3.9). On"), Some(("3.9", "). On")));
        assert_eq!(section("§10.2, row 6"), Some(("10.2", ", row 6")));
        assert_eq!(section("1. On"), Some(("1", ". On")));
        assert_eq!(section("3rd"), None);
        assert_eq!(section("of"), None);
    }

    #[test]
    fn lists_have_commas_ands_and_ranges() {
        let list = |text| items(text).map(|(all, rest)| (all.join(" "), rest));
        assert_eq!(list("1–4, 19)."), Some(("1 2 3 4 19".to_owned(), ").")));
        assert_eq!(list("2, 4 and 19 of"), Some(("2 4 19".to_owned(), " of")));
        assert_eq!(list("6b, 3.9"), Some(("6b".to_owned(), ", 3.9")));
        assert_eq!(list("row"), None);
    }
}
