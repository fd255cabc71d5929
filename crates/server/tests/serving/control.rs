// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is changed while clients are at work: no client is dropped that may stay.

use crate::file_systems::LoopDevice;
use crate::log_lines::{self, is_logged};
use crate::set_up::{MIB, Place, tenant, until};
use nbd::Command;
use nbd::client::{ClientRequest, Connection, Negotiation};
use rustix::fs::OFlags;
use server::config::{Address, Backing, DiskConfig, Export, ExportSource, Permission, Tls};
use server::control::ControlError;
use server::status::Status;
use server::{Control, Server};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

#[test]
fn weights_tunables_and_schedulers_change_under_load() {
    let place = Place::new();
    let server = place.start();
    let disk = server.status().disks[0].name.clone();
    let mut client = place.client("a");
    for scheduler in ["mq-deadline", "none", "tfq", "bfq:low_latency=0"] {
        server.set_scheduler(&disk, scheduler).expect("a scheduler");
        client.write(0, &[1; 4096]).expect("written");
    }
    server.set_tunable(&disk, "slice_idle", "0").expect("a tunable");
    server.set_weight("a", 500).expect("a weight");
    let status = server.status();
    assert_eq!(status.disks[0].scheduler, "bfq");
    assert!(status.disks[0].tunables.contains(&("slice_idle".into(), "0".into())));
    assert_eq!(status.disks[0].tenants[0].weight, 500);
    for (error, message) in [
        (server.set_weight("aa", 1), "no tenant `aa`; did you mean `a`?"),
        (server.set_weight("a", 0), "weight 0: expected a number from 1 to 10000"),
        (server.set_scheduler("nothing", "bfq"), &format!("no disk `nothing`; there are: {disk}")),
        (server.set_scheduler(&disk, "bfk"), "no scheduler `bfk`; did you mean `bfq`?"),
    ] {
        assert_eq!(error.expect_err(message).to_string(), message);
    }
    assert_eq!(client.read(0, 4096).expect("read"), vec![1; 4096]);
    let slowest = server.explain("a", 3).expect("a tenant");
    assert_eq!(slowest.len(), 3);
    assert!(slowest[0].latency_ns >= slowest[2].latency_ns);
    assert!(!slowest[0].reasons.is_empty());
}

#[test]
fn exports_come_and_go() {
    let place = Place::new();
    let server = place.start();
    server.add_export(place.export("new", "b", MIB)).expect("added");
    place.client("new").write(0, &[1; 512]).expect("written");
    server.set_weight("a", 700).expect("a weight");
    server.add_export(place.export("newer", "b", MIB)).expect("added");
    assert_eq!(server.status().disks[0].tenants[0].weight, 700, "the others stay as they are");
    server.drain_export("newer", Duration::ZERO, true).expect("removed");
    let twice = server.add_export(place.export("new", "b", MIB)).expect_err("it is there");
    assert_eq!(twice.to_string(), "export `new` is there");

    let mut client = place.client("new");
    server.drain_export("new", Duration::from_millis(20), false).expect("drained");
    assert!(client.read(0, 512).is_err(), "it was closed when the time was over");
    assert!(place.try_client("new").is_err(), "and no client comes in");
    server.resume_export("new").expect("resumed");
    place.client("new").read(0, 512).expect("read");

    server.drain_export("new", Duration::from_secs(9), true).expect("removed");
    assert!(place.try_client("new").is_err());
    assert_eq!(server.status().disks[0].exports.len(), 2);
}

/// Exports that were added by hand were once not looked at, and those that were removed were.
#[test]
fn a_file_is_written_by_one_export_of_those_that_are_served() {
    let place = Place::new();
    let server = place.start();
    let new = place.export("new", "b", MIB);
    let same = |name: &str| Export { name: name.into(), ..new.clone() };
    server.add_export(new.clone()).expect("added");
    let twin = server.add_export(same("twin")).expect_err("it is written");
    assert!(matches!(twin, ControlError::Configuration(_)), "{twin:?}");
    assert!(twin.to_string().contains("new is written by [exports.new], too"), "{twin}");
    server.add_export(Export { read_only: true, ..same("reader") }).expect("it only reads");
    server.drain_export("new", Duration::ZERO, true).expect("removed");
    server.add_export(same("twin")).expect("nobody else writes it");
    // By the path that it was opened by it is not found any more.
    fs::rename(place.path("new"), place.path("old")).expect("renamed");
    place.file("new", MIB);
    let old = Export { source: ExportSource::Path(place.path("old")), ..same("old") };
    let written = server.add_export(old).expect_err("it is written").to_string();
    assert!(written.contains("old is what export `twin` writes"), "{written}");
}

