// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a terminal shows as SVG: for the pictures of the documentation.

use std::fmt::Write;
use std::path::Path;

const CELL: (usize, usize) = (8, 17);

/// How a letter looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    pub is_reversed: bool,
    pub is_bold: bool,
    pub is_cyan: bool,
}

/// The lines of a terminal, letter by letter, as SVG: words that look alike are one text each.
pub fn svg(lines: &[Vec<(String, Look)>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let (width, height) = (columns * CELL.0 + 16, lines.len() * CELL.1 + 16);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#1b1f24\"/>\n"
    );
    for (y, line) in lines.iter().enumerate() {
        add_reversed(&mut text, y, line);
        let mut x = 0;
        while x < line.len() {
            let look = line[x].1;
            let is_of_word =
                |(symbol, other): &&(String, Look)| !symbol.trim().is_empty() && *other == look;
            let word: Vec<&str> = line[x..]
                .iter()
                .take_while(is_of_word)
                .map(|(symbol, _)| symbol.as_str())
                .collect();
            if !word.is_empty() {
                add_word(&mut text, x, y, &word, look);
            }
            x += word.len().max(1);
        }
    }
    text + "</svg>\n"
}

/// The light ground of what is reversed.
fn add_reversed(text: &mut String, y: usize, line: &[(String, Look)]) {
    let Some(first) = line.iter().position(|(_, look)| look.is_reversed) else { return };
    let count = line.iter().filter(|(_, look)| look.is_reversed).count();
    let (left, top) = (8 + first * CELL.0, 8 + y * CELL.1);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"#d0d7de\"/>",
        count * CELL.0,
        CELL.1
    );
}

fn add_word(text: &mut String, x: usize, y: usize, word: &[&str], look: Look) {
    let color = match look {
        Look { is_reversed: true, .. } => "#1b1f24",
        Look { is_cyan: true, .. } => "#56c8d8",
        _ => "#d0d7de",
    };
    let (left, baseline) = (8 + x * CELL.0, 8 + y * CELL.1 + 13);
    let weight = if look.is_bold { " font-weight=\"bold\"" } else { "" };
    let length = word.len() * CELL.0;
    let word = word.concat().replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(
        text,
        "<text x=\"{left}\" y=\"{baseline}\" fill=\"{color}\"{weight} \
         textLength=\"{length}\">{word}</text>"
    );
}

/// Compares a picture with the one in `docs/generated`, or writes it there if BFQ_WRITE_DOCS is
/// set; `how` is the command that does.
pub fn assert_is_the_picture(name: &str, drawn: &str, how: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated");
    let path = folder.join(name);
    if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
        std::fs::write(&path, drawn).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == drawn, "BFQ_WRITE_DOCS=1 {how}");
}
