// SPDX-License-Identifier: MIT OR Apache-2.0
//! The checks on samples that are wrong, and on this repository, which is not.

use prose::{File, Language, Repository, check};
use std::path::Path;

/// The repository of this crate.
fn repository() -> Repository {
    Repository::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

/// What is found wrong in this text, if a file of the repository has it.
fn found(path: &str, kind: Language, text: &str) -> Vec<String> {
    let mut repository = repository();
    let sample = File { path: path.to_owned(), kind, text: text.to_owned() };
    repository.files.retain(|file| file.path.starts_with("docs/"));
    let place = repository.files.partition_point(|file| *file.path < *path);
    repository.files.insert(place, sample);
    let findings = check(&repository);
    let of_sample = findings.iter().filter(|finding| finding.path == path);
    of_sample.map(|finding| format!("{}: {}", finding.line, finding.message)).collect()
}

/// What is found wrong in this comment of a Rust file.
fn in_rust(comment: &str) -> Vec<String> {
    found("crates/sample/src/lib.rs", Language::Rust, comment)
}

#[test]
fn nothing_is_wrong_in_this_repository() {
    let findings = check(&repository());
    let list: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
}

#[test]
fn right_citations_are_found() {
    let right = "//! A slot (spec 3.7, steps 6 to 10; 3.9) and rows 1–4 of spec 10.2. See\n\
                 //! peers.md §5.2 and §5.9, bfq.md §2.9; spec\n//! 2.11, step 6b.\n\
                 /// Details: docs/decisions.md, \"Quirks of the\n/// reference\".\n";
    assert_eq!(in_rust(right), [""; 0]);
}

#[test]
fn a_wrong_section_is_found() {
    assert_eq!(
        in_rust("//! One two\n//! (spec 3.99)."),
        ["2: docs/spec/bfq.md has no section 3.99"]
    );
    assert_eq!(
        in_rust("//! One two (spec 1.2, 1.3 and\n//! 14.1)."),
        ["2: docs/spec/bfq.md has no section 14.1"]
    );
    assert_eq!(
        in_rust("//! One two (peers.md §5.2, §5.12)."),
        ["1: docs/spec/peers.md has no section 5.12"]
    );
    assert_eq!(in_rust("//! One two three: §5.2."), ["1: a section of which document?"]);
}

#[test]
fn a_wrong_row_or_step_is_found() {
    assert_eq!(
        in_rust("//! One two (spec 10.2, rows 1–3 and 77)."),
        ["1: docs/spec/bfq.md, section 10.2, has no row 77"]
    );
    assert_eq!(
        in_rust("//! Rows 2 and 78 of spec 10.2."),
        ["1: docs/spec/bfq.md, section 10.2, has no row 78"]
    );
    assert_eq!(
        in_rust("//! One two (spec 3.7, step 11)."),
        ["1: docs/spec/bfq.md, section 3.7, has no step 11"]
    );
    assert_eq!(
        in_rust("//! One two (spec 2.11, step 6z)."),
        ["1: docs/spec/bfq.md, section 2.11, has no step 6z"]
    );
}

#[test]
fn a_wrong_document_or_title_is_found() {
    assert_eq!(
        in_rust("//! As in docs/nowhere.md and more."),
        ["1: docs/nowhere.md does not exist"]
    );
    assert_eq!(
        in_rust("//! As in docs/decisions.md, \"No such\n//! title\"."),
        ["1: docs/decisions.md has nothing called \"No such title\""]
    );
}

#[test]
fn a_wrong_path_in_a_document_is_found() {
    let page = "See `crates/prose/src/lib.rs` and `kernel/none.c`; `crates/*/src/lib.rs`.\n";
    assert_eq!(
        found("docs/sample.md", Language::Markdown, page),
        ["1: kernel/none.c does not exist"]
    );
}

#[test]
fn citations_of_c_and_of_scripts_are_checked() {
    let c = found("kernel/glue/sample.c", Language::C, "/*\n * One two (spec\n * 3.99).\n */\n");
    assert_eq!(c, ["3: docs/spec/bfq.md has no section 3.99"]);
    let shell = found("sample.sh", Language::Shell, "# One (specification, 6.3\n# and 6.99).\n");
    assert_eq!(shell, ["2: docs/spec/bfq.md has no section 6.99"]);
}

#[test]
fn a_wrong_link_is_found() {
    let page = "[a](spec/bfq.md), [b](spec/none.md), [c](decisions.md#no-such-heading)\n\
                [d](decisions.md#quirks-of-the-reference) [e](https://example.org/x)\n";
    assert_eq!(
        found("docs/sample.md", Language::Markdown, page),
        [
            "1: the link leads to a heading of docs/decisions.md that it has not: #no-such-heading",
            "1: the link leads to docs/spec/none.md, which does not exist",
        ]
    );
}
