// SPDX-License-Identifier: MIT OR Apache-2.0
//! A client that keeps some requests in flight, and what it gets. It is the same for all servers.

use crate::error::BenchError;
use nbd::client::{ClientRequest, Connection, Negotiation};
use nbd::{Command, Headers};
use std::collections::HashMap;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What a client does.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// It writes; else it reads.
    pub writes: bool,
    /// Offsets follow each other; else they are random.
    pub sequential: bool,
    /// The size of a request, bytes.
    pub block_bytes: u32,
    /// How many requests the client keeps in flight.
    pub depth: usize,
    /// How long it waits after an answer before it asks again.
    pub pause: Duration,
}

/// When it is counted: what ends from `start` to `end`.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub start: Instant,
    pub end: Instant,
}

impl Window {
    /// Begins after `before` from now and lasts `length`.
    pub fn after(before: Duration, length: Duration) -> Window {
        let start = Instant::now() + before;
        Window { start, end: start + length }
    }
}

/// What a client got.
#[derive(Debug, Clone, Default)]
pub struct Got {
    pub requests: u64,
    pub bytes: u64,
    /// From a request's sending to its answer, nanoseconds, sorted.
    pub latencies_ns: Vec<u64>,
}

impl Got {
    /// The latency that `part` of the requests do not exceed, nanoseconds; 0 of none.
    pub fn quantile_ns(&self, part: f64) -> u64 {
        let last = self.latencies_ns.len().saturating_sub(1);
        let rank = (self.latencies_ns.len() as f64 * part).ceil() as usize;
        self.latencies_ns.get(rank.saturating_sub(1).min(last)).copied().unwrap_or(0)
    }
}

/// A client that has an export.
pub struct Client {
    connection: Connection<UnixStream>,
}

impl Client {
    /// Connects to `export` at a unix socket.
    pub fn connect(socket: &Path, export: &str) -> Result<Client, BenchError> {
        let stream = UnixStream::connect(socket);
        let stream = stream.map_err(|source| BenchError::File { path: socket.into(), source })?;
        let mut negotiation = Negotiation::begin(stream)?;
        negotiation.ask_headers(Headers::Structured)?;
        Ok(Client { connection: negotiation.go(export)? })
    }

    /// Does `load` until the window ends.
    pub fn run(&mut self, load: Load, seed: u64, window: Window) -> Result<Got, BenchError> {
        let mut random = fastrand::Rng::with_seed(seed);
        let blocks = self.connection.export().size_bytes / u64::from(load.block_bytes);
        let mut next_block = random.u64(..blocks);
        let data = vec![0xa5; if load.writes { load.block_bytes as usize } else { 0 }];
        let command = if load.writes { Command::Write } else { Command::Read { whole: false } };
        let mut sent = HashMap::new();
        let mut got = Got::default();
        loop {
            while sent.len() < load.depth && Instant::now() < window.end {
                next_block =
                    if load.sequential { (next_block + 1) % blocks } else { random.u64(..blocks) };
                let offset_bytes = next_block * u64::from(load.block_bytes);
                let length_bytes = u64::from(load.block_bytes);
                let request = ClientRequest { command, fua: false, offset_bytes, length_bytes };
                let now = Instant::now();
                sent.insert(self.connection.begin(request, &data)?, now);
            }
            if sent.is_empty() {
                got.latencies_ns.sort_unstable();
                return Ok(got);
            }
            let (cookie, outcome) = self.connection.finish_any()?;
            if let Some(error) = outcome.error {
                return Err(nbd::client::ConnectionError::Failed(error).into());
            }
            let now = Instant::now();
            let begun = sent.remove(&cookie);
            if let Some(begun) = begun
                && (window.start..window.end).contains(&now)
            {
                got.requests += 1;
                got.bytes += u64::from(load.block_bytes);
                got.latencies_ns.push((now - begun).as_nanos() as u64);
            }
            if !load.pause.is_zero() {
                thread::sleep(load.pause);
            }
        }
    }
}

/// A client that runs beside others.
pub struct Running(JoinHandle<Result<Got, BenchError>>);

impl Running {
    /// Connects to the export, then runs the load in a thread of its own.
    pub fn start(
        socket: &Path,
        export: &str,
        load: Load,
        seed: u64,
        window: Window,
    ) -> Result<Running, BenchError> {
        let mut client = Client::connect(socket, export)?;
        Ok(Running(thread::spawn(move || client.run(load, seed, window))))
    }

    /// Waits for its end.
    pub fn finish(self) -> Result<Got, BenchError> {
        self.0.join().map_err(|_| BenchError::Panicked)?
    }
}
