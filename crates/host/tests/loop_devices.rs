// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is found out about real devices: loop devices, mounted and claimed.

mod machine;

use host::{Claim, Disk, DiskCounters, Host, HostError, Layer, Needs, TargetKind};
use host::{Topic, Usage, Wants};
use machine::LoopDevice;
use rustix::fs::OFlags;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Lets no other test of this file run until it is dropped. A process that another test starts has
/// a copy of every open file until its program runs, so that a device which was just closed here
/// may still be claimed.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A filesystem that is mounted; not any more when it is dropped.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn new(device: &LoopDevice, folder: &'a Path) -> Option<Self> {
        let done = |command: &mut Command| match command.output() {
            Ok(output) if output.status.success() => true,
            Ok(output) => {
                eprintln!("skipped: {}", String::from_utf8_lossy(&output.stderr).trim());
                false
            }
            Err(error) => {
                eprintln!("skipped: {command:?}: {error}");
                false
            }
        };
        let made = done(Command::new("mkfs.ext4").arg("-q").arg(&device.node));
        let mounted = made && done(Command::new("mount").arg(&device.node).arg(folder));
        mounted.then(|| Mounted(folder))
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        assert!(Command::new("umount").arg(self.0).status().is_ok_and(|status| status.success()));
    }
}

fn claim(device: &LoopDevice) -> Result<Claim, HostError> {
    Claim::take(&Host::here(), &Disk::behind(&device.node).unwrap())
}

#[test]
fn a_loop_device_is_described() {
    let _alone = alone();
    let Some(device) = LoopDevice::new() else { return };
    let disk = Disk::behind(&device.node).unwrap();
    assert_eq!(disk.target.kind, TargetKind::BlockDevice);
    assert_eq!(disk.queue, device.queue());
    assert_eq!(disk.size_bytes, 64 << 20);
    assert!(disk.schedulers.contains(&disk.current));
    assert_eq!(disk.logical_block_bytes, 512);
    let before = DiskCounters::of(&disk).unwrap();
    std::fs::read(&device.node).unwrap();
    let load = before.load_until(&DiskCounters::of(&disk).unwrap(), Duration::from_secs(1));
    assert!(load.bytes_per_s >= disk.size_bytes as f64, "{load}");
}

#[test]
fn a_mounted_device_is_refused_and_its_folder_is_taken() {
    let _alone = alone();
    let Some(device) = LoopDevice::new() else { return };
    let folder = tempfile::tempdir().unwrap();
    let Some(_mounted) = Mounted::new(&device, folder.path()) else { return };
    let refused = claim(&device).unwrap_err();
    let HostError::InUse { usage: Usage::Mounted { folder: told, .. }, .. } = &refused else {
        panic!("{refused}");
    };
    assert_eq!(told, folder.path());

    let disk = Disk::behind(folder.path()).unwrap();
    assert_eq!(disk.queue, device.queue());
    assert_eq!(disk.filesystem.as_deref(), Some("ext4"));
    assert_eq!(
        disk.layers.last().map(Layer::to_string).unwrap().split(' ').next(),
        Some(&*disk.name)
    );
    let journals = std::env::temp_dir();
    let wants = Wants { scratch_bytes: 1 << 30, allow_write: false, journals };
    let needs = Needs::of(&Host::here(), &disk, &wants, None).unwrap();
    assert_eq!(needs.obstacle().map(|need| need.topic), Some(Topic::Space));
}

#[test]
fn who_has_claimed_a_device_without_mounting_it_is_noticed() {
    let _alone = alone();
    let Some(device) = LoopDevice::new() else { return };
    let flags = OFlags::EXCL.bits().cast_signed();
    let other = OpenOptions::new().read(true).custom_flags(flags).open(&device.node).unwrap();
    let refused = claim(&device).unwrap_err();
    assert!(matches!(refused, HostError::InUse { usage: Usage::Claimed, .. }), "{refused}");
    drop(other);
    let ours = claim(&device).unwrap();
    let refused = OpenOptions::new().read(true).custom_flags(flags).open(&device.node).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ResourceBusy);
    let refused = claim(&device).unwrap_err();
    assert!(matches!(refused, HostError::DiskTaken { .. }), "{refused}");
    drop(ours);
    claim(&device).unwrap();
}
