// SPDX-License-Identifier: MIT OR Apache-2.0
//! No file holds both sides of a merge that was not finished.

use crate::finding::Finding;
use crate::repository::File;

/// How git begins the lines that it leaves around both sides: this and a space.
const MARKERS: [&str; 2] = ["<<<<<<<", ">>>>>>>"];

/// Lines of the file that an unfinished merge left.
pub(crate) fn check(file: &File) -> Vec<Finding> {
    let is_marker = |line: &str| {
        let begins = |marker| line.strip_prefix(marker).is_some_and(|rest| rest.starts_with(' '));
        MARKERS.into_iter().any(begins)
    };
    let lines = (1..).zip(file.text.lines()).filter(|(_, line)| is_marker(line));
    let finding = |(line, text): (usize, &str)| Finding {
        path: file.path.clone(),
        line,
        message: format!("left by a merge: {text}"),
    };
    lines.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::Language;

    #[test]
    fn both_sides_of_a_merge_are_found() {
        let text = "one\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n>>> a quotation\n";
        let file =
            File { path: "some/file".to_owned(), kind: Language::Markdown, text: text.to_owned() };
        let lines: Vec<_> = check(&file).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [2, 6]);
    }
}
