// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clients that ask for much at once, or come when they may not any more.

use super::super::Handle;
use super::*;
use crate::connection::tests::{disk, transmission_with_allocation};
use crate::disk::{DiskRequest, Operation};
use crate::drive::ServedDisk;
use crate::net::Socket;
use crate::places::Places;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// What a client may have on its way.
const REQUESTS: u32 = 64;

const READ: u16 = 0;
const BLOCK_STATUS: u16 = 7;

fn served() -> (Handle, ExportKey) {
    let make = || {
        let (mut disk, (client, key)) = disk(REQUESTS);
        store_every_second_block(&mut disk, client);
        assert_eq!(disk.extents(key, (0, 1 << 20), 99).len(), 16);
        disk.state.disconnect(0, client);
        Ok::<_, io::Error>(disk)
    };
    let handle = Handle::start("disk", Arc::default(), make).expect("a thread");
    let key = handle.ask(|worker| worker.disk.state.export_keys().next()).expect("it runs");
    (handle, key.expect("an export"))
}

/// Memory is taken in blocks of 64 KiB.
fn store_every_second_block(disk: &mut ServedDisk, client: ProcessId) {
    for block in (0..16).step_by(2) {
        let charge = disk.state.admit(client, 512).expect("room");
        let request = DiskRequest {
            cookie: 0,
            operation: Operation::Write(disk.state.buffer(512)),
            offset_bytes: block * (64 << 10),
            length_bytes: 512,
            durable: false,
        };
        disk.state.submit(0, client, request, charge);
        let mut now_ns = 0;
        while disk.state.take_answer().map(|answer| disk.state.release(answer.charge)).is_none() {
            disk.step(now_ns).expect("the disk works");
            now_ns = disk.next_event_ns().unwrap_or(now_ns);
        }
    }
}

fn request(command: u16, offset_bytes: u64, length_bytes: u32) -> Vec<u8> {
    let head = [&0x2560_9513_u32.to_be_bytes()[..], &[0; 2], &command.to_be_bytes(), &[0; 8]];
    [&head.concat()[..], &offset_bytes.to_be_bytes(), &length_bytes.to_be_bytes()].concat()
}

/// A client that has sent this, and its end of the connection.
fn arrival(who: Peer, input: Vec<u8>) -> (Arrival, UnixStream) {
    let (ours, theirs) = UnixStream::pair().expect("sockets");
    ours.set_nonblocking(true).expect("no waiting");
    let places = Places::new(2);
    let arrival = Arrival {
        transport: Transport::new(Socket::Unix(ours)),
        transmission: transmission_with_allocation(),
        output: Vec::new(),
        input,
        peer: "a client".to_owned(),
        who,
        places: [(); 2].map(|()| places.take().expect("a place")),
        stuck: Duration::from_secs(3600),
    };
    (arrival, theirs)
}

/// Whatever it had asked was once answered before anything else was looked at.
#[test]
fn who_asks_much_about_what_is_stored_does_not_keep_the_thread_from_others() {
    let (handle, key) = served();
    let asked = request(BLOCK_STATUS, 0, 1 << 20).repeat(REQUESTS as usize);
    let (arrival, _theirs) = arrival(Peer::default(), asked);
    let turns = handle.ask(move |worker| {
        worker.disk.begin_turn();
        worker.arrive(arrival, key);
        let mut turns = 1;
        while worker.advance().is_ok() && worker.goes_on {
            turns += 1;
            worker.disk.begin_turn();
        }
        turns
    });
    // There are 16 extents in each of 64 answers, and 512 may be looked for in a turn.
    assert_eq!(turns, Ok(2));
}

/// It may have been let in before a reload, and come to the disk after it.
#[test]
fn a_client_that_comes_when_it_may_not_any_more_is_not_served() {
    let (handle, key) = served();
    let (stranger, _theirs) = arrival(Peer::default(), Vec::new());
    let known = Peer { user_and_group: Some((1, 1)), ..Peer::default() };
    let (known, _theirs) = arrival(known, Vec::new());
    let served = handle.ask(move |worker| {
        worker.let_in_only(key, vec![Permission::User(1)]);
        [stranger, known].map(|arrival| {
            worker.arrive(arrival, key);
            worker.clients.iter().flatten().count()
        })
    });
    assert_eq!(served, Ok([0, 1]));
}

#[test]
fn what_is_refused_before_the_disk_sees_it_counts_as_an_error() {
    let (handle, key) = served();
    let (arrival, _theirs) = arrival(Peer::default(), request(READ, 1 << 20, 512));
    let errors = handle.ask(move |worker| {
        worker.arrive(arrival, key);
        worker.disk.state.status(worker.now_ns()).tenants[0].errors
    });
    assert_eq!(errors, Ok(1));
}
