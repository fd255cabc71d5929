// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is cited exists: sections, rows and steps of `docs/spec`, and other documents of `docs`.
//!
//! "spec 3.9" and "bfq.md §3.9" are section 3.9 of `docs/spec/bfq.md`; "peers.md §5.2" is one of
//! `docs/spec/peers.md`. A section without a document is one of the document named last before it.
//! Rows and steps may follow ("spec 10.2, rows 1–4 and 19", "spec 3.7, step 6") or go before
//! ("row 19 of spec 10.2"). A title in quotes may follow the path of a document.

use crate::finding::Finding;
use crate::flat::Flat;
use crate::items::{before_section, items, section};
use crate::repository::{File, Language, Repository};
use crate::specification::{Section, Specification, Specifications};

/// How text names a document of `docs/spec`, and its path.
const NAMES: [(&str, &str); 7] = [
    ("spec ", "docs/spec/bfq.md"),
    ("spec, ", "docs/spec/bfq.md"),
    ("specification, ", "docs/spec/bfq.md"),
    ("specification ", "docs/spec/bfq.md"),
    ("bfq.md ", "docs/spec/bfq.md"),
    ("peers.md ", "docs/spec/peers.md"),
    ("tfq.md ", "docs/spec/tfq.md"),
];

/// The folders whose files must exist if they are named. (In code, paths of the others are often
/// made up by a test.)
const FOLDERS: [&str; 1] = ["docs/"];
const FOLDERS_IN_DOCUMENTS: [&str; 4] = ["docs/", "crates/", "kernel/", "scripts/"];

/// The endings of files that must exist if they are named.
const ENDINGS: [&str; 8] = [".md", ".html", ".rs", ".c", ".h", ".sh", ".toml", ".fio"];

/// What a section's number may be followed by: what its parts are called.
const PARTS: [(&str, Part); 4] =
    [("rows ", Part::Row), ("row ", Part::Row), ("steps ", Part::Step), ("step ", Part::Step)];

#[derive(Clone, Copy)]
enum Part {
    Row,
    Step,
}

/// Citations of the file that lead nowhere.
pub(crate) fn check(
    file: &File,
    repository: &Repository,
    specifications: &Specifications,
) -> Vec<Finding> {
    let flat = Flat::new(file);
    let mut wrong = Vec::new();
    if file.path.starts_with("crates/prose/") {
        return Vec::new(); // its samples are wrong on purpose
    }
    let mut reader = Reader { file, repository, specifications, flat: &flat, wrong: &mut wrong };
    reader.sections();
    reader.paths();
    wrong
}

/// Goes through the text of one file.
struct Reader<'a> {
    file: &'a File,
    repository: &'a Repository,
    specifications: &'a Specifications,
    flat: &'a Flat,
    wrong: &'a mut Vec<Finding>,
}

