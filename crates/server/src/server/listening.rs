// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sockets on which clients come.

use super::peer::Peer;
use crate::config::{Address, Listener};
use crate::net::Socket;
use crate::unix_socket;
use rustix::net::AddressFamily;
use rustix::net::sockopt::{
    set_socket_keepalive, set_tcp_keepcnt, set_tcp_keepidle, set_tcp_keepintvl,
    set_tcp_user_timeout, socket_domain, socket_peercred,
};
use std::fs::{self, Permissions};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::Duration;

/// A TCP connection that is silent for so long is asked whether its client is there still, again
/// after each pause, and is broken when so many questions had no answer.
const SILENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_secs(10);
const QUESTIONS: u32 = 6;

/// A socket that listens.
#[derive(Debug)]
pub struct Listening {
    /// How it is configured.
    pub spec: Listener,
    socket: Accepting,
    /// The file that is to go with it.
    file: Option<PathBuf>,
}

#[derive(Debug)]
enum Accepting {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl Listening {
    /// Listens; sockets that the service manager has opened are taken from `inherited`, all that
    /// have the name: those of one unit have one.
    ///
    /// # Errors
    /// The address cannot be had, or there is no inherited socket of that name.
    pub fn open(
        spec: &Listener,
        inherited: &mut Vec<(String, OwnedFd)>,
    ) -> io::Result<Vec<Listening>> {
        match &spec.address {
            Address::Unix { path, mode } => {
                let listener = unix_socket::listen(path, *mode)?;
                Ok(vec![Listening::of(spec, Accepting::Unix(listener), Some(path.clone()))?])
            }
            Address::Tcp(address) => {
                let listener = TcpListener::bind(address)?;
                Ok(vec![Listening::of(spec, Accepting::Tcp(listener), None)?])
            }
            Address::Inherited(name) => {
                let sockets: Vec<_> =
                    inherited.extract_if(.., |(given, _)| given == name).collect();
                if sockets.is_empty() {
                    let text = format!("the service manager gave no socket `{name}`");
                    return Err(io::Error::other(text));
                }
                let listening = |(_, socket): (String, OwnedFd)| match socket_domain(&socket)? {
                    AddressFamily::UNIX => {
                        Listening::of(spec, Accepting::Unix(socket.into()), None)
                    }
                    _ => Listening::of(spec, Accepting::Tcp(socket.into()), None),
                };
                sockets.into_iter().map(listening).collect()
            }
        }
    }

    fn of(spec: &Listener, socket: Accepting, file: Option<PathBuf>) -> io::Result<Listening> {
        match &socket {
            Accepting::Unix(listener) => listener.set_nonblocking(true)?,
            Accepting::Tcp(listener) => listener.set_nonblocking(true)?,
        }
        Ok(Listening { spec: spec.clone(), socket, file })
    }

    /// Gives the file of a unix socket other permissions. The answer is those it had.
    ///
    /// # Errors
    /// What the system says.
    pub fn set_mode(&self, mode: u32) -> io::Result<Option<u32>> {
        let Some(file) = &self.file else { return Ok(None) };
        let before = fs::metadata(file)?.permissions().mode() & 0o7777;
        fs::set_permissions(file, Permissions::from_mode(mode))?;
        Ok(Some(before))
    }

    /// The next client: its socket, who it is, and that for people.
    ///
    /// # Errors
    /// There is none at the moment, or there are no descriptors left.
    pub fn accept(&self) -> io::Result<(Socket, Peer, String)> {
        match &self.socket {
            Accepting::Unix(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                let credentials = socket_peercred(&stream)?;
                let (user, group) = (credentials.uid.as_raw(), credentials.gid.as_raw());
                let name = format!("process {} of user {user}", credentials.pid);
                let peer = Peer {
                    user_and_group: Some((user, group)),
                    names: Vec::new(),
                    origin: format!("user {user}"),
                };
                Ok((Socket::Unix(stream), peer, name))
            }
            Accepting::Tcp(listener) => {
                let (stream, address) = listener.accept()?;
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                if let Err(error) = keep_alive(&stream) {
                    tracing::warn!("it may go unnoticed if {address} is gone: {error}");
                }
                let origin = address.ip().to_string();
                Ok((Socket::Tcp(stream), Peer { origin, ..Peer::default() }, address.to_string()))
            }
        }
    }

    /// The address of a TCP socket, whose port the system may have chosen.
    pub fn tcp_address(&self) -> Option<std::net::SocketAddr> {
        match &self.socket {
            Accepting::Unix(_) => None,
            Accepting::Tcp(listener) => listener.local_addr().ok(),
        }
    }
}

/// Has the system find out that a client's machine is gone: one that lost its power says nothing,
/// and would keep its places for ever.
fn keep_alive(stream: &TcpStream) -> io::Result<()> {
    set_socket_keepalive(stream, true)?;
    set_tcp_keepidle(stream, SILENCE)?;
    set_tcp_keepintvl(stream, PAUSE)?;
    set_tcp_keepcnt(stream, QUESTIONS)?;
    // No question is asked while the last answer was not acknowledged.
    let longest = SILENCE + PAUSE * QUESTIONS;
    set_tcp_user_timeout(stream, longest.as_millis().try_into().unwrap_or(u32::MAX))?;
    Ok(())
}

impl AsFd for Listening {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Accepting::Unix(listener) => listener.as_fd(),
            Accepting::Tcp(listener) => listener.as_fd(),
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // It may have been removed already.
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::sockopt::{socket_keepalive, tcp_keepidle, tcp_user_timeout};
    use rustix::net::{SocketType, socket};

    /// Where there is no network, too, a socket has options.
    #[test]
    fn a_client_that_is_silent_is_asked_and_one_that_does_not_answer_is_given_up() {
        let unconnected = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
        let stream = TcpStream::from(unconnected);
        keep_alive(&stream).expect("options");
        assert!(socket_keepalive(&stream).expect("an option"));
        assert_eq!(tcp_keepidle(&stream).expect("an option"), SILENCE);
        assert_eq!(tcp_user_timeout(&stream).expect("an option"), 120_000);
    }
}
