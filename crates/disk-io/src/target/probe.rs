// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the system says of an open file or device: size, direct I/O, kind of disk, mounts.

use crate::buffer::{ALIGNMENT_BYTES, Buffer};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl, fstatfs, major, minor};
use rustix::io::{Errno, pread};
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// The block layer's unit.
pub(super) const SECTOR_BYTES: u32 = 512;

/// Size of a file or of a block device.
pub(super) fn size_bytes(mut file: &File) -> io::Result<u64> {
    let size_bytes = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    Ok(size_bytes)
}

/// Whether the file lies in memory and nowhere else.
pub(super) fn in_memory(file: &File) -> bool {
    const TMPFS: rustix::fs::FsWord = 0x0102_1994;
    const RAMFS: rustix::fs::FsWord = 0x8584_58f6;
    fstatfs(file).is_ok_and(|system| [TMPFS, RAMFS].contains(&system.f_type))
}

/// Turns direct I/O on, and finds the smallest block that it accepts by trying: no system call
/// tells that for every file system. `None`, and direct I/O off again, if it is refused.
pub(super) fn direct_block_bytes(file: &File) -> io::Result<Option<u32>> {
    let flags = fcntl_getfl(file)?;
    if !turn_direct_on(file)? {
        return Ok(None);
    }
    let mut buffer = Buffer::zeroed(ALIGNMENT_BYTES);
    for block_bytes in [SECTOR_BYTES, 1024, 2048, ALIGNMENT_BYTES as u32] {
        let block = &mut buffer[..block_bytes as usize];
        // At the second block: an offset of 0 is aligned to anything.
        match pread(file, block, u64::from(block_bytes)) {
            Ok(_) => return Ok(Some(block_bytes)),
            Err(Errno::INVAL | Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    fcntl_setfl(file, flags)?;
    Ok(None)
}

/// Whether direct I/O is on now; it is not where it is refused.
pub(super) fn turn_direct_on(file: &File) -> io::Result<bool> {
    match fcntl_setfl(file, fcntl_getfl(file)? | OFlags::DIRECT) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::OPNOTSUPP | Errno::PERM) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether the disk under a device or under a file's file system rotates, by what the kernel
/// has found out about it.
pub(super) fn rotational(file: &File) -> Option<bool> {
    let metadata = file.metadata().ok()?;
    let device =
        if metadata.file_type().is_block_device() { metadata.rdev() } else { metadata.dev() };
    let folder = format!("/sys/dev/block/{}:{}", major(device), minor(device));
    // A partition has no queue of its own, its disk has.
    let said = ["queue/rotational", "../queue/rotational"]
        .iter()
        .find_map(|name| fs::read_to_string(format!("{folder}/{name}")).ok())?;
    match said.trim() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// Where a block device is mounted, as the end of a sentence: ": it is mounted on …", or "".
pub(super) fn mounted_on(device: u64) -> String {
    // Names of folders are bytes: they need not be UTF-8.
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let table = String::from_utf8_lossy(&table);
    match mount_point(&table, &format!("{}:{}", major(device), minor(device))) {
        Some(folder) => format!(": it is mounted on {folder}"),
        None => String::new(),
    }
}

/// The folder that `device` (`MAJOR:MINOR`) is mounted on, by a `mountinfo` table (see proc(5)).
fn mount_point<'a>(table: &'a str, device: &str) -> Option<&'a str> {
    let mut lines = table.lines().map(|line| line.split(' '));
    lines.find_map(|mut fields| (fields.nth(2)? == device).then(|| fields.nth(1))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_are_found_by_device() {
        let table = "\
22 1 254:0 / / rw,relatime - ext4 /dev/root rw
30 22 0:26 / /sys rw,nosuid - sysfs sysfs rw
31 22 8:17 / /mnt/data rw - xfs /dev/sdb1 rw
";
        assert_eq!(mount_point(table, "254:0"), Some("/"));
        assert_eq!(mount_point(table, "8:17"), Some("/mnt/data"));
        assert_eq!(mount_point(table, "8:1"), None);
        assert_eq!(mount_point("", "8:1"), None);
    }

    #[test]
    fn sizes_are_those_of_the_files() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(12_345).unwrap();
        assert_eq!(size_bytes(&file).unwrap(), 12_345);
    }
}
