// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands of cargo that are cited name packages of this repository.

use crate::finding::Finding;
use crate::repository::{File, Repository};
use std::collections::BTreeSet;

/// The names of the packages in this repository.
pub(crate) fn names(repository: &Repository) -> BTreeSet<String> {
    let folders = repository.files.iter().filter_map(|file| {
        let place = &file.path;
        place.strip_suffix("/src/lib.rs").or_else(|| place.strip_suffix("/src/main.rs"))
    });
    let manifests = folders.filter_map(|folder| {
        std::fs::read_to_string(repository.root.join(folder).join("Cargo.toml")).ok()
    });
    manifests.filter_map(|manifest| package_of(&manifest).map(str::to_owned)).collect()
}

/// What a manifest calls its package.
fn package_of(manifest: &str) -> Option<&str> {
    let rest = manifest.split_once("[package]")?.1.split_once("\nname = \"")?.1;
    Some(rest.split_once('"')?.0)
}

/// Packages that the file's commands name and that do not exist. (Capitals stand for a name.)
pub(crate) fn check(file: &File, packages: &BTreeSet<String>) -> Vec<Finding> {
    if file.path.starts_with("crates/prose/") {
        return Vec::new(); // its samples are wrong on purpose
    }
    let named = (1..).zip(file.text.lines()).flat_map(|(number, line)| {
        packages_of(line).into_iter().map(move |package| (number, package))
    });
    let unknown = named.filter(|(_, package)| !packages.contains(*package));
    let found = unknown.map(|(line, package)| Finding {
        path: file.path.clone(),
        line,
        message: format!("cargo's -p {package} is no package of this repository"),
    });
    found.collect()
}

/// What follows the `-p` of commands of cargo in a line.
fn packages_of(line: &str) -> Vec<&str> {
    let mut packages = Vec::new();
    for command in line.split("cargo ").skip(1) {
        let command = command.split(['`', '|', ';', '&']).next().unwrap_or(command);
        let own_options = command.split(" -- ").next().unwrap_or(command);
        packages.extend(own_options.split(" -p ").skip(1).map(name_at_the_beginning));
    }
    packages.retain(|package| package.starts_with(|c: char| c.is_ascii_lowercase()));
    packages
}

fn name_at_the_beginning(text: &str) -> &str {
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    text.split(|c| !is_of_a_name(c)).next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packages_of_commands() {
        for (line, expected) in [
            ("`cargo test -p bfq-host --test x -- -p other`", &["bfq-host"][..]),
            ("cargo build -p bfq-cli -p bfq-cost; mkdir -p out", &["bfq-cli", "bfq-cost"]),
            ("cargo test -p CRATE", &[]),
            ("mkdir -p out", &[]),
        ] {
            assert_eq!(packages_of(line), expected, "{line}");
        }
    }

    #[test]
    fn the_name_of_a_package_is_in_its_manifest() {
        let manifest = "[workspace]\n[package]\nname = \"bfq-base\"\n[lib]\nname = \"base\"\n";
        assert_eq!(package_of(manifest), Some("bfq-base"));
    }
}
