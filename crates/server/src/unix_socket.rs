// SPDX-License-Identifier: MIT OR Apache-2.0
//! Unix sockets at a path: made with their permissions, and over what a server that is gone has
//! left.

use rustix::fs::{Mode, fchmod};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use rustix::process::geteuid;
use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

/// Connections that wait until they are accepted; the system has a limit of its own.
const BACKLOG: i32 = 128;

/// Listens at a path, with these permissions from the first moment. A folder that is missing is
/// made, for this user only; a socket without a listener is replaced.
///
/// # Errors
/// Another server listens there, something else than a socket lies there, the folder is that of
/// another user or one into which others may write, or the system refuses.
pub fn listen(path: &Path, mode: u32) -> io::Result<UnixListener> {
    let said =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    prepare(path).map_err(said)?;
    let listener = bind(path).map_err(said)?;
    fs::set_permissions(path, Permissions::from_mode(mode)).map_err(said)?;
    Ok(listener)
}

/// Binds so that no other user may use what is made: on Linux the file of a socket has the
/// permissions that the socket has when it is bound. The umask of the process would do too, but
/// other threads make files meanwhile.
fn bind(path: &Path) -> io::Result<UnixListener> {
    let address = SocketAddrUnix::new(path)?;
    let socket = rustix::net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    rustix::net::bind(&socket, &address)?;
    rustix::net::listen(&socket, BACKLOG)?;
    Ok(UnixListener::from(socket))
}

/// Sees to the folder, and removes the socket of a server that is gone.
fn prepare(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let owner = fs::metadata(folder)?;
        let (user, sticky) = (owner.uid(), owner.mode() & 0o1000 != 0);
        let is_ours = user == geteuid().as_raw();
        // A group that may write into a folder of our own is mostly ours alone.
        let others = if is_ours { 0o002 } else { 0o022 };
        let is_open = owner.mode() & others != 0 && !sticky;
        if is_open || !(is_ours || user == 0) {
            let message = "others may write into its folder";
            return Err(io::Error::new(ErrorKind::PermissionDenied, message));
        }
    }
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(there) if !there.file_type().is_socket() => {
            Err(io::Error::new(ErrorKind::AlreadyExists, "something else than a socket is there"))
        }
        Ok(_) => match UnixStream::connect(path) {
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path),
            Ok(_) => Err(io::Error::new(ErrorKind::AddrInUse, "another server listens there")),
            Err(error) => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_bound_belongs_to_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.sock");
        let _listener = bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o077, 0);
    }

    /// Sockets were once bound with a umask of 0177, and folders that other threads made meanwhile
    /// could not be entered.
    #[test]
    fn what_other_threads_make_meanwhile_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let binding = scope.spawn(|| {
                for number in 0..500 {
                    bind(&folder.path().join(format!("{number}.sock"))).unwrap();
                }
            });
            let mut number = 0;
            while !binding.is_finished() || number == 0 {
                let made = folder.path().join(number.to_string());
                fs::create_dir(&made).unwrap();
                assert_ne!(fs::metadata(&made).unwrap().mode() & 0o100, 0, "{number}");
                number += 1;
            }
        });
    }

    /// A folder of one's own was once taken whoever might write into it.
    #[test]
    fn a_folder_into_which_everybody_may_write_is_refused_unless_it_is_sticky() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.sock");
        for (mode, is_taken) in [(0o777, false), (0o773, false), (0o1777, true), (0o770, true)] {
            fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
            match listen(&path, 0o600) {
                Ok(_) => assert!(is_taken, "{mode:o}"),
                Err(error) => {
                    assert!(!is_taken, "{mode:o}: {error}");
                    assert!(error.to_string().ends_with("others may write into its folder"));
                }
            }
        }
    }

    #[test]
    fn a_socket_is_made_for_whom_its_mode_says_and_over_one_that_was_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/s.sock");
        let listener = listen(&path, 0o660).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o660, 0o700));
        let said = listen(&path, 0o600).unwrap_err().to_string();
        assert!(said.ends_with("new/s.sock: another server listens there"), "{said}");
        drop(listener);
        listen(&path, 0o600).unwrap();
        assert_eq!(mode(&path), 0o600);
        fs::remove_file(&path).unwrap();
        fs::write(&path, "text").unwrap();
        let said = listen(&path, 0o600).unwrap_err().to_string();
        assert!(said.contains("something else than a socket"), "{said}");
    }
}
