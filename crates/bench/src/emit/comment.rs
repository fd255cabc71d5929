// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comments in the text of a rule.

use base::text::printable;

/// Lines of a comment; long ones are broken. A comment ends with its line, whatever a file or a
/// disk says: what would break a line does not.
pub(super) fn comment(lines: &[String]) -> String {
    const WIDTH: usize = 96;
    let mut text = String::new();
    for line in lines.iter().map(|line| printable(line)) {
        let mut length = WIDTH;
        for word in line.split(' ') {
            if length + word.chars().count() >= WIDTH {
                text.push_str(if text.is_empty() { "#" } else { "\n#" });
                length = 1;
            }
            text.push(' ');
            text.push_str(word);
            length += 1 + word.chars().count();
        }
    }
    text.push('\n');
    text
}