/// It was once opened a second time while it was claimed, which the kernel refuses.
#[test]
fn a_device_that_is_written_is_served_otherwise_by_a_reload() {
    let place = Place::new();
    let Some(device) = LoopDevice::attach(&place.file("image", 16 * MIB)) else {
        return eprintln!("skipped: no loop device");
    };
    let mut config = place.config();
    config.exports[0].source = ExportSource::Path(device.0.clone());
    let server = server::start(config.clone(), Vec::new()).expect("a server");
    let mut client = place.client("a");
    client.write(0, &[1; 4096]).expect("written");
    config.exports[0].tenant = "b".into();
    assert_eq!(server.apply(config).expect("applied"), ["export `a` is changed"]);
    until("it is closed", || client.read(0, 4096).is_err());
    until("what it was is closed", || {
        let disks = server.status().disks;
        disks.iter().flat_map(|disk| &disk.exports).filter(|one| one.name == "a").count() == 1
    });
    assert_eq!(place.client("a").read(0, 4096).expect("read"), [1; 4096]);
    let claims =
        fs::OpenOptions::new().write(true).custom_flags(OFlags::EXCL.bits() as i32).open(&device.0);
    assert_eq!(claims.expect_err("it is claimed still").kind(), io::ErrorKind::ResourceBusy);
}

/// Whoever connected once went on writing to the file that was deleted.
#[test]
fn an_export_whose_file_was_replaced_is_opened_anew_by_a_reload() {
    let place = Place::new();
    let server = place.start();
    let mut client = place.client("a");
    client.write(0, &[1; 4096]).expect("written");
    fs::rename(place.file("new", 16 * MIB), place.path("a")).expect("renamed");
    let more = place.export("more", "a", MIB);
    server.add_export(more.clone()).expect("added");
    assert_eq!(client.read(0, 4096).expect("what is added changes no other"), [1; 4096]);
    let mut config = place.config();
    config.exports.push(more);
    assert_eq!(server.apply(config.clone()).expect("applied"), ["export `a` is changed"]);
    until("it is closed", || client.read(0, 4096).is_err());
    assert_eq!(place.client("a").read(0, 4096).expect("read"), [0; 4096]);
    assert_eq!(server.apply(config).expect("applied"), [""; 0]);
}

/// How many descriptors this process has for a file.
fn descriptors(path: &Path) -> usize {
    let all = fs::read_dir("/proc/self/fd").expect("its descriptors");
    all.filter(|one| {
        let link = one.as_ref().map(|one| fs::read_link(one.path()));
        link.is_ok_and(|link| link.is_ok_and(|link| link == *path))
    })
    .count()
}

/// The thread of the disk once waited for the lock itself.
#[test]
fn clients_are_served_while_an_export_waits_for_the_lock_of_its_file() {
    let place = Place::new();
    let server = place.start();
    let locked = place.export("locked", "a", MIB);
    let file = fs::File::open(place.path("locked")).expect("a file");
    file.lock().expect("it is free");
    let mut client = place.client("a");
    let adds = || {
        let (server, locked) = (server.clone(), locked.clone());
        std::thread::spawn(move || server.add_export(locked).expect_err("it is locked"))
    };
    let mut tries = adds();
    let has_it_open = || descriptors(&place.path("locked")) > 1;
    // The server gives up after a number of tries, which a busy machine may miss.
    until("a client is served meanwhile", || {
        if tries.is_finished() {
            tries = adds();
        }
        let before = has_it_open();
        client.read(0, 4096).expect("read");
        before && has_it_open() && !tries.is_finished()
    });
    tries.join().expect("it does not panic");
}

