// SPDX-License-Identifier: MIT OR Apache-2.0
//! Certificates for servers and clients of tests, and clients that show them.

use nbd::client::{Answer, Connection, Negotiation, NegotiationError, Question};
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DistinguishedName, DnType, IsCa, Issuer,
    KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use server::config::Tls;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;

/// A connection with TLS.
pub type Stream = StreamOwned<ClientConnection, TcpStream>;

/// Who signs certificates.
pub struct Authority {
    certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate and its key.
pub struct Shown {
    certificate: Certificate,
    key: KeyPair,
}

impl Authority {
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        Authority { certificate, issuer: Issuer::new(params, key) }
    }

    /// A certificate with these names, the first of which is its common one, up to a year.
    pub fn sign(&self, common: &str, dns: &[&str], last_year: i32) -> Shown {
        let dns: Vec<String> = dns.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(dns).expect("parameters");
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, common);
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(last_year, 1, 1);
        let key = KeyPair::generate().expect("a key");
        Shown { certificate: params.signed_by(&key, &self.issuer).expect("signed"), key }
    }

    /// What a server needs that is known as `localhost`, written into a folder; one that asks
    /// clients for certificates takes those that this authority has signed.
    pub fn server_files(&self, folder: &Path, asks_clients: bool) -> Tls {
        let own = self.sign("the server", &["localhost"], 4000);
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("a file");
            path
        };
        Tls {
            certificate: write("server.pem", own.certificate.pem()),
            key: write("server.key", own.key.serialize_pem()),
            client_authority: asks_clients.then(|| write("authority.pem", self.certificate.pem())),
        }
    }

    /// A client that trusts this authority asks for TLS, shows a certificate or none, and uses an
    /// export; or why it cannot.
    pub fn client(
        &self,
        address: SocketAddr,
        shown: Option<&Shown>,
        export: &str,
    ) -> Result<Connection<Stream>, String> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.der().clone()).expect("a root");
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
        let name = ServerName::try_from("localhost").expect("a name");
        let over = asked_for_tls(address)?.over(|stream| {
            let tls = ClientConnection::new(Arc::new(config), name);
            Ok(StreamOwned::new(tls.map_err(std::io::Error::other)?, stream))
        });
        over.map_err(in_words)?.go(export).map_err(in_words)
    }
}

fn in_words(error: NegotiationError) -> String {
    error.to_string()
}

/// A connection whose client has asked for TLS and been told to begin, or why not.
pub fn asked_for_tls(address: SocketAddr) -> Result<Negotiation<TcpStream>, String> {
    let stream = TcpStream::connect(address).map_err(|error| error.to_string())?;
    let mut negotiation = Negotiation::begin(stream).map_err(in_words)?;
    match negotiation.ask(Question::StartTls).map_err(in_words)? {
        Answer::Done => Ok(negotiation),
        answer => Err(format!("asked for TLS, the server said {answer:?}")),
    }
}
