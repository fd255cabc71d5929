// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replies to one read at 4,096 of 512 bytes and one question for block status of the same.

use nbd::client::{
    Answer, ClientEvent, ClientRequest, Handshake, Question, Received, ReplyError, Transmission,
};
use nbd::{Command, ErrorCode, Extent};
use proptest::prelude::*;

fn bytes(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// A client that has agreed on headers by `option`, if any, and has selected a context as number 9.
/// Request 1 is the read, request 2 the question.
fn transmission(option: Option<Question>) -> Transmission {
    let mut client = Handshake::new();
    let mut answer = |question: Option<Question>, answer: &str| {
        question.into_iter().for_each(|question| client.ask(question));
        client.receive(&mut &bytes(answer)[..]).expect("a good answer")
    };
    answer(None, "4e42444d41474943 49484156454f5054 0003");
    let reply = |option: u32, kind: u32, data: &str| {
        let length = bytes(data).len();
        format!("0003e889045565a9 {option:08x} {kind:08x} {length:08x} {data}")
    };
    let number = if option == Some(Question::ExtendedHeaders) { 11 } else { 8 };
    if option.is_some() {
        answer(option, &reply(number, 1, ""));
        let context = reply(10, 4, "00000009 626173653a616c6c6f636174696f6e");
        let select = Question::SelectAllocation(String::new());
        answer(Some(select), &(context + &reply(10, 1, "")));
    }
    let size = reply(7, 3, "0000 0000000000100000 0001");
    let event = answer(Some(Question::Go(String::new())), &(size + &reply(7, 1, "")));
    let ClientEvent::Answer(Answer::Transmission(_, mut transmission)) = event else {
        panic!("{event:?}")
    };
    for command in [Command::Read { whole: false }, Command::BlockStatus { one: false }] {
        let request = ClientRequest { command, fua: false, offset_bytes: 4096, length_bytes: 512 };
        transmission.begin(request);
    }
    transmission
}

/// The header of a structured chunk: flags, type, cookie, length.
fn chunk(flags: u16, kind: u16, cookie: u64, length: u32, payload: &str) -> Vec<u8> {
    bytes(&format!("668e33ef {flags:04x} {kind:04x} {cookie:016x} {length:08x} {payload}"))
}

const AT: &str = "0000000000001000";

#[test]
fn good_replies() {
    let error = |last, offset_bytes, message: &str| Received::Error {
        cookie: 1,
        error: ErrorCode::Io,
        message: message.to_owned(),
        offset_bytes,
        last,
    };
    let table = [
        (
            "data",
            chunk(1, 1, 1, 520, AT),
            Received::Data { cookie: 1, offset_bytes: 4096, length_bytes: 512, last: true },
        ),
        (
            "hole",
            chunk(1, 2, 1, 12, &format!("{AT} 00000200")),
            Received::Hole { cookie: 1, offset_bytes: 4096, length_bytes: 512, last: true },
        ),
        ("error", chunk(1, 0x8001, 1, 8, "00000005 0002 6f68"), error(true, None, "oh")),
        (
            "error at",
            chunk(0, 0x8002, 1, 14, &format!("00000005 0000 {AT}")),
            error(false, Some(4096), ""),
        ),
        ("unknown error", chunk(1, 0x8077, 1, 8, "00000005 0000 6f68"), error(true, None, "")),
        (
            "extents",
            chunk(1, 5, 2, 12, "00000009 00000200 00000003"),
            Received::Status { cookie: 2, extents: vec![Extent::hole(512)], last: true },
        ),
        ("done", chunk(1, 0, 2, 0, ""), Received::Done { cookie: 2 }),
        ("simple error", bytes("67446698 00000005 0000000000000001"), error(true, None, "")),
    ];
    for (case, reply, expected) in table {
        let mut client = transmission(Some(Question::StructuredReplies));
        assert_eq!(client.receive(&mut &reply[..]), Ok(Some(expected)), "{case}");
    }
}

#[test]
fn bad_replies_end_the_connection() {
    use ReplyError::{BadChunk, BadMagic, UnknownCookie, WrongLength};
    let table = [
        ("no reply", vec![1; 20], BadMagic(0x0101_0101)),
        ("extended", bytes("6e8a278c"), BadMagic(0x6e8a_278c)),
        ("unknown", chunk(1, 0, 7, 0, ""), UnknownCookie(7)),
        ("nothing at all", chunk(1, 0, 1, 0, ""), WrongLength { got: 0, wanted: 512 }),
        ("part", chunk(1, 1, 1, 108, AT), WrongLength { got: 100, wanted: 512 }),
        ("before", chunk(0, 1, 1, 9, "0000000000000fff"), BadChunk(1)),
        ("beyond", chunk(0, 1, 1, 521, AT), BadChunk(1)),
        ("far beyond", chunk(0, 1, 1, 9, "ffffffffffffffff"), BadChunk(1)),
        ("empty", chunk(0, 1, 1, 8, AT), BadChunk(1)),
        ("data for a question", chunk(0, 1, 2, 520, AT), BadChunk(1)),
        ("empty hole", chunk(0, 2, 1, 12, &format!("{AT} 00000000")), BadChunk(2)),
        ("endless none", chunk(0, 0, 1, 0, ""), BadChunk(0)),
        ("unknown chunk", chunk(0, 99, 1, 8, AT), BadChunk(99)),
        ("extents for a read", chunk(1, 5, 1, 12, "00000009 00000200 00000003"), BadChunk(5)),
        ("other context", chunk(1, 5, 2, 12, "00000001 00000200 00000003"), BadChunk(5)),
        ("no extents", chunk(1, 5, 2, 4, "00000009"), BadChunk(5)),
        ("empty extent", chunk(1, 5, 2, 12, "00000009 00000000 00000003"), BadChunk(5)),
        ("half an extent", chunk(1, 5, 2, 8, "00000009 00000200"), BadChunk(5)),
        ("64 bits", chunk(1, 6, 2, 24, &"00000009".repeat(6)), BadChunk(6)),
        ("message beyond", chunk(1, 0x8001, 1, 6, "00000005 0001"), BadChunk(0x8001)),
        ("no error", chunk(1, 0x8001, 1, 6, "00000000 0000"), BadChunk(0x8001)),
        ("long error", chunk(1, 0x8001, 1, 1 << 20, ""), BadChunk(0x8001)),
        ("simple", bytes("67446698 00000000 0000000000000001"), BadMagic(0x6744_6698)),
    ];
    for (case, reply, error) in table {
        let mut client = transmission(Some(Question::StructuredReplies));
        assert_eq!(client.receive(&mut &reply[..]), Err(error), "{case}");
    }
}

#[test]
fn data_that_come_twice_are_no_answer() {
    let mut client = transmission(Some(Question::StructuredReplies));
    let half = chunk(0, 2, 1, 12, &format!("{AT} 00000100"));
    assert!(client.receive(&mut &half[..]).is_ok());
    assert!(client.receive(&mut &half[..]).is_ok());
    assert_eq!(client.receive(&mut &half[..]), Err(ReplyError::BadChunk(2)));
}

#[test]
fn extended_replies_name_the_offset_of_their_request() {
    let reply = |offset: u64, count: u32| {
        bytes(&format!(
            "6e8a278c 0001 0006 0000000000000002 {offset:016x} 0000000000000018              00000009 {count:08x} 0000000000000200 0000000000000001"
        ))
    };
    let extents = vec![Extent { length_bytes: 512, hole: true, zero: false }];
    let status = Received::Status { cookie: 2, extents, last: true };
    let table = [
        (reply(4096, 1), Ok(Some(status))),
        (reply(0, 1), Err(ReplyError::BadChunk(6))),
        (reply(4096, 2), Err(ReplyError::BadChunk(6))),
    ];
    for (reply, expected) in table {
        let mut client = transmission(Some(Question::ExtendedHeaders));
        assert_eq!(client.receive(&mut &reply[..]), expected);
    }
}

#[test]
fn a_chunk_of_all_bytes_there_could_be_is_no_answer() {
    let hole = "6e8a278c 0000 0002 0000000000000001 0000000000001000 000000000000000c";
    let data = "6e8a278c 0001 0001 0000000000000001 0000000000001000 ffffffffffffffff";
    let replies = bytes(&format!("{hole} {AT} 00000100 {data} {AT}"));
    let mut client = transmission(Some(Question::ExtendedHeaders));
    let mut input = &replies[..];
    assert!(client.receive(&mut input).is_ok());
    assert_eq!(client.receive(&mut input), Err(ReplyError::BadChunk(1)));
}

/// All pieces of replies, without the data.
fn received<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let mut client = transmission(Some(Question::StructuredReplies));
    let mut seen = Vec::new();
    let mut data = 0;
    for mut piece in pieces {
        loop {
            let skipped = data.min(piece.len());
            piece = &piece[skipped..];
            data -= skipped;
            match client.receive(&mut piece) {
                Ok(None) => break,
                Ok(Some(received)) => {
                    if let Received::Data { length_bytes, .. } = received {
                        data = length_bytes;
                    }
                    seen.push(format!("{received:?}"));
                }
                Err(error) => {
                    seen.push(error.to_string());
                    return seen;
                }
            }
        }
    }
    seen
}

proptest! {
    #[test]
    fn any_split_comes_to_the_same(cuts in prop::collection::vec(0_usize..1000, 0..20)) {
        let bytes = [
            chunk(0, 2, 1, 12, &format!("{AT} 00000100")),
            chunk(1, 5, 2, 12, "00000009 00000200 00000003"),
            chunk(0, 1, 1, 264, "0000000000001100"),
            vec![0xaa; 256],
            chunk(1, 0, 1, 0, ""),
        ]
        .concat();
        let whole = received([&bytes[..]]);
        prop_assert_eq!(whole.len(), 4);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % bytes.len()).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        prop_assert_eq!(received(cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]])), whole);
    }

    #[test]
    fn any_bytes_are_survived(
        kind in prop::sample::select(vec![0_u16, 1, 2, 5, 6, 0x8001, 0x8002, 0x8077]),
        cookie in 0_u64..3,
        length in 0_u32..64,
        tail in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let begin = chunk(tail.len() as u16, kind, cookie, length, "");
        received([&begin[..], &tail[..]]);
        received([&tail[..]]);
    }
}
