// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any bytes from a server to the client of the block protocol, in pieces. The first byte says how
//! they are cut and which question is asked again and again; when an export is used, a read, a
//! write and a question for block status are in flight.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nbd::Command;
use nbd::client::{Answer, ClientEvent, Handshake, Question, Received, ClientRequest, Transmission};

/// Gives a piece to the handshake; the transmission if that begins, `None` if the connection ends.
fn shake_hands(
    handshake: &mut Handshake,
    input: &mut &[u8],
    questions: &mut impl Iterator<Item = Question>,
) -> Option<Option<Transmission>> {
    loop {
        match handshake.receive(input).ok()? {
            ClientEvent::More => return Some(None),
            ClientEvent::Answer(Answer::Transmission(_, mut transmission)) => {
                for command in [
                    Command::Read { whole: false },
                    Command::Write,
                    Command::BlockStatus { one: false },
                ] {
                    let length_bytes = 4096;
                    let request = ClientRequest { command, fua: false, offset_bytes: 0, length_bytes };
                    transmission.begin(request);
                }
                return Some(Some(transmission));
            }
            ClientEvent::Ready | ClientEvent::Answer(_) => {
                handshake.ask(questions.next()?);
                handshake.take_output();
            }
        }
    }
}

/// Takes pieces of replies; `None` if the connection ends.
fn transmit(connection: &mut Transmission, input: &mut &[u8], data: &mut usize) -> Option<()> {
    loop {
        let skipped = input.len().min(*data);
        *input = &input[skipped..];
        *data -= skipped;
        let received = connection.receive(input).ok()?;
        let Some(received) = received else { return Some(()) };
        if let Received::Data { offset_bytes, length_bytes, .. } = received {
            assert!(offset_bytes + length_bytes as u64 <= 4096, "it is within the request");
            *data = length_bytes;
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&manner, bytes)) = bytes.split_first() else { return };
    let name = String::new;
    let last = [
        Question::Go(name()),
        Question::List,
        Question::ExportName(name()),
        Question::Info(name()),
    ][usize::from(manner % 4)]
    .clone();
    let headers = [Question::StructuredReplies, Question::ExtendedHeaders];
    let mut questions = headers
        .into_iter()
        .skip(usize::from(manner / 4 % 3))
        .chain([Question::SelectAllocation(name())])
        .chain(std::iter::repeat(last));
    let mut handshake = Handshake::new();
    let mut transmission = None;
    let mut data = 0;
    for mut piece in bytes.chunks(usize::from(manner / 12) + 1) {
        if transmission.is_none() {
            let begun = shake_hands(&mut handshake, &mut piece, &mut questions);
            let Some(begun) = begun else { return };
            transmission = begun;
        }
        if let Some(connection) = &mut transmission
            && transmit(connection, &mut piece, &mut data).is_none()
        {
            return;
        }
    }
});
