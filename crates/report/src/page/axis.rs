// SPDX-License-Identifier: MIT OR Apache-2.0
//! Axes as they are drawn: lines at the ticks, and what stands at them.

use super::scale::{Axis, Rank, number};
use maud::{Markup, html};

/// Lines at the ticks of an axis, in a drawing that is as wide as the axis.
pub(super) fn grid(axis: &Axis) -> Markup {
    html! {
        @for tick in &axis.ticks {
            @let x = format!("{}%", number(tick.percent));
            line.grid x1=(x) x2=(x) y1="0" y2="100%" {}
        }
    }
}

/// What stands at the ticks of an axis; the last one has the unit, if there is one.
pub(super) fn ticks(axis: &Axis, y: f64, unit: &str) -> Markup {
    let spoken = || axis.ticks.iter().filter(|tick| !tick.text.is_empty());
    let last = spoken().count().saturating_sub(1);
    html! {
        @for (place, tick) in spoken().enumerate() {
            @let anchor = match tick.percent { ..=6.0 => "start", 94.0.. => "end", _ => "middle" };
            @let class = match tick.rank {
                Rank::Always => None,
                Rank::Usual => Some("usual"),
                Rank::Fine => Some("fine"),
            };
            text class=[class] text-anchor=(anchor) x={ (number(tick.percent)) "%" } y=(number(y)) {
                (tick.text) @if place == last && !unit.is_empty() { " " (unit) }
            }
        }
    }
}

/// An axis below rows, whose unit the caption tells.
pub(super) fn axis_row(axis: &Axis) -> Markup {
    html! {
        div.row {
            div.axis { svg height="18" width="100%" aria-hidden="true" { (ticks(axis, 12.0, "")) } }
        }
    }
}
