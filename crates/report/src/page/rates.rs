//! Throughput over time: for each scheduler, what the jobs moved, one on top of the other.

use super::Sheet;
use super::scale::{Axis, number};
use crate::study::Column;
use maud::{Markup, html};
use std::fmt::Write;

/// The panels of a stage, all to the same scale; nothing if no result has figures over time.
pub(super) fn throughput(sheet: &Sheet) -> Markup {
    let series: Vec<Option<Series>> =
        sheet.stage.columns.iter().map(|column| Series::of(column, sheet)).collect();
    let most = series.iter().flatten().map(|series| series.most_mb_per_s).fold(0.0, f64::max);
    let elapsed_ns = series.iter().flatten().map(|series| series.elapsed_ns).max().unwrap_or(0);
    if elapsed_ns == 0 {
        return html! {};
    }
    let rates = Axis::linear(most, number);
    let (unit_ns, unit) = if elapsed_ns < 2_000_000_000 { (1e6, "ms") } else { (1e9, "s") };
    let times = Axis::span(0.0, elapsed_ns as f64 / unit_ns, |value, _| number(value));
    html! {
        figure.rates {
            figcaption { "Throughput over time" span.unit { ", MB/s" } }
            div.panels {
                @for (column, series) in sheet.stage.columns.iter().zip(&series) {
                    @if let Some(series) = series {
                        (panel(sheet, column, series, &rates, &times, elapsed_ns, unit))
                    }
                }
            }
        }
    }
}

/// What a panel shows.
struct Series {
    slot_ns: u64,
    elapsed_ns: u64,
    /// For each part and slot what it and the parts before it moved, MB/s.
    stacked: Vec<Vec<f64>>,
    most_mb_per_s: f64,
}

impl Series {
    fn of(column: &Column, sheet: &Sheet) -> Option<Series> {
        let plots = column.run.plots.as_ref()?;
        let throughput = &plots.throughput;
        let slots = throughput.job_bytes.iter().map(Vec::len).max().filter(|slots| *slots > 0)?;
        // Neighbouring slots become one where there are more than can be seen.
        let joined = slots.div_ceil(sheet.budget.slots);
        let slot_ns = throughput.slot_ns.saturating_mul(joined as u64);
        let slots = slots.div_ceil(joined);
        let mut sums = vec![0; slots];
        let mut stacked = Vec::new();
        for part in &sheet.stage.parts {
            for bytes in part.jobs.iter().filter_map(|&job| throughput.job_bytes.get(job)) {
                for (slot, bytes) in bytes.iter().enumerate() {
                    sums[slot / joined] += bytes;
                }
            }
            let rate = |(slot, bytes): (usize, &u64)| {
                let left_ns = plots.elapsed_ns.saturating_sub(slot_ns.saturating_mul(slot as u64));
                *bytes as f64 * 1e3 / left_ns.clamp(1, slot_ns).max(slot_ns / 2) as f64
            };
            stacked.push(sums.iter().enumerate().map(rate).collect());
        }
        let top: &Vec<f64> = stacked.last()?;
        let most_mb_per_s = top.iter().copied().fold(0.0, f64::max);
        Some(Series { slot_ns, elapsed_ns: plots.elapsed_ns, stacked, most_mb_per_s })
    }

    /// The outline of one layer, down to the ground: a unit to the right is a slot, 1000 are all.
    fn outline(&self, layer: usize, most: f64) -> String {
        let mut path = String::from("M0 1000");
        let mut height = 0;
        for rate in &self.stacked[layer] {
            let next = (rate / most * 1000.0).round() as i64;
            if next != height {
                let _ = write!(path, "v{}", height - next);
            }
            path.push_str("h1");
            height = next;
        }
        path.push_str("V1000");
        path
    }
}

fn panel(
    sheet: &Sheet,
    column: &Column,
    series: &Series,
    rates: &Axis,
    times: &Axis,
    elapsed_ns: u64,
    unit: &str,
) -> Markup {
    let width = elapsed_ns as f64 / series.slot_ns as f64;
    html! {
        div.panel {
            div.name { (column.label) }
            svg role="img" height="128" width="100%" {
                title { "Throughput over time under " (column.label) }
                desc { "Stacked by job; up to " (number(series.most_mb_per_s)) " MB/s." }
                @for tick in &rates.ticks {
                    @let y = number(104.0 - tick.percent);
                    line.grid x1="0" x2="100%" y1=(y) y2=(y) {}
                }
                svg x="0" y="4" width="100%" height="100" preserveAspectRatio="none"
                    viewBox={ "0 0 " (number(width)) " 1000" } {
                    @for part in (0..series.stacked.len()).rev() {
                        path class={ "c" (sheet.colour(part)) }
                            d=(series.outline(part, rates.until())) {}
                    }
                }
                @for tick in &rates.ticks {
                    @if tick.percent > 0.0 {
                        text.halo x="2" y=(number(104.0 - tick.percent + 11.0)) { (tick.text) }
                    }
                }
                (super::ticks(times, 118.0, unit))
            }
        }
    }
}
