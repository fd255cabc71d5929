// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports that change while others drain them, and what is told of a disk that cannot go on.

use super::super::start;
use super::*;
use crate::config::{Address, Listener, Machine, TlsPolicy};
use crate::disk::{DiskRequest, Operation};
use crate::drive::ServedDisk;
use crate::identity::identity_of;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread::sleep;

/// A configuration of emulated disks, of a server whom no client reaches.
fn read(text: &str) -> Config {
    let mut config = Config::parse(text, "f", Path::new("/"), &Machine).expect("a configuration");
    config.listeners.clear();
    config
}

fn serve(text: &str) -> Arc<Server> {
    start(read(text), Vec::new()).expect("a server")
}

/// One emulated disk with an export.
const ONE: &str = "
    [disks.disk]
    emulate = 'ssd-sata'
    [exports.a]
    disk = 'disk'
    size = '16MiB'
";

/// An export was once removed by its name after its clients had been waited for, whichever had
/// that name by then.
#[test]
fn an_export_that_took_the_place_of_one_that_was_drained_stays() {
    let server = serve(ONE);
    let first = server.export("a").expect("an export");
    let disk = first.disk.clone();
    server.drain_export("a", Duration::ZERO, true).expect("removed");
    server.add_export(first.spec.clone()).expect("added");
    let second = server.export("a").expect("an export");
    assert_ne!(first.key, second.key);

    // What a drain that began with the first one does at its end.
    exports::drain(&[(&disk, first.key)], Instant::now);
    assert!(matches!(server.take_off(&mut server.running(), &first), Ok(false)));
    exports::remove((&disk, first.key));
    let still = server.export("a").expect("the second export");
    assert_eq!(still.key, second.key);
    assert!(!server.status().disks[0].exports[0].draining);
}

#[test]
fn who_drains_an_export_that_is_resumed_neither_removes_it_nor_is_told_that_it_is_drained() {
    for remove in [false, true] {
        let server = serve(ONE);
        let export = server.export("a").expect("an export");
        let disk = export.disk.clone();
        let connect = move |worker: &mut Worker| worker.disk.state.connect(0, export.key).is_ok();
        assert_eq!(disk.handle.ask(connect), Ok(true));
        let other = Arc::clone(&server);
        let limit = Duration::from_secs(3600);
        let drains = std::thread::spawn(move || {
            other.drain_export("a", limit, remove).map_err(|error| error.to_string())
        });
        let is_draining = || server.status().disks[0].exports[0].draining;
        while !is_draining() {
            sleep(Duration::from_millis(10));
        }
        server.resume_export("a").expect("resumed");
        let refused = drains.join().expect("it does not panic");
        assert_eq!(refused, Err("export `a` takes connections again: it stays".to_owned()));
        assert_eq!((is_draining(), server.status().disks[0].exports[0].connections), (false, 1));
    }
}

/// A stop once ended without those whose export was being drained after a reload.
#[test]
fn a_stop_waits_for_clients_of_exports_that_a_reload_has_removed() {
    let server = serve(&format!("{ONE}\n[exports.b]\ndisk = 'disk'\nsize = '16MiB'"));
    let removed = server.export("b").expect("an export");
    let disk = removed.disk.clone();
    let connect = move |worker: &mut Worker| worker.disk.state.connect(0, removed.key);
    let client = disk.handle.ask(connect).expect("it runs").expect("a client");
    let mut config = read(ONE);
    config.drain_limit = Duration::from_secs(3600);
    assert_eq!(server.apply(config).expect("applied")[1..], ["export `b` is removed"]);

    let (other, has_left) = (Arc::clone(&server), Arc::new(AtomicBool::new(false)));
    let has_left_there = Arc::clone(&has_left);
    let stops = std::thread::spawn(move || {
        other.stop(Duration::from_secs(3600));
        has_left_there.load(Ordering::SeqCst)
    });
    while server.shared.registry().stops_at.is_none() {
        sleep(Duration::from_millis(1));
    }
    // Far longer than a stop takes that waits for nobody.
    sleep(Duration::from_millis(200));
    has_left.store(true, Ordering::SeqCst);
    disk.handle.tell(move |worker| worker.disk.state.disconnect(1, client));
    drop(disk);
    assert!(stops.join().expect("it does not panic"), "it did not wait");
}

