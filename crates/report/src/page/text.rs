// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names, and what they stand for.

use maud::{Markup, html};

/// Pieces that are longer may break anywhere; a phone has no room for them.
const LONGEST_PIECE: usize = 22;

/// A name that breaks only where its parts meet: behind a colon, a comma, a slash or a space.
pub(super) fn breakable(name: &str) -> Markup {
    html! {
        @for (place, piece) in name.split_inclusive([':', ',', '/', ' ']).enumerate() {
            @if place > 0 { wbr; }
            @let bare = piece.trim_end();
            @match bare.chars().count() {
                0 => {}
                ..=LONGEST_PIECE => span.piece { (bare) },
                _ => (bare),
            }
            @if bare.len() < piece.len() { " " }
        }
    }
}

/// A sentence in which schedulers may stand with their tunables, which break as names do.
pub(super) fn prose(sentence: &str) -> Markup {
    html! {
        @for (place, word) in sentence.split(' ').enumerate() {
            @if place > 0 { " " }
            @if word.contains('=') { (breakable(word)) } @else { (word) }
        }
    }
}

/// Colours and their names.
pub(super) fn legend(entries: &[(String, String)]) -> Markup {
    html! {
        ul.legend {
            @for (class, name) in entries {
                li {
                    svg width="12" height="12" aria-hidden="true" {
                        rect class=(class) width="12" height="12" {}
                    }
                    (breakable(name))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_break_where_their_parts_meet() {
        let whole = |piece: &str| format!("<span class=\"piece\">{piece}</span>");
        for (name, pieces) in [
            ("mq-deadline", whole("mq-deadline")),
            ("bfq:a=1,b=2", [whole("bfq:"), whole("a=1,"), whole("b=2")].join("<wbr>")),
            ("none and b", format!("{} <wbr>{} <wbr>{}", whole("none"), whole("and"), whole("b"))),
            (
                "/a-name-of-thirty-letters-and-on",
                format!("{}<wbr>a-name-of-thirty-letters-and-on", whole("/")),
            ),
        ] {
            assert_eq!(breakable(name).into_string(), pieces);
        }
        let sentence = prose("Use bfq:a=1, at 1,000 IOPS.").into_string();
        assert_eq!(sentence, format!("Use {}<wbr>{} at 1,000 IOPS.", whole("bfq:"), whole("a=1,")));
    }
}
