// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency distributions on a logarithmic axis: a row for each scheduler, with percentiles.

use super::scale::{Axis, number};
use super::text::breakable;
use crate::histogram::Bin;
use crate::names::ios;
use crate::page::axis::{axis_row, grid};
use crate::page::sheet::Sheet;
use crate::study::Distribution;
use base::text::time;
use maud::{Markup, html};
use std::fmt::Write;

/// The most parts whose latencies are drawn; tables have all.
const MOST_PARTS: usize = 5;

/// The latencies of the parts, those that the scenario is about first.
pub(super) fn latencies(sheet: &Sheet) -> Markup {
    html! {
        @for part in sheet.by_interest().into_iter().take(MOST_PARTS) {
            (of_part(sheet, part))
        }
    }
}

fn of_part(sheet: &Sheet, part: usize) -> Markup {
    let columns = &sheet.drawn;
    let all: Vec<Vec<Distribution>> =
        columns.iter().map(|column| sheet.stage.parts[part].distributions(column.run())).collect();
    let mut kinds: Vec<&str> = Vec::new();
    for distribution in all.iter().flatten() {
        if !kinds.contains(&distribution.kind) {
            kinds.push(distribution.kind);
        }
    }
    html! {
        @for kind in kinds {
            @let of_kind: Vec<Option<&Distribution>> = all
                .iter()
                .map(|of| of.iter().find(|one| one.kind == kind))
                .collect();
            (of_kind_of_part(sheet, part, kind, &of_kind))
        }
    }
}

fn of_kind_of_part(
    sheet: &Sheet,
    part: usize,
    kind: &str,
    all: &[Option<&Distribution>],
) -> Markup {
    let present = || all.iter().flatten();
    let least = present().filter_map(|one| one.bins.first()).map(|bin| bin.from_ns);
    let least = least.chain(present().map(|one| one.summary.p50)).min().unwrap_or(1);
    let most = present().map(|one| one.summary.max).max().unwrap_or(1);
    let axis = Axis::latencies(least, most);
    let approximately = if present().any(|one| one.approximate) { "≈ " } else { "" };
    let name = &sheet.stage.parts[part].name;
    html! {
        figure.latency {
            figcaption { "Latency of " (name) span.unit { ", " (ios(kind)) ", logarithmic" } }
            div.rows.four {
                div.row aria-hidden="true" {
                    div.label {}
                    div."value head first" { "median" } div."value head" { "99 %" }
                    div."value head" { "max" }
                }
                @for (column, distribution) in sheet.drawn.iter().zip(all) {
                    div.row {
                        div.label { (breakable(&column.label)) }
                        @if let Some(distribution) = distribution {
                            div."value first" { (approximately) (time(distribution.summary.p50)) }
                            div.value { (approximately) (time(distribution.summary.p99)) }
                            div.value { (time(distribution.summary.max)) }
                            (row(&column.label, distribution, &axis, sheet.colour(part)))
                        } @else {
                            div.nothing { "no " (ios(kind)) }
                        }
                    }
                }
                (axis_row(&axis))
            }
        }
    }
}

fn row(label: &str, of: &Distribution, axis: &Axis, colour: usize) -> Markup {
    let at = |value: u64| format!("{}%", number(axis.percent(value as f64)));
    let summary = &of.summary;
    html! {
        svg.dist role="img" height="32" width="100%" {
            title {
                (label) ": " (summary.n) " I/Os, median " (time(summary.p50)) ", 95 % below "
                (time(summary.p95)) ", 99 % below " (time(summary.p99)) ", longest "
                (time(summary.max))
            }
            (grid(axis))
            svg x="0" y="2" width="100%" height="24" viewBox="0 0 1000 100"
                preserveAspectRatio="none" {
                path class={ "c" (colour) } d=(shape(&of.bins, axis)) {}
            }
            line.base x1="0" x2="100%" y1="26" y2="26" {}
            line.p50 x1=(at(summary.p50)) x2=(at(summary.p50)) y1="6" y2="30" {}
            line.p99 x1=(at(summary.p99)) x2=(at(summary.p99)) y1="14" y2="30" {}
            circle.max cx=(at(summary.max)) cy="26" r="2.5" {}
        }
    }
}

/// The outline of a histogram: its height is the number of I/Os per width on the axis.
fn shape(bins: &[Bin], axis: &Axis) -> String {
    let bounds = |bin: &Bin| {
        let place = |value: u64| (axis.percent(value as f64) * 10.0).round();
        (place(bin.from_ns), place(bin.until_ns))
    };
    let density = |bin: &Bin| {
        let (from, until) = bounds(bin);
        bin.count as f64 / (until - from).max(1.0)
    };
    let most = bins.iter().map(density).fold(0.0, f64::max);
    let mut path = String::new();
    let mut last = None;
    for bin in bins {
        let (from, until) = bounds(bin);
        // The square root lets the rare, slow ones be seen.
        let top = 100.0 - (density(bin) / most).sqrt() * 100.0;
        if last != Some(from) {
            if last.is_some() {
                path.push_str("V100");
            }
            let _ = write!(path, "M{from} 100");
        }
        let _ = write!(path, "V{top:.0}H{until}");
        last = Some(until);
    }
    if last.is_some() {
        path.push_str("V100");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_closed_where_bins_are_missing() {
        let axis = Axis::latencies(1_000, 1_000_000);
        let bin = |from_ns, until_ns, count| Bin { from_ns, until_ns, count };
        let bins = [bin(1_000, 10_000, 4), bin(10_000, 100_000, 1), bin(900_000, 1_000_000, 1)];
        assert_eq!(shape(&bins, &axis), "M0 100V58H333V79H667V100M985 100V0H1000V100");
        assert_eq!(shape(&[], &axis), "");
    }
}
