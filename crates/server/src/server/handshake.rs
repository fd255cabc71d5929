// SPDX-License-Identifier: MIT OR Apache-2.0
//! One handshake: from the socket to an export that the client may use.

use super::peer::Peer;
use super::registry::Registry;
use super::shared::Shared;
use super::worker::Handle;
use super::worker::clients::Arrival;
use crate::config::TlsPolicy;
use crate::disk::ExportKey;
use crate::log_limit::MayLog;
use crate::net::{Interest, Socket, Transport, names_of};
use crate::places::Place;
use nbd::Limits;
use nbd::server::{Handshake, HandshakeError, Listed, Refusal, ServerEvent, Transmission};
use rustls::{ServerConfig, ServerConnection};
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most that is read at a time, in bytes.
const INPUT_BYTES: usize = 4096;

/// What a handshake has come to.
pub enum Progress {
    /// It waits for the client.
    Waits(Interest),
    /// The client may use an export.
    Accepted(Accepted),
}

/// An export that a client may use.
pub struct Accepted {
    transmission: Transmission,
    disk: Arc<Handle>,
    export: ExportKey,
    place: Place,
}

/// Why a handshake is over without an export.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// The client has gone.
    #[error("the client has gone")]
    Gone,
    /// The client has changed its mind.
    #[error("the client has changed its mind")]
    Aborted,
    /// The connection is broken, or what came is not TLS.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It does not speak NBD.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    /// It asked in a way that has no refusal.
    #[error(transparent)]
    Refused(#[from] nbd::server::ExportNameRefused),
    /// TLS cannot be set up.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// It asks for TLS where there is none.
    #[error("it asks for TLS, which is not configured")]
    NoTls,
}

impl Failed {
    /// What happened, for the limits of the log.
    pub fn kind(&self) -> &'static str {
        match self {
            Failed::Gone | Failed::Aborted => "gone",
            Failed::Io(_) | Failed::Tls(_) | Failed::NoTls => "connection or TLS",
            Failed::Handshake(_) => "garbage",
            Failed::Refused(_) => "refused",
        }
    }
}

/// A client in its handshake.
pub struct Shaking {
    transport: Transport,
    peer: Peer,
    name: String,
    since: Instant,
    place: Place,
    handshake: Handshake,
    tls: Option<Arc<ServerConfig>>,
    input: Vec<u8>,
}

impl Shaking {
    /// A client that has just come.
    pub fn new(
        socket: Socket,
        peer: Peer,
        name: String,
        place: Place,
        (policy, tls): (TlsPolicy, Option<Arc<ServerConfig>>),
    ) -> Shaking {
        let policy = match policy {
            TlsPolicy::Off => nbd::server::TlsPolicy::Off,
            TlsPolicy::Allowed => nbd::server::TlsPolicy::Allowed,
            TlsPolicy::Required => nbd::server::TlsPolicy::Required,
        };
        Shaking {
            transport: Transport::new(socket),
            peer,
            name,
            since: Instant::now(),
            place,
            handshake: Handshake::new(policy, Limits::default()),
            tls,
            input: Vec::new(),
        }
    }

    /// The socket it came on.
    pub fn socket(&self) -> &Socket {
        self.transport.socket()
    }

    /// Who it is, for the log.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it comes from, for the limits of the log.
    pub fn origin(&self) -> &str {
        &self.peer.origin
    }

    /// When the client was accepted.
    pub fn since(&self) -> Instant {
        self.since
    }

