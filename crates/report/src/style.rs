// SPDX-License-Identifier: MIT OR Apache-2.0
//! How text is set off, for those who read it on a terminal.

/// How text is set off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether headings are set off by terminal colours.
    pub color: bool,
    /// Whether there are more columns, and lines as long as they get.
    pub wide: bool,
}

impl Style {
    pub(crate) fn heading(self, text: &str) -> String {
        self.wrapped("1", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.wrapped("2", text)
    }

    fn wrapped(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
