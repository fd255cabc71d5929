// SPDX-License-Identifier: MIT OR Apache-2.0
//! Headers of requests: what each comes to, on which connection.

use crate::host::{allocation, bytes, extended, structured, transmission};
use nbd::ErrorCode::{Invalid, NoSpace, NotPermitted, Overflow};
use nbd::server::Command::{BlockStatus, Cache, Flush, Read, Trim, Write, WriteZeroes};
use nbd::server::{Command, Received, Transmission, TransmissionError};
use nbd::{ErrorCode, Headers};

/// A request's header: flags, type, offset, length; its cookie is `c00c1e`.
fn request(headers: Headers, fields: (u16, u16, u64, u64)) -> Vec<u8> {
    let (flags, kind, offset, length) = fields;
    let rest = format!("{flags:04x}{kind:04x}0000000000c00c1e{offset:016x}");
    bytes(&match headers {
        Headers::Extended => format!("21e41c71{rest}{length:016x}"),
        _ => format!("25609513{rest}{length:08x}"),
    })
}

/// What a whole header comes to: the command and whether it is FUA, or the error; and the payload.
fn received(
    transmission: &mut Transmission,
    fields: (u16, u16, u64, u64),
) -> (Result<(Command, bool), ErrorCode>, usize) {
    let header = request(transmission.headers(), fields);
    let mut input = &header[..];
    match transmission.receive(&mut input).expect("good magic").expect("it is whole") {
        Received::Request(request) => {
            assert_eq!(request.ticket.cookie(), 0xc0_0c1e);
            assert_eq!((request.offset_bytes(), request.length_bytes), (fields.2, fields.3));
            (Ok((request.command, request.fua)), request.payload_bytes())
        }
        Received::Refused(refused) => (Err(refused.error), refused.payload_bytes),
        Received::Disconnect => panic!("no request was to leave"),
    }
}

const READ: Command = Read { whole: false };
const ZEROES: Command = WriteZeroes { may_be_hole: true, only_if_fast: false };
const STATUS: Command = BlockStatus { one: false };

#[test]
fn requests_of_a_structured_connection() {
    let mut connection = transmission(&[structured(), allocation("disk")]);
    let end = 1 << 20;
    let table = [
        ((0, 0, 4096, 512), Ok((READ, false)), 0),
        ((1, 0, 4096, 512), Ok((READ, true)), 0),
        ((4, 0, 4096, 512), Ok((Read { whole: true }, false)), 0),
        ((0, 0, 0, 1 << 16), Ok((READ, false)), 0),
        ((0, 0, 0, (1 << 16) + 512), Err(Overflow), 0),
        ((0, 0, 0, 0), Err(Invalid), 0),
        ((0, 0, 0, 511), Err(Invalid), 0),
        ((0, 0, 1, 512), Err(Invalid), 0),
        ((0, 0, end, 512), Err(Invalid), 0),
        ((0, 0, u64::MAX - 511, 512), Err(Invalid), 0),
        ((2, 0, 0, 512), Err(Invalid), 0),
        ((0, 1, end - 512, 512), Ok((Write, false)), 512),
        ((1, 1, 0, 1 << 16), Ok((Write, true)), 1 << 16),
        ((0, 1, end - 512, 1024), Err(NoSpace), 1024),
        ((0, 1, 0, 100), Err(Invalid), 100),
        ((0, 1, 0, 1 << 20), Err(Invalid), 1 << 20),
        ((4, 1, 0, 512), Err(Invalid), 512),
        ((32, 1, 0, 512), Err(Invalid), 512),
        ((0, 3, 0, 0), Ok((Flush, false)), 0),
        ((1, 3, 0, 0), Ok((Flush, true)), 0),
        ((0, 3, 512, 0), Err(Invalid), 0),
        ((0, 3, 0, 512), Err(Invalid), 0),
        ((1, 4, 0, end), Ok((Trim, true)), 0),
        ((0, 4, 512, end), Err(Invalid), 0),
        ((0, 5, 0, end), Ok((Cache, false)), 0),
        ((0, 6, 0, end), Ok((ZEROES, false)), 0),
        ((2, 6, 0, end), Ok((WriteZeroes { may_be_hole: false, only_if_fast: false }, false)), 0),
        ((17, 6, 0, end), Ok((WriteZeroes { may_be_hole: true, only_if_fast: true }, true)), 0),
        ((0, 6, 512, end), Err(NoSpace), 0),
        ((0, 7, 0, end), Ok((STATUS, false)), 0),
        ((8, 7, 512, 512), Ok((BlockStatus { one: true }, false)), 0),
        ((0, 7, 512, end), Err(Invalid), 0),
        ((0, 8, end, 0), Err(Invalid), 0),
        ((0, 9, 0, 512), Err(Invalid), 0),
    ];
    for (fields, expected, payload) in table {
        assert_eq!(received(&mut connection, fields), (expected, payload), "{fields:?}");
    }
}

