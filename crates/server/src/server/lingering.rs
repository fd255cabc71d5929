// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections that are over, whose last answers are still on their way.
//!
//! The kernel resets a TCP connection that is closed while something is unread that the client has
//! sent, and throws away what it had still to send. So only the sending side is shut at first, and
//! what comes is read away until the client closes its side, or has had its time.

use crate::net::{Interest, Poller, Socket};
use crate::places::Place;
use std::io::{self, Read};
use std::net::Shutdown;
use std::time::Duration;

/// How long a client may take to read its last answers and to close its side.
const LIMIT_NS: u64 = 5_000_000_000;

/// What is read away by one call, in bytes, and the most calls before others are looked after.
const READ_BYTES: usize = 16 << 10;
const READS: usize = 16;

struct Lingerer {
    key: u64,
    socket: Socket,
    until_ns: u64,
    /// It counts as a connection still: it has a descriptor.
    _places: [Place; 2],
}

/// Connections that are over and not closed yet.
pub struct Lingering {
    all: Vec<Lingerer>,
    next_key: u64,
}

impl Lingering {
    /// There are none yet; a poller will tell of them by keys from this one on.
    pub fn new(first_key: u64) -> Lingering {
        Lingering { all: Vec::new(), next_key: first_key }
    }

    /// A connection is over, to which nothing more is written. The poller knows its socket.
    pub fn begin(&mut self, now_ns: u64, socket: Socket, places: [Place; 2], poller: &Poller) {
        let key = self.next_key;
        // What is sent over a unix socket stays there to be read. If one of these fails the
        // connection is broken, and is closed at once.
        let Socket::Tcp(stream) = &socket else { return };
        if stream.shutdown(Shutdown::Write).is_err()
            || poller.change(&socket, key, Interest::READ).is_err()
        {
            return;
        }
        self.next_key += 1;
        let until_ns = now_ns.saturating_add(LIMIT_NS);
        self.all.push(Lingerer { key, socket, until_ns, _places: places });
    }

    /// Reads away what has come on a connection, and closes it if that was all.
    pub fn has_news(&mut self, key: u64) {
        self.all.retain_mut(|one| one.key != key || is_open(&mut one.socket));
    }

    /// Closes those that have had their time.
    pub fn look(&mut self, now_ns: u64) {
        self.all.retain(|one| one.until_ns > now_ns);
    }

    /// When [`Lingering::look`] is wanted; none if no connection is left.
    pub fn next_ns(&self) -> Option<u64> {
        self.all.iter().map(|one| one.until_ns).min()
    }

    /// Waits until all are closed, at most as long as each may take.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(&mut self, now_ns: impl Fn() -> u64) -> io::Result<()> {
        // One that tells of nothing else.
        let poller = Poller::new()?;
        for one in &self.all {
            poller.add(&one.socket, one.key, Interest::READ)?;
        }
        let mut happened = Vec::new();
        while let Some(until_ns) = self.next_ns() {
            let wait = Duration::from_nanos(until_ns.saturating_sub(now_ns()));
            poller.wait(Some(wait), &mut happened)?;
            happened.drain(..).for_each(|event| self.has_news(event.key));
            self.look(now_ns());
        }
        Ok(())
    }
}

/// Reads away what there is; whether the client may send more.
fn is_open(socket: &mut Socket) -> bool {
    let mut bytes = [0; READ_BYTES];
    for _ in 0..READS {
        match socket.read(&mut bytes) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => {
                let kinds = [io::ErrorKind::WouldBlock, io::ErrorKind::Interrupted];
                return kinds.contains(&error.kind());
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Places;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    fn places() -> [Place; 2] {
        [(); 2].map(|()| Places::new(1).take().expect("a place"))
    }

    /// A client that has sent what is not read, the server's socket, which takes no more, and the
    /// bytes that it took; none where this machine cannot be reached from itself.
    fn full() -> Option<(TcpStream, Socket, usize)> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let address = listener.local_addr().expect("an address");
        let mut theirs = TcpStream::connect(address)
            .inspect_err(|error| eprintln!("skipped: no connection to this machine: {error}"))
            .ok()?;
        let (mut ours, _) = listener.accept().expect("a client");
        theirs.write_all(&[1; 100]).expect("sent");
        ours.peek(&mut [0]).expect("it has come");
        ours.set_nonblocking(true).expect("no waiting");
        let mut bytes = 0;
        while let Ok(taken) = ours.write(&[7; 64 << 10]) {
            bytes += taken;
        }
        Some((theirs, Socket::Tcp(ours), bytes))
    }

    /// What the kernel had still to send was lost when the connection was closed.
    #[test]
    fn a_client_gets_all_that_was_written_though_it_was_not_read_to_the_end() {
        let Some((mut theirs, ours, bytes)) = full() else { return };
        let poller = Poller::new().expect("epoll");
        poller.add(&ours, 1, Interest::READ).expect("added");
        let mut lingering = Lingering::new(1000);
        lingering.begin(0, ours, places(), &poller);
        let reads = std::thread::spawn(move || {
            theirs.write_all(&[1; 100]).expect("it may still send");
            let mut all = Vec::new();
            theirs.read_to_end(&mut all).map(|_| all.len())
        });
        lingering.finish(|| 0).expect("waited");
        assert_eq!(reads.join().expect("it does not panic").expect("no reset"), bytes);
    }

    #[test]
    fn a_client_that_does_not_close_its_side_has_its_time() {
        let Some((_theirs, ours, _)) = full() else { return };
        let poller = Poller::new().expect("epoll");
        poller.add(&ours, 1, Interest::READ).expect("added");
        let mut lingering = Lingering::new(1000);
        lingering.begin(7, ours, places(), &poller);
        lingering.has_news(1000);
        assert_eq!(lingering.next_ns(), Some(7 + LIMIT_NS));
        lingering.look(6 + LIMIT_NS);
        assert!(lingering.next_ns().is_some());
        lingering.look(7 + LIMIT_NS);
        assert_eq!(lingering.next_ns(), None);
    }
}
