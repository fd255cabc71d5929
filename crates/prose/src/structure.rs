// SPDX-License-Identifier: MIT OR Apache-2.0
//! The structure of the code: no file is longer than one reads in a sitting, and in the core no
//! type has more fields for other files to change than one keeps in mind.

use crate::finding::Finding;
use crate::repository::{File, Repository};
use syn::{Field, Item, Visibility};

/// More lines than these are too long a file.
const MOST_LINES: usize = 500;
/// Fields of a type of the core that other files can change.
const MOST_FIELDS: usize = 12;
/// A file of the core, a type in it, and how many of its fields the files of its own module may
/// change: those of `fair` are one machine, and this is what they keep of an entity. No type is
/// excepted from the bound for fields that the whole crate can change.
const EXCEPTED: (&str, &str, usize) = ("crates/bfq/src/fair/entity.rs", "Entity", 19);
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
        let count = |is_open: fn(&Field) -> bool| {
            found.fields.iter().filter(|field| is_open(field)).count()
        };
        let is_excepted = file.path == EXCEPTED.0 && found.ident == EXCEPTED.1;
        let most_nearby = if is_excepted { EXCEPTED.2 } else { MOST_FIELDS };
        let (open, most) = match (count(is_open_to_all), count(is_open)) {
            (to_all, _) if to_all > MOST_FIELDS => (to_all, MOST_FIELDS),
            (_, open) => (open, most_nearby),
        };
        let message = format!(
            "{} has {open} fields that other files change, {most} are the most",
            found.ident
        );
        (open > most).then(|| {
            let line = line_of(file, &format!("struct {}", found.ident));
            Finding { path: file.path.clone(), line, message }
        })
    });
    too_open.collect()
}

/// Whether files that the field's type is not in can change it, be it only those beside its own.
fn is_open(field: &Field) -> bool {
    !matches!(field.vis, Visibility::Inherited)
}

/// Whether a field can be changed by all of the crate.
fn is_open_to_all(field: &Field) -> bool {
    match &field.vis {
        Visibility::Public(_) => true,
        Visibility::Restricted(place) => place.path.is_ident("crate"),
        Visibility::Inherited => false,
    }
}

/// The first line of a file that has this text; 1 if none has.
fn line_of(file: &File, text: &str) -> usize {
    file.text.lines().position(|line| line.contains(text)).map_or(1, |at| at + 1)
}
