// SPDX-License-Identifier: MIT OR Apache-2.0
//! A client of an export: its bytes become requests of the disk, and answers become bytes.
//!
//! A request is taken only when the limits of its tenant allow it; until then nothing more is read.
//! What a client has asked for counts until its answer has been sent, so that one that never reads
//! its answers stops itself.

use crate::buffers::Buffer;
use crate::closed::Closed;
use crate::disk::{Answer, Charge, DiskRequest, ExportKey, Failure, Operation};
use crate::drive::ServedDisk;
use crate::net::{Flushed, Interest, Socket, Transport};
use crate::output::{Bytes, Output, Outputs};
use blk::ProcessId;
use nbd::server::{Command, Head, Received, Refused, Replies, Transmission};
use nbd::{ErrorCode, Extent};
use std::io;

/// What came and was not looked at yet, in bytes.
const INPUT_BYTES: usize = 32 << 10;

/// The most extents in the answer to what is allocated, and the memory that they take. Clients ask
/// for the rest.
const EXTENTS: usize = 512;
const EXTENTS_BYTES: u64 = 16 << 10;

/// What comes next from the client.
enum Next {
    /// The header of a request.
    Header,
    /// Nothing, before this has been let in.
    Admission(Received),
    /// The data of a write, of which some came last at `came_ns`.
    Payload {
        request: nbd::server::ServerRequest,
        data: Buffer,
        filled: usize,
        charge: Charge,
        came_ns: u64,
    },
    /// Data of a request that was refused.
    Skip(usize),
}

/// A connection that uses an export.
pub struct Connection {
    transport: Transport,
    transmission: Transmission,
    replies: Replies,
    client: ProcessId,
    export: ExportKey,
    input: Vec<u8>,
    /// What of the input was not looked at yet.
    unread: std::ops::Range<usize>,
    next: Next,
    /// Requests on their way, by cookie.
    asked: Vec<Option<nbd::server::ServerRequest>>,
    free: Vec<u32>,
    output: Outputs,
    /// Since when the socket takes nothing more.
    stuck_since_ns: Option<u64>,
    /// No more requests are taken.
    leaving: bool,
    interest: Interest,
}

impl Connection {
    /// A client whose handshake is over: `output` is what is still to be sent of it, `input` what
    /// the client has sent since.
    pub fn new(
        transport: Transport,
        transmission: Transmission,
        (client, export): (ProcessId, ExportKey),
        output: Vec<u8>,
        input: &[u8],
    ) -> Connection {
        let mut bytes = vec![0; INPUT_BYTES.max(input.len())];
        bytes[..input.len()].copy_from_slice(input);
        Connection {
            transport,
            replies: transmission.replies(),
            transmission,
            client,
            export,
            input: bytes,
            unread: 0..input.len(),
            next: Next::Header,
            asked: Vec::new(),
            free: Vec::new(),
            output: Outputs::new(output),
            stuck_since_ns: None,
            leaving: false,
            interest: Interest::READ,
        }
    }

    /// What its bytes come over.
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Takes no more requests; it is closed when those there are have been answered.
    pub fn leave(&mut self) {
        self.leaving = true;
    }

    /// Whether all requests have been answered and the answers sent.
    fn is_idle(&self) -> bool {
        self.free.len() == self.asked.len() && self.output.is_empty()
    }

    /// Since when the client has taken nothing of what waits for it.
    pub fn stuck_since_ns(&self) -> Option<u64> {
        self.stuck_since_ns
    }

    /// Since when the client has sent nothing more of the data of a write that it has begun, for
    /// which it holds memory of its tenant.
    pub fn stalled_since_ns(&self) -> Option<u64> {
        match self.next {
            Next::Payload { came_ns, .. } => Some(came_ns),
            _ => None,
        }
    }

    /// What it waits for.
    pub fn interest(&self) -> Interest {
        self.interest
    }

    /// What it waits for, if that is another than before.
    pub fn new_interest(&mut self) -> Option<Interest> {
        let blocked = matches!(self.next, Next::Admission(_));
        let interest = Interest { read: !blocked && !self.leaving, write: !self.output.is_empty() };
        let changed = interest != self.interest;
        self.interest = interest;
        changed.then_some(interest)
    }

    /// Takes what the client has sent, as far as the limits go.
    ///
    /// # Errors
    /// The connection is to be closed.
    pub fn receive(&mut self, now_ns: u64, disk: &mut ServedDisk) -> Result<(), Closed> {
        disk.state.plug(self.client);
        let received = self.receive_plugged(now_ns, disk);
        disk.state.unplug(now_ns, self.client);
        received
    }

    fn receive_plugged(&mut self, now_ns: u64, disk: &mut ServedDisk) -> Result<(), Closed> {
        let mut may_read = true;
        loop {
            while self.take_input(now_ns, disk)? {}
            if self.leaving || matches!(self.next, Next::Admission(_)) || !may_read {
                return Ok(());
            }
            // In the clear the socket tells again that there is more; TLS keeps it to itself.
            may_read = self.transport.tls().is_some();
            if !self.read(now_ns)? {
                return Ok(());
            }
        }
    }

