// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of a file in one line, so that sentences go on beyond the ends of lines and comments.

use crate::repository::{File, Language};

/// The text of a file without line breaks and without what marks a line as a comment.
pub(crate) struct Flat {
    /// The text, one space between lines.
    pub(crate) text: String,
    /// Where each line begins in it.
    starts: Vec<usize>,
}

impl Flat {
    /// The text of a file, with one space in place of each line break.
    pub(crate) fn new(file: &File) -> Self {
        let mut text = String::with_capacity(file.text.len());
        let mut starts = Vec::new();
        for line in file.text.lines() {
            starts.push(text.len());
            text.push_str(without_marker(line, file.kind));
            text.push(' ');
        }
        Self { text, starts }
    }

    /// The number of the line that has the byte at `place`.
    pub(crate) fn line(&self, place: usize) -> usize {
        self.starts.partition_point(|start| *start <= place)
    }
}

/// The text of a line, its comment marker left out.
fn without_marker(line: &str, kind: Language) -> &str {
    let line = line.trim();
    let text = match kind {
        Language::Rust | Language::C | Language::JavaScript | Language::Css => {
            let text = line.trim_start_matches('/').trim_start_matches('*');
            if text.len() < line.len() { text.strip_prefix('!').unwrap_or(text) } else { text }
        }
        Language::Shell | Language::Make | Language::Python | Language::Yaml | Language::Toml => {
            line.trim_start_matches('#')
        }
        Language::Job => line.trim_start_matches(';'),
        Language::Markdown => line.trim_start_matches("> "),
    };
    text.trim_start()
}
