// SPDX-License-Identifier: MIT OR Apache-2.0
//! The API on the crate's first page lists every public method of the scheduler.

use std::{collections::BTreeSet, fs, path::Path};

/// All source files below a folder.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(fs::read_to_string(&path).expect("a source file"));
        }
    }
}

/// Names of the public functions in the blocks that implement the scheduler.
fn public_methods(source: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    source.lines().filter_map(move |line| {
        if line.starts_with("impl") {
            let (_, target) = line.split_once("> ").unwrap_or(line.split_once(' ')?);
            in_block = target.starts_with("Scheduler");
        } else if line == "}" {
            in_block = false;
        }
        let function = line.strip_prefix("    pub fn ").filter(|_| in_block)?;
        function.split(['(', '<']).next()
    })
}

#[test]
fn every_public_method_is_on_the_first_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let page = fs::read_to_string(folder.join("lib.rs")).expect("the first page");
    let (_, list) = page.split_once("# The API").expect("a section");
    let (list, _) = list.split_once("\n//! # ").expect("an end of the section");
    let listed: BTreeSet<&str> = list
        .split("[`")
        .skip(1)
        .filter_map(|rest| rest.split_once("`]").map(|(name, _)| name))
        .filter(|name| name.starts_with(|first: char| first.is_ascii_lowercase()))
        .collect();
    let mut files = Vec::new();
    sources(&folder, &mut files);
    let methods: BTreeSet<&str> = files.iter().flat_map(|file| public_methods(file)).collect();
    assert!(methods.len() > 40, "{methods:?}");
    let missing: Vec<_> = methods.difference(&listed).collect();
    assert!(missing.is_empty(), "not listed: {missing:?}");
    let gone: Vec<_> = listed.difference(&methods).collect();
    assert!(gone.is_empty(), "no such methods: {gone:?}");
}
