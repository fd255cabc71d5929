// SPDX-License-Identifier: MIT OR Apache-2.0
//! A client's bytes, in the clear or under TLS, without ever waiting.

use rustls::ServerConnection;
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

/// A socket of a client.
#[derive(Debug)]
pub enum Socket {
    /// A client on this machine, through a unix socket.
    Unix(UnixStream),
    /// A client on any machine, through TCP.
    Tcp(TcpStream),
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Unix(stream) => stream.as_fd(),
            Socket::Tcp(stream) => stream.as_fd(),
        }
    }
}

impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Unix(stream) => stream.read(into),
            Socket::Tcp(stream) => stream.read(into),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Unix(stream) => stream.write(data),
            Socket::Tcp(stream) => stream.write(data),
        }
    }

    fn write_vectored(&mut self, data: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Socket::Unix(stream) => stream.write_vectored(data),
            Socket::Tcp(stream) => stream.write_vectored(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How far what was written has gone out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flushed {
    /// Nothing is left to be sent.
    pub is_all: bool,
    /// How many bytes of it the socket has taken just now.
    pub sent_bytes: usize,
}

/// A client's connection. Reading and writing say [`io::ErrorKind::WouldBlock`] where they would
/// have to wait.
#[derive(Debug)]
pub struct Transport {
    socket: Socket,
    tls: Option<Box<ServerConnection>>,
}

impl Transport {
    /// A connection in the clear; the socket does not wait.
    pub fn new(socket: Socket) -> Transport {
        Transport { socket, tls: None }
    }

    /// From now on everything is under TLS.
    pub fn start_tls(&mut self, tls: ServerConnection) {
        self.tls = Some(Box::new(tls));
    }

    /// The TLS session, if there is one.
    pub fn tls(&self) -> Option<&ServerConnection> {
        self.tls.as_deref()
    }

    /// The socket that carries the bytes, TLS or not.
    pub fn socket(&self) -> &Socket {
        &self.socket
    }

    /// The socket alone, when nothing more is to be said.
    pub fn into_socket(self) -> Socket {
        self.socket
    }

    /// Reads what has come; 0 at the end.
    ///
    /// # Errors
    /// Nothing has come, or the connection is broken.
    pub fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else { return self.socket.read(into) };
        loop {
            match tls.reader().read(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
            if tls.read_tls(&mut self.socket)? == 0 {
                return Ok(0);
            }
            let processed = tls.process_new_packets();
            // What it wants to say is part of its handshake, or why it gives up.
            let said = send_tls(tls, &mut self.socket);
            processed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            said?;
        }
    }

    /// Writes some of the data.
    ///
    /// # Errors
    /// Nothing can be written now, or the connection is broken.
    pub fn write(&mut self, data: &[IoSlice<'_>]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else { return self.socket.write_vectored(data) };
        let taken = tls.writer().write_vectored(data)?;
        send_tls(tls, &mut self.socket)?;
        if taken == 0 { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(taken) }
    }

    /// Tries once more to send what was written and has not gone out.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn flush(&mut self) -> io::Result<Flushed> {
        let Some(tls) = &mut self.tls else {
            return Ok(Flushed { is_all: true, sent_bytes: 0 });
        };
        let sent_bytes = send_tls(tls, &mut self.socket)?;
        Ok(Flushed { is_all: !tls.wants_write(), sent_bytes })
    }

    /// Says that nothing more comes, so that the client can tell the end from one that somebody
    /// else has made. In the clear the socket says it when it is closed.
    pub fn end(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            // The connection is closed, whether that goes out or not.
            let _ = send_tls(tls, &mut self.socket);
        }
    }
}

/// Sends what the session has to send, as far as the socket takes it; how many bytes that are.
fn send_tls(tls: &mut ServerConnection, socket: &mut Socket) -> io::Result<usize> {
    let mut sent_bytes = 0;
    while tls.wants_write() {
        match tls.write_tls(socket) {
            Ok(bytes) => sent_bytes += bytes,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(sent_bytes)
}