/// What was compared was once the new file with the old one.
#[test]
fn what_was_changed_by_hand_becomes_as_the_file_says_when_that_is_read_again() {
    const AS_THE_FILE_SAYS: [&str; 1] = ["disk `disk` has the scheduler of its kind of disk"];
    let server = serve(ONE);
    let told = || server.apply(read(ONE)).expect("applied");
    let scheduler = || server.status().disks[0].scheduler.clone();
    let tunables = server.status().disks[0].tunables.clone();
    server.set_scheduler("disk", "mq-deadline").expect("a scheduler");
    let mut more = read(ONE).exports[0].clone();
    "b".clone_into(&mut more.name);
    server.add_export(more).expect("added");
    assert_eq!(scheduler(), "mq-deadline", "one more export changes nothing else");
    server.drain_export("a", Duration::ZERO, false).expect("drained");
    assert_eq!(
        told(),
        [AS_THE_FILE_SAYS[0], "export `a` takes connections again", "export `b` is removed",]
    );
    assert!(!server.status().disks[0].exports[0].draining);
    server.set_tunable("disk", "slice_idle", "0").expect("a tunable");
    assert_eq!(told(), AS_THE_FILE_SAYS);
    assert_eq!((scheduler(), &server.status().disks[0].tunables), ("bfq".into(), &tunables));
    assert_eq!(told(), [""; 0]);
}

/// The requests of an export that goes were once waited for under the lock that everything else
/// needs which changes the server.
#[test]
fn who_waits_for_the_requests_of_an_export_that_goes_holds_up_nobody_else() {
    // A read of 1 MiB takes this disk a quarter of an hour.
    let server = serve(&ONE.replace("'ssd-sata'", "'ssd-sata'\nrate = '1kB/s'"));
    let export = server.export("a").expect("an export");
    let disk = export.disk.clone();
    let ask = move |worker: &mut Worker| {
        let now_ns = worker.now_ns();
        let ServedDisk { state, .. } = &mut worker.disk;
        let client = state.connect(now_ns, export.key).expect("a client");
        let charge = state.admit(client, 1 << 20).expect("room");
        let request = DiskRequest {
            cookie: 1,
            operation: Operation::Read,
            offset_bytes: 0,
            length_bytes: 1 << 20,
            durable: false,
        };
        state.submit(now_ns, client, request, charge);
        worker.disk.step(now_ns).expect("the disk works");
        worker.disk.state.disconnect(now_ns, client);
        worker.disk.state.is_busy(export.key)
    };
    assert_eq!(disk.handle.ask(ask), Ok(true));

    let other = Arc::clone(&server);
    let removes = std::thread::spawn(move || other.drain_export("a", Duration::ZERO, true));
    while server.export("a").is_ok() {
        sleep(Duration::from_millis(10));
    }
    server.set_weight("a", 200).expect("it does not wait");
    let key = export.key;
    assert_eq!(disk.handle.ask(move |worker| worker.disk.state.is_busy(key)), Ok(true));
    disk.handle.tell(|_| panic!("the test ends this thread"));
    removes.join().expect("it ends with the disk").expect("removed");
}

