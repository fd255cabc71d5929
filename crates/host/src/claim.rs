// SPDX-License-Identifier: MIT OR Apache-2.0
//! The right to measure a disk: no other bench has it, and the device is not in use otherwise.

use super::disk::Disk;
use super::error::HostError;
use super::root::Host;
use super::target::TargetKind;
use super::usage::Usage;
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a disk may be taken before it counts as taken.
const PATIENCE: Duration = Duration::from_millis(500);

/// The right to measure a disk. While it lasts no other bench gets it, by whichever user, and a
/// target that is a block device cannot be mounted, swapped to or made a volume.
#[derive(Debug)]
pub struct Claim {
    disks: Vec<File>,
    _device: Option<File>,
}

impl Claim {
    /// Claims a disk, its companions, and the target if it is a block device. Folders and files are
    /// shared with who uses them.
    ///
    /// # Errors
    /// [`HostError::DiskTaken`] by another bench, [`HostError::InUse`] by another user; the
    /// system's error if something cannot be opened.
    pub fn take(host: &Host, disk: &Disk) -> Result<Self, HostError> {
        let mut claim = Claim::of_settings(disk)?;
        claim._device = claim_device(host, disk)?;
        Ok(claim)
    }

    /// Claims the settings of a disk and its companions alone, so that no bench measures while they
    /// are changed. Whoever uses the disk is not asked.
    ///
    /// # Errors
    /// [`HostError::DiskTaken`] by a bench, or what the system refuses.
    pub fn of_settings(disk: &Disk) -> Result<Self, HostError> {
        let folders = disk.queues().filter_map(Path::parent);
        let disks = folders.map(lock).collect::<Result<_, _>>()?;
        Ok(Claim { disks, _device: None })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        for disk in &self.disks {
            // Not only closed: a process that is being started may hold a copy for a moment. If it
            // cannot be unlocked, the end of that does it.
            let _ = disk.unlock();
        }
    }
}

/// Locks a disk's folder in sysfs. It is the same for all users, and the lock ends with its owner.
fn lock(folder: &Path) -> Result<File, HostError> {
    let io = |source| HostError::Io { path: folder.to_owned(), source };
    let file = File::open(folder).map_err(io)?;
    let mut attempt = file.try_lock();
    let began = Instant::now();
    // A process that a run was about to start when it was killed holds a copy for a moment.
    while matches!(attempt, Err(TryLockError::WouldBlock)) && began.elapsed() < PATIENCE {
        sleep(Duration::from_millis(5));
        attempt = file.try_lock();
    }
    match attempt {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let disk = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Err(HostError::DiskTaken { disk })
        }
        Err(TryLockError::Error(error)) => Err(io(error)),
    }
}

/// Claims a block device for ourselves alone.
fn claim_device(host: &Host, disk: &Disk) -> Result<Option<File>, HostError> {
    let target = &disk.target;
    if target.kind != TargetKind::BlockDevice {
        return Ok(None);
    }
    let in_use = |usage| HostError::InUse { path: target.path.clone(), usage };
    if let Some(usage) = Usage::of(host, target)? {
        return Err(in_use(usage));
    }
    // For block devices O_EXCL without O_CREAT is a claim (open(2)).
    let flags = OFlags::EXCL.bits().cast_signed();
    match OpenOptions::new().read(true).custom_flags(flags).open(&target.path) {
        Ok(device) => Ok(Some(device)),
        Err(error) if error.kind() == ErrorKind::ResourceBusy => Err(in_use(Usage::Claimed)),
        Err(source) => Err(HostError::Io { path: target.path.clone(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fake::{Fake, target};

    fn disk(fake: &Fake, kind: TargetKind) -> Disk {
        Disk::of(&fake.host(), target("/dev/md0", kind, "9:0")).unwrap()
    }

    /// A machine with a mirror of two disks.
    fn mirror() -> Fake {
        let fake = Fake::new();
        fake.device("9:0", "md0", "");
        for (number, name) in [("8:0", "sda"), ("8:16", "sdb")] {
            fake.device(number, name, "[none] bfq");
            fake.below("md0", name);
        }
        fake
    }

    #[test]
    fn a_second_bench_on_any_of_the_disks_is_refused_while_the_first_is_at_work() {
        let fake = mirror();
        let first = Claim::take(&fake.host(), &disk(&fake, TargetKind::Directory)).unwrap();
        let on_sdb = target("/srv", TargetKind::Directory, "8:16");
        let on_sdb = Disk::of(&fake.host(), on_sdb).unwrap();
        let refused = Claim::take(&fake.host(), &on_sdb).unwrap_err().to_string();
        assert!(refused.starts_with("another bench is at work on sdb; wait"), "{refused}");
        drop(first);
        Claim::take(&fake.host(), &on_sdb).unwrap();
    }

    #[test]
    fn a_device_in_use_cannot_be_claimed_and_the_way_out_is_told() {
        let fake = mirror();
        fake.file("proc/self/mountinfo", "22 1 9:0 / /srv rw - ext4 /dev/md0 rw\n");
        let refused = Claim::take(&fake.host(), &disk(&fake, TargetKind::BlockDevice));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.starts_with("/dev/md0 is in use: md0 is mounted on /srv"), "{refused}");
        assert!(refused.contains("bfq bench /srv"), "{refused}");
        Claim::take(&fake.host(), &disk(&fake, TargetKind::Directory)).unwrap();
    }
}
