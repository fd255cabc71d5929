// SPDX-License-Identifier: MIT OR Apache-2.0
//! Since when a client takes nothing of what TLS has for it, or sends nothing of a write.

use super::*;
use crate::backend::Emulated;
use crate::config::{Export, ExportSource, Permission, Tenant, TenantLimits};
use crate::net::Socket;
use base::IoprioValue;
use device::Profile;
use nbd::server::{Handshake, ServerEvent};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};
use std::io::{IoSlice, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// A disk with an export of 1 MiB that a client uses; its tenant may have so many requests.
pub(crate) fn disk(requests: u32) -> (ServedDisk, (ProcessId, ExportKey)) {
    let profile = Profile::parse_argument("ssd-sata").expect("a profile");
    let backend = Box::new(Emulated::new(&profile, None));
    let mut disk = ServedDisk::new(backend, "none", None).expect("a scheduler");
    let limits = TenantLimits { connections: 1, requests, memory_bytes: 1 << 20 };
    let (name, ioprio) = ("a".to_owned(), IoprioValue::UNSET);
    let tenant = Tenant { name: name.clone(), parent: None, weight: 100, ioprio, limits };
    disk.state.add_tenant(0, &tenant).expect("a tenant");
    let export = Export {
        name: name.clone(),
        source: ExportSource::Emulated { disk: "disk".into(), size_bytes: 1 << 20 },
        tenant: name,
        read_only: false,
        allow: vec![Permission::Anyone],
        description: String::new(),
    };
    let key = disk.add_export(&export).expect("an export");
    let client = disk.state.connect(0, key).expect("a client");
    (disk, (client, key))
}

/// A client has asked for the default export in the oldest way.
fn transmission() -> Transmission {
    transmission_after(1, &option(1, &[]))
}

/// A client has asked for the default export, and may ask what is stored.
pub(crate) fn transmission_with_allocation() -> Transmission {
    let query = [&[0; 4][..], &1_u32.to_be_bytes(), &15_u32.to_be_bytes(), b"base:allocation"];
    let asked = [option(8, &[]), option(10, &query.concat()), option(7, &[0; 6])];
    transmission_after(3, &asked.concat())
}

fn option(number: u32, data: &[u8]) -> Vec<u8> {
    let length = data.len() as u32;
    [&b"IHAVEOPT"[..], &number.to_be_bytes(), &length.to_be_bytes(), data].concat()
}

/// A client has these flags, and asked for that.
fn transmission_after(flags: u32, asked: &[u8]) -> Transmission {
    let mut handshake = Handshake::new(nbd::server::TlsPolicy::Off, nbd::Limits::default());
    let asked = [&flags.to_be_bytes()[..], asked].concat();
    let export = nbd::Export {
        size_bytes: 1 << 20,
        features: nbd::Features::FLUSH,
        block_sizes: nbd::BlockSizes::default(),
        description: String::new(),
        allocation: true,
    };
    let mut input = &asked[..];
    loop {
        match handshake.receive(&mut input).expect("a handshake") {
            ServerEvent::Go(go) => return go.accept(&export),
            ServerEvent::Contexts(contexts) => contexts.accept(&export),
            ServerEvent::More => panic!("it asks for no export"),
            _ => {}
        }
    }
}

/// Both ends of a connection whose TLS handshake is over.
fn under_tls() -> (Transport, ClientConnection, UnixStream) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = KeyPair::generate().expect("a key");
    let names = CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
    let certificate = names.self_signed(&key).expect("a certificate");
    let mut roots = RootCertStore::empty();
    roots.add(certificate.der().clone()).expect("a root");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect("a certificate");
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let mut client = ClientConnection::new(Arc::new(client), name).expect("a client");
    let (ours, mut theirs) = UnixStream::pair().expect("sockets");
    ours.set_nonblocking(true).expect("no waiting");
    theirs.set_nonblocking(true).expect("no waiting");
    let mut transport = Transport::new(Socket::Unix(ours));
    transport.start_tls(ServerConnection::new(Arc::new(server)).expect("a server"));
    while client.is_handshaking() || transport.tls().is_some_and(|tls| tls.is_handshaking()) {
        while client.wants_write() {
            client.write_tls(&mut theirs).expect("written");
        }
        let nothing = transport.read(&mut [0]).expect_err("no data yet");
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
        while client.read_tls(&mut theirs).is_ok_and(|bytes| bytes > 0) {
            client.process_new_packets().expect("a handshake");
        }
    }
    (transport, client, theirs)
}

/// What TLS keeps because the socket is full once did not count as being stuck, and the client was
/// never closed.
#[test]
fn a_client_that_takes_nothing_of_what_tls_keeps_is_stuck_from_then_on() {
    let (mut disk, names) = disk(1);
    let (mut transport, _client, mut theirs) = under_tls();
    while transport.flush().expect("a socket").is_all {
        transport.write(&[IoSlice::new(&[0; 16 << 10])]).expect("TLS takes it");
    }
    let mut connection = Connection::new(transport, transmission(), names, vec![0; 8], &[]);
    for now_ns in [5, 6, 7] {
        connection.send(now_ns, &mut disk).expect("a connection");
        assert_eq!(connection.stuck_since_ns(), Some(5), "at {now_ns}");
    }
    while theirs.read(&mut [0; 64 << 10]).is_ok() {}
    connection.send(8, &mut disk).expect("a connection");
    assert_eq!(connection.stuck_since_ns(), None);
}

/// Such a client was never closed, and held the memory of its tenant for ever.
#[test]
fn a_client_that_sends_no_more_of_a_write_is_stalled_from_then_on() {
    let (mut disk, names) = disk(1);
    let (ours, mut theirs) = UnixStream::pair().expect("sockets");
    ours.set_nonblocking(true).expect("no waiting");
    let transport = Transport::new(Socket::Unix(ours));
    let mut connection = Connection::new(transport, transmission(), names, Vec::new(), &[]);
    let mut sent = |now_ns, bytes: &[u8]| {
        theirs.write_all(bytes).expect("sent");
        connection.receive(now_ns, &mut disk).expect("a connection");
        connection.stalled_since_ns()
    };
    // A write of 1024 bytes.
    let header = [&0x2560_9513_u32.to_be_bytes()[..], &[0, 0, 0, 1], &[0; 16], &[0, 0, 4, 0]];
    assert_eq!(sent(1, &header.concat()[..20]), None, "no memory is held for a header");
    assert_eq!(sent(2, &header.concat()[20..]), Some(2));
    assert_eq!(sent(3, &[]), Some(2));
    assert_eq!(sent(4, &[7; 1000]), Some(4));
    assert_eq!(sent(5, &[]), Some(4));
    assert_eq!(sent(6, &[7; 24]), None);
}
