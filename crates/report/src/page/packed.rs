// SPDX-License-Identifier: MIT OR Apache-2.0
//! Markup in few bytes: deflated, and in base64, which a script unpacks. A report of all scenarios
//! has ten megabytes of drawings, of which hardly any will be looked at.

use base64::prelude::{BASE64_STANDARD, Engine};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use maud::{Markup, html};
use std::io::Write;

/// Markup that is put where it stands when its row is opened.
pub(super) fn packed(markup: &Markup) -> Markup {
    html! {
        div.packed { script type="text/plain" { (text(markup.0.as_bytes())) } }
    }
}

fn text(plain: &[u8]) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(plain).and_then(|()| encoder.finish());
    BASE64_STANDARD.encode(written.expect("memory can be written to"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::DeflateDecoder;
    use std::io::Read;

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let plain = "M0 0h1v1".repeat(1000) + "</script> µ";
        let packed = text(plain.as_bytes());
        assert!(packed.len() < plain.len() / 50 && !packed.contains('<'));
        let mut back = String::new();
        let bytes = BASE64_STANDARD.decode(packed).unwrap();
        DeflateDecoder::new(&bytes[..]).read_to_string(&mut back).unwrap();
        assert_eq!(back, plain);
    }
}
