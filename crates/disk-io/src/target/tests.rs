// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is opened, refused, created and left behind.

use super::*;
use crate::pattern::pattern_at;
use std::ops::ControlFlow;
use std::os::unix::net::UnixListener;
use std::process::Command;
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn settings(path: &Path) -> TargetSettings {
    TargetSettings {
        path: path.to_path_buf(),
        size_bytes: None,
        writes: false,
        allow_write: false,
        direct: true,
        keep: false,
    }
}

fn go_on(_done_bytes: u64, _total_bytes: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn open(settings: &TargetSettings) -> Result<Target, TargetError> {
    Target::open(settings, &mut go_on)
}

fn refusal(settings: &TargetSettings) -> String {
    let error = open(settings).expect_err("this target must be refused");
    assert!(error.is_usage(), "{error}");
    error.to_string()
}

fn entries(folder: &TempDir) -> Vec<String> {
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

fn file_of(folder: &TempDir, size_bytes: u64) -> PathBuf {
    let path = folder.path().join("existing");
    fs::write(&path, vec![0xee; size_bytes as usize]).unwrap();
    path
}

#[test]
fn a_created_target_is_full_of_data_and_never_stays_behind() {
    let folder = folder();
    let path = folder.path().join("new");
    let created =
        TargetSettings { size_bytes: Some(3 * MIB + 4096 + 17), writes: true, ..settings(&path) };
    let target = open(&created).unwrap();
    assert_eq!(target.kind(), StorageKind::CreatedFile);
    assert_eq!(target.capacity_bytes(), 3 * MIB + 4096, "whole blocks");
    assert!(entries(&folder).is_empty(), "it has no name, so nothing can leave it behind");
    let metadata = target.file.metadata().unwrap();
    assert!(metadata.blocks() * 512 >= target.capacity_bytes(), "it takes up its room");
    let mut bytes = vec![0; target.capacity_bytes() as usize];
    let plain =
        File::open(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&*target.file)));
    std::os::unix::fs::FileExt::read_exact_at(&plain.unwrap(), &mut bytes, 0).unwrap();
    assert!(bytes.iter().zip(0..).all(|(&byte, at)| byte == pattern_at(at)));
}

#[test]
fn a_kept_target_is_there_afterwards_and_whole() {
    let folder = folder();
    let path = folder.path().join("kept");
    let kept = TargetSettings { size_bytes: Some(2 * MIB), keep: true, ..settings(&path) };
    drop(open(&kept).unwrap());
    assert_eq!(entries(&folder), ["kept"]);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, 2 * MIB);
    assert!(bytes.iter().zip(0..).all(|(&byte, at)| byte == pattern_at(at)));
    // And now it is an existing file like any other.
    let again = open(&TargetSettings { keep: false, ..kept }).unwrap();
    assert_eq!(again.kind(), StorageKind::File);
    drop(again);
    assert_eq!(entries(&folder), ["kept"]);
}