impl Reader<'_> {
    /// Checks all that is cited by the number of its section.
    fn sections(&mut self) {
        let in_specification = self.file.path.starts_with("docs/spec/");
        let mut document = in_specification.then_some(&*self.file.path);
        let mut end = 0;
        for (start, name) in citations(&self.flat.text) {
            if start < end {
                continue;
            }
            let Some(path) = name.map(|(_, path)| path).or(document) else {
                self.add(start, "a section of which document?".to_owned());
                continue;
            };
            // "As in bfq.md §2.5" in peers.md names the document of this citation only.
            if !in_specification {
                document = Some(path);
            }
            let Some(specification) = self.specifications.get(path) else {
                self.add(start, format!("{path} is cited and does not exist"));
                continue;
            };
            let length = name.map_or(0, |(length, _)| length);
            end = self.list(start, start + length, path, specification);
        }
    }

    /// Checks a list of sections that begins at `at`; returns where it ends.
    fn list(&mut self, start: usize, at: usize, path: &str, document: &Specification) -> usize {
        let text = &self.flat.text;
        let mut rest = &text[at..];
        let mut first = true;
        while let Some((number, after)) = section(rest) {
            rest = after;
            let here = text.len() - rest.len() - number.len();
            let Some(section) = document.section(number) else {
                self.add(here, format!("{path} has no section {number}"));
                break;
            };
            if first {
                self.parts_before(start, number, path, section);
                first = false;
            }
            let parts = rest.strip_prefix(", ").or(rest.strip_prefix(' ')).and_then(parts);
            if let Some((part, numbers, after)) = parts {
                self.parts(here, part, &numbers, number, path, section);
                rest = after;
            }
            let Some(next) = before_section(rest) else { break };
            rest = next;
        }
        (text.len() - rest.len()).max(start + 1)
    }

    /// Checks the rows of "rows 2, 4 and 19 of spec 10.2", before the citation at `start`.
    fn parts_before(&mut self, start: usize, number: &str, path: &str, section: &Section) {
        let Some(before) = self.flat.text[..start].strip_suffix(" of ") else { return };
        for (word, _) in PARTS {
            let lower = before.to_ascii_lowercase();
            let Some(place) = lower.rfind(word) else { continue };
            if let Some((part, numbers, "")) = parts(&lower[place..]) {
                self.parts(start, part, &numbers, number, path, section);
                return;
            }
        }
    }

    /// Checks rows or steps of a section.
    fn parts(
        &mut self,
        place: usize,
        part: Part,
        numbers: &[String],
        number: &str,
        path: &str,
        section: &Section,
    ) {
        for part_number in numbers {
            let (there, name) = match part {
                Part::Row => (section.has_row(part_number), "row"),
                Part::Step => (section.has_step(part_number), "step"),
            };
            if !there {
                self.add(place, format!("{path}, section {number}, has no {name} {part_number}"));
            }
        }
    }

    /// Checks paths of files, and the titles in quotes behind those of documents.
    fn paths(&mut self) {
        let text = &self.flat.text;
        let in_document = self.file.kind == Language::Markdown;
        let folders = if in_document { &FOLDERS_IN_DOCUMENTS[..] } else { &FOLDERS[..] };
        let places = folders.iter().flat_map(|folder| text.match_indices(folder));
        for (place, _) in places {
            let end = text[place..]
                .find(|c: char| !c.is_ascii_alphanumeric() && !"/-_.".contains(c))
                .map_or(text.len(), |end| place + end);
            let path = text[place..end].trim_end_matches('.');
            let before = text[..place].chars().next_back();
            let is_file = ENDINGS.iter().any(|ending| path.ends_with(ending))
                && !text[end..].starts_with(['*', '{', '…', '$']);
            if !is_file || before.is_some_and(|c| c.is_alphanumeric() || "/-_.$}".contains(c)) {
                continue;
            }
            if !self.repository.root.join(path).exists() {
                self.add(place, format!("{path} does not exist"));
                continue;
            }
            let after = &text[place + path.len()..];
            let title = after.strip_prefix(", \"").or(after.strip_prefix(" (\""));
            if let Some((title, _)) = title.and_then(|title| title.split_once('"'))
                && self.repository.text(path).is_some_and(|document| !has(document, title))
            {
                self.add(place, format!("{path} has nothing called \"{title}\""));
            }
        }
    }

    /// Adds a finding at a place of the flat text.
    fn add(&mut self, place: usize, message: String) {
        let line = self.flat.line(place);
        self.wrong.push(Finding { path: self.file.path.clone(), line, message });
    }
}

/// Where the text cites a section, and how long the name of the document before it is, and its
/// path, if it is named.
fn citations(text: &str) -> Vec<(usize, Option<(usize, &'static str)>)> {
    let lower = text.to_ascii_lowercase();
    let mut all: Vec<_> = text.match_indices('§').map(|(place, _)| (place, None)).collect();
    for (name, path) in NAMES {
        let named = lower.match_indices(name).map(|(place, _)| place).filter(|place| {
            let before = text[..*place].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || "_./".contains(c))
        });
        all.extend(named.map(|place| (place, Some((name.len(), path)))));
    }
    all.retain(|(place, name)| section(&text[place + name.map_or(0, |(len, _)| len)..]).is_some());
    all.sort_unstable();
    all
}

/// Takes "row 6", "steps 4 and 5" off the front of `text`.
fn parts(text: &str) -> Option<(Part, Vec<String>, &str)> {
    PARTS.iter().find_map(|(word, part)| {
        let (numbers, rest) = items(text.strip_prefix(word)?)?;
        Some((*part, numbers, rest))
    })
}

/// Whether the document has these words, whatever their line breaks and emphasis.
fn has(document: &str, words: &str) -> bool {
    let plain = |text: &str| {
        let text = text.replace(['*', '`', '#'], "");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    plain(document).contains(&plain(words))
}
