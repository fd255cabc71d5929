// SPDX-License-Identifier: MIT OR Apache-2.0
//! The headers of replies. The data behind them are the host's.

use super::request::{ServerRequest, Ticket};
use crate::command::Command;
use crate::error_code::ErrorCode;
use crate::extent::Extent;
use crate::headers::Headers;
use crate::numbers::{
    ALLOCATION_ID, CHUNK_EXTENTS, EXTENDED_REPLY_MAGIC, REPLY_FLAG_DONE, SIMPLE_REPLY_MAGIC,
    STRUCTURED_REPLY_MAGIC, chunk,
};
use std::ops::Deref;

/// The bytes of a reply before its data, or all of it if it has none.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    bytes: [u8; 48],
    length: u8,
}

impl Head {
    const EMPTY: Self = Self { bytes: [0; 48], length: 0 };

    fn with<const N: usize>(mut self, part: [u8; N]) -> Self {
        let start = usize::from(self.length);
        self.bytes[start..start + N].copy_from_slice(&part);
        self.length += N as u8;
        self
    }
}

impl Deref for Head {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// Makes replies for the headers that were agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replies {
    headers: Headers,
}

impl Replies {
    pub(super) const fn new(headers: Headers) -> Self {
        Self { headers }
    }

    /// A request without data is done; or a reply in chunks is at its end.
    pub fn done(self, ticket: Ticket) -> Head {
        match self.headers {
            Headers::Simple => simple(ticket, 0),
            _ => self.chunk(ticket, chunk::NONE, 0, true),
        }
    }

    /// A request has failed, maybe after some chunks of its reply.
    pub fn error(self, ticket: Ticket, error: ErrorCode) -> Head {
        match self.headers {
            Headers::Simple => simple(ticket, error.number()),
            _ => self
                .chunk(ticket, chunk::ERROR, 6, true)
                .with(error.number().to_be_bytes())
                .with(0_u16.to_be_bytes()),
        }
    }

    /// A read is done: all of its data follow.
    pub fn data(self, request: &ServerRequest) -> Head {
        let ticket = request.ticket;
        match self.headers {
            Headers::Simple => simple(ticket, 0),
            _ => {
                // A read is no longer than the longest payload, which leaves room for eight bytes.
                let length = request.length_bytes as u32;
                self.data_chunk(ticket, ticket.offset_bytes, length, true)
            }
        }
    }

    /// What answers a read in more than one piece, if the client and its `request` allow it.
    pub fn chunks(self, request: &ServerRequest) -> Option<Chunks> {
        let allowed =
            self.headers.has_chunks() && request.command == Command::Read { whole: false };
        allowed.then_some(Chunks { replies: self, ticket: request.ticket })
    }

    /// Appends the whole reply to a question for what is allocated to `output`: the extents from
    /// the request's offset on. Neighbours that are alike are joined, and what is more than was
    /// asked for is cut; if there is none, all of it counts as data, which is always true.
    pub fn block_status(
        self,
        request: &ServerRequest,
        extents: impl IntoIterator<Item = Extent>,
        output: &mut Vec<u8>,
    ) {
        let one = matches!(request.command, Command::BlockStatus { one: true });
        let most = if one { 1 } else { CHUNK_EXTENTS };
        let start = output.len();
        let head = self.status_head(request.ticket, 0);
        output.extend_from_slice(&head);
        let mut joined = Joined::new(extents.into_iter(), request.length_bytes);
        let mut count = 0;
        while count < most
            && let Some(extent) = joined.next()
        {
            self.descriptor(extent, output);
            count += 1;
        }
        if count == 0 {
            self.descriptor(Extent::data(request.length_bytes), output);
            count = 1;
        }
        let head = self.status_head(request.ticket, count as u32);
        output[start..start + head.len()].copy_from_slice(&head);
    }

    /// All before the `count` descriptors of a reply to `BLOCK_STATUS`.
    fn status_head(self, ticket: Ticket, count: u32) -> Head {
        match self.headers {
            Headers::Extended => self
                .chunk(ticket, chunk::BLOCK_STATUS_EXT, 8 + 16 * count, true)
                .with(ALLOCATION_ID.to_be_bytes())
                .with(count.to_be_bytes()),
            _ => self
                .chunk(ticket, chunk::BLOCK_STATUS, 4 + 8 * count, true)
                .with(ALLOCATION_ID.to_be_bytes()),
        }
    }

