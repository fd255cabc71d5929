// SPDX-License-Identifier: MIT OR Apache-2.0
//! However the bytes of a client are split, they come to the same; and no bytes make it panic.

use crate::host::{Host, allocation, bytes, extended, option, structured, text};
use nbd::server::TlsPolicy;
use proptest::prelude::*;

/// A client's bytes of a whole connection.
fn connection() -> Vec<u8> {
    [
        vec![0, 0, 0, 3],
        option(99, b"what is this"),
        option(3, &[]),
        structured(),
        allocation("disk"),
        option(6, &[text("elsewhere"), vec![0, 0]].concat()),
        extended(),
        option(7, &[text("disk"), vec![0, 1, 0, 3]].concat()),
        bytes("21e41c71 0000 0000 0000000000000001 0000000000000000 0000000000000200"),
        bytes("21e41c71 0020 0001 0000000000000002 0000000000000000 0000000000000200"),
        vec![0xaa; 512],
        bytes("21e41c71 0000 0063 0000000000000003 0000000000000000 0000000000000000"),
        bytes("21e41c71 0000 0002 0000000000000004 0000000000000000 0000000000000000"),
    ]
    .concat()
}

/// All that a host sees of pieces of a connection, up to an error.
fn seen<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, tls: TlsPolicy) -> (Vec<String>, Vec<u8>) {
    let mut host = Host::new(tls);
    let mut payload = 0;
    for piece in pieces {
        let Ok(mut piece) = host.give_unless_over(piece) else {
            host.events.push("the end".to_owned());
            break;
        };
        while let Some(transmission) = &mut host.transmission {
            let skipped = payload.min(piece.len());
            payload -= skipped;
            piece = &piece[skipped..];
            match transmission.receive(&mut piece) {
                Ok(None) => break,
                Ok(Some(received)) => {
                    if let nbd::server::Received::Request(request) = received {
                        payload = request.payload_bytes();
                    }
                    if let nbd::server::Received::Refused(refused) = received {
                        payload = refused.payload_bytes;
                    }
                    host.events.push(format!("{received:?}"));
                }
                Err(error) => {
                    host.events.push(format!("{error}"));
                    return (host.events, host.output);
                }
            }
        }
    }
    (host.events, host.output)
}

proptest! {
    #[test]
    fn any_split_comes_to_the_same(cuts in prop::collection::vec(0_usize..1000, 0..40)) {
        let bytes = connection();
        let whole = seen([&bytes[..]], TlsPolicy::Off);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % bytes.len()).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]);
        prop_assert_eq!(seen(pieces, TlsPolicy::Off), whole);
    }

    #[test]
    fn any_bytes_are_survived(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        begin in 0_usize..1000,
    ) {
        let good = connection();
        let begin = &good[..begin % good.len()];
        seen([begin, &bytes], TlsPolicy::Off);
        seen([begin, &bytes], TlsPolicy::Required);
    }
}

#[test]
fn byte_by_byte() {
    let bytes = connection();
    let whole = seen([&bytes[..]], TlsPolicy::Off);
    assert_eq!(whole.0.len(), 11, "{:#?}", whole.0);
    assert_eq!(seen(bytes.chunks(1), TlsPolicy::Off), whole);
}
