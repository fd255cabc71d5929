// SPDX-License-Identifier: MIT OR Apache-2.0
//! Answers of servers, good and bad.

use nbd::client::{Answer, ClientEvent, Handshake, HandshakeError, Question};
use proptest::prelude::*;

const GREETING: &str = "4e42444d41474943 49484156454f5054 0003";

fn bytes(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

fn reply(option: u32, kind: u32, data: &str) -> Vec<u8> {
    let data = bytes(data);
    let head = format!("0003e889045565a9 {option:08x} {kind:08x} {:08x}", data.len());
    [bytes(&head), data].concat()
}

fn greeted() -> Handshake {
    let mut client = Handshake::new();
    assert!(matches!(client.receive(&mut &bytes(GREETING)[..]), Ok(ClientEvent::Ready)));
    assert_eq!(client.take_output(), [0, 0, 0, 3]);
    client
}

#[test]
fn only_fixed_newstyle_is_spoken() {
    for greeting in [
        "4e42444d41474943 49484156454f5054 0000",
        "4e42444d41474943 0000420281861253 0003",
        "5353482d322e302d 4f70656e5353485f 0003",
    ] {
        let result = Handshake::new().receive(&mut &bytes(greeting)[..]);
        assert_eq!(result.err(), Some(HandshakeError::NotNbd), "{greeting}");
    }
}

#[test]
fn questions_as_bytes() {
    let disk = || "disk".to_owned();
    let table = [
        (Question::List, "00000003 00000000"),
        (Question::Go(disk()), "00000007 00000010 00000004 6469736b 0003 0001 0002 0003"),
        (Question::ExportName(disk()), "00000001 00000004 6469736b"),
        (
            Question::SelectAllocation(disk()),
            "0000000a 0000001f 00000004 6469736b 00000001 0000000f 626173653a616c6c6f636174696f6e",
        ),
        (Question::StartTls, "00000005 00000000"),
    ];
    for (question, expected) in table {
        let mut client = greeted();
        client.ask(question);
        assert_eq!(client.take_output(), [&b"IHAVEOPT"[..], &bytes(expected)].concat());
    }
}

#[test]
fn bad_answers_end_the_connection() {
    let go = || Question::Go("disk".to_owned());
    let bad = HandshakeError::BadReply;
    let table = [
        ("other option", Question::List, reply(7, 1, ""), bad),
        ("unknown reply", Question::List, reply(3, 99, ""), bad),
        ("other reply", Question::List, reply(3, 3, "0000"), bad),
        ("name beyond", Question::List, reply(3, 2, "00000005 6469736b"), bad),
        ("no information", go(), reply(7, 1, ""), bad),
        ("information too short", go(), reply(7, 3, "0000 00"), bad),
        ("information too long", go(), reply(7, 3, "0000 0000000000000000 0000 00"), bad),
        ("impossible blocks", go(), reply(7, 3, "0003 00000003 00001000 00010000"), bad),
        ("no magic", Question::List, vec![7; 20], bad),
        (
            "endless",
            go(),
            bytes("0003e889045565a9 00000007 00000003 ffffffff"),
            HandshakeError::TooLong,
        ),
        (
            "bytes behind STARTTLS",
            Question::StartTls,
            [reply(5, 1, ""), vec![0x16]].concat(),
            HandshakeError::BytesBehindStartTls,
        ),
    ];
    for (case, question, answer, error) in table {
        let mut client = greeted();
        client.ask(question);
        assert_eq!(client.receive(&mut &answer[..]).err(), Some(error), "{case}");
    }
    assert_eq!(greeted().receive(&mut &[1][..]).err(), Some(HandshakeError::Unasked));
}

#[test]
fn information_that_is_not_known_is_ignored() {
    let mut client = greeted();
    client.ask(Question::Info("disk".to_owned()));
    let answer =
        [reply(6, 3, "0063 1234"), reply(6, 3, "0000 0000000000100000 f001"), reply(6, 1, "")];
    let event = client.receive(&mut &answer.concat()[..]);
    let Ok(ClientEvent::Answer(Answer::Export(export))) = event else { panic!("{event:?}") };
    assert_eq!(export.size_bytes, 1 << 20);
}

proptest! {
    #[test]
    fn any_bytes_are_survived(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        question in 0..4,
        good_header in any::<Option<u32>>(),
    ) {
        let mut client = greeted();
        let name = String::new();
        client.ask(match question {
            0 => Question::List,
            1 => Question::Go(name),
            2 => Question::SelectAllocation(name),
            _ => Question::ExportName(name),
        });
        let option = [3, 7, 10, 1][question as usize];
        if let Some(kind) = good_header {
            let data: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = client.receive(&mut &reply(option, kind % 6, &data)[..]);
        }
        let mut input = &bytes[..];
        while let Ok(ClientEvent::Answer(_)) = client.receive(&mut input) {}
    }
}
