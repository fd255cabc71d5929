// SPDX-License-Identifier: MIT OR Apache-2.0
//! The structure of the code: no file is longer than one reads in a sitting, and in the core no
//! type has more fields for other files to change than one keeps in mind.

use crate::finding::Finding;
use crate::repository::{File, Repository};
use syn::{Field, Item, Visibility};

/// More lines than these are too long a file.
const MOST_LINES: usize = 500;
/// Fields of a type of the core that other files can change, be it only those beside its own.
const MOST_FIELDS: usize = 12;
/// Where the files of the core are.
const CORE: &str = "crates/bfq/src/";

/// What is wrong with the structure of the repository.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.files.iter().filter(|file| file.kind.is_source()) {
        let lines = file.text.lines().count();
        if lines > MOST_LINES {
            let message = format!("{lines} lines, {MOST_LINES} are the most");
            findings.push(Finding { path: file.path.clone(), line: MOST_LINES + 1, message });
        }
    }
    let core = repository.files.iter().filter(|file| file.path.starts_with(CORE));
    for file in core.filter(|file| !file.is_test()) {
        if let Ok(parsed) = syn::parse_file(&file.text) {
            findings.extend(open_types(file, &parsed));
        }
    }
    findings
}

/// The types of a file with too many fields that other files can change.
fn open_types(file: &File, parsed: &syn::File) -> Vec<Finding> {
    let structs = parsed.items.iter().filter_map(|item| match item {
        Item::Struct(found) => Some(found),
        _ => None,
    });
    let too_open = structs.filter_map(|found| {
        let open = found.fields.iter().filter(|field| is_open(field)).count();
        let message = format!(
            "{} has {open} fields that other files change, {MOST_FIELDS} are the most",
            found.ident
        );
        (open > MOST_FIELDS).then(|| {
            let line = line_of(file, &format!("struct {}", found.ident));
            Finding { path: file.path.clone(), line, message }
        })
    });
    too_open.collect()
}

/// Whether files that the field's type is not in can change it: `pub`, `pub(crate)`, `pub(super)`
/// and `pub(in …)` all let some.
fn is_open(field: &Field) -> bool {
    !matches!(field.vis, Visibility::Inherited)
}

/// The first line of a file that has this text; 1 if none has.
fn line_of(file: &File, text: &str) -> usize {
    file.text.lines().position(|line| line.contains(text)).map_or(1, |at| at + 1)
}
