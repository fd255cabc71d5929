// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of the machine, read as far as we may; what we may not read is kept in mind.

use host::Host;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::path::Path;

/// Reads files of a machine by their paths on it.
pub(crate) struct Files<'h> {
    host: &'h Host,
    refused: RefCell<BTreeMap<String, usize>>,
}

impl<'h> Files<'h> {
    pub fn of(host: &'h Host) -> Self {
        Files { host, refused: RefCell::default() }
    }

    /// What a file says, without blanks around; none if it does not exist or cannot be read. Bytes
    /// that are no text, as names of processes may have, are replaced: the rest counts.
    pub fn text(&self, path: &str) -> Option<String> {
        self.text_as(path, path)
    }

    /// The same of one of many files; `kind` stands for all of them where they may not be read.
    pub fn text_as(&self, path: &str, kind: &str) -> Option<String> {
        match fs::read(self.host.path(path)) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).trim().to_owned()),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                self.refuse(kind);
                None
            }
            Err(_) => None,
        }
    }

    /// A number that a file says.
    pub fn number<N: std::str::FromStr>(&self, path: &str) -> Option<N> {
        self.text(path)?.parse().ok()
    }

    /// The names in a folder, sorted; none if there is no such folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        self.names_as(folder, folder)
    }

    /// The same of one of many folders; `kind` stands for all of them where they may not be read.
    pub fn names_as(&self, folder: &str, kind: &str) -> Vec<String> {
        let entries = fs::read_dir(self.host.path(folder));
        if entries.as_ref().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied) {
            self.refuse(kind);
        }
        sorted_names(entries.into_iter().flatten().flatten())
    }

    /// The names of the folders in a folder, sorted; links are not followed.
    pub fn folders(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.host.path(folder)).into_iter().flatten().flatten();
        sorted_names(entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())))
    }

    /// Where a link of the machine leads to; empty if it leads nowhere.
    pub fn destination(&self, path: &str) -> String {
        self.host.path(path).canonicalize().map_or_else(|_| String::new(), |to| self.named(&to))
    }

    /// A path of ours as the machine's own.
    pub fn named(&self, ours: &Path) -> String {
        let root = self.host.path("/");
        let below = ours.strip_prefix(&root).unwrap_or(ours);
        Path::new("/").join(below).display().to_string()
    }

    fn refuse(&self, kind: &str) {
        *self.refused.borrow_mut().entry(kind.to_owned()).or_default() += 1;
    }

    /// What may not be read, a line for each kind of file.
    pub fn unread(&self) -> Vec<String> {
        let refused = self.refused.borrow();
        let line = |(kind, &number): (&String, &usize)| match number {
            1 => kind.clone(),
            _ => format!("{kind} ({number} of them)"),
        };
        refused.iter().map(line).collect()
    }
}

fn sorted_names(entries: impl Iterator<Item = DirEntry>) -> Vec<String> {
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
