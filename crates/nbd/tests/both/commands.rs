// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each command with each kind of headers, one at a time and many in flight.

use crate::memory::{Manner, serve};
use nbd::client::{
    ClientRequest, Connection, ConnectionError, Negotiation, Question, RequestOutcome,
};
use nbd::server::TlsPolicy;
use nbd::{Command, ErrorCode, Extent, Headers};
use std::os::unix::net::UnixStream;

const ALL: [Headers; 3] = [Headers::Simple, Headers::Structured, Headers::Extended];

fn connect(headers: Headers, batch: usize, sparse: bool) -> Connection<UnixStream> {
    let manner = Manner { tls: TlsPolicy::Off, batch, sparse };
    let mut client = Negotiation::begin(serve(manner)).expect("a server");
    client.ask_headers(headers).expect("an answer");
    if headers.has_chunks() {
        client.ask(Question::SelectAllocation("disk".to_owned())).expect("an answer");
    }
    client.go("disk").expect("it may")
}

fn request(command: Command, offset_bytes: u64, length_bytes: u64) -> ClientRequest {
    ClientRequest { command, fua: false, offset_bytes, length_bytes }
}

#[test]
fn what_is_written_is_read() {
    for headers in ALL {
        for sparse in [false, true] {
            let mut disk = connect(headers, 1, sparse);
            let data: Vec<u8> = (0..20_000_u32).map(|byte| (byte % 251) as u8).collect();
            disk.write(12_345, &data).expect("it works");
            disk.flush().expect("it works");
            let read = disk.read(10_000, 30_000).expect("it works");
            assert_eq!(read[2345..22_345], data);
            assert!(read[..2345].iter().chain(&read[22_345..]).all(|byte| *byte == 0));

            let whole = request(Command::Read { whole: true }, 0, 16_384);
            match disk.request(whole, &[]) {
                Ok(outcome) => assert_eq!(outcome.data[12_345..], data[..16_384 - 12_345]),
                Err(error) => assert!(headers == Headers::Simple, "{error}"),
            }
            let fua = ClientRequest { fua: true, ..request(Command::Write, 0, 5) };
            disk.request(fua, b"hello").expect("it works");
            disk.request(request(Command::Cache, 0, 4096), &[]).expect("it works");
            disk.request(request(Command::Trim, 2, 1), &[]).expect("it works");
            let zeroes = Command::WriteZeroes { may_be_hole: false, only_if_fast: false };
            disk.request(request(zeroes, 4, 1), &[]).expect("it works");
            assert_eq!(disk.read(0, 5).expect("it works"), b"he\0l\0");
            disk.disconnect().expect("it works");
        }
    }
}

#[test]
fn holes_are_not_sent() {
    for headers in [Headers::Structured, Headers::Extended] {
        let mut disk = connect(headers, 1, true);
        disk.write(8192, &[1; 4096]).expect("it works");
        let read = request(Command::Read { whole: false }, 0, 16_384);
        let outcome = disk.request(read, &[]).expect("it works");
        assert_eq!(outcome.holes, 3);
        assert_eq!(outcome.data[8192..12_288], [1; 4096]);
    }
}

#[test]
fn block_status() {
    for headers in [Headers::Structured, Headers::Extended] {
        let mut disk = connect(headers, 1, false);
        disk.write(8192, &[1; 4096]).expect("it works");
        let mut status = |one, offset, length| {
            let status = request(Command::BlockStatus { one }, offset, length);
            disk.request(status, &[]).expect("it works").extents
        };
        let all = [Extent::hole(8192), Extent::data(4096), Extent::hole(4096)];
        assert_eq!(status(false, 0, 16_384), all);
        assert_eq!(status(true, 0, 16_384), all[..1]);
        assert_eq!(status(true, 8192, 100), [Extent::data(100)]);
    }
}

#[test]
fn failures_are_told_and_survived() {
    for headers in ALL {
        let mut disk = connect(headers, 1, false);
        let end = 1 << 20;
        let zeroes = Command::WriteZeroes { may_be_hole: true, only_if_fast: true };
        let overflow = match headers {
            Headers::Simple => ErrorCode::Invalid,
            _ => ErrorCode::Overflow,
        };
        let table = [
            (request(Command::Read { whole: false }, end, 1), ErrorCode::Invalid),
            (request(Command::Read { whole: false }, 0, (1 << 18) + 1), overflow),
            (request(Command::Write, end - 1, 2), ErrorCode::NoSpace),
            (request(zeroes, 0, 4096), ErrorCode::NotSupported),
            (request(Command::Flush, 1, 0), ErrorCode::Invalid),
        ];
        for (bad, error) in table {
            let data = if bad.command == Command::Write { b"ab".as_slice() } else { b"" };
            match disk.request(bad, data) {
                Err(ConnectionError::Failed(code)) => assert_eq!(code, error, "{bad:?}"),
                other => panic!("{bad:?}: {other:?}"),
            }
        }
        assert_eq!(disk.read(0, 3).expect("it goes on"), [0; 3]);
    }
}

#[test]
fn a_resize_holds_at_once() {
    let mut disk = connect(Headers::Structured, 1, false);
    disk.request(request(Command::Resize, 1 << 21, 0), &[]).expect("it works");
    disk.write((1 << 21) - 3, b"end").expect("there is space now");
    disk.request(request(Command::Resize, 1 << 19, 0), &[]).expect("it works");
    assert!(disk.read((1 << 21) - 3, 3).is_err());
}

#[test]
fn many_in_flight_are_answered_in_any_order() {
    for headers in ALL {
        let mut disk = connect(headers, 32, true);
        let writes: Vec<u64> = (0..32_u64)
            .map(|block| {
                let write = request(Command::Write, block * 4096, 4096);
                disk.begin(write, &[block as u8 + 1; 4096]).expect("it works")
            })
            .collect();
        assert_eq!(disk.transmission().in_flight(), 32);
        for cookie in writes {
            let outcome = disk.finish(cookie).expect("it works");
            assert_eq!(outcome.error, None);
        }
        let reads: Vec<u64> = (0..32_u64)
            .map(|block| {
                let read = request(Command::Read { whole: false }, block * 4096, 4096);
                disk.begin(read, &[]).expect("it works")
            })
            .collect();
        for _ in 0..32 {
            let (cookie, outcome): (u64, RequestOutcome) = disk.finish_any().expect("it works");
            let block = reads.iter().position(|read| *read == cookie).expect("it was asked");
            assert_eq!(outcome.data, [block as u8 + 1; 4096]);
        }
        assert_eq!(disk.transmission().in_flight(), 0);
    }
}