#[test]
fn an_interrupted_fill_leaves_nothing() {
    for keep in [false, true] {
        let folder = folder();
        let path = folder.path().join("new");
        let created = TargetSettings { size_bytes: Some(8 * MIB), keep, ..settings(&path) };
        let mut told = Vec::new();
        let mut stop_at_half = |done_bytes, total_bytes| {
            told.push((done_bytes, total_bytes));
            if done_bytes < 4 * MIB { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let error = Target::open(&created, &mut stop_at_half).unwrap_err();
        assert!(matches!(error, TargetError::Interrupted { .. }), "{error}");
        assert!(entries(&folder).is_empty());
        let expected: Vec<_> = (0..=4).map(|i| (i * MIB, 8 * MIB)).collect();
        assert_eq!(told, expected);
    }
}

#[test]
fn what_cannot_be_a_target_is_refused_in_words() {
    let folder = folder();
    let path = folder.path().join("socket");
    let _listener = UnixListener::bind(&path).unwrap();
    let missing = folder.path().join("missing");
    let table = [
        (folder.path().to_path_buf(), "is a directory; expected a file or a block device"),
        (path, "is a socket; expected"),
        (PathBuf::from("/dev/null"), "is a character device; expected"),
        (missing, "does not exist; --size SIZE creates it"),
    ];
    for (path, message) in table {
        let said = refusal(&settings(&path));
        assert!(said.contains(message), "{said}");
        assert!(said.contains(path.to_str().unwrap()), "{said}");
    }
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let folder = folder();
    let existing = file_of(&folder, MIB);
    let size =
        |path: &Path, size_bytes| TargetSettings { size_bytes: Some(size_bytes), ..settings(path) };
    let said = refusal(&size(&existing, MIB + 1));
    assert!(said.contains("has 1048576 bytes, less than the 1048577"), "{said}");
    let said = refusal(&size(&existing, 4095));
    assert!(said.contains("4095 bytes is too small; expected 4096 or more"), "{said}");
    let said = refusal(&size(&folder.path().join("new"), 0));
    assert!(said.contains("0 bytes is too small"), "{said}");
    let said = refusal(&size(&folder.path().join("no/such/folder"), MIB));
    assert!(said.contains("there is no such folder"), "{said}");
    let empty = folder.path().join("empty");
    File::create(&empty).unwrap();
    let said = refusal(&settings(&empty));
    assert!(said.contains("0 bytes is too small"), "{said}");
    assert_eq!(entries(&folder).len(), 2, "nothing was created");
}

#[test]
fn a_size_larger_than_the_disk_is_refused_and_leaves_nothing() {
    let folder = folder();
    let path = folder.path().join("new");
    for keep in [false, true] {
        let huge = TargetSettings { size_bytes: Some(1 << 60), keep, ..settings(&path) };
        // A file system that cannot say beforehand what it has room for must not be filled up.
        let mut give_up = |done_bytes, _| match done_bytes < 8 * MIB {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let error = Target::open(&huge, &mut give_up).unwrap_err();
        if matches!(error, TargetError::Interrupted { .. }) {
            eprintln!("skipped: this file system does not reserve room");
            return;
        }
        assert!(matches!(error, TargetError::Full { .. }), "{error}");
        assert!(!error.is_usage());
        assert!(entries(&folder).is_empty());
    }
}

#[test]
fn an_existing_file_is_only_written_to_when_that_is_allowed() {
    let folder = folder();
    let path = file_of(&folder, MIB);
    let writes = TargetSettings { writes: true, ..settings(&path) };
    let said = refusal(&writes);
    assert!(said.contains("--allow-write lets them overwrite its data"), "{said}");

    let allowed = TargetSettings { allow_write: true, ..writes };
    let target = open(&allowed).unwrap();
    assert_eq!((target.kind(), target.capacity_bytes()), (StorageKind::File, MIB));
    assert!(fs::read(&path).unwrap().iter().all(|&byte| byte == 0xee), "opening writes nothing");

    // Jobs that only read get a descriptor that cannot write, whatever is allowed.
    let reader = open(&TargetSettings { writes: false, ..allowed }).unwrap();
    let access = rustix::fs::fcntl_getfl(&*reader.file).unwrap() & OFlags::ACCMODE;
    assert_eq!(access, OFlags::RDONLY);
}

#[test]
fn a_target_that_cannot_be_written_is_told_before_the_run() {
    // A kernel attribute for reading only: not even root may open it for writing.
    let path = Path::new("/sys/kernel/uevent_seqnum");
    if !path.exists() {
        eprintln!("skipped: no /sys here");
        return;
    }
    let writes = TargetSettings { writes: true, allow_write: true, ..settings(path) };
    let said = refusal(&writes);
    assert!(said.contains("uevent_seqnum cannot be opened for writing: "), "{said}");
}

#[test]
fn a_size_uses_only_the_beginning_of_an_existing_file() {
    let folder = folder();
    let path = file_of(&folder, MIB);
    let part = TargetSettings { size_bytes: Some(64 << 10), ..settings(&path) };
    assert_eq!(open(&part).unwrap().capacity_bytes(), 64 << 10);
    // The tail that is no whole block is not used either.
    let odd = file_of(&folder, 10_000);
    let target = open(&settings(&odd)).unwrap();
    assert_eq!(target.capacity_bytes(), 10_000 - 10_000 % u64::from(target.block_bytes()));
}

#[test]
fn holes_are_mentioned() {
    let folder = folder();
    let path = folder.path().join("sparse");
    File::create(&path).unwrap().set_len(MIB).unwrap();
    let notes = open(&settings(&path)).unwrap().notes().join("\n");
    assert!(notes.contains("has holes"), "{notes}");
}

#[test]
fn without_direct_io_the_target_says_so_and_takes_any_sector() {
    let folder = folder();
    let path = file_of(&folder, MIB);
    let target = open(&TargetSettings { direct: false, ..settings(&path) }).unwrap();
    assert_eq!((target.direct(), target.block_bytes()), (false, 512));
    assert_eq!(target.notes(), [] as [&str; 0], "it was not asked for, so it is no news");
    target.settle().unwrap();
}

#[test]
fn a_mounted_device_is_read_but_not_written() {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let devices = table.lines().filter_map(|line| line.split(" - ").nth(1)?.split(' ').nth(1));
    let mounted = devices.map(Path::new).find(|path| {
        fs::metadata(path).is_ok_and(|m| m.file_type().is_block_device())
            && File::open(path).is_ok()
    });
    let Some(path) = mounted else {
        eprintln!("skipped: no mounted block device that may be opened");
        return;
    };
    let target = open(&settings(path)).unwrap();
    assert_eq!(target.kind(), StorageKind::BlockDevice);
    assert!(target.capacity_bytes() > 0);
    let writes = TargetSettings { writes: true, ..settings(path) };
    assert!(refusal(&writes).contains("--allow-write"));
    // Opened for nothing but the claim; nothing would be written even if it were granted.
    let said = refusal(&TargetSettings { allow_write: true, ..writes });
    assert!(said.contains("is in use") || said.contains("cannot be opened for writing"), "{said}");
}

#[test]
fn an_idle_device_is_a_target() {
    let folder = folder();
    let backing = file_of(&folder, 4 * MIB);
    let Some(device) = LoopDevice::attach(&backing) else { return };
    let target = open(&settings(&device.0)).unwrap();
    assert_eq!((target.kind(), target.capacity_bytes()), (StorageKind::BlockDevice, 4 * MIB));
    drop(target);
    let writes = TargetSettings { writes: true, allow_write: true, ..settings(&device.0) };
    let target = open(&writes).unwrap();
    // Claimed by us: a second writer is told so.
    assert!(refusal(&writes).contains("is in use"));
    let again = target.again().unwrap();
    drop(target);
    assert!(refusal(&writes).contains("is in use"), "the claim is that of both handles");
    drop(again);
    open(&writes).unwrap();
}

#[test]
fn another_handle_has_the_size_of_now() {
    let folder = folder();
    let path = file_of(&folder, MIB);
    let target = open(&settings(&path)).unwrap();
    file_of(&folder, 2 * MIB);
    let again = target.again().unwrap();
    assert_eq!((target.capacity_bytes(), again.capacity_bytes()), (MIB, 2 * MIB));
    file_of(&folder, 100);
    target.again().unwrap_err();
}

/// A file that was to be kept once stayed, filled, when what the target can do was not found out.
#[test]
fn a_file_of_which_no_target_could_be_made_is_gone_again() {
    let folder = folder();
    for (keep, is_made, stays) in [(true, false, false), (true, true, true), (false, false, true)] {
        let path = folder.path().join("new");
        fs::write(&path, "data").unwrap();
        let error = || TargetError::Missing { path: path.clone() };
        let made = if is_made { Ok(()) } else { Err(error()) };
        assert_eq!(create::kept_with(made, &path, keep).is_ok(), is_made);
        assert_eq!(path.exists(), stays, "{keep} {is_made}: only what is ours is removed");
    }
}

/// A block device made of a file; only root can have one.
struct LoopDevice(PathBuf);

impl LoopDevice {
    fn attach(backing: &Path) -> Option<LoopDevice> {
        let made = Command::new("losetup").args(["--find", "--show"]).arg(backing).output();
        match made {
            Ok(output) if output.status.success() => {
                let path = String::from_utf8(output.stdout).unwrap();
                Some(LoopDevice(PathBuf::from(path.trim())))
            }
            Ok(output) => {
                let why = String::from_utf8_lossy(&output.stderr).into_owned();
                eprintln!("skipped: no loop device: {}", why.trim());
                None
            }
            Err(error) => {
                eprintln!("skipped: no losetup: {error}");
                None
            }
        }
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

#[test]
fn holes_are_told_from_what_is_stored() {
    let folder = folder();
    let path = folder.path().join("sparse");
    let file = File::create(&path).unwrap();
    file.set_len(4 * MIB).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &[1; 4096], 2 * MIB).unwrap();
    let target = open(&settings(&path)).unwrap();
    let stored = target.stored(0).unwrap();
    if !stored.is_hole {
        eprintln!("skipped: this file system does not tell holes");
        return;
    }
    assert_eq!(stored.until_bytes, 2 * MIB);
    let data = target.stored(2 * MIB).unwrap();
    assert!(!data.is_hole && data.until_bytes > 2 * MIB, "{data:?}");
    let rest = target.stored(data.until_bytes).unwrap();
    assert_eq!(rest, Stored { is_hole: true, until_bytes: 4 * MIB });
}
