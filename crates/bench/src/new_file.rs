// SPDX-License-Identifier: MIT OR Apache-2.0
//! New files that are there whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes a file of that text, which must not exist.
pub(crate) fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    // What the user's mask leaves of it, as of any file.
    builder.prefix(".bfq-").permissions(Permissions::from_mode(0o666));
    let draft = builder.tempfile_in(folder.unwrap_or(Path::new(".")));
    // Without the draft's own name, which no user has chosen.
    let mut draft = draft.map_err(|error| io::Error::from(error.kind()))?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    match draft.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Err(error.error),
        // Some file systems (vboxsf, many of FUSE) can neither link nor rename to a name that must
        // not exist.
        Err(_) => write_in_place(path, text),
    }
}

/// The same where a draft cannot become the file: half of it is there meanwhile.
fn write_in_place(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // That it cannot be written is what is to be said.
        let _ = fs::remove_file(path);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_and_nothing_half_written_is_left() {
        let folder = tempfile::tempdir().unwrap();
        for (name, write) in [("new", write_new as fn(&Path, &str) -> _), ("other", write_in_place)]
        {
            let path = folder.path().join(name);
            write(&path, "one").unwrap();
            let error: io::Error = write(&path, "two").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AlreadyExists);
            assert_eq!(fs::read_to_string(&path).unwrap(), "one");
            let error = write(&folder.path().join("none/new"), "one").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
