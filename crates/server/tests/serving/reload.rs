// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reload meets that is at work: disks, and exports that were changed or removed and have
//! clients still.

use crate::control::{at_a_slow_read, slow_disk};
use crate::set_up::{MIB, Place, until};
use server::Control;
use server::config::{Backing, Config, DiskConfig, ExportSource};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

fn disk(name: &str, backing: Backing) -> DiskConfig {
    DiskConfig { name: name.into(), backing, scheduler: None, rate_bytes_per_s: None, depth: None }
}

fn emulated(name: &str) -> DiskConfig {
    let profile = "reference-ssd".into();
    disk(name, Backing::Emulated { profile, size_bytes: 16 * MIB })
}

/// A file full of a byte.
fn file_of(path: PathBuf, byte: u8) -> ExportSource {
    fs::write(&path, vec![byte; MIB as usize]).expect("a file");
    ExportSource::Path(path)
}

/// A folder on another disk than this one, if there is one.
fn elsewhere(here: &Path) -> Option<TempDir> {
    let folder = tempfile::tempdir_in("/dev/shm").ok()?;
    let device = |path: &Path| fs::metadata(path).expect("a folder").dev();
    (device(folder.path()) != device(here)).then_some(folder)
}

/// A disk that was found once had the name that a table gives another one, and clients of the one
/// read and wrote what lies on the other.
#[test]
fn a_disk_that_is_found_has_no_name_of_another_one() {
    let place = Place::new();
    let found = place.start().status().disks[0].name.clone();
    let Some(folder) = elsewhere(place.folder.path()) else {
        return eprintln!("skipped: no other file system");
    };
    let mut below = place.config();
    below.disks = vec![disk(&found, Backing::Below(folder.path().to_path_buf()))];
    below.exports[0].source = file_of(place.path("a"), 1);
    below.exports[1].source = file_of(folder.path().join("b"), 2);
    let mut emulates = place.config();
    emulates.disks = vec![emulated(&found)];
    emulates.exports[0].source = file_of(place.path("a"), 1);
    emulates.exports[1].source = ExportSource::Emulated { disk: found, size_bytes: MIB };
    for (config, of_b) in [(below, 2), (emulates, 0)] {
        let server = server::start(config.clone(), Vec::new()).expect("a server");
        let reads = |name: &str| place.client(name).read(0, 512).expect("read")[0];
        assert_eq!((reads("a"), reads("b")), (1, of_b));
        let mut more = place.export("c", "a", MIB);
        more.source = file_of(place.path("c"), 3);
        server.add_export(more).expect("added");
        assert_eq!((reads("a"), reads("b"), reads("c")), (1, of_b, 3));
        let disks = server.status().disks;
        assert_eq!(disks.len(), 2);
        assert_ne!(disks[0].name, disks[1].name);
        server.drain_export("a", Duration::ZERO, true).expect("removed");
        assert!(place.try_client("a").is_err());
        assert_eq!((reads("b"), reads("c")), (of_b, 3));
        server.apply(config).expect("applied");
        assert_eq!((reads("a"), reads("b")), (1, of_b));
        server.stop(Duration::ZERO);
    }
}

/// Its memory was once given back with what it was before, and nothing was said.
#[test]
fn an_emulated_export_that_is_changed_has_what_was_written() {
    let place = Place::new();
    let mut config = place.config();
    config.disks = vec![emulated("memory")];
    for export in &mut config.exports {
        export.source = ExportSource::Emulated { disk: "memory".into(), size_bytes: MIB };
    }
    let server = server::start(config.clone(), Vec::new()).expect("a server");
    place.client("a").write(4096, &[7; 4096]).expect("written");
    config.exports[0].tenant = "b".into();
    server.apply(config.clone()).expect("applied");
    config.exports[0].read_only = true;
    assert_eq!(server.apply(config).expect("applied"), ["export `a` is changed"]);
    assert_eq!(place.client("a").read(0, 8192).expect("read")[4095..4097], [0, 7]);
    assert_eq!(place.client("b").read(4096, 512).expect("read"), [0; 512]);
}

/// A disk without other exports was once forgotten: the file was locked by this very server, and
/// what its clients did was not to be seen.
#[test]
fn an_export_comes_again_while_clients_of_what_it_was_have_not_left() {
    let place = Place::new();
    let mut config = place.config();
    config.drain_limit = Duration::from_secs(3600);
    config.disks = vec![slow_disk(&place, 1000)];
    let server = server::start(config.clone(), Vec::new()).expect("a server");
    let _client = at_a_slow_read(&place, &server);
    let nothing = Config { disks: Vec::new(), exports: Vec::new(), ..config.clone() };
    server.apply(nothing.clone()).expect("applied");
    let draining = || -> Vec<bool> {
        let disks = server.status().disks;
        assert_eq!(disks.len(), 1);
        assert_eq!(disks[0].name, "slow");
        disks[0].exports.iter().filter(|one| one.name == "a").map(|one| one.draining).collect()
    };
    until("it is told", || draining() == [true]);
    // What is told of can also be asked and changed, while its tenants are there and afterwards.
    server.set_tunable("slow", "slice_idle", "0").expect("a disk");
    assert_eq!(server.explain("a", 1), Ok(Vec::new()));
    let weights = || -> Vec<(String, u32)> {
        let tenants = server.status().disks.remove(0).tenants.into_iter();
        tenants.map(|tenant| (tenant.name, tenant.weight)).collect()
    };
    server.set_weight("b", 700).expect("a weight");
    assert_eq!(weights(), [("a".into(), 100), ("b".into(), 700)]);
    let mut one = nothing.clone();
    one.tenants.pop();
    server.apply(one).expect("applied");
    until("tenant `b` has left", || weights().len() == 1);
    server.apply(nothing).expect("applied");
    assert_eq!(server.set_weight("b", 500), Ok(()));
    assert_eq!(server.explain("b", 1), Ok(Vec::new()));
    assert_eq!(weights(), [("a".into(), 100)]);
    let found = Config { disks: Vec::new(), ..config.clone() };
    let refused = server.apply(found).expect_err("it has a rate").to_string();
    assert!(refused.contains("[disks.slow] can only be removed by a restart"), "{refused}");

    server.apply(config).expect("applied");
    assert_eq!(draining(), vec![true, false]);
    place.try_client("a").expect("it is served");
    server.stop(Duration::ZERO);
}
