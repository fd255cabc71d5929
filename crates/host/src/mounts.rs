// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of mounts: which filesystem a path is on, and what is mounted from a device.

use super::error::HostError;
use super::files::unescaped;
use super::layers::DeviceNumber;
use super::root::Host;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A mount, as `/proc/self/mountinfo` tells it (proc(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// What `stat` says of its files; major 0 if the filesystem is not on one device.
    pub device: DeviceNumber,
    /// Which folder of the filesystem is mounted: mostly its root, `/`. Of control groups it is
    /// told from the namespace's root, from which `/..` leads up.
    pub root: PathBuf,
    /// Where it is mounted.
    pub folder: PathBuf,
    /// The kind of filesystem.
    pub filesystem: String,
    /// What is mounted: mostly a device.
    pub source: PathBuf,
    /// Whether nothing can be written here: the mount is for reading only, or the filesystem is.
    pub is_read_only: bool,
    /// Options of the filesystem itself.
    pub options: Vec<String>,
}

/// All mounts, in the order in which they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mounts(Vec<Mount>);

impl Mounts {
    /// Reads the table.
    ///
    /// # Errors
    /// If it cannot be read, or a line is not as proc(5) says.
    pub fn read(host: &Host) -> Result<Self, HostError> {
        let path = host.path("/proc/self/mountinfo");
        // Names of folders are bytes: they need not be UTF-8.
        let table = fs::read(&path);
        let table = table.map_err(|source| HostError::Io { path: path.clone(), source })?;
        let mount = |line: &[u8]| {
            parse(line).ok_or_else(|| HostError::Unexpected {
                path: path.clone(),
                found: String::from_utf8_lossy(line).into_owned(),
                expected: "a mount as in proc(5)",
            })
        };
        let lines = table.trim_ascii_end().split(|&byte| byte == b'\n');
        lines.filter(|line| !line.is_empty()).map(mount).collect::<Result<_, _>>().map(Mounts)
    }

    /// All mounts, in the table's order.
    pub fn iter(&self) -> impl Iterator<Item = &Mount> {
        self.0.iter()
    }

    /// The filesystem that a path without links is on: the innermost, and of those on the same
    /// folder the last, which hides the others.
    pub fn of(&self, path: &Path) -> Option<&Mount> {
        let over = self.0.iter().filter(|mount| path.starts_with(&mount.folder));
        over.max_by_key(|mount| mount.folder.components().count())
    }

    /// Where a device is mounted first, if it is.
    pub fn folder_of(&self, device: DeviceNumber) -> Option<&Path> {
        let mut mounts = self.0.iter();
        mounts.find(|mount| mount.device == device).map(|mount| mount.folder.as_path())
    }
}

/// A line: `36 35 98:0 /root /folder rw,noatime tag:1 - ext3 /dev/root rw,errors=continue`.
fn parse(line: &[u8]) -> Option<Mount> {
    // Blanks in names are escaped.
    let mut words = line.split(|&byte| byte == b' ');
    let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
    let device = std::str::from_utf8(words.nth(2)?).ok()?.parse().ok()?;
    let root = PathBuf::from(unescaped(words.next()?));
    let folder = PathBuf::from(unescaped(words.next()?));
    let has_ro = |words: &[u8]| words.split(|&byte| byte == b',').any(|word| word == b"ro");
    let here = has_ro(words.next()?);
    words.find(|word| *word == b"-")?;
    let filesystem = text(words.next()?);
    let source = PathBuf::from(unescaped(words.next()?));
    let options = words.next().unwrap_or(b"");
    let is_read_only = here || has_ro(options);
    let options = text(options).split(',').map(str::to_owned).collect();
    Some(Mount { device, root, folder, filesystem, source, is_read_only, options })
}

/// Whether a source of mounts or of swap is the node of a device: `/dev/sda2`, `/dev/mapper/home`.
pub(super) fn is_node(source: &Path) -> bool {
    source.as_os_str().as_bytes().starts_with(b"/dev/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fake::Fake;

    const TABLE: &str = r"22 1 254:0 / / rw,relatime - ext4 /dev/root rw
30 22 0:26 / /sys rw,nosuid - sysfs sysfs rw
31 22 8:17 / /mnt/my\040data rw shared:1 - xfs /dev/sdb1 rw,noquota
32 31 0:40 / /mnt/my\040data/cache rw - tmpfs none rw,size=4k
33 22 8:33 / /mnt/my\040data rw - ext4 /dev/sdc1 rw
";

    #[test]
    fn the_filesystem_of_a_path_is_the_innermost_that_is_not_hidden() {
        let fake = Fake::new();
        fake.file("proc/self/mountinfo", TABLE);
        let mounts = Mounts::read(&fake.host()).unwrap();
        for (path, source) in [
            ("/", "/dev/root"),
            ("/mnt/my", "/dev/root"),
            ("/mnt/my data/file", "/dev/sdc1"),
            ("/mnt/my data/cache/file", "none"),
        ] {
            assert_eq!(mounts.of(Path::new(path)).unwrap().source, Path::new(source), "{path}");
        }
        let device = "8:17".parse().unwrap();
        assert_eq!(mounts.folder_of(device), Some(Path::new("/mnt/my data")));
        assert_eq!(mounts.folder_of("8:1".parse().unwrap()), None);
    }

    #[test]
    fn what_cannot_be_written_is_told() {
        let fake = Fake::new();
        for (options, of_filesystem, expected) in [
            ("rw,relatime", "rw,errors=remount-ro", false),
            ("ro,relatime", "rw", true),
            ("rw", "ro,seclabel", true),
        ] {
            let line = format!("22 1 8:1 / / {options} shared:1 - ext4 /dev/sda1 {of_filesystem}");
            fake.file("proc/self/mountinfo", &line);
            let mounts = Mounts::read(&fake.host()).unwrap();
            assert_eq!(mounts.iter().next().unwrap().is_read_only, expected, "{line}");
        }
    }

    /// One folder of such a name once made the whole table unreadable.
    #[test]
    fn a_folder_whose_name_is_not_utf_8_is_a_mount_like_others() {
        let fake = Fake::new();
        fake.file("proc/self/mountinfo", TABLE);
        let path = fake.path("proc/self/mountinfo");
        let line = b"34 22 8:49 / /mnt/caf\xe9 rw - ext4 /dev/sdd1 rw\n";
        fs::write(&path, [TABLE.as_bytes(), line].concat()).unwrap();
        let mounts = Mounts::read(&fake.host()).unwrap();
        let folder = mounts.folder_of("8:49".parse().unwrap()).unwrap();
        assert_eq!(folder.as_os_str().as_bytes(), b"/mnt/caf\xe9");
        assert_eq!(mounts.iter().count(), 6);
    }

    #[test]
    fn a_line_that_is_no_mount_is_told() {
        let fake = Fake::new();
        fake.file("proc/self/mountinfo", "22 1 254:0 / /\n");
        let error = Mounts::read(&fake.host()).unwrap_err().to_string();
        assert!(error.contains("mountinfo: `22 1 254:0 / /`: expected a mount"), "{error}");
    }
}