/// The first socket once had its new permissions all the same.
#[test]
fn no_socket_has_other_permissions_if_one_cannot_have_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let config = |mode: u32| {
        let mut config = read(ONE);
        config.listeners = ["one", "two"]
            .map(|name| Listener {
                address: Address::Unix { path: path(name), mode },
                tls: TlsPolicy::Off,
            })
            .to_vec();
        config
    };
    let server = start(config(0o600), Vec::new()).expect("a server");
    fs::remove_file(path("two")).expect("a socket");
    server.apply(config(0o666)).expect_err("a socket is not there");
    let mode = fs::metadata(path("one")).expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_disk_whose_thread_has_ended_is_told_of_and_the_others_go_on() {
    let text = "
        [disks.lost]
        emulate = 'ssd-sata'
        [disks.kept]
        emulate = 'ssd-sata'
        [exports.a]
        disk = 'lost'
        size = '16MiB'
        [exports.b]
        disk = 'kept'
        size = '16MiB'
    ";
    let server = serve(text);
    assert!(server.status().disks.iter().all(|disk| !disk.ended));

    server.disk("lost").expect("a disk").handle.tell(|_| panic!("the test ends this thread"));
    let ended = || -> Vec<String> {
        let disks = server.status().disks.into_iter();
        disks.filter(|disk| disk.ended).map(|disk| disk.name).collect()
    };
    while ended().is_empty() {
        sleep(Duration::from_millis(10));
    }
    assert_eq!(ended(), ["lost"]);
    let mut disks = server.status().disks.into_iter();
    let kept = disks.find(|disk| disk.name == "kept").expect("the other disk");
    assert_eq!(kept.exports[0].name, "b");
    server.set_weight("b", 700).expect("a weight");
    let kept = server.disk("kept").expect("a disk").handle;
    let weight = kept.ask(|worker| worker.disk.state.status(0).tenants[1].weight);
    assert_eq!(weight, Ok(700));
    assert_eq!(server.explain("b", 1).expect("a tenant").len(), 0);
}

/// The disk of an export was once looked for by where its path leads now: one more export, and it
/// was lost.
#[test]
fn an_export_keeps_its_disk_when_its_path_leads_to_another_one() {
    let (folder, memory) = (tempfile::tempdir(), tempfile::tempdir_in("/dev/shm"));
    let (Ok(folder), Ok(memory)) = (folder, memory) else {
        return println!("left out: there is no file system in memory");
    };
    let identity = |folder: &Path| identity_of(folder).expect("a folder").is;
    if identity(folder.path()) == identity(memory.path()) {
        return println!("left out: there is one file system only");
    }
    let file = |path: PathBuf| {
        fs::write(&path, [0; 4096]).expect("a file");
        path
    };
    let (here, there) = (file(folder.path().join("a")), file(memory.path().join("a")));
    let link = folder.path().join("link");
    symlink(&here, &link).expect("a link");
    for table in ["", "[disks.disk]\nbelow = 'LINK'\n"] {
        let text = format!("{table}[exports.a]\npath = 'LINK'");
        let server = serve(&text.replace("LINK", &link.display().to_string()));
        let export = server.export("a").expect("an export");
        let disk = export.disk.clone();
        fs::remove_file(&link).and_then(|()| symlink(&there, &link)).expect("another link");
        let mut more = export.spec.clone();
        "b".clone_into(&mut more.name);
        more.source = ExportSource::Path(file(memory.path().join("b")));
        server.add_export(more).expect("added");
        let still = server.export("a").expect("it is served still");
        assert_eq!((still.key, still.is), (export.key, export.is));
        assert!(Arc::ptr_eq(&still.disk.handle, &disk.handle), "with {table:?}");
        let other = server.export("b").expect("an export").disk;
        assert_ne!(other.identity, disk.identity);
        fs::remove_file(&link).and_then(|()| symlink(&here, &link)).expect("the first link");
    }
}

