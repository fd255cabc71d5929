// SPDX-License-Identifier: MIT OR Apache-2.0
//! How texts for people look: their colours, and how long their lines are.

use base::text::wrapped;
use std::fmt::Write;

/// Lines of sentences are no longer, however much room there is: longer ones are hard to read.
const MOST_OF_SENTENCES: usize = 100;
/// Where there is less room, tables do without it.
const LEAST_COLUMNS: usize = 72;

/// What a text is printed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Whether headings have a terminal's colours.
    pub color: bool,
    /// How many letters a line has room for.
    pub columns: usize,
}

impl Look {
    /// For a file, or another program.
    pub const PLAIN: Look = Look { color: false, columns: 100 };

    /// The letters of a line of a table.
    pub(crate) fn columns(self) -> usize {
        self.columns.max(LEAST_COLUMNS)
    }

    /// A heading, in as many lines as it takes.
    pub(crate) fn heading(self, text: &str) -> String {
        let lines = match text.chars().count() <= self.columns() {
            // A heading of columns keeps its blanks.
            true => text.to_owned(),
            false => wrapped(text, self.columns()).join("\n"),
        };
        if self.color { format!("\x1b[1m{lines}\x1b[0m") } else { lines }
    }

    /// Sentences in lines.
    pub(crate) fn paragraph(self, text: &str) -> String {
        wrapped(text, self.columns().min(MOST_OF_SENTENCES)).join("\n")
    }

    /// Adds words at the right of what a line begins with.
    pub(crate) fn beside(self, text: &mut String, begin: &str, words: &str) {
        let indent = begin.chars().count();
        let room = self.columns().min(MOST_OF_SENTENCES).saturating_sub(indent);
        for (number, line) in wrapped(words, room).into_iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = match number {
                0 => writeln!(text, "{begin}{line}"),
                _ => writeln!(text, "{:indent$}{line}", ""),
            };
        }
    }
}
