// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options, their replies, and what ends the connection.

use crate::host::{Host, allocation, bytes, extended, hex, option, structured, text};
use nbd::server::{HandshakeError, TlsPolicy};
use nbd::{Headers, Limits};

/// The reply to `option` of a `kind`, with `data`, in hexadecimal digits.
fn reply(option: u32, kind: u32, data: &str) -> String {
    let data = data.replace(' ', "");
    format!("0003e889045565a9{option:08x}{kind:08x}{:08x}{data}", data.len() / 2)
}

const ACK: u32 = 1;
const UNSUPPORTED: u32 = 0x8000_0001;
const POLICY: u32 = 0x8000_0002;
const INVALID: u32 = 0x8000_0003;
const TLS_REQUIRED: u32 = 0x8000_0005;
const UNKNOWN: u32 = 0x8000_0006;
const TOO_BIG: u32 = 0x8000_0009;
const EXTENDED_REQUIRED: u32 = 0x8000_000a;

/// Size and flags of the export, without and with chunks.
const SIMPLE_EXPORT: &str = "0000 0000000000100000 0d6d";
const STRUCTURED_EXPORT: &str = "0000 0000000000100000 0ded";
const BLOCK_SIZES: &str = "0003 00000200 00001000 00010000";

#[test]
fn greeting() {
    let mut host = Host::new(TlsPolicy::Off);
    host.give(&[]).expect("nothing is no error");
    assert_eq!(host.taken(), "4e42444d41474943 49484156454f5054 0003".replace(' ', ""));
}

#[test]
fn unknown_client_flags_end_the_connection() {
    let mut host = Host::new(TlsPolicy::Off);
    assert_eq!(host.give(&[0, 0, 0, 4]), Err(HandshakeError::UnknownClientFlags(4)));
    let mut host = Host::new(TlsPolicy::Off);
    assert_eq!(host.give(&[0, 1, 0, 3]), Err(HandshakeError::UnknownClientFlags(0x1_0003)));
}

/// What it is about, the options before, the option, and its replies.
type Case<'a> = (&'a str, &'a [Vec<u8>], Vec<u8>, String);

