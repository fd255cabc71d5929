// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replies as bytes.

use crate::host::{allocation, bytes, extended, hex, structured, transmission};
use nbd::server::{Received, ServerRequest, Transmission};
use nbd::{ErrorCode, Extent, Headers};

/// The request of cookie 7 at 0x1000 that has these fields.
fn request(connection: &mut Transmission, flags: u16, kind: u16, length: u32) -> ServerRequest {
    let fields = format!("{flags:04x}{kind:04x}00000000000000070000000000001000");
    let header = bytes(&match connection.headers() {
        Headers::Extended => format!("21e41c71{fields}{length:016x}"),
        _ => format!("25609513{fields}{length:08x}"),
    });
    match connection.receive(&mut &header[..]) {
        Ok(Some(Received::Request(request))) => request,
        other => panic!("{other:?}"),
    }
}

fn digits(text: &str) -> String {
    text.replace(' ', "")
}

#[test]
fn simple_replies() {
    let mut connection = transmission(&[]);
    let read = request(&mut connection, 0, 0, 512);
    let replies = connection.replies();
    assert_eq!(hex(&replies.data(&read)), digits("67446698 00000000 0000000000000007"));
    assert_eq!(hex(&replies.done(read.ticket)), digits("67446698 00000000 0000000000000007"));
    let error = replies.error(read.ticket, ErrorCode::NoSpace);
    assert_eq!(hex(&error), digits("67446698 0000001c 0000000000000007"));
    assert!(replies.chunks(&read).is_none());
}

#[test]
fn structured_replies() {
    let mut connection = transmission(&[structured()]);
    let read = request(&mut connection, 0, 0, 512);
    let replies = connection.replies();
    let cookie = "0000000000000007";
    let table = [
        (replies.data(&read), format!("668e33ef 0001 0001 {cookie} 00000208 0000000000001000")),
        (replies.done(read.ticket), format!("668e33ef 0001 0000 {cookie} 00000000")),
        (
            replies.error(read.ticket, ErrorCode::Io),
            format!("668e33ef 0001 8001 {cookie} 00000006 00000005 0000"),
        ),
    ];
    for (head, expected) in table {
        assert_eq!(hex(&head), digits(&expected));
    }
    let chunks = replies.chunks(&read).expect("it may be fragmented");
    assert_eq!(
        hex(&chunks.hole(0x1000, 256, false)),
        digits(&format!("668e33ef 0000 0002 {cookie} 0000000c 0000000000001000 00000100")),
    );
    assert_eq!(
        hex(&chunks.data(0x1100, 256, true)),
        digits(&format!("668e33ef 0001 0001 {cookie} 00000108 0000000000001100")),
    );
    let whole = request(&mut connection, 4, 0, 512);
    assert!(replies.chunks(&whole).is_none());
}

#[test]
fn extended_replies() {
    let mut connection = transmission(&[extended()]);
    let read = request(&mut connection, 0, 0, 512);
    let replies = connection.replies();
    let head = "0000000000000007 0000000000001000";
    let table = [
        (
            replies.data(&read),
            format!("6e8a278c 0001 0001 {head} 0000000000000208 0000000000001000"),
        ),
        (replies.done(read.ticket), format!("6e8a278c 0001 0000 {head} 0000000000000000")),
        (
            replies.error(read.ticket, ErrorCode::Invalid),
            format!("6e8a278c 0001 8001 {head} 0000000000000006 00000016 0000"),
        ),
    ];
    for (head, expected) in table {
        assert_eq!(hex(&head), digits(&expected));
    }
}

#[test]
fn block_status() {
    let head = "668e33ef 0001 0005 0000000000000007";
    let extended_head = "6e8a278c 0001 0006 0000000000000007 0000000000001000";
    let extents = [Extent::data(512), Extent::data(512), Extent::hole(0), Extent::hole(8192)];
    let zero = Extent { length_bytes: 512, hole: false, zero: true };
    let huge = Extent::hole(u64::MAX);
    let both = "00000001 00000400 00000000 00000c00 00000003";
    let table: [(bool, u16, &[Extent], String); 6] = [
        (false, 0, &extents, format!("{head} 00000014 {both}")),
        (false, 8, &extents, format!("{head} 0000000c 00000001 00000400 00000000")),
        (false, 0, &[], format!("{head} 0000000c 00000001 00001000 00000000")),
        (false, 0, &[zero], format!("{head} 0000000c 00000001 00000200 00000002")),
        (false, 8, &[huge], format!("{head} 0000000c 00000001 00001000 00000003")),
        (
            true,
            0,
            &extents,
            format!(
                "{extended_head} 0000000000000028 00000001 00000002 0000000000000400                  0000000000000000 0000000000000c00 0000000000000003"
            ),
        ),
    ];
    for (is_extended, flags, extents, expected) in table {
        let headers = if is_extended { extended() } else { structured() };
        let mut connection = transmission(&[headers, allocation("disk")]);
        let status = request(&mut connection, flags, 7, 4096);
        let mut output = b"before".to_vec();
        connection.replies().block_status(&status, extents.iter().copied(), &mut output);
        assert_eq!(output[..6], *b"before");
        assert_eq!(hex(&output[6..]), digits(&expected), "{extents:?}");
    }
}
