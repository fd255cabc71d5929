// SPDX-License-Identifier: MIT OR Apache-2.0
//! A doc comment says something: it has three words or more.

use crate::finding::Finding;
use crate::repository::{File, Language};

/// The fewest words that a doc comment may have.
const FEWEST_WORDS: usize = 3;

/// Doc comments of the file that are too short.
pub(crate) fn check(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    if file.kind != Language::Rust {
        return findings;
    }
    let mut lines = (1..).zip(file.text.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        let Some((marker, first)) = doc_comment(line) else { continue };
        let mut text = first.to_owned();
        while let Some((_, next)) = lines.peek() {
            match doc_comment(next) {
                Some((same, more)) if same == marker => text = text + " " + more,
                _ => break,
            }
            lines.next();
        }
        let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        if words.count() < FEWEST_WORDS {
            let said = text.trim();
            findings.push(Finding {
                path: file.path.clone(),
                line: number,
                message: format!("a doc comment of fewer than {FEWEST_WORDS} words: `{said}`"),
            });
        }
    }
    findings
}

/// The marker and the text of a line that is part of a doc comment.
fn doc_comment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let (marker, text) = line.split_at_checked(3)?;
    (matches!(marker, "///" | "//!") && !text.starts_with('/')).then_some((marker, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let file = File { path: "a.rs".to_owned(), kind: Language::Rust, text: text.to_owned() };
        check(&file).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn two_words_are_too_few() {
        assert_eq!(lines("/// The disk.\nstruct A;\n/// The disk itself.\nstruct B;\n"), [1]);
        assert_eq!(lines("//! Disks.\n\n/// Which\n/// —\n/// one.\nstruct A;\n"), [1, 3]);
    }

    #[test]
    fn words_are_counted_over_all_lines() {
        assert_eq!(lines("    /// The\n    /// whole\n    /// disk.\n    a: u8,\n"), []);
        assert_eq!(lines("// Short.\nlet x = 1; //////\n"), []);
    }
}