    /// Does what can be done without waiting.
    ///
    /// # Errors
    /// It is over, and the connection is to be closed.
    pub fn go_on(&mut self, shared: &Shared) -> Result<Progress, Failed> {
        loop {
            // Before the next option is looked at: a few bytes may ask for long answers, and what
            // the client does not take would lie here.
            if !self.send()? {
                return Ok(Progress::Waits(Interest { read: false, write: true }));
            }
            if !self.input.is_empty() {
                let taken = std::mem::take(&mut self.input);
                let mut input = &taken[..];
                let step = self.step(&mut input, shared);
                self.input = input.to_vec();
                match step? {
                    Step::Next => continue,
                    Step::Accepted(accepted) => return Ok(Progress::Accepted(accepted)),
                    Step::Waits => {}
                }
            }
            let mut input = [0; INPUT_BYTES];
            match self.transport.read(&mut input) {
                Ok(0) => return Err(Failed::Gone),
                Ok(bytes) => self.input.extend_from_slice(&input[..bytes]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let write = !self.transport.flush()?.is_all;
                    return Ok(Progress::Waits(Interest { read: true, write }));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Takes what came, up to the end of an option.
    fn step(&mut self, input: &mut &[u8], shared: &Shared) -> Result<Step, Failed> {
        if let Some(tls) = self.transport.tls() {
            self.peer.names = names_of(tls);
        }
        let registry = shared.registry();
        match self.handshake.receive(input)? {
            ServerEvent::More => return Ok(Step::Waits),
            ServerEvent::Answered => {}
            ServerEvent::List(list) => {
                let listed = registry.seen_by(&self.peer).map(|export| Listed {
                    name: &export.spec.name,
                    description: &export.spec.description,
                });
                list.accept(listed);
            }
            ServerEvent::Info(info) => match registry.find(info.name(), &self.peer) {
                Ok(export) => info.accept(&export.told),
                Err(why) => info.refuse(why),
            },
            ServerEvent::Contexts(contexts) => match registry.find(contexts.name(), &self.peer) {
                Ok(export) => contexts.accept(&export.told),
                Err(why) => contexts.refuse(why),
            },
            ServerEvent::Go(go) => {
                match may_go((&registry, shared), go.name(), &self.peer, &self.name) {
                    Ok((told, disk, export, place)) => {
                        let transmission = go.accept(&told);
                        return Ok(Step::Accepted(Accepted { transmission, disk, export, place }));
                    }
                    Err(why) => go.refuse(why)?,
                }
            }
            ServerEvent::StartTls => {
                drop(registry);
                return self.start_tls();
            }
            ServerEvent::Abort => {
                drop(registry);
                // The connection is closed, whether the answer goes out or not.
                let _ = self.send();
                self.transport.end();
                return Err(Failed::Aborted);
            }
        }
        Ok(Step::Next)
    }

    fn start_tls(&mut self) -> Result<Step, Failed> {
        let tls = self.tls.clone().ok_or(Failed::NoTls)?;
        // The last words in the clear are a few bytes: a socket that has just been made takes them.
        if !self.send()? {
            return Err(Failed::Gone);
        }
        self.transport.start_tls(ServerConnection::new(tls)?);
        self.handshake.tls_started();
        Ok(Step::Next)
    }

    /// Sends what is to be sent; whether all of it is.
    fn send(&mut self) -> io::Result<bool> {
        while !self.handshake.output().is_empty() {
            match self.transport.write(&[IoSlice::new(self.handshake.output())]) {
                Ok(bytes) => self.handshake.sent(bytes),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(self.transport.flush()?.is_all)
    }

    /// Gives the client to the thread of its disk, which closes it if it takes nothing of its
    /// answers for so long, or sends nothing more of a write.
    pub fn hand_over(self, accepted: Accepted, stuck: Duration) {
        let Accepted { transmission, disk, export, place } = accepted;
        let arrival = Arrival {
            output: self.handshake.output().to_vec(),
            transport: self.transport,
            transmission,
            input: self.input,
            peer: self.name,
            who: self.peer,
            places: [self.place, place],
            stuck,
        };
        disk.tell(move |worker| worker.arrive(arrival, export));
    }
}

enum Step {
    Next,
    Waits,
    Accepted(Accepted),
}

type Way = (nbd::Export, Arc<Handle>, ExportKey, Place);

/// Whether a client may use an export, and how to get there.
fn may_go(
    (registry, shared): (&Registry, &Shared),
    name: &str,
    peer: &Peer,
    who: &str,
) -> Result<Way, Refusal> {
    let refuse = |why, words: &'static str| {
        if let Some(MayLog { left_out }) = shared.may_log(words, &peer.origin) {
            tracing::warn!(peer = who, export = name, left_out, "refused: {words}");
        }
        Err(why)
    };
    let export = match registry.find(name, peer) {
        Ok(export) => export,
        Err(why) => return refuse(why, "no such export for this client"),
    };
    if export.draining {
        return refuse(Refusal::Shutdown, "the export is being drained");
    }
    let Some(tenant) = registry.tenant(&export.spec.tenant) else {
        return refuse(Refusal::Unknown, "its tenant is gone");
    };
    let others = registry.tenants.iter().filter(|other| other.spec.name != tenant.spec.name);
    let others = others.map(|other| other.places.held());
    if !tenant.places.held().may_grow(shared.connected(), others) {
        return refuse(Refusal::NotAllowed, "the places that are left are kept for other tenants");
    }
    let Some(place) = tenant.places.take() else {
        return refuse(Refusal::NotAllowed, "its tenant has as many connections as it may have");
    };
    Ok((export.told.clone(), Arc::clone(&export.disk.handle), export.key, place))
}

#[cfg(test)]
#[path = "handshake_tests.rs"]
mod tests;
