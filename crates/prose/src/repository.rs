// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of the repository that people wrote, as git lists them.

use std::path::{Path, PathBuf};
use std::process::Command;
use syn::Attribute;

/// Why the files could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program git could not be started.
    #[error("git, which lists the files of the repository, did not start: {0}")]
    NoGit(std::io::Error),
    /// The folder is not a checkout.
    #[error("{root}: git lists no files there; expected a checkout of the repository: {said}")]
    NoCheckout {
        /// The folder that was looked at.
        root: PathBuf,
        /// What git said about it.
        said: String,
    },
    /// A file could not be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file that was to be read.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The language of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Source of the crates.
    Rust,
    /// Source and headers of the kernel module and its tests.
    C,
    /// Scripts of a shell.
    Shell,
    /// Makefiles and other files that `make` reads.
    Make,
    /// Documents, with those that a program wrote.
    Markdown,
    /// Job files, with the comments that introduce them.
    Job,
    /// The Python package, its tests, and scripts.
    Python,
    /// What pages do in a browser.
    JavaScript,
    /// How pages look in a browser.
    Css,
    /// Forms and workflows of the place where this repository is hosted.
    Yaml,
    /// Manifests, configuration files and profiles of devices.
    Toml,
}

impl Language {
    /// Whether files of it are source, rather than documents, data or configuration.
    pub(crate) fn is_source(self) -> bool {
        match self {
            Self::Rust | Self::C | Self::Shell | Self::Make => true,
            Self::Python | Self::JavaScript | Self::Css => true,
            Self::Markdown | Self::Job | Self::Yaml | Self::Toml => false,
        }
    }
}

/// A file that people read.
#[derive(Clone, Debug)]
pub struct File {
    /// The path below the root of the repository.
    pub path: String,
    /// The language it is in.
    pub kind: Language,
    /// The contents of the file.
    pub text: String,
}

impl File {
    /// Whether it is a file of Rust that is compiled for tests only.
    pub fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.ends_with("tests.rs") || name.starts_with("test_") || self.path.contains("/tests/")
    }
}

/// Whether an item with these attributes is compiled for tests only.
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    let for_tests = |attribute: &Attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(for_tests)
}

/// The files of the repository that are checked.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The folder that it is in.
    pub root: PathBuf,
    /// The files, by path.
    pub files: Vec<File>,
}

impl Repository {
    /// Reads the files that are in the repository at `root` or about to be.
    ///
    /// # Errors
    ///
    /// [`Error`], if git cannot list them or one cannot be read.
    pub fn read(root: &Path) -> Result<Self, Error> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."])
            .current_dir(root)
            .output()
            .map_err(Error::NoGit)?;
        if !listed.status.success() || listed.stdout.is_empty() {
            let said = String::from_utf8_lossy(&listed.stderr).trim().to_owned();
            return Err(Error::NoCheckout { root: root.to_owned(), said });
        }
        let mut files = Vec::new();
        for path in String::from_utf8_lossy(&listed.stdout).split_terminator('\0') {
            // Files that were removed are listed until that is committed; a link is another file.
            let place = root.join(path);
            if place.is_symlink() || !place.exists() {
                continue;
            }
            if let Some(file) = read(root, path)? {
                files.push(file);
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { root: root.to_owned(), files })
    }

    /// The text of the file at `path`, if it is one of those that people read.
    pub fn text(&self, path: &str) -> Option<&str> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some(&self.files[at].text)
    }
}

/// The file at `path`, if it is in a language that is checked.
fn read(root: &Path, path: &str) -> Result<Option<File>, Error> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => Language::Rust,
        Some("c" | "h") => Language::C,
        Some("sh") => Language::Shell,
        Some("mk") => Language::Make,
        Some("md") => Language::Markdown,
        Some("py") => Language::Python,
        Some("js") => Language::JavaScript,
        Some("css") => Language::Css,
        Some("yml" | "yaml") => Language::Yaml,
        Some("toml") => Language::Toml,
        // The others are recordings, or inputs of single tests.
        Some("fio") if path.starts_with("jobs/") => Language::Job,
        None if name == "Makefile" || name == "Kbuild" => Language::Make,
        // A script, if its first line says so.
        None => Language::Shell,
        Some(_) => return Ok(None),
    };
    let place = root.join(path);
    let bytes =
        std::fs::read(&place).map_err(|source| Error::Unreadable { path: place, source })?;
    let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
    if kind == Language::Shell && !name.ends_with(".sh") && !text.starts_with("#!") {
        return Ok(None);
    }
    Ok(Some(File { path: path.to_owned(), kind, text }))
}
