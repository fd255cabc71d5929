// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clients that come when they may not any more.

use super::super::Handle;
use super::*;
use crate::connection::tests::{disk, transmission_with_allocation};
use crate::net::Socket;
use crate::places::Places;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

fn served() -> (Handle, ExportKey) {
    let make = || {
        let (mut disk, (client, _)) = disk(1);
        disk.state.disconnect(0, client);
        Ok::<_, io::Error>(disk)
    };
    let handle = Handle::start("disk", Arc::default(), make).expect("a thread");
    let key = handle.ask(|worker| worker.disk.state.export_keys().next()).expect("it runs");
    (handle, key.expect("an export"))
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