#[test]
fn requests_of_a_simple_connection() {
    let mut connection = transmission(&[]);
    let table = [
        ((0, 0, 0, 512), Ok((READ, false))),
        ((4, 0, 0, 512), Err(Invalid)),
        ((0, 0, 0, 1 << 17), Err(Invalid)),
        ((0, 7, 0, 512), Err(Invalid)),
    ];
    for (fields, expected) in table {
        assert_eq!(received(&mut connection, fields).0, expected, "{fields:?}");
    }
}

#[test]
fn requests_of_an_extended_connection() {
    let mut connection = transmission(&[extended(), allocation("disk")]);
    let table = [
        ((0, 0, 0, 512), Ok((READ, false)), 0),
        ((32, 1, 0, 512), Ok((Write, false)), 512),
        ((33, 1, 0, 512), Ok((Write, true)), 512),
        ((0, 1, 0, 512), Err(Invalid), 0),
        ((32, 0, 0, 512), Err(Invalid), 512),
        ((32, 7, 0, 12), Err(Invalid), 12),
        ((32, 99, 0, 12), Err(Invalid), 12),
        ((0, 6, 0, 1 << 33), Err(NoSpace), 0),
        ((0, 7, 0, u64::MAX), Err(Invalid), 0),
        ((0, 7, 0, 1 << 20), Ok((STATUS, false)), 0),
    ];
    for (fields, expected, payload) in table {
        assert_eq!(received(&mut connection, fields), (expected, payload), "{fields:?}");
    }
}

#[test]
fn a_context_is_that_of_one_export_and_the_last_one_set() {
    let cases: [(&[Vec<u8>], bool); 4] = [
        (&[structured(), allocation("disk")], true),
        (&[structured(), allocation("other")], false),
        (&[structured(), allocation("disk"), allocation("other")], false),
        (&[structured(), allocation("disk"), crate::host::option(10, b"bad")], false),
    ];
    for (options, works) in cases {
        let mut connection = transmission(options);
        let (result, _) = received(&mut connection, (0, 7, 0, 512));
        assert_eq!(result.is_ok(), works, "{options:?}");
    }
}

#[test]
fn a_read_only_export_takes_no_writes() {
    let mut host = crate::host::Host::greeted(nbd::server::TlsPolicy::Off);
    let mut export = crate::host::export();
    // Whatever else is offered, that is why they fail.
    export.features = nbd::Features::READ_ONLY;
    let go = crate::host::option(7, &[crate::host::text("disk"), vec![0, 0]].concat());
    let event = host.handshake.receive(&mut &go[..]);
    let Ok(nbd::server::ServerEvent::Go(go)) = event else { panic!("it goes") };
    let mut connection = go.accept(&export);
    let table = [(1, 512), (4, 0), (6, 0), (8, 0)];
    for (kind, payload) in table {
        let length = if kind == 8 { 0 } else { 512 };
        let result = received(&mut connection, (0, kind, 0, length));
        assert_eq!(result, (Err(NotPermitted), payload), "{kind}");
    }
    assert_eq!(received(&mut connection, (0, 0, 0, 512)), (Ok((READ, false)), 0));
}

#[test]
fn a_new_size_holds_at_once() {
    let mut connection = transmission(&[]);
    connection.set_size_bytes(4096);
    assert_eq!(received(&mut connection, (0, 0, 4096, 512)).0, Err(Invalid));
    connection.set_size_bytes(8192);
    assert_eq!(received(&mut connection, (0, 0, 4096, 512)).0, Ok((READ, false)));
}

#[test]
fn what_ends_the_connection() {
    let table = [(
        "too long to be skipped",
        (0, 1, 0, (1 << 25) + 1),
        TransmissionError::PayloadTooLong((1 << 25) + 1),
    )];
    for (case, fields, error) in table {
        let mut connection = transmission(&[]);
        let header = request(Headers::Simple, fields);
        assert_eq!(connection.receive(&mut &header[..]), Err(error), "{case}");
    }
    let mut connection = transmission(&[]);
    let header = request(Headers::Extended, (0, 0, 0, 512));
    let error = TransmissionError::BadMagic(0x21e4_1c71);
    assert_eq!(connection.receive(&mut &header[..]), Err(error));
}

#[test]
fn a_client_leaves() {
    let mut connection = transmission(&[]);
    let header = request(Headers::Simple, (0, 2, 0, 0));
    assert_eq!(connection.receive(&mut &header[..]), Ok(Some(Received::Disconnect)));
}
