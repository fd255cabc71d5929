// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values that a configuration file comes to.

use base::IoprioValue;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The configuration of a server: listeners, disks, tenants and exports.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Sockets on which clients come.
    pub listeners: Vec<Listener>,
    /// Certificates; needed by listeners that speak TLS.
    pub tls: Option<Tls>,
    /// Disks that are named; a disk that is not is found from the exports that lie on it.
    pub disks: Vec<DiskConfig>,
    /// Who shares the disks.
    pub tenants: Vec<Tenant>,
    /// The exports that clients can ask for.
    pub exports: Vec<Export>,
    /// The control socket, if there is one.
    pub control: Option<PathBuf>,
    /// Where metrics and the live page are served, if at all.
    pub http: Option<SocketAddr>,
    /// How long requests in flight may take to end when the server is told to stop.
    pub drain_limit: Duration,
    /// Limits of the whole server.
    pub limits: ServerLimits,
}

impl Config {
    /// The tenant of this name.
    pub fn tenant(&self, name: &str) -> Option<&Tenant> {
        self.tenants.iter().find(|tenant| tenant.name == name)
    }

    /// The disk of this name, if it is one of those that are named.
    pub fn disk(&self, name: &str) -> Option<&DiskConfig> {
        self.disks.iter().find(|disk| disk.name == name)
    }

    /// The size of exports on an emulated disk that say no other; none if there is no such disk.
    pub fn emulated_size(&self, disk: &str) -> Option<u64> {
        match self.disk(disk)?.backing {
            Backing::Emulated { size_bytes, .. } => Some(size_bytes),
            Backing::Below(_) => None,
        }
    }

    /// Who may use an export of which nothing is said: anyone; but where clients come by TCP or by
    /// an inherited socket, no client.
    pub fn allowed_by_default(&self) -> Vec<Permission> {
        // Who reaches a socket that was inherited only those know who have opened it.
        let is_open = |listener: &Listener| !matches!(listener.address, Address::Unix { .. });
        match self.listeners.iter().any(is_open) {
            true => Vec::new(),
            false => vec![Permission::Anyone],
        }
    }
}

/// A socket on which clients come.
#[derive(Debug, Clone, PartialEq)]
pub struct Listener {
    /// The unix socket or TCP address that it is bound to.
    pub address: Address,
    /// Whether clients must, may or cannot use TLS.
    pub tls: TlsPolicy,
}

/// Where a listener is.
#[derive(Debug, Clone, PartialEq)]
pub enum Address {
    /// A unix socket, with the mode of its file.
    Unix {
        /// The path of the socket's file.
        path: PathBuf,
        /// The file's permissions, such as `0o660`.
        mode: u32,
    },
    /// A TCP address and port.
    Tcp(SocketAddr),
    /// A socket that the service manager has opened, by the name it gave (`FileDescriptorName=`).
    Inherited(String),
}

impl Address {
    /// Whether it is the same place, whatever its permissions are.
    pub fn is_at(&self, other: &Address) -> bool {
        match (self, other) {
            (Address::Unix { path, .. }, Address::Unix { path: other, .. }) => {
                is_same_place(path, other)
            }
            (one, other) => one == other,
        }
    }
}

/// Whether two paths name one file, which need not be there; its folder may have several paths.
pub(super) fn is_same_place(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        match (folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path,
        }
    };
    one == other || place(one) == place(other)
}

/// Whether clients use TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TlsPolicy {
    /// It is not offered.
    #[default]
    Off,
    /// A client that asks for it gets it.
    Allowed,
    /// A client can do nothing before it has asked for it.
    Required,
}

/// Files of the server's certificate, and whose clients are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The server's certificate chain, PEM.
    pub certificate: PathBuf,
    /// Its private key, PEM.
    pub key: PathBuf,
    /// Who signs clients' certificates, PEM; without it clients need none.
    pub client_authority: Option<PathBuf>,
}

/// A disk, and how it is scheduled.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskConfig {
    /// Its name, for exports, commands and metrics.
    pub name: String,
    /// The real disk that it stands for, or the emulated one.
    pub backing: Backing,
    /// The scheduler, as on the command line of `bfq run`: `bfq:low_latency=0`; without it, one
    /// that suits the disk.
    pub scheduler: Option<String>,
    /// The disk is held to this rate, in bytes a second, if given.
    pub rate_bytes_per_s: Option<u64>,
    /// The most commands that the disk is given at a time, if given.
    pub depth: Option<u32>,
}

/// What a disk is.
#[derive(Debug, Clone, PartialEq)]
pub enum Backing {
    /// The real disk below a file, folder or device.
    Below(PathBuf),
    /// Memory with the timing of a modelled disk.
    Emulated {
        /// A profile's name or file, with changes, as in `bfq sim --device`.
        profile: String,
        /// The size of each export on it unless the export says another, bytes.
        size_bytes: u64,
    },
}

/// Who shares a disk: a group of the scheduler's tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Tenant {
    /// Its name, which is unique.
    pub name: String,
    /// The tenant it is part of, if any.
    pub parent: Option<String>,
    /// Its weight among its siblings, 1 to 10,000.
    pub weight: u32,
    /// The class and level of its connections.
    pub ioprio: IoprioValue,
    /// What it may hold at most.
    pub limits: TenantLimits,
}

/// What a tenant may hold at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TenantLimits {
    /// Connections at a time.
    pub connections: u32,
    /// Requests taken from its connections and not yet answered.
    pub requests: u32,
    /// Bytes of data held for it: of writes not yet done and of answers not yet sent.
    pub memory_bytes: u64,
}

/// What the whole server may hold at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Connections at a time, those in their handshake among them.
    pub connections: u32,
    /// How long a handshake may take.
    pub handshake: Duration,
    /// How long a client may take nothing of the answers that wait for it, or send nothing more of
    /// the data of a write.
    pub stuck: Duration,
}

impl ServerLimits {
    /// A client that takes or sends nothing for so long has been forgotten by whoever started it:
    /// networks that fail for a moment, and machines that are moved, are back before.
    pub const STUCK: Duration = Duration::from_secs(300);
}

/// Something that is served under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// The name that clients ask for; the empty one is the default export.
    pub name: String,
    /// Where the data of the export are.
    pub source: ExportSource,
    /// Whose share its requests are charged to.
    pub tenant: String,
    /// Whether clients are refused writes, discards and zeroing.
    pub read_only: bool,
    /// The only clients that may use it.
    pub allow: Vec<Permission>,
    /// For people, shown by `nbdinfo`.
    pub description: String,
}

/// Where the data of an export are.
#[derive(Debug, Clone, PartialEq)]
pub enum ExportSource {
    /// A file or block device.
    Path(PathBuf),
    /// A part of an emulated disk: fresh zeros.
    Emulated {
        /// The name of the emulated disk.
        disk: String,
        /// Its size, in bytes.
        size_bytes: u64,
    },
}

/// Who may use an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// Whoever can reach a listener.
    Anyone,
    /// Who shows a certificate with this name (a DNS name of it, or its common name).
    Certificate(String),
    /// A process of this user on a unix socket.
    User(u32),
    /// A process of this group on a unix socket.
    Group(u32),
}
