// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq list job-options`: the options of job files, from the parser's own table.

use crate::layout::LINE_LETTERS;
use base::text::wrapped;
use std::fmt::Write;
use workload::JobOption;

/// Where each column begins: name, value, default, meaning.
const COLUMNS: [usize; 4] = [2, 30, 56, 67];

/// All options that there are, in lines of 100 letters at most.
pub fn text() -> String {
    let mut text = String::new();
    row(&mut text, ["option", "value (unit)", "default", "what it does"]);
    let mut chapter = "";
    for option in workload::job_options() {
        if option.chapter != chapter {
            chapter = option.chapter;
            let _ = writeln!(text, "\n{chapter}:");
        }
        let default = option.default.unwrap_or_default();
        row(&mut text, [option.name, option.values, default, &meaning(&option)]);
    }
    for (why, names) in workload::options_without_effect() {
        let _ = writeln!(text, "\naccepted, without effect ({why}):");
        paragraph(&mut text, &names.join(", "));
    }
    let _ = writeln!(text, "\nfio's, not supported (--ignore-unsupported passes over them):");
    paragraph(&mut text, &workload::unsupported_options().join(", "));
    text
}

fn meaning(option: &JobOption) -> String {
    match option.aliases {
        [] => option.doc.to_owned(),
        aliases => format!("{} (also {})", option.doc, aliases.join(", ")),
    }
}

/// Cells side by side, each wrapped in its column.
fn row(text: &mut String, cells: [&str; 4]) {
    let ends = [COLUMNS[1] - 1, COLUMNS[2] - 1, COLUMNS[3] - 1, LINE_LETTERS];
    let cells: Vec<Vec<String>> = cells
        .iter()
        .zip(COLUMNS.iter().zip(ends))
        .map(|(cell, (start, end))| wrapped(cell, end - start))
        .collect();
    for index in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
        let mut line = String::new();
        for (cell, column) in cells.iter().zip(COLUMNS) {
            let part = cell.get(index).map_or("", String::as_str);
            let letters = line.chars().count();
            let _ = write!(line, "{:1$}{part}", "", column - letters);
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn paragraph(text: &mut String, words: &str) {
    for line in wrapped(words, LINE_LETTERS - COLUMNS[0]) {
        let _ = writeln!(text, "{:1$}{line}", "", COLUMNS[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_fits_and_no_name_value_or_default_reaches_into_the_next_column() {
        let text = text();
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(LINE_LETTERS), "{longest:?}");
        for option in workload::job_options() {
            for (cell, column) in [(option.name, 0), (option.values, 1)] {
                let widest = cell.split_whitespace().map(|word| word.chars().count()).max();
                assert!(widest < Some(COLUMNS[column + 1] - COLUMNS[column]), "{cell}");
            }
        }
    }

    #[test]
    fn a_row_is_wrapped_within_its_columns() {
        let mut text = String::new();
        row(&mut text, ["a", "one two three four five six", "1", "what"]);
        let second = format!("{:30}six", "");
        let first = format!("  {:28}{:26}{:11}what", "a", "one two three four five", "1");
        assert_eq!(text.lines().collect::<Vec<_>>(), [first, second]);
    }

    #[test]
    fn an_option_of_each_kind_is_there() {
        let text = text();
        for part in ["iodepth ", "thinktime ", "time (us)", "4k", "randrepeat", "uid,"] {
            assert!(text.contains(part), "{part}");
        }
    }
}
