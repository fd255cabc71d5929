// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be sent to a client, one piece after the other.

use crate::buffers::Buffer;
use crate::disk::Charge;
use crate::net::Transport;
use nbd::server::Head;
use std::collections::VecDeque;
use std::io::{self, IoSlice};

/// The most pieces that are sent by one system call.
const SLICES: usize = 64;

/// A piece that is to be sent.
pub struct Output {
    /// What comes first.
    pub head: Bytes,
    /// What a read has read.
    pub data: Option<Buffer>,
    /// What is held until the piece has been sent.
    pub charge: Option<Charge>,
}

/// Bytes of an answer.
pub enum Bytes {
    /// The header of an answer.
    Head(Head),
    /// Those of a handshake, and answers of any length.
    Many(Vec<u8>),
}

impl Bytes {
    fn bytes(&self) -> &[u8] {
        match self {
            Bytes::Head(head) => head,
            Bytes::Many(bytes) => bytes,
        }
    }
}

impl Output {
    fn length(&self) -> usize {
        self.head.bytes().len() + self.data.as_ref().map_or(0, |data| data.len())
    }
}

/// Pieces in their order.
pub struct Outputs {
    pieces: VecDeque<Output>,
    /// Bytes of the first piece that are sent.
    sent: usize,
}

impl Outputs {
    /// These bytes are to be sent.
    pub fn new(bytes: Vec<u8>) -> Outputs {
        let first = Output { head: Bytes::Many(bytes), data: None, charge: None };
        Outputs { pieces: VecDeque::from([first]), sent: 0 }
    }

    /// Whether all has been sent.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// One more piece.
    pub fn push(&mut self, head: Bytes, data: Option<Buffer>, charge: Option<Charge>) {
        self.pieces.push_back(Output { head, data, charge });
    }

    /// Sends some; how many bytes that were.
    ///
    /// # Errors
    /// Nothing can be sent now, or the connection is broken.
    pub fn send_some(&mut self, transport: &mut Transport) -> io::Result<usize> {
        let mut slices = [IoSlice::new(&[]); SLICES];
        let mut used = 0;
        let mut skip = self.sent;
        for piece in &self.pieces {
            for bytes in [Some(piece.head.bytes()), piece.data.as_deref()].into_iter().flatten() {
                let skipped = skip.min(bytes.len());
                skip -= skipped;
                if used < SLICES && skipped < bytes.len() {
                    slices[used] = IoSlice::new(&bytes[skipped..]);
                    used += 1;
                }
            }
            if used == SLICES {
                break;
            }
        }
        let sent = if used == 0 { 0 } else { transport.write(&slices[..used])? };
        self.sent += sent;
        Ok(sent)
    }

    /// The first piece, if all of it has been sent.
    pub fn take_sent(&mut self) -> Option<Output> {
        let length = self.pieces.front()?.length();
        self.sent = self.sent.checked_sub(length)?;
        self.pieces.pop_front()
    }

    /// All pieces, sent or not.
    pub fn into_pieces(self) -> impl Iterator<Item = Output> {
        self.pieces.into_iter()
    }
}
