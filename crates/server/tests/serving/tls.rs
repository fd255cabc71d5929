// SPDX-License-Identifier: MIT OR Apache-2.0
//! TLS: who shows which certificate gets what.

use crate::log_lines::is_logged;
use crate::set_up::{Place, until};
use nbd::client::{Answer, Connection, Negotiation, Question};
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DistinguishedName, DnType, IsCa, Issuer,
    KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use server::Control;
use server::config::{Address, Listener, Permission, Tls, TlsPolicy};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

type Stream = StreamOwned<ClientConnection, TcpStream>;

/// Somebody who signs certificates.
struct Authority {
    certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate and its key.
struct Shown {
    certificate: Certificate,
    key: KeyPair,
}

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        Authority { certificate, issuer: Issuer::new(params, key) }
    }

    /// A certificate with these names, the first of which is its common one, up to a year.
    fn sign(&self, common: &str, dns: &[&str], last_year: i32) -> Shown {
        let dns: Vec<String> = dns.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(dns).expect("parameters");
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, common);
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(last_year, 1, 1);
        let key = KeyPair::generate().expect("a key");
        Shown { certificate: params.signed_by(&key, &self.issuer).expect("signed"), key }
    }
}

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
        let own = authority.sign("the server", &["localhost"], 4000);
        let write = |name: &str, text: String| {
            let path = place.path(name);
            std::fs::write(&path, text).expect("a file");
            path
        };
        let mut config = place.config();
        config.tls = Some(Tls {
            certificate: write("server.pem", own.certificate.pem()),
            key: write("server.key", own.key.serialize_pem()),
            client_authority: asks_clients
                .then(|| write("authority.pem", authority.certificate.pem())),
        });
        let address = Address::Tcp("127.0.0.1:0".parse().expect("an address"));
        config.listeners.push(Listener { address, tls: TlsPolicy::Required });
        config.exports[1].allow = vec![Permission::Certificate("vm1.example".into())];
        let server = server::start(config, Vec::new()).expect("a server");
        let address = server.tcp_addresses()[0];
        Secure { place, server, authority, address }
    }

    fn client(&self, shown: Option<&Shown>, export: &str) -> Result<Connection<Stream>, String> {
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.certificate.der().clone()).expect("a root");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots);
        let config = match shown {
            None => builder.with_no_client_auth(),
            Some(Shown { certificate, key }) => {
                let chain: Vec<CertificateDer<'static>> = vec![certificate.der().clone()];
                let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
                builder.with_client_auth_cert(chain, key).expect("a certificate")
            }
        };
        let stream = TcpStream::connect(self.address).expect("the server listens");
        let words = |error: nbd::client::NegotiationError| error.to_string();
        let mut negotiation = Negotiation::begin(stream).map_err(words)?;
        assert!(matches!(negotiation.ask(Question::StartTls).map_err(words)?, Answer::Done));
        let name = ServerName::try_from("localhost").expect("a name");
        let over = negotiation.over(|stream| {
            let tls = ClientConnection::new(Arc::new(config), name);
            Ok(StreamOwned::new(tls.map_err(std::io::Error::other)?, stream))
        });
        over.map_err(words)?.go(export).map_err(words)
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