#[test]
fn options_and_their_replies() {
    let disk = text("disk");
    let wants = |infos: &str| [disk.clone(), bytes(infos)].concat();
    let queries = |queries: &[&str]| {
        let count = (queries.len() as u32).to_be_bytes().to_vec();
        let queries: Vec<u8> = queries.iter().flat_map(|query| text(query)).collect();
        [disk.clone(), count, queries].concat()
    };
    let info = |option, export, rest: &[&str]| {
        let mut replies = reply(option, 3, export) + &reply(option, 3, BLOCK_SIZES);
        rest.iter().for_each(|data| replies += &reply(option, 3, data));
        replies + &reply(option, ACK, "")
    };
    let context = |option, id: u32| {
        let name = hex(b"base:allocation");
        reply(option, 4, &format!("{id:08x}{name}")) + &reply(option, ACK, "")
    };
    let listed = format!("00000004{}{}", hex(b"disk"), hex(b"a disk"));
    let name = format!("0001{}", hex(b"disk"));
    let description = format!("0002{}", hex(b"a disk"));
    let no_options: &[Vec<u8>] = &[];
    let table: &[Case<'_>] = &[
        ("abort", no_options, option(2, b"bye"), reply(2, ACK, "")),
        ("list", no_options, option(3, &[]), reply(3, 2, &listed) + &reply(3, ACK, "")),
        ("list with data", no_options, option(3, b"x"), reply(3, INVALID, "")),
        ("peek", no_options, option(4, b"disk"), reply(4, UNSUPPORTED, "")),
        ("unknown", no_options, option(77, b"data"), reply(77, UNSUPPORTED, "")),
        ("STARTTLS", no_options, option(5, &[]), reply(5, POLICY, "")),
        ("info", no_options, option(6, &wants("0000")), info(6, SIMPLE_EXPORT, &[])),
        (
            "info of all",
            &[structured()],
            option(6, &wants("0005 0000 0001 0002 0003 0099")),
            info(6, STRUCTURED_EXPORT, &[&name, &description]),
        ),
        ("go", no_options, option(7, &wants("0001 0003")), info(7, SIMPLE_EXPORT, &[])),
        ("go, extended", &[extended()], option(7, &wants("0000")), info(7, STRUCTURED_EXPORT, &[])),
        (
            "go elsewhere",
            no_options,
            option(7, &[text("x"), vec![0, 0]].concat()),
            reply(7, UNKNOWN, ""),
        ),
        (
            "go to a secret",
            no_options,
            option(7, &[text("secret"), vec![0, 0]].concat()),
            reply(7, TLS_REQUIRED, ""),
        ),
        ("go, list too short", no_options, option(7, &wants("0002 0003")), reply(7, INVALID, "")),
        ("go, list too long", no_options, option(7, &wants("0000 0003")), reply(7, INVALID, "")),
        (
            "go, name beyond",
            no_options,
            option(7, &bytes("00000005 6469736b")),
            reply(7, INVALID, ""),
        ),
        ("go, no name", no_options, option(7, &bytes("0000")), reply(7, INVALID, "")),
        ("go, huge name", no_options, option(7, &bytes("ffffffff 0000")), reply(7, INVALID, "")),
        ("go, NUL", no_options, option(7, &bytes("00000001 00 0000")), reply(7, INVALID, "")),
        ("go, not UTF-8", no_options, option(7, &bytes("00000001 ff 0000")), reply(7, INVALID, "")),
        ("structured", no_options, option(8, &[]), reply(8, ACK, "")),
        ("structured with data", no_options, option(8, b"x"), reply(8, INVALID, "")),
        (
            "structured after extended",
            &[extended()],
            option(8, &[]),
            reply(8, EXTENDED_REQUIRED, ""),
        ),
        ("extended after structured", &[structured()], option(11, &[]), reply(11, ACK, "")),
        ("extended with data", no_options, option(11, b"x"), reply(11, INVALID, "")),
        ("contexts, simple", no_options, option(9, &queries(&[])), reply(9, INVALID, "")),
        ("all contexts", &[structured()], option(9, &queries(&[])), context(9, 0)),
        ("contexts of base", &[extended()], option(9, &queries(&["base:"])), context(9, 0)),
        (
            "other contexts",
            &[structured()],
            option(9, &queries(&["x-y:", "none"])),
            reply(9, ACK, ""),
        ),
        ("set", &[structured()], option(10, &queries(&["x:y", "base:allocation"])), context(10, 1)),
        ("set none", &[structured()], option(10, &queries(&[])), reply(10, ACK, "")),
        ("set a wildcard", &[structured()], option(10, &queries(&["base:"])), reply(10, ACK, "")),
        (
            "set, bytes behind",
            &[structured()],
            option(10, &[queries(&[]), vec![0]].concat()),
            reply(10, INVALID, ""),
        ),
        (
            "set, query missing",
            &[structured()],
            option(10, &[disk.clone(), bytes("00000001")].concat()),
            reply(10, INVALID, ""),
        ),
        (
            "set, too many",
            &[structured()],
            option(10, &[disk.clone(), bytes("ffffffff")].concat()),
            reply(10, TOO_BIG, ""),
        ),
    ];
    for (case, before, option, expected) in table {
        let mut host = Host::greeted(TlsPolicy::Off);
        host.give(&before.concat()).expect(case);
        host.output.clear();
        assert_eq!(host.give(option).expect(case), b"", "{case}");
        assert_eq!(host.taken(), *expected, "{case}");
    }
}

#[test]
fn what_is_too_long_is_skipped_and_answered() {
    let limits = Limits { option_bytes: 64, name_bytes: 8, queries: 2 };
    let table = [
        (7, [text("a name too long"), vec![0, 0]].concat(), "answered"),
        (7, vec![0; 65], "answered"),
        (10, vec![0; 1000], "answered"),
    ];
    for (number, data, event) in table {
        let mut host = Host::with_limits(TlsPolicy::Off, limits);
        host.give(&[0, 0, 0, 3]).expect("good flags");
        host.give(&structured()).expect("good");
        host.output.clear();
        host.give(&option(number, &data)).expect("it can be answered");
        assert_eq!(host.events.last().map(String::as_str), Some(event));
        assert_eq!(host.taken(), reply(number, TOO_BIG, ""));
        host.give(&option(3, &[])).expect("the connection goes on");
        assert_eq!(host.events.last().map(String::as_str), Some("list"));
    }
}

