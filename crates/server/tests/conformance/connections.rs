// SPDX-License-Identifier: MIT OR Apache-2.0
//! What several connections are promised, seen by our own client.

use crate::served::Served;
use nbd::client::{ClientRequest, Connection, Negotiation, Question};
use nbd::{Command, Extent, Features, Headers};
use std::os::unix::net::UnixStream;

fn connect(served: &Served, export: &str, headers: Headers) -> Connection<UnixStream> {
    let stream = UnixStream::connect(served.socket()).expect("it listens");
    let mut negotiation = Negotiation::begin(stream).expect("it speaks NBD");
    assert_eq!(negotiation.ask_headers(headers).expect("an answer"), headers);
    if headers.has_chunks() {
        negotiation.ask(Question::SelectAllocation(export.to_owned())).expect("an answer");
    }
    negotiation.go(export).expect("it may be used")
}

#[test]
fn a_flush_covers_what_another_connection_was_told_is_written() {
    let served = Served::new();
    for export in ["disk", "emulated"] {
        let mut writers: Vec<_> =
            (0..4).map(|_| connect(&served, export, Headers::Structured)).collect();
        let mut flusher = connect(&served, export, Headers::Structured);
        let mut reader = connect(&served, export, Headers::Simple);
        assert!(flusher.export().features.contains(Features::MULTI_CONN));
        for turn in 0..16_u8 {
            for (index, writer) in writers.iter_mut().enumerate() {
                let place = u64::from(turn) * 16_384 + index as u64 * 4096;
                writer.write(place, &[turn + 1; 4096]).expect("it is written");
            }
            flusher.flush().expect("it is flushed");
            let read = reader.read(u64::from(turn) * 16_384, 16_384).expect("it is read");
            assert!(read.iter().all(|byte| *byte == turn + 1), "{export}, turn {turn}");
        }
        if export == "disk" {
            let contents = served.contents("disk");
            let turns = contents.chunks(16_384).zip(1..=16_u8);
            assert!(turns.into_iter().all(|(chunk, turn)| chunk.iter().all(|byte| *byte == turn)));
        }
    }
}

#[test]
fn extended_headers_have_64_bits() {
    let served = Served::new();
    let mut disk = connect(&served, "emulated", Headers::Extended);
    let size = disk.export().size_bytes;
    let request = |command, offset_bytes, length_bytes| ClientRequest {
        command,
        fua: false,
        offset_bytes,
        length_bytes,
    };
    let zeroes = Command::WriteZeroes { may_be_hole: true, only_if_fast: false };
    disk.request(request(zeroes, 0, size), &[]).expect("as much as there is");
    disk.write(65_536, &[1; 4096]).expect("it is written");
    let status = request(Command::BlockStatus { one: false }, 0, size);
    let extents = disk.request(status, &[]).expect("it can be told").extents;
    assert_eq!(extents.iter().map(|extent| extent.length_bytes).sum::<u64>(), size);
    assert_eq!(extents[0], Extent::hole(65_536));
    let beyond = request(Command::BlockStatus { one: false }, 0, 1 << 40);
    assert!(disk.request(beyond, &[]).is_err());
    assert_eq!(disk.read(65_536, 4096).expect("it goes on"), [1; 4096]);
}
