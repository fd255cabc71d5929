// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports that change while others drain them, and what is told of a disk that cannot go on.

use super::super::start;
use super::*;
use crate::config::Machine;
use crate::disk::{DiskRequest, Operation};
use crate::drive::ServedDisk;
use std::path::Path;
use std::thread::sleep;

/// A server by a configuration of emulated disks, whom no client reaches.
fn serve(text: &str) -> Arc<Server> {
    let mut config = Config::parse(text, "f", Path::new("/"), &Machine).expect("a configuration");
    config.listeners.clear();
    start(config, Vec::new()).expect("a server")
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
    let (first, disk) = server.export("a").expect("an export");
    server.drain_export("a", Duration::ZERO, true).expect("removed");
    server.add_export(first.spec.clone()).expect("added");
    let (second, _) = server.export("a").expect("an export");
    assert_ne!(first.key, second.key);

    // What a drain that began with the first one does at its end.
    exports::drain(&disk, first.key, Duration::ZERO, false);
    assert!(!server.take_off(&mut server.running(), &first, &disk));
    exports::remove(&disk, first.key);
    let (still, _) = server.export("a").expect("the second export");
    assert_eq!(still.key, second.key);
    assert!(!server.status().disks[0].exports[0].draining);
    assert!(server.take_off(&mut server.running(), &second, &disk));
}

/// The requests of an export that goes were once waited for under the lock that everything else
/// needs which changes the server.
#[test]
fn who_waits_for_the_requests_of_an_export_that_goes_holds_up_nobody_else() {
    // A read of 1 MiB takes this disk a quarter of an hour.
    let server = serve(&ONE.replace("'ssd-sata'", "'ssd-sata'\nrate = '1kB/s'"));
    let (export, disk) = server.export("a").expect("an export");
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
}
