// SPDX-License-Identifier: MIT OR Apache-2.0
//! Certificates: the server's own, whose clients are trusted, and the names in a client's.
//!
//! Pre-shared keys, which NBD knows as well, are not possible: rustls has none.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;

/// Why certificates cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file has no certificate or key.
    #[error("{path}: {error}")]
    File {
        /// Which file it is.
        path: PathBuf,
        /// Why the file cannot be read as PEM.
        error: rustls::pki_types::pem::Error,
    },
    /// They do not fit together.
    #[error("{0}")]
    Config(#[from] rustls::Error),
    /// Those who sign clients' certificates cannot be used.
    #[error("{path}: {error}")]
    Authority {
        /// Which file it is.
        path: PathBuf,
        /// Why the certificates in the file cannot check those of clients.
        error: rustls::server::VerifierBuilderError,
    },
}

impl TlsError {
    /// The file that is wrong, if it is one alone.
    pub fn path(&self) -> Option<&Path> {
        match self {
            TlsError::File { path, .. } | TlsError::Authority { path, .. } => Some(path),
            TlsError::Config(_) => None,
        }
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let wrong = |error| TlsError::File { path: path.to_path_buf(), error };
    let certificates: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(|found| found.collect::<Result<_, _>>())
        .map_err(wrong)?;
    if certificates.is_empty() {
        return Err(wrong(rustls::pki_types::pem::Error::NoItemsFound));
    }
    Ok(certificates)
}

/// What TLS sessions are made with: the server's certificates, their key, and perhaps who signs
/// those of clients.
///
/// # Errors
/// A file cannot be read, or they do not fit together.
pub fn acceptor(
    certificate: &Path,
    key: &Path,
    client_authority: Option<&Path>,
) -> Result<Arc<ServerConfig>, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let builder = match client_authority {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(path)? {
                roots.add(certificate)?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .map_err(|error| TlsError::Authority { path: path.to_path_buf(), error })?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let private = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| TlsError::File { path: key.to_path_buf(), error })?;
    Ok(Arc::new(builder.with_single_cert(certificates(certificate)?, private)?))
}

/// The names in the certificate that a client has shown: its DNS names and its common names.
pub fn names_of(tls: &ServerConnection) -> Vec<String> {
    let Some(shown) = tls.peer_certificates().and_then(|chain| chain.first()) else {
        return Vec::new();
    };
    let Ok((_, certificate)) = parse_x509_certificate(shown) else { return Vec::new() };
    let subject = certificate.subject();
    let common = subject.iter_common_name().filter_map(|name| name.as_str().ok());
    let mut names: Vec<String> = common.map(str::to_owned).collect();
    if let Ok(Some(alternative)) = certificate.subject_alternative_name() {
        for name in &alternative.value.general_names {
            if let GeneralName::DNSName(name) = name {
                names.push((*name).to_owned());
            }
        }
    }
    names
}
