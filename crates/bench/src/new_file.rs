// SPDX-License-Identifier: MIT OR Apache-2.0
//! New files that are there whole or not at all.

use std::fs::Permissions;
use std::io::{self, Write};
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
    draft.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::ErrorKind;

    #[test]
    fn what_is_there_stays_and_nothing_half_written_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        write_new(&path, "one").unwrap();
        let error = write_new(&path, "two").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = write_new(&folder.path().join("none/new"), "one").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}
