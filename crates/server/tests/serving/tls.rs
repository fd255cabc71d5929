// SPDX-License-Identifier: MIT OR Apache-2.0
//! TLS: who shows which certificate gets what.

use crate::certificates::{Authority, Shown, Stream};
use crate::log_lines::is_logged;
use crate::set_up::{Place, until};
use nbd::client::{Connection, Negotiation};
use server::Control;
use server::config::{Address, Listener, Permission, TlsPolicy};
use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

/// A server that speaks TLS only, and who signs for it.
struct Secure {
    place: Place,
    server: Arc<server::Server>,
    authority: Authority,
    address: SocketAddr,
}

impl Secure {
    fn start(asks_clients: bool) -> Secure {
        let (place, authority) = (Place::new(), Authority::new());
        let mut config = place.config();
        config.tls = Some(authority.server_files(place.folder.path(), asks_clients));
        let address = Address::Tcp("127.0.0.1:0".parse().expect("an address"));
        config.listeners.push(Listener { address, tls: TlsPolicy::Required });
        config.exports[1].allow = vec![Permission::Certificate("vm1.example".into())];
        let server = server::start(config, Vec::new()).expect("a server");
        let address = server.tcp_addresses()[0];
        Secure { place, server, authority, address }
    }

    fn client(&self, shown: Option<&Shown>, export: &str) -> Result<Connection<Stream>, String> {
        self.authority.client(self.address, shown, export)
    }

    fn others_go_on(&self) {
        let mut client = self.place.client("a");
        client.read(0, 4096).expect("read");
    }
}

#[test]
fn data_go_over_tls_in_both_directions() {
    let secure = Secure::start(false);
    let mut client = secure.client(None, "a").expect("a connection");
    let data: Vec<u8> = (0..3 << 20).map(|place| (place / 7) as u8).collect();
    client.write(0, &data).expect("written");
    assert_eq!(client.read(0, data.len()).expect("read"), data);
    client.flush().expect("flushed");
    assert_eq!(std::fs::read(secure.place.path("a")).expect("the file")[..data.len()], data);
}

/// The client's library took the end for one that an attacker had made.
#[test]
fn the_end_is_told_under_tls() {
    let secure = Secure::start(false);
    let mut client = secure.client(None, "a").expect("a connection");
    client.read(0, 4096).expect("read");
    let mut stream = client.disconnect().expect("sent");
    assert_eq!(stream.read(&mut [0]).expect("an end"), 0);
}

#[test]
fn who_may_is_told_by_the_names_in_the_certificate() {
    let secure = Secure::start(true);
    let by_dns = secure.authority.sign("somebody", &["other.example", "vm1.example"], 4000);
    secure.client(Some(&by_dns), "b").expect("its DNS name").read(0, 512).expect("read");
    let by_common = secure.authority.sign("vm1.example", &[], 4000);
    secure.client(Some(&by_common), "b").expect("its common name").read(0, 512).expect("read");
    let other = secure.authority.sign("vm2.example", &["vm2.example"], 4000);
    assert!(secure.client(Some(&other), "b").is_err());
    secure.client(Some(&other), "a").expect("anyone may").read(0, 512).expect("read");
    assert!(secure.place.try_client("b").is_err(), "no certificate on the unix socket");
}

#[test]
fn certificates_that_are_no_good_are_refused_and_others_go_on() {
    let secure = Secure::start(true);
    let expired = secure.authority.sign("vm1.example", &["vm1.example"], 2001);
    let stranger = Authority::new().sign("vm1.example", &["vm1.example"], 4000);
    for (round, (shown, why)) in [
        (Some(&expired), "certificate expired"),
        (Some(&stranger), "invalid peer certificate"),
        (None, "no certificates"),
    ]
    .into_iter()
    .enumerate()
    {
        assert!(secure.client(shown, "a").is_err());
        is_logged(&["WARN connection closed in its handshake", why]);
        until("it is counted", || secure.server.status().refused > round as u64);
        secure.others_go_on();
    }
    let refused = secure.server.status().refused;
    assert_eq!(refused, 3);
}

#[test]
fn nothing_is_had_in_the_clear_where_tls_is_required() {
    let secure = Secure::start(false);
    let stream = TcpStream::connect(secure.address).expect("the server listens");
    let negotiation = Negotiation::begin(stream).expect("a greeting");
    let refused = negotiation.go("a").expect_err("refused").to_string();
    assert!(refused.to_lowercase().contains("tls"), "{refused}");
}
