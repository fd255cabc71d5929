// SPDX-License-Identifier: MIT OR Apache-2.0
//! Questions and answers before an export is used.

use crate::memory::{Manner, export, serve};
use nbd::client::{Answer, ListedExport, Negotiation, NegotiationError, Question, Reason};
use nbd::server::TlsPolicy;
use nbd::{Features, Headers};

const PLAIN: Manner = Manner { tls: TlsPolicy::Off, batch: 1, sparse: false };

#[test]
fn list_info_and_contexts() {
    let mut client = Negotiation::begin(serve(PLAIN)).expect("a server");
    let Ok(Answer::Exports(exports)) = client.ask(Question::List) else { panic!("no list") };
    let listed =
        |name: &str| ListedExport { name: name.to_owned(), description: "in memory".to_owned() };
    assert_eq!(exports, [listed(""), listed("disk")]);

    let info = client.ask(Question::Info("disk".to_owned()));
    let Ok(Answer::Export(info)) = info else { panic!("{info:?}") };
    let mut expected = export(1 << 20);
    expected.allocation = false;
    assert_eq!(info, expected, "no context was selected");

    let info = client.ask(Question::Info("elsewhere".to_owned()));
    let Ok(Answer::Refused(refused)) = info else { panic!("{info:?}") };
    assert_eq!(refused.reason, Reason::Unknown);

    let contexts = Question::ListContexts("disk".to_owned(), vec!["base:".to_owned()]);
    let Ok(Answer::Refused(refused)) = client.ask(contexts.clone()) else { panic!("too early") };
    assert_eq!(refused.reason, Reason::Invalid);
    assert_eq!(client.ask_headers(Headers::Structured).ok(), Some(Headers::Structured));
    let Ok(Answer::Contexts(contexts)) = client.ask(contexts) else { panic!("no contexts") };
    assert_eq!(contexts[0].name, "base:allocation");

    assert!(matches!(client.ask(Question::Abort), Ok(Answer::Done)));
}

#[test]
fn go_tells_what_was_negotiated() {
    for headers in [Headers::Simple, Headers::Structured, Headers::Extended] {
        let mut client = Negotiation::begin(serve(PLAIN)).expect("a server");
        assert_eq!(client.ask_headers(headers).ok(), Some(headers));
        if headers.has_chunks() {
            client.ask(Question::SelectAllocation("disk".to_owned())).expect("an answer");
        }
        let connection = client.go("disk").expect("it may");
        let mut expected = export(1 << 20);
        if headers.has_chunks() {
            expected.features = expected.features | Features::DONT_FRAGMENT;
        }
        expected.allocation = headers.has_chunks();
        assert_eq!(*connection.export(), expected);
        assert_eq!(connection.transmission().headers(), headers);
    }
}

#[test]
fn the_old_way() {
    let mut client = Negotiation::begin(serve(PLAIN)).expect("a server");
    let answer = client.ask(Question::ExportName("disk".to_owned()));
    let Ok(Answer::Transmission(export, _)) = answer else { panic!("{answer:?}") };
    assert_eq!(export.size_bytes, 1 << 20);
    let mut client = Negotiation::begin(serve(PLAIN)).expect("a server");
    let answer = client.ask(Question::ExportName("elsewhere".to_owned()));
    assert!(matches!(answer, Err(NegotiationError::Io(_))), "the server closes the connection");
}

#[test]
fn a_refusal_leaves_the_connection_usable() {
    let mut client = Negotiation::begin(serve(PLAIN)).expect("a server");
    let go = client.ask(Question::Go("elsewhere".to_owned()));
    let Ok(Answer::Refused(refused)) = go else { panic!("{go:?}") };
    assert_eq!(refused.reason, Reason::Policy);
    client.go("disk").expect("it may");
}

#[test]
fn tls_comes_first() {
    let manner = Manner { tls: TlsPolicy::Required, ..PLAIN };
    let mut client = Negotiation::begin(serve(manner)).expect("a server");
    let Ok(Answer::Refused(refused)) = client.ask(Question::List) else { panic!("in the clear") };
    assert_eq!(refused.reason, Reason::TlsRequired);
    assert!(matches!(client.ask(Question::StartTls), Ok(Answer::Done)));
    // The host's TLS is nothing here: both sides go on in the clear.
    let client = client.over(Ok).expect("no change");
    client.go("disk").expect("it may");
}
