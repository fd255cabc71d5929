// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is told of a disk that cannot go on.

use crate::config::{Config, Machine};
use crate::control::Control;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

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
    let config = Config::parse(text, "f", Path::new("/"), &Machine).expect("a configuration");
    let server = super::super::start(config, Vec::new()).expect("a server");
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
