// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole sessions of the client with the server, as what the fuzz targets `nbd_server` and
//! `nbd_client` start from. They are made anew each time, so that they fit the protocol as it is.
//!
//! `cargo run -p bfq-nbd --example fuzz_seeds -- fuzz/corpus`

use nbd::client::{ClientRequest, Negotiation, Question};
use nbd::server::{Handshake, Listed, Refusal, ServerEvent, TlsPolicy};
use nbd::{BlockSizes, Command, Export, Features, Headers, Limits};
use std::error::Error;
use std::io::{self, Read, Write};
use std::path::Path;

fn export() -> Result<Export, Box<dyn Error>> {
    Ok(Export {
        size_bytes: 1 << 33,
        features: Features::FLUSH
            | Features::FUA
            | Features::TRIM
            | Features::WRITE_ZEROES
            | Features::FAST_ZERO
            | Features::CACHE
            | Features::RESIZE,
        block_sizes: BlockSizes::new(1, 4096, u32::MAX).ok_or("bad block sizes")?,
        description: "a disk".to_owned(),
        allocation: true,
    })
}

/// A stream to a server in the same thread, which keeps what both have said.
struct Recorder {
    handshake: Handshake,
    export: Export,
    unread: Vec<u8>,
    is_over: bool,
    client: Vec<u8>,
    server: Vec<u8>,
    /// How much of what the server said the client has read.
    read: usize,
}

impl Recorder {
    fn new() -> Result<Recorder, Box<dyn Error>> {
        let handshake = Handshake::new(TlsPolicy::Off, Limits::PROTOCOL);
        let mut recorder = Recorder {
            handshake,
            export: export()?,
            unread: Vec::new(),
            is_over: false,
            client: Vec::new(),
            server: Vec::new(),
            read: 0,
        };
        recorder.collect();
        Ok(recorder)
    }

    fn collect(&mut self) {
        let output = self.handshake.output().to_vec();
        self.handshake.sent(output.len());
        self.server.extend_from_slice(&output);
    }

    fn answer(&mut self) -> io::Result<()> {
        let taken = std::mem::take(&mut self.unread);
        let mut input = &taken[..];
        while !self.is_over {
            match self.handshake.receive(&mut input).map_err(io::Error::other)? {
                ServerEvent::More => break,
                ServerEvent::Answered => {}
                ServerEvent::Abort | ServerEvent::StartTls => self.is_over = true,
                ServerEvent::List(list) => {
                    list.accept([Listed { name: "a", description: "a disk" }])
                }
                ServerEvent::Info(info) => info.accept(&self.export),
                ServerEvent::Go(go) if go.name() == "a" => {
                    let _ = go.accept(&self.export);
                    self.is_over = true;
                }
                ServerEvent::Go(go) => go.refuse(Refusal::Unknown).map_err(io::Error::other)?,
                ServerEvent::Contexts(contexts) => contexts.accept(&self.export),
            }
        }
        self.unread = input.to_vec();
        self.collect();
        Ok(())
    }
}

impl Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.client.extend_from_slice(bytes);
        self.unread.extend_from_slice(bytes);
        self.answer()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Recorder {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = into.len().min(self.server.len() - self.read);
        into[..bytes].copy_from_slice(&self.server[self.read..self.read + bytes]);
        self.read += bytes;
        Ok(bytes)
    }
}

/// Every option and every command, once.
fn session(most: Headers) -> Result<Recorder, Box<dyn Error>> {
    let mut negotiation = Negotiation::begin(Recorder::new()?)?;
    negotiation.ask_headers(most)?;
    negotiation.ask(Question::List)?;
    negotiation.ask(Question::Info("a".to_owned()))?;
    negotiation.ask(Question::ListContexts("a".to_owned(), vec!["base:".to_owned()]))?;
    negotiation.ask(Question::Go("nothing".to_owned()))?;
    if most.has_chunks() {
        negotiation.ask(Question::SelectAllocation("a".to_owned()))?;
    }
    let mut connection = negotiation.go("a")?;
    let mut begin = |command, fua, length_bytes: u64| {
        let request = ClientRequest { command, fua, offset_bytes: 4096, length_bytes };
        let data = if command == Command::Write { vec![7; length_bytes as usize] } else { vec![] };
        connection.begin(request, &data)
    };
    begin(Command::Read { whole: false }, false, 4096)?;
    begin(Command::Write, true, 24)?;
    begin(Command::Trim, false, 512)?;
    begin(Command::WriteZeroes { may_be_hole: true, only_if_fast: false }, false, 512)?;
    begin(Command::WriteZeroes { may_be_hole: false, only_if_fast: true }, false, 512)?;
    begin(Command::Cache, false, 512)?;
    if most.has_chunks() {
        begin(Command::Read { whole: true }, false, 4096)?;
        begin(Command::BlockStatus { one: true }, false, 512)?;
    }
    let flush =
        ClientRequest { command: Command::Flush, fua: false, offset_bytes: 0, length_bytes: 0 };
    connection.begin(flush, &[])?;
    Ok(connection.disconnect()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: fuzz_seeds FOLDER")?;
    let headers = [
        ("simple", Headers::Simple),
        ("structured", Headers::Structured),
        ("extended", Headers::Extended),
    ];
    for (name, most) in headers {
        let Recorder { client, server, .. } = session(most)?;
        for (target, bytes) in [("nbd_server", client), ("nbd_client", server)] {
            let folder = Path::new(&folder).join(target);
            std::fs::create_dir_all(&folder)?;
            // The first byte says how long the pieces are: one byte, or many.
            for manner in [0_u8, 255] {
                let seed = [&[manner], &bytes[..]].concat();
                std::fs::write(folder.join(format!("{name}-{manner}")), seed)?;
            }
        }
    }
    Ok(())
}
