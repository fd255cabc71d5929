// SPDX-License-Identifier: MIT OR Apache-2.0
//! How lists are laid out: cells side by side, sentences below them.

use base::text::wrapped;
use std::fmt::Write;

/// Lines are no longer than this.
pub const LINE_LETTERS: usize = 100;

/// Rows of cells as lines, all columns but the last as wide as their widest cell.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Rows as lines of which the last cell, a sentence, is wrapped below the others.
pub fn explained(rows: &[Vec<String>]) -> String {
    let indent = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0) + 2;
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row[..row.len() - 1].to_vec()).collect();
    let mut text = String::new();
    for (line, row) in aligned(&cells).lines().zip(rows) {
        let _ = writeln!(text, "{line}");
        let sentence = row.last().filter(|sentence| !sentence.is_empty());
        for part in sentence.iter().flat_map(|words| wrapped(words, LINE_LETTERS - indent)) {
            let _ = writeln!(text, "{:indent$}{part}", "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_tail() {
        let rows = [vec!["a".into(), "bb".into()], vec!["ccc".into(), "".into()]];
        assert_eq!(aligned(&rows), "a    bb\nccc\n");
    }
}