#[test]
fn another_configuration_drops_nobody_who_may_stay() {
    let place = Place::new();
    let server = place.start();
    let (mut stays, mut goes) = (place.client("a"), place.client("b"));
    let mut config = place.config();
    config.tenants[0].weight = 200;
    config.tenants.push(tenant("c", 50));
    config.exports.remove(1);
    config.exports.push(place.export("c", "c", MIB));
    let changes = server.apply(config).expect("applied");
    assert_eq!(
        changes,
        [
            "tenant `a` is changed",
            "tenant `c` is added",
            "export `c` is added",
            "export `b` is removed",
        ]
    );
    stays.write(0, &[3; 4096]).expect("it has stayed");
    place.client("c").read(0, 4096).expect("it is there");
    until("it is closed", || goes.read(0, 4096).is_err());
    assert!(place.try_client("b").is_err());
    let weights: Vec<u32> = server.status().disks[0].tenants.iter().map(|one| one.weight).collect();
    assert_eq!(weights[0], 200);
}

#[test]
fn a_bad_configuration_changes_nothing() {
    let place = Place::new();
    let server = place.start();
    let mut client = place.client("b");
    let before = server.status();
    let mut bad = Vec::new();
    let mut config = place.config();
    config.exports[0].source = ExportSource::Path(place.path("missing"));
    bad.push(config);
    let mut config = place.config();
    config.exports[0].tenant = "nobody".into();
    bad.push(config);
    let mut config = place.config();
    config.tenants[0].parent = Some("b".into());
    bad.push(config);
    let mut config = place.config();
    config.disks.push(DiskConfig {
        name: "x".into(),
        backing: Backing::Emulated { profile: "no-such".into(), size_bytes: MIB },
        scheduler: Some("bfq".into()),
        rate_bytes_per_s: None,
        depth: None,
    });
    bad.push(config);
    let mut config = place.config();
    config.tls = Some(Tls {
        certificate: place.path("missing"),
        key: place.path("missing"),
        client_authority: None,
    });
    bad.push(config);
    for mut config in bad {
        config.tenants.push(tenant("new", 77));
        config.exports.push(place.export("new", "new", MIB));
        server.apply(config).expect_err("refused");
        client.read(0, 4096).expect("it goes on");
        assert!(place.try_client("new").is_err());
    }
    let names = |status: &Status| -> Vec<String> {
        status.disks[0].tenants.iter().map(|tenant| tenant.name.clone()).collect()
    };
    let after = server.status();
    assert_eq!(after.disks[0].exports, before.disks[0].exports);
    assert_eq!(names(&after), names(&before));
}

#[test]
fn a_tenant_that_is_removed_is_gone_with_its_last_export() {
    let place = Place::new();
    let server = place.start();
    let names = || -> Vec<String> {
        server.status().disks[0].tenants.iter().map(|tenant| tenant.name.clone()).collect()
    };
    let mut without = place.config();
    without.tenants.remove(0);
    without.exports.remove(0);
    for _ in 0..3 {
        let mut client = place.client("a");
        client.write(0, &[1; 4096]).expect("written");
        server.apply(without.clone()).expect("applied");
        until("it is closed", || client.read(0, 4096).is_err());
        until("it is gone", || names() == ["b"]);
        server.apply(place.config()).expect("applied");
        assert_eq!(names(), ["b", "a"]);
    }
}

