// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sockets that the service manager has opened: systemd's socket activation.

use listenfd::ListenFd;
use std::env;
use std::io;
use std::os::fd::OwnedFd;

/// The listening sockets that this process was given, each with its name (`FileDescriptorName=`);
/// `unknown` where there is none. A second call finds none.
///
/// # Errors
/// What was given is no listening socket.
pub fn inherited_sockets() -> io::Result<Vec<(String, OwnedFd)>> {
    let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
    let mut names = names.split(':').map(|name| if name.is_empty() { "unknown" } else { name });
    let mut given = ListenFd::from_env();
    let mut sockets = Vec::new();
    for place in 0..given.len() {
        let name = names.next().unwrap_or("unknown").to_owned();
        let socket = match given.take_unix_listener(place) {
            Ok(listener) => listener.map(OwnedFd::from),
            Err(_) => given.take_tcp_listener(place)?.map(OwnedFd::from),
        };
        sockets.extend(socket.map(|socket| (name, socket)));
    }
    Ok(sockets)
}
