// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a handshake holds for a client that takes nothing.

use super::super::start;
use super::*;
use crate::config::{Config, Machine};
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

const EXPORTS: usize = 100;
const DESCRIPTION_BYTES: usize = 1000;
const LISTS: usize = 100;

/// All of them were once answered before the first byte was sent.
#[test]
fn a_client_that_asks_for_many_lists_is_sent_one_after_the_other() {
    let mut text = "[disks.disk]\nemulate = 'ssd-sata'\n".to_owned();
    for number in 0..EXPORTS {
        let description = "x".repeat(DESCRIPTION_BYTES);
        writeln!(text, "[exports.e{number}]\ndisk = 'disk'\nsize = '1MiB'").expect("text");
        writeln!(text, "description = '{description}'").expect("text");
    }
    let mut config = Config::parse(&text, "f", Path::new("/"), &Machine).expect("a configuration");
    config.listeners.clear();
    let server = start(config, Vec::new()).expect("a server");

    let (own, mut client) = UnixStream::pair().expect("sockets");
    for socket in [&own, &client] {
        socket.set_nonblocking(true).expect("no waiting");
    }
    let place = server.shared.places.take().expect("a place");
    let who = (Peer::default(), "a client".to_owned());
    let way = (TlsPolicy::Off, None);
    let mut shaking = Shaking::new(Socket::Unix(own), who.0, who.1, place, way);
    // Flags of a client, then NBD_OPT_LIST without data.
    client.write_all(&[0, 0, 0, 3]).expect("sent");
    client.write_all(&b"IHAVEOPT\x00\x00\x00\x03\x00\x00\x00\x00".repeat(LISTS)).expect("sent");

    let (mut held, mut received) = (0, 0);
    let mut bytes = vec![0; 1 << 20];
    loop {
        let Ok(Progress::Waits(interest)) = shaking.go_on(&server.shared) else {
            panic!("the handshake goes on");
        };
        held = held.max(shaking.handshake.output().len());
        while let Ok(read) = client.read(&mut bytes) {
            received += read;
        }
        if interest.read {
            break;
        }
    }
    let list = EXPORTS * DESCRIPTION_BYTES;
    assert!(received > LISTS * list, "{received}");
    assert!(held < 2 * list, "{held}");
}