#[test]
fn a_disk_at_work_gets_no_other_name_rate_or_depth() {
    let place = Place::new();
    let server = place.start();
    let found = server.status().disks[0].name.clone();
    let below = |rate_bytes_per_s| DiskConfig {
        name: "data".into(),
        backing: Backing::Below(place.path("a")),
        scheduler: None,
        rate_bytes_per_s,
        depth: None,
    };
    let with = |disk| {
        let mut config = place.config();
        config.disks.push(disk);
        config
    };
    let refused = |config| server.apply(config).expect_err("refused").to_string();
    let mut twins = with(below(None));
    let backing = Backing::Below(place.path("b"));
    twins.disks.push(DiskConfig { name: "twin".into(), backing, ..below(None) });
    let words = server::start(twins, Vec::new()).err().expect("refused").to_string();
    assert!(words.starts_with("[disks.twin] and [disks.data] are the same disk"), "{words}");
    let words = refused(with(below(Some(1_000_000))));
    assert!(words.starts_with(&format!("disk `data`: it is at work under the name `{found}`")));
    server.stop(Duration::ZERO);

    let server = server::start(with(below(Some(1_000_000))), Vec::new()).expect("a server");
    let refused = |config| server.apply(config).expect_err("refused").to_string();
    assert!(refused(place.config()).contains("[disks.data] can only be removed by a restart"));
    assert!(refused(with(below(None))).contains("only its scheduler can be changed"));
    let mut another = with(below(Some(1_000_000)));
    another.disks[0].scheduler = Some("tfq".into());
    server.apply(another).expect("applied");
    until("it is so", || server.status().disks[0].scheduler == "tfq");
}

/// All but the first of a name were once closed, and nothing was said.
#[test]
fn sockets_of_the_service_manager_are_all_taken_or_told_of() {
    let place = Place::new();
    let mut config = place.config();
    config.listeners[0].address = Address::Inherited("unit".into());
    let given = [("unit", "one"), ("stray", "stray"), ("unit", "two")].map(|(name, file)| {
        let socket = UnixListener::bind(place.path(file)).expect("a socket");
        (name.to_owned(), OwnedFd::from(socket))
    });
    let server = server::start(config.clone(), given.into()).expect("a server");
    let serves = |file: &str| {
        let stream = UnixStream::connect(place.path(file)).expect("it listens");
        let negotiation = Negotiation::begin(stream).expect("a greeting");
        negotiation.go("a").expect("an export").read(0, 4096).expect("read");
    };
    for file in ["one", "two"] {
        serves(file);
    }
    is_logged(&["WARN the service manager gave the socket `stray`, which no [[listen]] takes"]);
    config.tenants[0].weight = 200;
    server.apply(config).expect("applied");
    for file in ["one", "two"] {
        serves(file);
    }
}

#[test]
fn a_unix_socket_gets_another_mode() {
    let place = Place::new();
    let server = place.start();
    let mut client = place.client("a");
    let mut config = place.config();
    let address = Address::Unix { path: place.path("socket"), mode: 0o660 };
    config.listeners[0].address = address;
    let changes = server.apply(config.clone()).expect("applied");
    assert_eq!(changes, ["the listening sockets are others"]);
    let mode = fs::metadata(place.path("socket")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o660);
    assert_eq!(server.apply(config).expect("applied"), [""; 0]);
    client.read(0, 4096).expect("it has stayed");
    place.client("b").read(0, 4096).expect("others come");
}

#[test]
fn who_may_not_use_an_export_any_more_has_to_leave() {
    let place = Place::new();
    let server = place.start();
    let (mut stays, mut goes) = (place.client("a"), place.client("b"));
    let own = rustix::process::geteuid().as_raw();
    let mut config = place.config();
    config.exports[0].allow = vec![Permission::User(own)];
    config.exports[1].allow = vec![Permission::User(own + 1)];
    server.apply(config).expect("applied");
    until("it is closed", || goes.read(0, 4096).is_err());
    assert!(place.try_client("b").is_err());
    stays.read(0, 4096).expect("it may stay");
}

/// The disk of the files, held to a rate.
pub fn slow_disk(place: &Place, bytes_per_s: u64) -> DiskConfig {
    DiskConfig {
        name: "slow".into(),
        backing: Backing::Below(place.path("a")),
        scheduler: None,
        rate_bytes_per_s: Some(bytes_per_s),
        depth: None,
    }
}