    fn descriptor(self, extent: Extent, output: &mut Vec<u8>) {
        if self.headers == Headers::Extended {
            output.extend_from_slice(&extent.length_bytes.to_be_bytes());
            output.extend_from_slice(&u64::from(extent.flags()).to_be_bytes());
        } else {
            // Requests have 32 bits here, and no extent is longer than its request.
            output.extend_from_slice(&(extent.length_bytes as u32).to_be_bytes());
            output.extend_from_slice(&extent.flags().to_be_bytes());
        }
    }

    fn data_chunk(self, ticket: Ticket, offset_bytes: u64, length: u32, last: bool) -> Head {
        self.chunk(ticket, chunk::OFFSET_DATA, 8 + length, last).with(offset_bytes.to_be_bytes())
    }

    /// The header of a chunk.
    fn chunk(self, ticket: Ticket, kind: u16, length: u32, last: bool) -> Head {
        let flags = if last { REPLY_FLAG_DONE } else { 0 };
        let head = Head::EMPTY;
        if self.headers == Headers::Extended {
            return head
                .with(EXTENDED_REPLY_MAGIC.to_be_bytes())
                .with(flags.to_be_bytes())
                .with(kind.to_be_bytes())
                .with(ticket.cookie.to_be_bytes())
                .with(ticket.offset_bytes.to_be_bytes())
                .with(u64::from(length).to_be_bytes());
        }
        head.with(STRUCTURED_REPLY_MAGIC.to_be_bytes())
            .with(flags.to_be_bytes())
            .with(kind.to_be_bytes())
            .with(ticket.cookie.to_be_bytes())
            .with(length.to_be_bytes())
    }
}

fn simple(ticket: Ticket, error: u32) -> Head {
    Head::EMPTY
        .with(SIMPLE_REPLY_MAGIC.to_be_bytes())
        .with(error.to_be_bytes())
        .with(ticket.cookie.to_be_bytes())
}

/// Answers a read in pieces, in any order, which together are what was asked for. The last one
/// is marked, or [`Replies::done`] follows it; [`Replies::error`] may end it at any time.
#[derive(Debug, Clone, Copy)]
pub struct Chunks {
    replies: Replies,
    ticket: Ticket,
}

impl Chunks {
    /// `length_bytes` of data follow.
    pub fn data(self, offset_bytes: u64, length_bytes: u32, last: bool) -> Head {
        self.replies.data_chunk(self.ticket, offset_bytes, length_bytes, last)
    }

    /// Here are zeros, which are not sent.
    pub fn hole(self, offset_bytes: u64, length_bytes: u32, last: bool) -> Head {
        self.replies
            .chunk(self.ticket, chunk::OFFSET_HOLE, 12, last)
            .with(offset_bytes.to_be_bytes())
            .with(length_bytes.to_be_bytes())
    }
}

/// Extents without empty ones, joined where they are alike, cut at the end of the request.
struct Joined<I> {
    extents: I,
    next: Option<Extent>,
    left_bytes: u64,
}

impl<I: Iterator<Item = Extent>> Joined<I> {
    fn new(extents: I, left_bytes: u64) -> Self {
        Self { extents, next: None, left_bytes }
    }
}

impl<I: Iterator<Item = Extent>> Iterator for Joined<I> {
    type Item = Extent;

    fn next(&mut self) -> Option<Extent> {
        if self.left_bytes == 0 {
            return None;
        }
        let not_empty = |extent: &Extent| extent.length_bytes > 0;
        let mut extent = self.next.take().or_else(|| self.extents.by_ref().find(not_empty))?;
        while extent.length_bytes < self.left_bytes
            && let Some(next) = self.extents.by_ref().find(not_empty)
        {
            if next.flags() != extent.flags() {
                self.next = Some(next);
                break;
            }
            extent.length_bytes = extent.length_bytes.saturating_add(next.length_bytes);
        }
        extent.length_bytes = extent.length_bytes.min(self.left_bytes);
        self.left_bytes -= extent.length_bytes;
        Some(extent)
    }
}
