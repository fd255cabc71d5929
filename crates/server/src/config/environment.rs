// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a configuration names that lies outside of it: files, users, groups.

use super::values::Tls;
use crate::identity::{FileId, identity_of};
use crate::net::acceptor;
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// What lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file or a block device: it can be served.
    Data,
    /// A folder: a disk may lie below it.
    Folder,
    /// Something else, such as a pipe.
    Other,
}

/// Where names of files, users and groups are looked up.
pub trait Environment {
    /// What lies at a path.
    ///
    /// # Errors
    /// Nothing does, or it cannot be seen.
    fn kind(&self, path: &Path) -> io::Result<FileKind>;

    /// The size of a regular file; none of anything else.
    fn file_bytes(&self, path: &Path) -> Option<u64>;

    /// Whether two paths are of one file or device.
    fn is_same(&self, one: &Path, other: &Path) -> bool {
        one == other
    }

    /// Which disk a path lies on: the same text for two that share one. None if it is not known.
    fn disk(&self, path: &Path) -> Option<String>;

    /// Whether TLS can be had with these files.
    ///
    /// # Errors
    /// It cannot: the key of `[tls]` that is wrong, and what is wrong with it.
    fn tls(&self, tls: &Tls) -> Result<(), (&'static str, String)>;

    /// The number of a user.
    fn user(&self, name: &str) -> Option<u32>;

    /// The number of a group.
    fn group(&self, name: &str) -> Option<u32>;
}

/// This machine: its files, `/etc/passwd` and `/etc/group`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Machine;

impl Environment for Machine {
    fn kind(&self, path: &Path) -> io::Result<FileKind> {
        let kind = fs::metadata(path)?.file_type();
        Ok(match () {
            () if kind.is_file() || kind.is_block_device() => FileKind::Data,
            () if kind.is_dir() => FileKind::Folder,
            () => FileKind::Other,
        })
    }

    fn file_bytes(&self, path: &Path) -> Option<u64> {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(metadata.len())
    }

    fn is_same(&self, one: &Path, other: &Path) -> bool {
        let leads_to_it = |one: FileId| FileId::at(other).is_ok_and(|other| other == one);
        one == other || FileId::at(one).is_ok_and(leads_to_it)
    }

    fn disk(&self, path: &Path) -> Option<String> {
        // What is not there is told elsewhere.
        Some(identity_of(path).ok()?.is)
    }

    fn tls(&self, tls: &Tls) -> Result<(), (&'static str, String)> {
        let tried = acceptor(&tls.certificate, &tls.key, tls.client_authority.as_deref());
        let Err(error) = tried else { return Ok(()) };
        let is_at = |path: &Path| error.path() == Some(path);
        let key = match &tls.client_authority {
            Some(path) if is_at(path) => "client_authority",
            _ if is_at(&tls.key) => "key",
            _ => "certificate",
        };
        Err((key, error.to_string()))
    }

    fn user(&self, name: &str) -> Option<u32> {
        number_of(name, &fs::read_to_string("/etc/passwd").ok()?)
    }

    fn group(&self, name: &str) -> Option<u32> {
        number_of(name, &fs::read_to_string("/etc/group").ok()?)
    }
}

/// The number in the line of a name: its third field in both files.
fn number_of(name: &str, text: &str) -> Option<u32> {
    let fields = text.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let mut named = fields.filter(|fields| fields.first() == Some(&name));
    named.next()?.get(2)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_number_of_its_line() {
        let text = "root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1000::/:\nbroken\n";
        assert_eq!(number_of("alice", text), Some(1000));
        assert_eq!(number_of("ali", text), None);
        assert_eq!(number_of("broken", text), None);
    }

    #[test]
    fn what_lies_at_a_path_is_told() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Machine.kind(folder.path()).unwrap(), FileKind::Folder);
        assert_eq!(Machine.kind(Path::new("/dev/null")).unwrap(), FileKind::Other);
        assert!(Machine.kind(&folder.path().join("none")).is_err());
        assert_eq!(Machine.user("root"), Some(0));
        let file = folder.path().join("file");
        fs::write(&file, "no certificate").unwrap();
        assert_eq!(Machine.file_bytes(&file), Some(14));
        assert_eq!(Machine.file_bytes(folder.path()), None);
        assert_eq!(Machine.disk(&file), Machine.disk(folder.path()));
        assert_ne!(Machine.disk(&file), Machine.disk(Path::new("/proc")));
        assert_eq!(Machine.disk(&folder.path().join("none")), None);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(Machine.is_same(&file, &link));
        assert!(!Machine.is_same(&file, folder.path()));
        let tls = |key, client_authority| Tls { certificate: file.clone(), key, client_authority };
        let (wrong, found) = Machine.tls(&tls("none".into(), Some(file.clone()))).unwrap_err();
        assert_eq!(
            (wrong, found),
            ("client_authority", format!("{}: no items found", file.display()))
        );
        let (wrong, _) = Machine.tls(&tls("none".into(), None)).unwrap_err();
        assert_eq!(wrong, "key");
    }
}
