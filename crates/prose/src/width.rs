// SPDX-License-Identifier: MIT OR Apache-2.0
//! No line is wider than 100 columns, unless it cannot be broken.

use crate::finding::Finding;
use crate::repository::{File, Language};

/// The widest that a line may be, in columns.
const MOST_COLUMNS: usize = 100;

/// Lines of the file that are too wide.
pub(crate) fn check(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    if file.path.starts_with("docs/generated/") {
        return findings;
    }
    let mut in_code = false;
    for (number, line) in (1..).zip(file.text.lines()) {
        if without_marker(line, file.kind).starts_with("```") {
            in_code = !in_code;
        }
        let columns = columns(line);
        if columns > MOST_COLUMNS && !in_code && !cannot_be_broken(line, file.kind) {
            findings.push(Finding {
                path: file.path.clone(),
                line: number,
                message: format!("{columns} columns wide, {MOST_COLUMNS} are the most"),
            });
        }
    }
    findings
}

/// The Markdown of a line: all of it, or the text of a doc comment; else nothing.
fn without_marker(line: &str, kind: Language) -> &str {
    let text = line.trim_start();
    match kind {
        Language::Markdown => text,
        Language::Rust => {
            text.strip_prefix("///").or(text.strip_prefix("//!")).map_or("", str::trim_start)
        }
        _ => "",
    }
}

/// The columns that a line takes; a tab goes on to the next multiple of eight.
fn columns(line: &str) -> usize {
    line.chars().fold(0, |column, c| if c == '\t' { column / 8 * 8 + 8 } else { column + 1 })
}

/// Whether the line cannot be broken, or another tool breaks it.
fn cannot_be_broken(line: &str, kind: Language) -> bool {
    let text = line.trim_start();
    match kind {
        Language::Markdown => is_table(text) || columns(&without_targets(text)) <= MOST_COLUMNS,
        Language::Rust => {
            let comment = text.trim_start_matches(['/', '!']).trim_start();
            // Code is for rustfmt, unless a comment stands behind it.
            let is_comment = text.starts_with("//");
            (is_comment && (is_table(comment) || is_reference(comment)))
                || (!is_comment && !text.contains(" // "))
        }
        // Messages of the kernel are not broken, so that they can be searched for.
        Language::C => text.contains('"'),
        // A command to be copied.
        Language::Job => !text.starts_with(';') || text.contains("Run:"),
        // A table of one line has no other form in TOML 1.0; a comment has.
        Language::Toml => !text.starts_with('#') && !comment_is_behind(text),
        Language::Shell | Language::Make | Language::Python => false,
        Language::JavaScript | Language::Css | Language::Yaml => false,
    }
}

/// Whether a comment stands behind what the line of TOML says.
fn comment_is_behind(text: &str) -> bool {
    text.rsplit_once(" # ").is_some_and(|(before, _)| before.matches('"').count() % 2 == 0)
}

/// A line of a table of Markdown.
fn is_table(text: &str) -> bool {
    text.starts_with('|')
}

/// The target of a link that is named elsewhere: `[name]: target`.
fn is_reference(text: &str) -> bool {
    text.starts_with('[') && text.contains("]: ")
}

/// The line without the addresses that it links to.
fn without_targets(line: &str) -> String {
    let mut rest = line;
    let mut left = String::new();
    while let Some((before, link)) = rest.split_once("](") {
        left.push_str(before);
        left.push(']');
        rest = link.split_once(')').map_or("", |(_, after)| after);
    }
    left.push_str(rest);
    left.split(' ').filter(|word| !word.contains("://")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(kind: Language, text: &str) -> Vec<usize> {
        let file = File { path: "some/file".to_owned(), kind, text: text.to_owned() };
        check(&file).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_line_of_101_columns_is_too_wide() {
        let text = format!("{}\n{}\n", "x".repeat(100), "x".repeat(101));
        assert_eq!(lines(Language::Shell, &text), [2]);
        assert_eq!(lines(Language::Markdown, &text), [2]);
        for kind in [Language::Python, Language::JavaScript, Language::Css, Language::Yaml] {
            assert_eq!(lines(kind, &text), [2]);
        }
        assert_eq!(lines(Language::Rust, &format!("    // {}", "x".repeat(94))), [1]);
        assert_eq!(lines(Language::Rust, &format!("let x = 1; // {}", "x".repeat(94))), [1]);
    }

    #[test]
    fn a_tab_takes_eight_columns() {
        assert_eq!(lines(Language::C, &format!("\t{}", "x".repeat(93))), [1]);
        assert_eq!(lines(Language::C, &format!("\t{}", "x".repeat(92))), []);
    }

    #[test]
    fn comments_of_toml_are_not_wide_but_its_values_may_be() {
        let wide = "x".repeat(100);
        assert_eq!(lines(Language::Toml, &format!("# {wide}\na = {{ b = \"{wide}\" }}\n")), [1]);
        assert_eq!(
            lines(Language::Toml, &format!("a = \"{wide}\" # why\na = \"# {wide}\"\n")),
            [1]
        );
    }

    #[test]
    fn tables_code_and_addresses_of_links_may_be_wide() {
        let wide = "x".repeat(120);
        assert_eq!(lines(Language::Markdown, &format!("| {wide} |\n```\n{wide}\n```\n")), []);
        assert_eq!(lines(Language::Markdown, &format!("see [there](https://{wide}).\n")), []);
        assert_eq!(lines(Language::Markdown, &format!("see [{wide}](there).\n")), [1]);
        assert_eq!(lines(Language::Rust, &format!("//! | {wide} |\nlet x = \"{wide}\";\n")), []);
        assert_eq!(
            lines(Language::Rust, &format!("/// ```\n/// {wide}\n/// ```\n/// {wide}\n")),
            [4]
        );
    }
}
