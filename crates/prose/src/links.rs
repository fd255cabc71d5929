// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Markdown links to exists: files of the repository, and headings in them.

use crate::finding::Finding;
use crate::repository::{File, Language, Repository};
use std::path::{Component, Path, PathBuf};

/// Links of the file that lead nowhere.
pub(crate) fn check(file: &File, repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    if file.kind != Language::Markdown {
        return findings;
    }
    let mut in_code = false;
    for (number, line) in (1..).zip(file.text.lines()) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        for target in targets(line).filter(|_| !in_code) {
            if let Some(message) = wrong(file, target, repository) {
                findings.push(Finding { path: file.path.clone(), line: number, message });
            }
        }
    }
    findings
}

/// The targets of a line's links.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|link| Some(link.split_once(')')?.0))
}

/// What is wrong with a link, if something is.
fn wrong(file: &File, target: &str, repository: &Repository) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() { file.path.clone() } else { beside(&file.path, path) };
    if !repository.root.join(&path).exists() {
        return Some(format!("the link leads to {path}, which does not exist"));
    }
    let text = repository.text(&path).filter(|_| !heading.is_empty())?;
    (!anchors(text).any(|anchor| anchor == heading))
        .then(|| format!("the link leads to a heading of {path} that it has not: #{heading}"))
}

/// The path that `link` means in the file at `path`.
fn beside(path: &str, link: &str) -> String {
    let mut place = PathBuf::from(path);
    place.pop();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                place.pop();
            }
            Component::Normal(name) => place.push(name),
            _ => {}
        }
    }
    place.to_string_lossy().into_owned()
}

/// How a document's headings are called in links.
fn anchors(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}
