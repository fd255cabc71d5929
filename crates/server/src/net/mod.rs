// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sockets: waiting for many of them, reading and writing without being held up, TLS.
//!
//! Sockets are waited for by epoll, and so are the descriptors of the disk's io_uring and of the
//! alarm: one system call waits for clients, disk and timers alike. Requests that come together are
//! read by one call and their answers sent by one, so that a ring for the sockets would save
//! little, and it would have to be refused where io_uring is.

mod alarm;
mod poller;
mod tls;
mod transport;

pub use alarm::Alarm;
pub use poller::{Interest, Poller, Readiness, Waker};
pub use tls::{TlsError, acceptor, names_of};
pub use transport::{Flushed, Socket, Transport};