/// A client of `a` whose read the server has: on a disk of 1 kB/s that takes a quarter of an hour.
pub fn at_a_slow_read(place: &Place, server: &Server) -> Connection<UnixStream> {
    let mut client = place.client("a");
    let command = Command::Read { whole: true };
    let read = ClientRequest { command, fua: false, offset_bytes: 0, length_bytes: MIB };
    client.begin(read, &[]).expect("sent");
    until("the server has it", || {
        let tenant = &server.status().disks[0].tenants[0];
        tenant.waiting + tenant.in_flight > 0
    });
    client
}

#[test]
fn a_server_that_is_stopped_lets_requests_end() {
    let place = Place::new();
    let mut config = place.config();
    config.disks.push(slow_disk(&place, 200_000));
    let server = server::start(config, Vec::new()).expect("a server");
    let mut client = place.client("a");
    let write = |place: u64| ClientRequest {
        command: Command::Write,
        fua: false,
        offset_bytes: place * (64 << 10),
        length_bytes: 64 << 10,
    };
    let writes = (0..4).map(|place| client.begin(write(place), &[1; 64 << 10]).expect("sent"));
    let writes: Vec<u64> = writes.collect();
    until("the server has all of them", || {
        let tenant = &server.status().disks[0].tenants[0];
        tenant.done.writes + u64::from(tenant.waiting + tenant.in_flight) == 4
    });
    server.stop(Duration::from_secs(3600));
    for write in writes {
        assert_eq!(client.finish(write).expect("an answer").error, None);
    }
    assert!(client.read(0, 4096).is_err(), "it was closed");
    assert!(!place.path("socket").exists());
    assert!(server.status().disks.is_empty());
    assert!(server.apply(place.config()).is_err(), "it does not start again");
}

/// The first limit once held, whoever asked for less time.
#[test]
fn a_server_that_is_stopping_takes_a_shorter_limit() {
    let place = Place::new();
    let mut config = place.config();
    config.disks.push(slow_disk(&place, 1000));
    let server = server::start(config, Vec::new()).expect("a server");
    let _client = at_a_slow_read(&place, &server);
    let stops = |limit| {
        let server = server.clone();
        std::thread::spawn(move || server.stop(limit))
    };
    let first = stops(Duration::from_secs(3600));
    until("it stops", || place.try_client("a").is_err());
    assert!(!first.is_finished());
    // The second one once waited for the first, and the third one for both.
    server.stop(Duration::from_secs(1800));
    assert!(!first.is_finished());
    server.stop(Duration::ZERO);
    until("it has stopped", || first.is_finished());
}

/// The clients of one export were once told after those of another had left; meanwhile they went on
/// writing, beside those of the export that came in its place.
#[test]
fn the_clients_of_all_exports_that_go_are_told_at_once() {
    let place = Place::new();
    let mut config = place.config();
    config.disks.push(slow_disk(&place, 1000));
    config.drain_limit = Duration::from_secs(3600);
    let server = server::start(config.clone(), Vec::new()).expect("a server");
    let (_slow, _idle) = (at_a_slow_read(&place, &server), place.client("b"));
    config.exports.clear();
    server.apply(config).expect("applied");
    let connections = |name: &str| {
        let exports = server.status().disks.remove(0).exports;
        exports.iter().filter(|one| one.name == name).map(|one| one.connections).sum::<u32>()
    };
    until("the idle one has left", || connections("b") == 0);
    assert_eq!(connections("a"), 1, "its request is not answered yet");
    server.stop(Duration::ZERO);
}

#[test]
fn what_a_file_has_beyond_its_last_block_is_said() {
    let place = Place::new();
    let mut config = place.config();
    config.exports.push(place.export("odd-size", "a", 10_001));
    let _server = server::start(config, Vec::new()).expect("a server");
    is_logged(&["odd-size", "not served: its size is no multiple of"]);
}

#[test]
fn a_command_that_a_rate_makes_long_does_not_hang() {
    let place = Place::new();
    let mut config = place.config();
    config.disks.push(slow_disk(&place, 200_000));
    config.exports[0].name = "not-hanging".into();
    let _server = server::start(config, Vec::new()).expect("a server");
    place.client("not-hanging").read(0, 256 << 10).expect("1.3 seconds later");
    assert!(!log_lines::has(&["not-hanging", "the disk took"]));
}
