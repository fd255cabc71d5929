// SPDX-License-Identifier: MIT OR Apache-2.0
//! Servers for tests, and clients of them.

use crate::log_lines;
use base::IoprioValue;
use nbd::Headers;
use nbd::client::{Connection, Negotiation};
use server::Server;
use server::config::{
    Address, Config, Export, ExportSource, Listener, Permission, ServerLimits, Tenant,
    TenantLimits, TlsPolicy,
};
use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const MIB: u64 = 1 << 20;

/// So long a test waits for what is to happen: nothing takes nearly so long.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn tenant(name: &str, weight: u32) -> Tenant {
    Tenant {
        name: name.into(),
        parent: None,
        weight,
        ioprio: IoprioValue::UNSET,
        limits: TenantLimits { connections: 16, requests: 128, memory_bytes: 64 * MIB },
    }
}

/// A folder with a server's files and socket.
pub struct Place {
    pub folder: TempDir,
}

impl Place {
    pub fn new() -> Place {
        log_lines::collect();
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A sparse file for an export.
    pub fn file(&self, name: &str, size_bytes: u64) -> PathBuf {
        let path = self.path(name);
        File::create(&path).and_then(|file| file.set_len(size_bytes)).expect("a file");
        path
    }

    pub fn export(&self, name: &str, tenant: &str, size_bytes: u64) -> Export {
        Export {
            name: name.into(),
            source: ExportSource::Path(self.file(name, size_bytes)),
            tenant: tenant.into(),
            read_only: false,
            allow: vec![Permission::Anyone],
            description: String::new(),
        }
    }

    /// Files `a` and `b` of tenants of these names, on a unix socket.
    pub fn config(&self) -> Config {
        let socket = Address::Unix { path: self.path("socket"), mode: 0o600 };
        Config {
            listeners: vec![Listener { address: socket, tls: TlsPolicy::Off }],
            tls: None,
            disks: Vec::new(),
            tenants: vec![tenant("a", 100), tenant("b", 300)],
            exports: vec![self.export("a", "a", 16 * MIB), self.export("b", "b", 16 * MIB)],
            control: None,
            http: None,
            drain_limit: Duration::from_secs(5),
            limits: ServerLimits {
                connections: 64,
                handshake: Duration::from_secs(30),
                stuck: ServerLimits::STUCK,
            },
        }
    }

    pub fn start(&self) -> Arc<Server> {
        server::start(self.config(), Vec::new()).expect("a server")
    }

    /// Serves these files that are in a folder already.
    pub fn serve_folder(folder: &str, names: &[&str]) -> Arc<Server> {
        let place = Place::new();
        let mut config = place.config();
        config.exports.retain(|export| names.contains(&export.name.as_str()));
        for export in &mut config.exports {
            export.source = ExportSource::Path(PathBuf::from(folder).join(&export.name));
        }
        let socket = Address::Unix { path: PathBuf::from(folder).join("socket"), mode: 0o600 };
        config.listeners[0].address = socket;
        server::start(config, Vec::new()).expect("a server")
    }

    pub fn connect(&self) -> UnixStream {
        self.try_connect().expect("the server listens")
    }

    fn try_connect(&self) -> io::Result<UnixStream> {
        let stream = UnixStream::connect(self.path("socket"))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    /// A client of an export.
    pub fn client(&self, export: &str) -> Connection<UnixStream> {
        self.try_client(export).expect("a connection")
    }

    pub fn try_client(&self, export: &str) -> Result<Connection<UnixStream>, String> {
        let words = |error: nbd::client::NegotiationError| error.to_string();
        let stream = self.try_connect().map_err(|error| error.to_string())?;
        let mut negotiation = Negotiation::begin(stream).map_err(words)?;
        negotiation.ask_headers(Headers::Extended).map_err(words)?;
        negotiation.go(export).map_err(words)
    }
}

/// Waits until something is so.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
