// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks of what people wrote in this repository: comments, scripts, documents, and how the
//! code is built.
//!
//! | Module | What it checks |
//! |---|---|
//! | `width` | no line is wider than 100 columns |
//! | `merges` | no file holds both sides of an unfinished merge |
//! | `doc_comments` | a doc comment has three words or more |
//! | `citations` | what is cited of `docs/spec` and of other documents exists |
//! | `links` | what Markdown links to exists |
//! | `packages` | packages that cited commands of cargo name exist |
//! | `structure` | files of source are short, types of the core closed |
//! | `circles` | files of a crate do not import each other, and layers do not call each other |
//!
//! `make check` runs them all, and a test of this crate does.

mod added_methods;
mod circles;
mod citations;
mod doc_comments;
mod finding;
mod flat;
mod items;
mod links;
mod merges;
mod packages;
mod repository;
mod specification;
mod structure;
mod width;

pub use finding::Finding;
pub use repository::{Error, File, Language, Repository};

/// Everything that is wrong, by file and line.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let specifications = specification::Specifications::new(repository);
    let packages = packages::names(repository);
    let mut findings = Vec::new();
    for file in &repository.files {
        findings.extend(width::check(file));
        findings.extend(merges::check(file));
        findings.extend(doc_comments::check(file));
        findings.extend(citations::check(file, repository, &specifications));
        findings.extend(links::check(file, repository));
        findings.extend(packages::check(file, &packages));
    }
    findings.extend(structure::check(repository));
    findings.extend(circles::check(repository));
    findings.sort();
    findings
}
