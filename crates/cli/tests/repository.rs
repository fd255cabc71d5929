// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the repository says of itself is so: versions, licences, packages, links between documents.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folders of `crates/`.
fn crates() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    let mut folders: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    folders.sort();
    assert!(folders.len() > 10, "{folders:?}");
    folders
}

/// The documents that people read: those of the root, of `docs/` and of the crates.
fn documents() -> Vec<PathBuf> {
    let mut found: Vec<_> = crates().iter().map(|folder| folder.join("README.md")).collect();
    for folder in [root(), root().join("docs")] {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    found
}

#[test]
fn documents_name_the_oldest_rust_that_is_declared() {
    let oldest = env!("CARGO_PKG_RUST_VERSION");
    let mut named = 0;
    for document in documents() {
        let text = text(&document);
        for (at, _) in text.match_indices("Rust ") {
            let behind = &text[at + "Rust ".len()..];
            let version: String =
                behind.chars().take_while(|sign| sign.is_ascii_digit() || *sign == '.').collect();
            if version.contains('.') {
                assert_eq!(version.trim_end_matches('.'), oldest, "{}", document.display());
                named += 1;
            }
        }
    }
    assert!(named > 3, "{named}");
}

#[test]
fn documents_name_devices_that_there_are() {
    let mut named = 0;
    for document in documents() {
        for word in text(&document).split(|sign: char| sign.is_whitespace() || sign == '`') {
            let Some(devices) = word.strip_prefix("DEVICES=") else { continue };
            for device in devices.split(',') {
                assert!(device::Profile::builtin(device).is_some(), "{}", document.display());
                named += 1;
            }
        }
    }
    assert!(named > 0);
}

#[test]
fn each_package_has_a_name_of_this_project_a_readme_and_its_licences() {
    for folder in crates() {
        let manifest = text(folder.join("Cargo.toml"));
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")).unwrap();
        let name = name.trim_end_matches('"');
        assert!(name == "bfq" || name.starts_with("bfq-"), "{name}");
        let readme = text(folder.join("README.md"));
        assert_eq!(readme.lines().next(), Some(&*format!("# {name}")), "{}", folder.display());
        if manifest.contains("publish = false") {
            continue;
        }
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert_eq!(text(folder.join(licence)), text(root().join(licence)), "{name}");
        }
        for key in ["description", "readme", "keywords", "categories"] {
            assert!(manifest.contains(&format!("\n{key} = ")), "{name} has no {key}");
        }
    }
}

/// A link `](PATH)` or `]: PATH` leads to a file that is there, unless it is an address.
#[test]
fn links_between_documents_lead_somewhere() {
    let mut links = 0;
    for document in documents() {
        let text = text(&document);
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split([')', '#', ' ']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let path = document.parent().unwrap().join(target);
            assert!(path.exists(), "{}: {target}", document.display());
            links += 1;
        }
    }
    assert!(links > 20, "{links}");
}

/// A repository of its own with these files and `scripts/spdx`; none where git is not installed.
fn repository(files: &[(&str, &str)]) -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("scripts")).unwrap();
    fs::copy(root().join("scripts/spdx"), folder.path().join("scripts/spdx")).unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let made = Command::new("git").args(["init", "--quiet"]).current_dir(folder.path()).status();
    if made.is_err() {
        eprintln!("git is not installed: nothing is tested");
        return None;
    }
    Some(folder)
}

fn spdx(folder: &tempfile::TempDir, arguments: &[&str]) -> Output {
    let script = folder.path().join("scripts/spdx");
    Command::new("bash").arg(script).args(arguments).output().unwrap()
}

#[test]
fn a_source_file_without_its_licence_line_is_named_and_gets_it() {
    let Some(folder) = repository(&[
        ("crates/a/src/lib.rs", "//! A library.\n"),
        ("scripts/some", "#!/bin/sh\n# Does something.\n"),
        ("kernel/glue/some.h", "/* Something. */\n"),
        ("notes.txt", "No source file.\n"),
    ]) else {
        return;
    };
    let checked = spdx(&folder, &["check"]);
    let complaint = String::from_utf8(checked.stderr).unwrap();
    assert_eq!(checked.status.code(), Some(1), "{complaint}");
    for name in ["crates/a/src/lib.rs", "scripts/some", "kernel/glue/some.h"] {
        assert!(complaint.lines().any(|line| line.ends_with(name)), "{name} in {complaint}");
    }
    assert!(!complaint.contains("notes.txt"), "{complaint}");

    assert!(spdx(&folder, &["add"]).status.success());
    for (name, begins) in [
        ("crates/a/src/lib.rs", "// SPDX-License-Identifier: MIT OR Apache-2.0\n//! A library.\n"),
        (
            "scripts/some",
            "#!/bin/sh\n# SPDX-License-Identifier: MIT OR Apache-2.0\n# Does something.\n",
        ),
        ("kernel/glue/some.h", "/* SPDX-License-Identifier: GPL-2.0 OR MIT */\n/* Something. */\n"),
        ("notes.txt", "No source file.\n"),
    ] {
        assert_eq!(text(folder.path().join(name)), begins);
    }
    assert!(spdx(&folder, &["check"]).status.success());
}

#[test]
fn a_file_of_another_licence_is_not_made_ours() {
    let foreign = "// SPDX-License-Identifier: LGPL-3.0-only\n";
    let Some(folder) = repository(&[("src/theirs.rs", foreign)]) else { return };
    let added = spdx(&folder, &["add"]);
    let complaint = String::from_utf8(added.stderr).unwrap();
    assert_eq!(added.status.code(), Some(1), "{complaint}");
    assert!(complaint.contains("src/theirs.rs says another licence"), "{complaint}");
    assert_eq!(text(folder.path().join("src/theirs.rs")), foreign);
}
