// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--openmetrics`: the figures of the last interval by HTTP, for a metrics server.
//!
//! One client is served at a time, each has a second to ask and to read: metrics servers ask every
//! few seconds, and nobody else is to be served.

use crate::failure::Failure;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a client may take to ask, and to read.
const PATIENCE: Duration = Duration::from_secs(1);

/// A request is no longer than this.
const LONGEST_REQUEST_BYTES: usize = 4096;

/// What is served. The thread that serves it ends with the process.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Mutex<String>>);

impl Metrics {
    /// Serves at an address.
    ///
    /// # Errors
    /// With exit code 2 if the address cannot be had.
    pub fn listen(address: SocketAddr) -> Result<Self, Failure> {
        let refused = |error| Failure::usage(format!("--openmetrics {address}: {error}"));
        let listener = TcpListener::bind(address).map_err(refused)?;
        let metrics = Metrics(Arc::new(Mutex::new("# EOF\n".to_owned())));
        let served = metrics.clone();
        thread::spawn(move || {
            // A client that goes away, or does not ask, is no matter.
            listener.incoming().flatten().for_each(|stream| drop(served.serve(stream)));
        });
        Ok(metrics)
    }

    /// There are new figures.
    pub fn set(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        self.answer(stream)
    }

    fn answer(&self, mut stream: impl Read + Write) -> std::io::Result<()> {
        let mut request = Vec::new();
        let mut part = [0; 512];
        while !request.windows(4).any(|end| end == b"\r\n\r\n") {
            let read = stream.read(&mut part)?;
            request.extend_from_slice(&part[..read]);
            if read == 0 || request.len() > LONGEST_REQUEST_BYTES {
                return Ok(());
            }
        }
        let (status, text) = match request.starts_with(b"GET /metrics ") {
            true => ("200 OK", self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()),
            false => ("404 Not Found", "there is /metrics\n".to_owned()),
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: application/openmetrics-text; version=1.0.0; \
             charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn what_was_set_last_is_served_and_nothing_else() {
        let metrics = Metrics(Arc::default());
        metrics.set("figures\n# EOF\n".to_owned());
        for (path, expected) in [("/metrics", "figures\n# EOF\n"), ("/", "there is /metrics\n")] {
            let (mut client, server) = UnixStream::pair().unwrap();
            write!(client, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            metrics.answer(server).unwrap();
            let mut said = String::new();
            client.read_to_string(&mut said).unwrap();
            assert!(said.ends_with(&format!("\r\n\r\n{expected}")), "{said}");
        }
    }
}
