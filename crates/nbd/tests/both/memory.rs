// SPDX-License-Identifier: MIT OR Apache-2.0
//! A server of one disk in memory for tests, which answers as it was told to.

use nbd::server::{
    Handshake, Listed, Received, Refusal, ServerEvent, ServerRequest, TlsPolicy, Transmission,
};
use nbd::{BlockSizes, Command, ErrorCode, Export, Extent, Features, Limits};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;

pub const SIZE_BYTES: usize = 1 << 20;
/// Zeros of this length and alignment count as holes.
const BLOCK: usize = 4096;

/// How a server behaves.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    pub tls: TlsPolicy,
    /// How many requests are replied to at a time, the last one first.
    pub batch: usize,
    /// Holes are not sent.
    pub sparse: bool,
}

/// A client's end of a connection to a server that runs until the client leaves.
pub fn serve(manner: Manner) -> UnixStream {
    let (client, server) = UnixStream::pair().expect("sockets");
    thread::spawn(move || Server { stream: server, manner, disk: vec![0; SIZE_BYTES] }.run());
    client
}

pub fn export(size_bytes: usize) -> Export {
    Export {
        size_bytes: size_bytes as u64,
        features: Features::FLUSH
            | Features::FUA
            | Features::TRIM
            | Features::WRITE_ZEROES
            | Features::FAST_ZERO
            | Features::CACHE
            | Features::RESIZE,
        block_sizes: BlockSizes::new(1, 4096, 1 << 18).expect("good sizes"),
        description: "in memory".to_owned(),
        allocation: true,
    }
}

struct Server {
    stream: UnixStream,
    manner: Manner,
    disk: Vec<u8>,
}

impl Server {
    fn run(mut self) {
        let mut input = Vec::new();
        let Some(transmission) = self.shake_hands(&mut input) else { return };
        self.transmit(transmission, input);
    }

    fn shake_hands(&mut self, unread: &mut Vec<u8>) -> Option<Transmission> {
        let mut handshake = Handshake::new(self.manner.tls, Limits::PROTOCOL);
        let mut transmission = None;
        loop {
            self.stream.write_all(handshake.output()).ok()?;
            handshake.sent(handshake.output().len());
            if transmission.is_some() {
                return transmission;
            }
            let mut input = &unread[..];
            let mut starts_tls = false;
            let wants_more = match handshake.receive(&mut input).ok()? {
                ServerEvent::More => true,
                ServerEvent::Answered => false,
                ServerEvent::StartTls => {
                    starts_tls = true;
                    false
                }
                ServerEvent::Abort => {
                    self.stream.write_all(handshake.output()).ok()?;
                    return None;
                }
                ServerEvent::List(list) => {
                    let names = ["", "disk"];
                    list.accept(names.map(|name| Listed { name, description: "in memory" }));
                    false
                }
                ServerEvent::Info(info) if info.name() == "disk" => {
                    info.accept(&export(self.disk.len()));
                    false
                }
                ServerEvent::Info(info) => {
                    info.refuse(Refusal::Unknown);
                    false
                }
                ServerEvent::Go(go) if go.name() == "disk" => {
                    transmission = Some(go.accept(&export(self.disk.len())));
                    false
                }
                ServerEvent::Go(go) => {
                    go.refuse(Refusal::NotAllowed).ok()?;
                    false
                }
                ServerEvent::Contexts(contexts) => {
                    contexts.accept(&export(self.disk.len()));
                    false
                }
            };
            *unread = input.to_vec();
            if starts_tls {
                self.stream.write_all(handshake.output()).ok()?;
                handshake.sent(handshake.output().len());
                handshake.tls_started();
            }
            if wants_more && self.more(unread).is_none() {
                return None;
            }
        }
    }

    fn more(&mut self, unread: &mut Vec<u8>) -> Option<()> {
        let mut buffer = [0; 3000];
        let bytes = self.stream.read(&mut buffer).ok().filter(|bytes| *bytes > 0)?;
        unread.extend_from_slice(&buffer[..bytes]);
        Some(())
    }

    fn transmit(&mut self, mut transmission: Transmission, mut unread: Vec<u8>) -> Option<()> {
        let mut batch = Vec::new();
        loop {
            let mut input = &unread[..];
            let received = transmission.receive(&mut input).ok()?;
            unread = input.to_vec();
            let payload_bytes = match &received {
                Some(Received::Request(request)) => request.payload_bytes(),
                Some(Received::Refused(refused)) => refused.payload_bytes,
                Some(Received::Disconnect) => return None,
                None => {
                    self.more(&mut unread)?;
                    continue;
                }
            };
            while unread.len() < payload_bytes {
                self.more(&mut unread)?;
            }
            let payload: Vec<u8> = unread.drain(..payload_bytes).collect();
            batch.push(match received {
                Some(Received::Request(request)) => {
                    self.reply(&mut transmission, &request, &payload)
                }
                Some(Received::Refused(refused)) => {
                    transmission.replies().error(refused.ticket, refused.error).to_vec()
                }
                _ => Vec::new(),
            });
            if batch.len() >= self.manner.batch {
                batch.reverse();
                self.stream.write_all(&batch.concat()).ok()?;
                batch.clear();
            }
        }
    }

    /// Does a request; returns the whole reply.
    fn reply(
        &mut self,
        transmission: &mut Transmission,
        request: &ServerRequest,
        payload: &[u8],
    ) -> Vec<u8> {
        let replies = transmission.replies();
        let done = replies.done(request.ticket).to_vec();
        let start = request.offset_bytes() as usize;
        let range = start..start + request.length_bytes as usize;
        match request.command {
            Command::Read { .. } => return self.data(transmission, request, range),
            Command::Write => self.disk[range].copy_from_slice(payload),
            Command::Flush | Command::Cache => {}
            Command::Trim => self.disk[range].fill(0),
            Command::WriteZeroes { only_if_fast: true, .. } => {
                return replies.error(request.ticket, ErrorCode::NotSupported).to_vec();
            }
            Command::WriteZeroes { .. } => self.disk[range].fill(0),
            Command::BlockStatus { .. } => {
                let mut reply = Vec::new();
                replies.block_status(request, self.extents(start), &mut reply);
                return reply;
            }
            Command::Resize => {
                self.disk.resize(start, 0);
                transmission.set_size_bytes(start as u64);
            }
        }
        done
    }

    fn data(
        &self,
        transmission: &Transmission,
        request: &ServerRequest,
        range: std::ops::Range<usize>,
    ) -> Vec<u8> {
        let replies = transmission.replies();
        let Some(chunks) = replies.chunks(request).filter(|_| self.manner.sparse) else {
            return [&replies.data(request), &self.disk[range]].concat();
        };
        let mut reply = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let end = (at + BLOCK).min(range.end);
            let piece = &self.disk[at..end];
            let (offset_bytes, length_bytes) = (at as u64, piece.len() as u32);
            if piece.iter().all(|byte| *byte == 0) {
                reply.extend_from_slice(&chunks.hole(offset_bytes, length_bytes, false));
            } else {
                reply.extend_from_slice(&chunks.data(offset_bytes, length_bytes, false));
                reply.extend_from_slice(piece);
            }
            at = end;
        }
        reply.extend_from_slice(&replies.done(request.ticket));
        reply
    }

    fn extents(&self, start: usize) -> impl Iterator<Item = Extent> {
        self.disk[start..].chunks(BLOCK).map(|block| {
            let length_bytes = block.len() as u64;
            match block.iter().all(|byte| *byte == 0) {
                true => Extent::hole(length_bytes),
                false => Extent::data(length_bytes),
            }
        })
    }
}
