// SPDX-License-Identifier: MIT OR Apache-2.0
//! A host of one export for tests, and options as bytes.

use nbd::server::{
    Handshake, HandshakeError, Listed, Refusal, ServerEvent, TlsPolicy, Transmission,
};
use nbd::{BlockSizes, Export, Features, Limits};

pub const SIZE_BYTES: u64 = 1 << 20;

pub fn export() -> Export {
    Export {
        size_bytes: SIZE_BYTES,
        features: Features::FLUSH
            | Features::FUA
            | Features::TRIM
            | Features::WRITE_ZEROES
            | Features::CACHE
            | Features::FAST_ZERO
            | Features::MULTI_CONN,
        block_sizes: BlockSizes::new(512, 4096, 1 << 16).expect("good sizes"),
        description: "a disk".to_owned(),
        allocation: true,
    }
}

/// A handshake and what its host has seen: events by name, and how it ended.
pub struct Host {
    pub handshake: Handshake,
    pub events: Vec<String>,
    pub output: Vec<u8>,
    pub transmission: Option<Transmission>,
}

impl Host {
    pub fn new(tls: TlsPolicy) -> Self {
        Self::with_limits(tls, Limits::PROTOCOL)
    }

    pub fn with_limits(tls: TlsPolicy, limits: Limits) -> Self {
        let handshake = Handshake::new(tls, limits);
        Self { handshake, events: Vec::new(), output: Vec::new(), transmission: None }
    }

    /// Has the greeting behind it, and a client that knows fixed newstyle without zeros.
    pub fn greeted(tls: TlsPolicy) -> Self {
        let mut host = Self::new(tls);
        host.give(&[0, 0, 0, 3]).expect("good flags");
        host.output.clear();
        host
    }

    /// Gives bytes to the handshake, answers for one export called `disk`, and returns what was
    /// left when the handshake ended or waits for TLS.
    pub fn give<'i>(&mut self, mut input: &'i [u8]) -> Result<&'i [u8], HandshakeError> {
        loop {
            let (event, ends) = match self.handshake.receive(&mut input)? {
                ServerEvent::More => ("more".to_owned(), true),
                ServerEvent::Answered => ("answered".to_owned(), false),
                ServerEvent::StartTls => ("start TLS".to_owned(), true),
                ServerEvent::Abort => ("abort".to_owned(), true),
                ServerEvent::List(list) => {
                    list.accept([Listed { name: "disk", description: "a disk" }]);
                    ("list".to_owned(), false)
                }
                ServerEvent::Info(info) => {
                    let event = format!("info {:?}", info.name());
                    match info.name() {
                        "disk" => info.accept(&export()),
                        _ => info.refuse(Refusal::Unknown),
                    }
                    (event, false)
                }
                ServerEvent::Go(go) => {
                    let event = format!("go {:?}", go.name());
                    match go.name() {
                        "disk" => self.transmission = Some(go.accept(&export())),
                        "secret" => go.refuse(Refusal::TlsRequired).unwrap_or(()),
                        _ => go.refuse(Refusal::Unknown).unwrap_or(()),
                    }
                    (event, self.transmission.is_some())
                }
                ServerEvent::Contexts(contexts) => {
                    let event = format!("contexts {:?}", contexts.name());
                    match contexts.name() {
                        "disk" | "other" => contexts.accept(&export()),
                        _ => contexts.refuse(Refusal::Unknown),
                    }
                    (event, false)
                }
            };
            if event != "more" {
                self.events.push(event);
            }
            self.output.extend_from_slice(self.handshake.output());
            self.handshake.sent(self.handshake.output().len());
            if ends {
                return Ok(input);
            }
        }
    }

    /// As [`Self::give`]; but once the transmission has begun all bytes are left for it.
    pub fn give_unless_over<'i>(&mut self, input: &'i [u8]) -> Result<&'i [u8], HandshakeError> {
        if self.transmission.is_some() { Ok(input) } else { self.give(input) }
    }

    /// The output since the last call, in hexadecimal digits.
    pub fn taken(&mut self) -> String {
        hex(&std::mem::take(&mut self.output))
    }
}

/// An option as a client sends it.
pub fn option(number: u32, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).expect("short");
    [b"IHAVEOPT", &number.to_be_bytes()[..], &length.to_be_bytes(), data].concat()
}

/// A string behind its length.
pub fn text(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("short");
    [&length.to_be_bytes(), text.as_bytes()].concat()
}

/// The transmission that a client gets which has sent `options` first.
pub fn transmission(options: &[Vec<u8>]) -> Transmission {
    let mut host = Host::greeted(TlsPolicy::Off);
    host.give(&options.concat()).expect("good options");
    let go = option(7, &[text("disk"), vec![0, 0]].concat());
    host.give(&go).expect("it may");
    host.transmission.expect("it has begun")
}

/// Options after which replies are structured, extended, or structured with block status.
pub fn structured() -> Vec<u8> {
    option(8, &[])
}

pub fn extended() -> Vec<u8> {
    option(11, &[])
}

pub fn allocation(export: &str) -> Vec<u8> {
    option(10, &[text(export), vec![0, 0, 0, 1], text("base:allocation")].concat())
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of hexadecimal digits, between which there may be blanks.
pub fn bytes(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits
        .chars()
        .filter(|digit| !digit.is_whitespace())
        .map(|digit| digit.to_digit(16).expect("a digit") as u8)
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
