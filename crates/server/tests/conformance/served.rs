// SPDX-License-Identifier: MIT OR Apache-2.0
//! A server of files in a folder, and of an emulated disk, for as long as a test runs.

use base::IoprioValue;
use server::config::{
    Address, Backing, Config, DiskConfig, Export, ExportSource, Listener, Permission, ServerLimits,
    Tenant, TenantLimits, TlsPolicy,
};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub const SIZE_BYTES: u64 = 16 << 20;

/// A server whose exports are `disk` (a file of holes), `other` (another one), `read-only` (the
/// file of `disk`), and `emulated`.
pub struct Served {
    folder: tempfile::TempDir,
    _server: Arc<server::Server>,
}

impl Served {
    pub fn new() -> Served {
        // Not below /tmp, which may be in memory: tools are to meet a file system with holes.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        for name in ["disk", "other"] {
            let file = File::create(folder.path().join(name)).expect("a file");
            file.set_len(SIZE_BYTES).expect("it can be large");
        }
        let file = |name: &str| ExportSource::Path(folder.path().join(name));
        let emulated = ExportSource::Emulated { disk: "model".to_owned(), size_bytes: SIZE_BYTES };
        let config = Config {
            listeners: vec![Listener {
                address: Address::Unix { path: folder.path().join("socket"), mode: 0o600 },
                tls: TlsPolicy::Off,
            }],
            tls: None,
            disks: vec![DiskConfig {
                name: "model".to_owned(),
                backing: Backing::Emulated {
                    profile: "ssd-nvme".to_owned(),
                    size_bytes: SIZE_BYTES,
                },
                scheduler: Some("bfq".to_owned()),
                rate_bytes_per_s: None,
                depth: None,
            }],
            tenants: vec![tenant()],
            exports: vec![
                export("disk", file("disk"), false),
                export("other", file("other"), false),
                export("read-only", file("disk"), true),
                export("emulated", emulated, false),
            ],
            control: None,
            http: None,
            drain_limit: Duration::from_secs(1),
            limits: ServerLimits {
                connections: 100,
                handshake: Duration::from_secs(10),
                stuck: ServerLimits::STUCK,
            },
        };
        let server = server::start(config, Vec::new()).expect("it can be served");
        Served { folder, _server: server }
    }

    /// What tools call an export by.
    pub fn uri(&self, export: &str) -> String {
        format!("nbd+unix:///{export}?socket={}", self.socket().display())
    }

    pub fn socket(&self) -> PathBuf {
        self.path("socket")
    }

    /// A file of the folder, where tests may have their own as well.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The contents of a file of the folder.
    pub fn contents(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("it is there")
    }

    /// A file with data in some places and holes elsewhere.
    pub fn write_sparse(&self, name: &str) -> PathBuf {
        use std::os::unix::fs::FileExt;
        let path = self.path(name);
        let file = File::create(&path).expect("a file");
        file.set_len(SIZE_BYTES).expect("it can be large");
        for (place, length) in [(0, 100_000), (1 << 20, 1 << 20), (SIZE_BYTES - 4096, 4096)] {
            let data: Vec<u8> = (0..length).map(|byte| (byte * 7 % 251) as u8 | 1).collect();
            file.write_all_at(&data, place).expect("it can be written");
        }
        path
    }

    /// The bytes that a file takes on its disk.
    pub fn stored_bytes(&self, name: &str) -> u64 {
        std::fs::metadata(self.path(name)).expect("it is there").blocks() * 512
    }
}

fn tenant() -> Tenant {
    Tenant {
        name: "tenant".to_owned(),
        parent: None,
        weight: 100,
        ioprio: IoprioValue::UNSET,
        limits: TenantLimits { connections: 64, requests: 256, memory_bytes: 64 << 20 },
    }
}

fn export(name: &str, source: ExportSource, read_only: bool) -> Export {
    Export {
        name: name.to_owned(),
        source,
        tenant: "tenant".to_owned(),
        read_only,
        allow: vec![Permission::Anyone],
        description: format!("the export {name}"),
    }
}
