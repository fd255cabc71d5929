// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any bytes from a client of the block server, in pieces: the first byte says how they are cut and
//! whether TLS is required, the others are what the client sends.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nbd::server::{ServerEvent, Handshake, Listed, Received, Refusal, TlsPolicy, Transmission};
use nbd::{BlockSizes, Command, Export, Extent, Features, Limits};

/// Everything that can be offered.
fn export() -> Export {
    Export {
        size_bytes: 1 << 33,
        features: Features::FLUSH
            | Features::FUA
            | Features::TRIM
            | Features::WRITE_ZEROES
            | Features::FAST_ZERO
            | Features::CACHE
            | Features::RESIZE,
        block_sizes: BlockSizes::new(1, 4096, u32::MAX).expect("good sizes"),
        description: "a disk".to_owned(),
        allocation: true,
    }
}

/// Gives a piece to the handshake; the transmission if that begins, `None` if the connection ends.
fn shake_hands(handshake: &mut Handshake, input: &mut &[u8]) -> Option<Option<Transmission>> {
    loop {
        match handshake.receive(input).ok()? {
            ServerEvent::More => return Some(None),
            ServerEvent::Answered => {}
            ServerEvent::Abort => return None,
            ServerEvent::StartTls => return Some(None),
            ServerEvent::List(list) => list.accept([Listed { name: "a", description: "a disk" }]),
            ServerEvent::Info(info) => info.accept(&export()),
            ServerEvent::Go(go) if go.name().len() < 3 => return Some(Some(go.accept(&export()))),
            ServerEvent::Go(go) => go.refuse(Refusal::TlsRequired).ok()?,
            ServerEvent::Contexts(contexts) => contexts.accept(&export()),
        }
        handshake.sent(handshake.output().len());
    }
}

/// Decodes a piece and makes a reply of each kind; `None` if the connection ends.
fn transmit(connection: &mut Transmission, input: &mut &[u8], payload: &mut usize) -> Option<()> {
    let replies = connection.replies();
    loop {
        let skipped = input.len().min(*payload);
        *input = &input[skipped..];
        *payload -= skipped;
        match connection.receive(input).ok()? {
            None => return Some(()),
            Some(Received::Disconnect) => return None,
            Some(Received::Refused(refused)) => {
                *payload = refused.payload_bytes;
                assert!(!replies.error(refused.ticket, refused.error).is_empty());
            }
            Some(Received::Request(request)) => {
                *payload = request.payload_bytes();
                let end = request.offset_bytes().checked_add(request.length_bytes);
                assert!(end.is_some(), "it would be out of bounds");
                assert!(!replies.done(request.ticket).is_empty());
                if let Command::Read { .. } = request.command {
                    assert!(!replies.data(&request).is_empty());
                }
                let extents = [Extent::hole(1), Extent::data(u64::MAX)];
                let mut status = Vec::new();
                replies.block_status(&request, extents, &mut status);
                assert!(status.len() <= 32 + 8 + 2 * 16);
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&manner, bytes)) = bytes.split_first() else { return };
    let tls = [TlsPolicy::Off, TlsPolicy::Allowed, TlsPolicy::Required][usize::from(manner % 3)];
    let mut handshake = Handshake::new(tls, Limits::PROTOCOL);
    let mut transmission = None;
    let mut payload = 0;
    for mut piece in bytes.chunks(usize::from(manner / 3) + 1) {
        if transmission.is_none() {
            let Some(begun) = shake_hands(&mut handshake, &mut piece) else { return };
            transmission = begun;
            handshake.tls_started();
        }
        if let Some(connection) = &mut transmission
            && transmit(connection, &mut piece, &mut payload).is_none()
        {
            return;
        }
    }
});
