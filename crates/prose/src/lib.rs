// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks of what people wrote in this repository: comments, scripts and documents.
//!
//! | Module | What it checks |
//! |---|---|
//! | `width` | no line is wider than 100 columns |
//! | `doc_comments` | a doc comment has three words or more |
//! | `citations` | what is cited of `docs/spec` and of other documents exists |
//! | `links` | what Markdown links to exists |
//!
//! `make check` runs them all, and a test of this crate does.

mod citations;
mod doc_comments;
mod finding;
mod flat;
mod items;
mod links;
mod repository;
mod specification;
mod width;

pub use finding::Finding;
pub use repository::{Error, File, Kind, Repository};

/// Folders whose lines may be wide and whose doc comments may be short: `check` leaves both out.
pub const EXEMPT_FOLDERS: [&str; 0] = [];

/// Everything that is wrong, by file and line. `exempt` are the folders whose widths and doc
/// comments are left out.
pub fn check(repository: &Repository, exempt: &[&str]) -> Vec<Finding> {
    let specifications = specification::Specifications::new(repository);
    let mut findings = Vec::new();
    for file in &repository.files {
        if !exempt.iter().any(|folder| file.path.starts_with(folder)) {
            findings.extend(width::check(file));
            findings.extend(doc_comments::check(file));
        }
        findings.extend(citations::check(file, repository, &specifications));
        findings.extend(links::check(file, repository));
    }
    findings.sort();
    findings
}
