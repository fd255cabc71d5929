// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clients of a disk come, and those of an export are let go.

use super::{Client, Worker};
use crate::closed::Closed;
use crate::config::Permission;
use crate::connection::Connection;
use crate::disk::ExportKey;
use crate::net::{Interest, Transport};
use crate::places::Place;
use crate::server::peer::Peer;
use blk::ProcessId;
use nbd::server::Transmission;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A client whose handshake is over.
pub struct Arrival {
    /// What its bytes come over.
    pub transport: Transport,
    /// What it and the server agreed on.
    pub transmission: Transmission,
    /// What is still to be sent of the handshake.
    pub output: Vec<u8>,
    /// What the client has sent since.
    pub input: Vec<u8>,
    /// Who it is, for the log.
    pub peer: String,
    /// The same for permissions and for the limits of the log.
    pub who: Peer,
    /// What it takes of the limits on connections.
    pub places: [Place; 2],
    /// How long it may take nothing of its answers, or send nothing more of a write.
    pub stuck: Duration,
}

impl Worker {
    /// A client begins to use an export.
    pub fn arrive(&mut self, arrival: Arrival, export: ExportKey) {
        let now_ns = self.now_ns();
        let Arrival { transport, transmission, output, input, peer, who, places, stuck } = arrival;
        let stuck_ns = u64::try_from(stuck.as_nanos()).unwrap_or(u64::MAX);
        // It was let in by another thread, and permissions may be others by now.
        let may = self.disk.state.allow_of(export).is_none_or(|allow| who.may(allow));
        let connected = match may {
            true => self.disk.state.connect(now_ns, export).map_err(|error| error.to_string()),
            false => Err("it may not use its export any more".to_owned()),
        };
        let client = match connected {
            Ok(client) => client,
            Err(error) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                return tracing::warn!(peer, "connection closed: {error}");
            }
        };
        let socket = transport.socket();
        if let Err(error) = self.poller.add(socket, client.0.into(), Interest::READ) {
            self.disk.state.disconnect(now_ns, client);
            return tracing::warn!(peer, "connection closed: {error}");
        }
        tracing::debug!(peer, "connection uses its export");
        let connection = Connection::new(transport, transmission, (client, export), output, &input);
        if self.clients.len() <= client.index() {
            self.clients.resize_with(client.index() + 1, || None);
        }
        let entry = Client { connection, peer, who, changed: false, stuck_ns, places };
        self.clients[client.index()] = Some(entry);
        self.mark(client);
        self.receive(client);
    }

    /// Takes no more requests of an export's clients, who are closed when all are answered.
    pub fn let_leave(&mut self, export: ExportKey) {
        for client in self.clients_of(export) {
            if let Some(entry) = self.clients.get_mut(client.index()).and_then(Option::as_mut) {
                entry.connection.leave();
                self.mark(client);
            }
        }
    }

    /// Gives an export other permissions; those clients leave that may not use it any more.
    pub fn let_in_only(&mut self, export: ExportKey, allow: Vec<Permission>) {
        self.let_strangers_leave(export, &allow);
        self.disk.state.set_allow(export, allow);
    }

    fn let_strangers_leave(&mut self, export: ExportKey, allow: &[Permission]) {
        for client in self.clients_of(export) {
            if let Some(entry) = &mut self.clients[client.index()]
                && !entry.who.may(allow)
            {
                let peer = &entry.peer;
                tracing::info!(peer, "connection ends: it may not use its export any more");
                entry.connection.leave();
                self.mark(client);
            }
        }
    }

    /// Cuts an export's clients off.
    pub fn close_all(&mut self, export: ExportKey) {
        for client in self.clients_of(export) {
            self.close(client, &Closed::Told("its export is drained"));
        }
    }

    fn clients_of(&self, export: ExportKey) -> Vec<ProcessId> {
        self.disk.state.clients_of(export).collect()
    }
}

#[cfg(test)]
#[path = "clients_tests.rs"]
mod tests;
