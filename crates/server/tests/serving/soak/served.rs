// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server of the soak, in a process of its own, and the operator who changes things in it.

use super::{EXPORT_BYTES, SERVES, from_environment};
use crate::log_lines;
use crate::set_up::{MIB, Place, tenant};
use base::random::Random;
use server::config::{
    Address, Backing, Config, DiskConfig, Export, ExportSource, Listener, Permission, Tls,
    TlsPolicy,
};
use server::{Control, Server};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn config(folder: &Path) -> Config {
    let place = Place::new();
    let mut config = place.config();
    let socket = folder.join("socket");
    config.listeners[0].address = Address::Unix { path: socket, mode: 0o600 };
    config.limits.stuck = Duration::from_secs(1);
    config.limits.handshake = Duration::from_secs(1);
    let names = [("light", 100), ("heavy", 300), ("odd", 100), ("fails", 100), ("secure", 100)];
    config.tenants.extend(names.map(|(name, weight)| tenant(name, weight)));
    let address = Address::Tcp("127.0.0.1:0".parse().expect("an address"));
    config.listeners.push(Listener { address, tls: TlsPolicy::Required });
    config.tls = Some(Tls {
        certificate: folder.join("server.pem"),
        key: folder.join("server.key"),
        client_authority: Some(folder.join("authority.pem")),
    });
    config.disks.push(DiskConfig {
        name: "slow".into(),
        backing: Backing::Emulated { profile: "reference-ssd".into(), size_bytes: 64 * MIB },
        scheduler: Some("bfq:low_latency=0".into()),
        rate_bytes_per_s: Some(20_000_000),
        depth: None,
    });
    let emulated = || ExportSource::Emulated { disk: "slow".into(), size_bytes: EXPORT_BYTES };
    config.exports = vec![
        export("a", ExportSource::Path(folder.join("a"))),
        export("b", ExportSource::Path(folder.join("b"))),
        export("odd", ExportSource::Path(folder.join("odd"))),
        export("light", emulated()),
        export("heavy", emulated()),
        Export {
            allow: vec![Permission::Certificate("secure.example".into())],
            ..export("secure", ExportSource::Path(folder.join("secure")))
        },
    ];
    for name in ["short", "full/file", "hanging/file"] {
        let path = folder.join(name);
        // Only root has the file systems.
        if path.exists() {
            config
                .exports
                .push(Export { tenant: "fails".into(), ..export(name, ExportSource::Path(path)) });
        }
    }
    config
}

fn export(name: &str, source: ExportSource) -> Export {
    Export {
        name: name.into(),
        source,
        tenant: name.into(),
        read_only: false,
        allow: vec![Permission::Anyone],
        description: String::new(),
    }
}

/// What the child does: it serves the folder, and an operator changes things, until it is stopped.
#[test]
fn child() {
    let Ok(folder) = std::env::var(SERVES).map(PathBuf::from) else { return };
    log_lines::to_stderr();
    for name in ["odd", "secure", "extra"] {
        let file = File::create(folder.join(name));
        file.and_then(|file| file.set_len(EXPORT_BYTES)).expect("a file");
    }
    let server = server::start(config(&folder), Vec::new()).expect("a server");
    let address = server.tcp_addresses()[0].to_string();
    // It is whole when it is there.
    std::fs::write(folder.join("address.new"), address).expect("written");
    std::fs::rename(folder.join("address.new"), folder.join("address")).expect("renamed");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let operator = scope.spawn(|| {
            let mut random = Random::new(from_environment("BFQ_SOAK_SEED", 1) + 1000);
            let mut has_extra = false;
            while !is_over.load(Ordering::Relaxed) {
                operate(&server, &folder, &mut random, &mut has_extra);
                look(&server, &mut random);
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        let _ = std::io::stdin().read_line(&mut String::new());
        is_over.store(true, Ordering::Relaxed);
        operator.join().expect("all changes are made");
    });
    server.stop(Duration::from_secs(5));
}

/// One change, of tenants and disks whose shares are not measured.
fn operate(server: &Server, folder: &Path, random: &mut Random, has_extra: &mut bool) {
    match random.below(4) {
        0 => server.set_weight("a", 1 + random.below(1000) as u32).expect("a weight"),
        1 => {
            let schedulers = ["bfq", "tfq", "mq-deadline", "kyber", "none"];
            let status = server.status();
            let files: Vec<_> = status.disks.iter().filter(|disk| disk.name != "slow").collect();
            let disk = files[random.below(files.len() as u64) as usize];
            let scheduler = schedulers[random.below(5) as usize];
            server.set_scheduler(&disk.name, scheduler).expect("a scheduler");
        }
        2 if *has_extra => {
            let limit = Duration::from_millis(random.below(50));
            server.drain_export("extra", limit, true).expect("drained");
            *has_extra = false;
        }
        2 => {
            let mut extra = export("extra", ExportSource::Path(folder.join("extra")));
            extra.tenant = "odd".into();
            server.add_export(extra).expect("added");
            *has_extra = true;
        }
        _ => {
            // It is as before, so that only `extra` goes.
            server.apply(config(folder)).expect("applied");
            *has_extra = false;
        }
    }
}

/// What an operator looks at, which changes nothing.
fn look(server: &Server, random: &mut Random) {
    let tenant = ["a", "b", "light", "heavy", "odd", "fails", "secure"][random.below(7) as usize];
    server.explain(tenant, 5).expect("a tenant of the server");
}