/// The disk once kept it below the parent that it had, and the answer said that it was added.
#[test]
fn a_tenant_that_is_still_leaving_does_not_come_again_below_another_one() {
    const ALL: &str = "
        [disks.disk]
        emulate = 'ssd-sata'
        [tenants.p]
        [tenants.q]
        [exports.p]
        disk = 'disk'
        size = '16MiB'
    ";
    let below = |parent: &str| {
        let tenant = format!("[tenants.c]\nparent = '{parent}'\n");
        read(&format!("{ALL}{tenant}[exports.c]\ndisk = 'disk'\nsize = '16MiB'"))
    };
    let server = start(below("p"), Vec::new()).expect("a server");
    let export = server.export("c").expect("an export");
    let key = export.key;
    let connect = move |worker: &mut Worker| worker.disk.state.connect(0, key);
    let client = export.disk.handle.ask(connect).expect("it runs").expect("a client");
    let mut without = read(ALL);
    without.drain_limit = Duration::from_secs(3600);
    server.apply(without).expect("applied");
    let refused = server.apply(below("q")).expect_err("it is leaving").to_string();
    assert!(refused.starts_with("tenant `c`: it is still leaving"), "{refused}");

    export.disk.handle.tell(move |worker| worker.disk.state.disconnect(1, client));
    while server.apply(below("q")).is_err() {
        sleep(Duration::from_millis(10));
    }
    let tenants = server.status().disks.remove(0).tenants;
    let tenant = tenants.iter().find(|tenant| tenant.name == "c").expect("a tenant");
    assert_eq!(tenant.parent.as_deref(), Some("q"));
}

/// The byte that a block of an export is full of, after this one was written if one is given. The
/// client that asks stays.
fn block_of(export: &ExportEntry, written: Option<u8>) -> u8 {
    let key = export.key;
    let asks = move |worker: &mut Worker| {
        let now_ns = worker.now_ns();
        let state = &mut worker.disk.state;
        let client = state.connect(now_ns, key).expect("a client");
        let write = written.map(|byte| {
            let mut data = state.buffer(4096);
            data.fill(byte);
            Operation::Write(data)
        });
        let mut read = None;
        for operation in write.into_iter().chain([Operation::Read]) {
            let (offset_bytes, length_bytes) = (0, 4096);
            let request =
                DiskRequest { cookie: 1, operation, offset_bytes, length_bytes, durable: false };
            let charge = worker.disk.state.admit(client, length_bytes).expect("room");
            let now_ns = worker.now_ns();
            worker.disk.state.submit(now_ns, client, request, charge);
            let answer = loop {
                if let Some(answer) = worker.disk.state.take_answer() {
                    break answer;
                }
                let now_ns = worker.now_ns();
                worker.disk.step(now_ns).expect("the disk works");
            };
            worker.disk.state.release(answer.charge);
            read = answer.result.expect("it ends well");
        }
        read.expect("data")[0]
    };
    export.disk.handle.ask(asks).expect("it runs")
}

/// Any export of its name and size whose clients had not left once gave it its memory, also one of
/// another tenant.
#[test]
fn an_emulated_export_has_nothing_of_one_that_it_does_not_replace() {
    let config = |size: &str, tenant: &str| {
        let one = ONE.replace("16MiB", size);
        let mut config = read(&format!("{one}\ntenant = '{tenant}'\n[tenants.x]\n[tenants.y]"));
        config.drain_limit = Duration::from_secs(3600);
        config
    };
    let server = start(config("16MiB", "x"), Vec::new()).expect("a server");
    let first = server.export("a").expect("an export");
    assert_eq!(block_of(&first, Some(7)), 7);
    let becomes = |config: Config| {
        server.apply(config).expect("applied");
        server.export("a").expect("an export")
    };
    let smaller = becomes(config("8MiB", "x"));
    assert_eq!(block_of(&smaller, None), 0, "its size is another one");
    let third = becomes(config("16MiB", "x"));
    assert_eq!(block_of(&third, None), 0, "it replaces the smaller one");
    assert_eq!(block_of(&third, Some(8)), 8);
    let of_other = becomes(config("16MiB", "y"));
    assert_eq!(block_of(&of_other, None), 8, "it replaces the third one");

    let mut without = config("16MiB", "y");
    without.exports.clear();
    server.apply(without).expect("applied");
    let last = becomes(config("16MiB", "x"));
    assert_eq!(block_of(&last, None), 0, "it replaces none");
    for export in [first, smaller, third, of_other] {
        export.disk.handle.tell(move |worker| {
            let now_ns = worker.now_ns();
            let state = &mut worker.disk.state;
            let clients: Vec<_> = state.clients_of(export.key).collect();
            clients.into_iter().for_each(|client| state.disconnect(now_ns, client));
        });
    }
}
