// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of ticks below the lanes: why turns ended, and what else was decided, in the colour of whom
//! it was about.

use super::lanes::{Lanes, Layers};
use crate::page::schedule::span::{ROW, Span};
use crate::timeline::{MARKS, REASONS, Timeline};
use maud::Markup;

/// Events of one kind.
pub(super) struct Row {
    pub name: &'static str,
    /// When, and about whom.
    events: Vec<(u64, usize)>,
}

/// The kinds of events that occur.
pub(super) fn rows(timeline: &Timeline, budget: usize) -> Vec<Row> {
    let ended = REASONS.iter().skip(1).map(|&(reason, name)| Row {
        name,
        events: timeline
            .turns
            .iter()
            .take(budget)
            .filter(|turn| turn.reason == reason)
            .map(|turn| (turn.until_ns, turn.who))
            .collect(),
    });
    let marked = MARKS.iter().map(|&(what, name)| Row {
        name,
        events: timeline
            .marks
            .iter()
            .take(budget)
            .filter(|mark| mark.what == what)
            .map(|mark| (mark.at_ns, mark.who))
            .collect(),
    });
    ended.chain(marked).filter(|row| !row.events.is_empty()).collect()
}

/// The ticks, from `top` pixels down.
pub(super) fn drawn(
    rows: &[Row],
    lanes: &Lanes,
    timeline: &Timeline,
    span: &Span,
    top: usize,
) -> Markup {
    let mut ticks = Layers::default();
    for (number, row) in rows.iter().enumerate() {
        let y = (top + number * ROW) as i64;
        for &(at_ns, who) in &row.events {
            let x = span.units(at_ns);
            ticks.of(lanes.colour_of(&timeline.who[who])).segment((x, y + 2), (x, y + 10));
        }
    }
    ticks.drawn("tick")
}