    /// Reads from the socket; whether anything came.
    fn read(&mut self, now_ns: u64) -> Result<bool, Closed> {
        let direct = match &mut self.next {
            Next::Payload { data, filled, .. } => Some((&mut data[*filled..], filled)),
            _ => None,
        };
        let (into, filled) = match direct {
            Some((into, filled)) if into.len() >= INPUT_BYTES => (into, Some(filled)),
            _ => (&mut self.input[..], None),
        };
        match self.transport.read(into) {
            Ok(0) => Err(self.left()),
            Ok(bytes) => {
                match filled {
                    Some(filled) => *filled += bytes,
                    None => self.unread = 0..bytes,
                }
                if let Next::Payload { came_ns, .. } = &mut self.next {
                    *came_ns = now_ns;
                }
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// The client has closed its side.
    fn left(&self) -> Closed {
        match self.next {
            Next::Payload { .. } | Next::Skip(_) => Closed::Gone("a write"),
            _ if !self.transmission.is_between_requests() => Closed::Gone("a request"),
            _ if !self.is_idle() => Closed::Gone("its requests"),
            _ => Closed::Left,
        }
    }

    /// Goes on with what has come; whether there may be more to do.
    fn take_input(&mut self, now_ns: u64, disk: &mut ServedDisk) -> Result<bool, Closed> {
        match std::mem::replace(&mut self.next, Next::Header) {
            Next::Header => {
                let mut input = &self.input[self.unread.clone()];
                if input.is_empty() || self.leaving {
                    return Ok(false);
                }
                let received = self.transmission.receive(&mut input)?;
                self.unread.start = self.unread.end - input.len();
                match received {
                    None => return Ok(false),
                    Some(Received::Disconnect) => {
                        self.leaving = true;
                        return if self.is_idle() { Err(Closed::Left) } else { Ok(false) };
                    }
                    Some(received) => self.next = Next::Admission(received),
                }
                Ok(true)
            }
            Next::Admission(received) => {
                if asks_for_extents(&received) && !disk.may_look_for_extents() {
                    disk.state.let_go_on_later(self.client);
                    self.next = Next::Admission(received);
                    return Ok(false);
                }
                let Some(charge) = disk.state.admit(self.client, memory_of(&received)) else {
                    self.next = Next::Admission(received);
                    return Ok(false);
                };
                self.begin(now_ns, disk, received, charge);
                Ok(true)
            }
            Next::Skip(left) => {
                let skipped = left.min(self.unread.len());
                self.unread.start += skipped;
                if skipped < left {
                    self.next = Next::Skip(left - skipped);
                }
                Ok(skipped == left)
            }
            Next::Payload { request, mut data, mut filled, charge, came_ns } => {
                let bytes = self.unread.len().min(data.len() - filled);
                let from = self.unread.start;
                data[filled..filled + bytes].copy_from_slice(&self.input[from..from + bytes]);
                self.unread.start += bytes;
                filled += bytes;
                if filled == data.len() {
                    self.submit(now_ns, disk, request, Operation::Write(data), charge);
                    return Ok(true);
                }
                self.next = Next::Payload { request, data, filled, charge, came_ns };
                Ok(false)
            }
        }
    }

    /// Begins a request that was let in.
    fn begin(&mut self, now_ns: u64, disk: &mut ServedDisk, received: Received, charge: Charge) {
        let request = match received {
            Received::Request(request) => request,
            Received::Refused(Refused { ticket, error, payload_bytes }) => {
                disk.state.count_refused(self.client);
                self.reply(self.replies.error(ticket, error), charge);
                if payload_bytes > 0 {
                    self.next = Next::Skip(payload_bytes);
                }
                return;
            }
            // It is not let in: it was dealt with when it came.
            Received::Disconnect => return disk.state.release(charge),
        };
        let operation = match request.command {
            Command::Read { .. } => Operation::Read,
            Command::Write => {
                let data = disk.state.buffer(request.payload_bytes());
                self.next = Next::Payload { request, data, filled: 0, charge, came_ns: now_ns };
                return;
            }
            Command::Flush => Operation::Flush,
            Command::Trim => Operation::Trim,
            Command::WriteZeroes { may_be_hole, only_if_fast } => {
                Operation::Zero { may_punch: may_be_hole, only_fast: only_if_fast }
            }
            // Nothing is gained by reading what the client may not want after all.
            Command::Cache => return self.reply(self.replies.done(request.ticket), charge),
            Command::Resize => {
                let error = ErrorCode::NotSupported;
                disk.state.count_refused(self.client);
                return self.reply(self.replies.error(request.ticket, error), charge);
            }
            Command::BlockStatus { one } => return self.tell_extents(disk, &request, one, charge),
        };
        self.submit(now_ns, disk, request, operation, charge);
    }

    fn submit(
        &mut self,
        now_ns: u64,
        disk: &mut ServedDisk,
        request: nbd::server::ServerRequest,
        operation: Operation,
        charge: Charge,
    ) {
        let cookie = self.free.pop().unwrap_or_else(|| {
            self.asked.push(None);
            self.asked.len() as u32 - 1
        });
        self.asked[cookie as usize] = Some(request);
        let asked = DiskRequest {
            cookie: cookie.into(),
            operation,
            offset_bytes: request.offset_bytes(),
            length_bytes: request.length_bytes,
            durable: request.fua,
        };
        disk.state.submit(now_ns, self.client, asked, charge);
    }

    fn tell_extents(
        &mut self,
        disk: &mut ServedDisk,
        request: &nbd::server::ServerRequest,
        one: bool,
        charge: Charge,
    ) {
        let most = if one { 1 } else { EXTENTS };
        let range = (request.offset_bytes(), request.length_bytes);
        let found = disk.extents(self.export, range, most);
        let extents = found.into_iter().map(|extent| match extent.is_hole {
            true => Extent::hole(extent.length_bytes),
            false => Extent::data(extent.length_bytes),
        });
        let mut bytes = Vec::new();
        self.replies.block_status(request, extents, &mut bytes);
        self.output.push(Bytes::Many(bytes), None, Some(charge));
    }

    /// A request has ended.
    pub fn answered(&mut self, answer: Answer) {
        let cookie = answer.cookie as usize;
        let request = self.asked[cookie].take().expect("an answer has its request");
        self.free.push(cookie as u32);
        let (head, data) = match answer.result {
            Ok(Some(data)) => (self.replies.data(&request), Some(data)),
            Ok(None) => (self.replies.done(request.ticket), None),
            Err(failure) => (self.replies.error(request.ticket, code_of(failure)), None),
        };
        self.output.push(Bytes::Head(head), data, Some(answer.charge));
    }

    fn reply(&mut self, head: Head, charge: Charge) {
        self.output.push(Bytes::Head(head), None, Some(charge));
    }

    /// Sends what the socket takes.
    ///
    /// # Errors
    /// The connection is to be closed: it is broken, or the client wanted to leave and has got all
    /// its answers.
    pub fn send(&mut self, now_ns: u64, disk: &mut ServedDisk) -> Result<(), Closed> {
        while !self.output.is_empty() {
            match self.output.send_some(&mut self.transport) {
                Ok(bytes) => {
                    // An empty piece says nothing of what TLS has still to send.
                    if bytes > 0 {
                        self.stuck_since_ns = None;
                    }
                    self.let_sent_go(disk);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.stuck_since_ns.get_or_insert(now_ns);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        let Flushed { is_all, sent_bytes } = self.transport.flush()?;
        if is_all || sent_bytes > 0 {
            self.stuck_since_ns = None;
        }
        if !is_all {
            self.stuck_since_ns.get_or_insert(now_ns);
            // An empty piece: there is still something to be sent.
            self.output.push(Bytes::Many(Vec::new()), None, None);
        } else if self.leaving && self.is_idle() {
            return Err(Closed::Left);
        }
        Ok(())
    }

    /// Gives back what pieces held that have been sent.
    fn let_sent_go(&mut self, disk: &mut ServedDisk) {
        while let Some(Output { data, charge, .. }) = self.output.take_sent() {
            if let Some(data) = data {
                disk.state.give_buffer(data);
            }
            if let Some(charge) = charge {
                disk.state.release(charge);
            }
        }
    }

    /// Tells the client that it has got all its answers.
    pub fn tell_end(&mut self) {
        self.transport.end();
    }

    /// The connection is over: gives back what it held, but for its socket, which is the answer.
    pub fn close(self, now_ns: u64, disk: &mut ServedDisk) -> Socket {
        let payload = match self.next {
            Next::Payload { data, charge, .. } => Some((Some(data), Some(charge))),
            _ => None,
        };
        let output = self.output.into_pieces().map(|output| (output.data, output.charge));
        for (data, charge) in output.chain(payload) {
            if let Some(data) = data {
                disk.state.give_buffer(data);
            }
            if let Some(charge) = charge {
                disk.state.release(charge);
            }
        }
        disk.state.disconnect(now_ns, self.client);
        self.transport.into_socket()
    }
}

fn asks_for_extents(received: &Received) -> bool {
    let Received::Request(request) = received else { return false };
    matches!(request.command, Command::BlockStatus { .. })
}

/// The data that a request makes its tenant hold.
fn memory_of(received: &Received) -> u64 {
    match received {
        Received::Request(request) => match request.command {
            Command::Read { .. } | Command::Write => request.length_bytes,
            Command::BlockStatus { .. } => EXTENTS_BYTES,
            _ => 0,
        },
        _ => 0,
    }
}

fn code_of(failure: Failure) -> ErrorCode {
    match failure {
        Failure::Disk(error) => ErrorCode::of_errno(error.errno()),
        Failure::BeyondEnd | Failure::NotWholeBlocks => ErrorCode::Invalid,
        Failure::ReadOnly => ErrorCode::NotPermitted,
        Failure::NotFast => ErrorCode::NotSupported,
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
pub(crate) mod tests;