#[test]
fn export_name_has_no_header() {
    for (client_flags, zeros) in [(3, 0), (1, 124), (0, 124)] {
        let mut host = Host::new(TlsPolicy::Off);
        host.give(&[0, 0, 0, client_flags]).expect("good flags");
        host.output.clear();
        let left = host.give(&[option(1, b"disk"), vec![9; 3]].concat()).expect("good").to_vec();
        assert_eq!(host.taken(), "00000000001000000d6d".to_owned() + &"00".repeat(zeros));
        assert_eq!(left, [9; 3], "what follows belongs to the transmission");
    }
}

#[test]
fn export_name_that_is_refused_ends_the_connection() {
    let mut host = Host::greeted(TlsPolicy::Off);
    assert_eq!(host.give(&option(1, b"other")), Err(HandshakeError::Over));
    assert_eq!(host.taken(), "");
    for (before, name) in
        [(vec![], vec![0xff]), (extended(), b"disk".to_vec()), (vec![], vec![b'x'; 4097])]
    {
        let mut host = Host::greeted(TlsPolicy::Off);
        host.give(&before).expect("good");
        assert_eq!(host.give(&option(1, &name)), Err(HandshakeError::BadExportName));
    }
}

#[test]
fn bytes_that_are_no_option_end_the_connection() {
    let mut host = Host::greeted(TlsPolicy::Off);
    let error = host.give(&[7; 16]).expect_err("no option");
    assert_eq!(error, HandshakeError::BadOptionMagic(0x0707_0707_0707_0707));
}

#[test]
fn required_tls_comes_first() {
    let mut host = Host::greeted(TlsPolicy::Required);
    for number in [3, 6, 7, 8, 9, 10, 11, 77] {
        host.give(&option(number, b"data")).expect("it can be answered");
        assert_eq!(host.taken(), reply(number, TLS_REQUIRED, ""));
    }
    assert_eq!(host.give(&option(1, b"disk")), Err(HandshakeError::BadExportName));
}

#[test]
fn nothing_from_before_tls_is_believed() {
    let mut host = Host::greeted(TlsPolicy::Allowed);
    host.give(&[structured(), allocation("disk"), option(5, &[])].concat()).expect("good");
    assert_eq!(host.events.last().map(String::as_str), Some("start TLS"));
    host.handshake.tls_started();
    host.output.clear();

    host.give(&option(5, &[])).expect("it can be answered");
    assert_eq!(host.taken(), reply(5, INVALID, ""), "there is TLS already");
    host.give(&option(7, &[text("secret"), vec![0, 0]].concat())).expect("it can be answered");
    assert_eq!(host.taken(), reply(7, POLICY, ""), "it cannot be TLS that is missing");
    host.give(&option(7, &[text("disk"), vec![0, 0]].concat())).expect("good");
    assert_eq!(host.transmission.expect("it may").headers(), Headers::Simple);
}

#[test]
fn bytes_behind_starttls_are_an_attack() {
    let mut host = Host::greeted(TlsPolicy::Allowed);
    let injected = [option(5, &[]), option(3, &[])].concat();
    assert_eq!(host.give(&injected), Err(HandshakeError::BytesBehindStartTls));

    let mut host = Host::greeted(TlsPolicy::Allowed);
    host.give(&option(5, &[])).expect("good");
    assert_eq!(host.give(&[0x16]), Err(HandshakeError::BytesBehindStartTls), "before TLS is up");
}

#[test]
fn an_old_client_gets_no_tls() {
    let mut host = Host::new(TlsPolicy::Allowed);
    host.give(&[0, 0, 0, 2]).expect("good flags");
    host.output.clear();
    host.give(&option(5, &[])).expect("it can be answered");
    assert_eq!(host.taken(), reply(5, POLICY, ""));
}
