// SPDX-License-Identifier: MIT OR Apache-2.0
//! Throughput over time: for each scheduler, what the jobs moved, one on top of the other.

use super::scale::{Axis, number};
use super::text::breakable;
use crate::page::axis::ticks;
use crate::page::sheet::{Drawn, Sheet};
use crate::results::Run;
use base::text::megabytes;
use maud::{Markup, html};
use std::fmt::Write;

/// Height of what is drawn, pixels.
const HEIGHT: f64 = 100.0;
/// Height of the strip above it, in which marks stand where something is cut, pixels.
const STRIP: f64 = 9.0;

/// The panels of a stage, all to the same scale; nothing if no result has figures over time.
pub(super) fn throughput(sheet: &Sheet) -> Markup {
    let series: Vec<(&Drawn, Series)> = sheet
        .drawn
        .iter()
        .filter_map(|drawn| Some((drawn, Series::of(drawn.run(), sheet)?)))
        .collect();
    let elapsed_ns = series.iter().map(|(_, series)| series.elapsed_ns).max().unwrap_or(0);
    if elapsed_ns == 0 {
        return html! {};
    }
    let top = scale_until(series.iter().map(|(_, series)| series));
    let (unit_ns, unit) = if elapsed_ns < 2_000_000_000 { (1e6, "ms") } else { (1e9, "s") };
    let axes = Axes {
        rates: Axis::linear(top, number),
        times: Axis::span(0.0, elapsed_ns as f64 / unit_ns, |value, _| number(value)),
        unit,
        elapsed_ns,
    };
    html! {
        figure.rates {
            figcaption { "Throughput over time" span.unit { ", MB/s" } }
            div.panels {
                @for (drawn, series) in &series { (panel(sheet, &drawn.label, series, &axes)) }
            }
        }
    }
}

/// Where the scale ends. It shows the highest rate, unless a few slots are so high that most of
/// the drawing would be empty; those are cut.
fn scale_until<'a>(series: impl Iterator<Item = &'a Series>) -> f64 {
    /// The part of the slots of a run that has to be seen whole.
    const WHOLE: f64 = 0.97;
    /// A higher peak than this times what is seen whole is cut off.
    const SPARE: f64 = 1.5;
    let (mut usual, mut most) = (0.0_f64, 0.0_f64);
    for series in series {
        let mut rates: Vec<f64> = series.totals().to_vec();
        rates.sort_by(f64::total_cmp);
        let place = (rates.len() as f64 * WHOLE).ceil() as usize;
        usual = usual.max(rates[place.clamp(1, rates.len()) - 1]);
        most = most.max(series.most_mb_per_s);
    }
    if usual > 0.0 && most > usual * SPARE { usual } else { most }
}

/// The axes that all panels have.
struct Axes {
    rates: Axis,
    times: Axis,
    unit: &'static str,
    elapsed_ns: u64,
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
    fn of(run: &Run, sheet: &Sheet) -> Option<Series> {
        let plots = run.plots.as_ref()?;
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

    /// What all moved together in each slot, MB/s.
    fn totals(&self) -> &[f64] {
        self.stacked.last().map_or(&[], Vec::as_slice)
    }

    /// The outline of one layer, down to the ground and no higher than the scale: a unit to the
    /// right is a slot, 1000 are all.
    fn outline(&self, layer: usize, until: f64) -> String {
        let mut path = String::from("M0 1000");
        let mut height = 0;
        for rate in &self.stacked[layer] {
            let next = (rate / until * 1000.0).round().min(1000.0) as i64;
            if next != height {
                let _ = write!(path, "v{}", height - next);
            }
            path.push_str("h1");
            height = next;
        }
        path.push_str("V1000");
        path
    }

    /// The middles of stretches of slots that the scale cuts, in slots.
    fn cuts(&self, until: f64) -> Vec<f64> {
        let mut stretches: Vec<(usize, usize)> = Vec::new();
        let over = self.totals().iter().enumerate().filter(|(_, rate)| **rate > until);
        for (slot, _) in over {
            match stretches.last_mut().filter(|(_, end)| *end == slot) {
                Some((_, end)) => *end = slot + 1,
                None => stretches.push((slot, slot + 1)),
            }
        }
        stretches.into_iter().map(|(from, end)| (from + end) as f64 / 2.0).collect()
    }
}

fn panel(sheet: &Sheet, label: &str, series: &Series, axes: &Axes) -> Markup {
    let slots = axes.elapsed_ns as f64 / series.slot_ns as f64;
    let until = axes.rates.until();
    let cuts = series.cuts(until);
    let y = |percent: f64| STRIP + HEIGHT * (1.0 - percent / 100.0);
    let most = megabytes((series.most_mb_per_s * 1e6) as u64);
    html! {
        div.panel {
            div.name {
                (breakable(label))
                @if !cuts.is_empty() { span.cut-off { "▲ cut, up to " (most) } }
            }
            div.chart {
                div.scale aria-hidden="true" {
                    @for tick in &axes.rates.ticks {
                        span style={ "top:" (number(y(tick.percent))) "px" } { (tick.text) }
                    }
                }
                svg role="img" height=(number(STRIP + HEIGHT + 20.0)) width="100%" {
                    title { "Throughput over time under " (label) }
                    desc { "Stacked by job; up to " (most) " MB/s." }
                    @for tick in &axes.rates.ticks {
                        @let y = number(y(tick.percent));
                        line.grid x1="0" x2="100%" y1=(y) y2=(y) {}
                    }
                    svg x="0" y=(number(STRIP)) width="100%" height=(number(HEIGHT))
                        preserveAspectRatio="none" viewBox={ "0 0 " (number(slots)) " 1000" } {
                        @for part in (0..series.stacked.len()).rev() {
                            path class={ "c" (sheet.colour(part)) }
                                d=(series.outline(part, until)) {}
                        }
                    }
                    @for cut in &cuts {
                        svg.cut x={ (number(cut * 100.0 / slots)) "%" } y="0" width="1" height="8" {
                            path d="M-4 7L0 0L4 7Z" {}
                        }
                    }
                    (ticks(&axes.times, STRIP + HEIGHT + 15.0, axes.unit))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(totals: &[f64]) -> Series {
        let most_mb_per_s = totals.iter().copied().fold(0.0, f64::max);
        Series { slot_ns: 1, elapsed_ns: 1, stacked: vec![totals.to_vec()], most_mb_per_s }
    }

    #[test]
    fn a_burst_is_cut_and_what_lasts_is_not() {
        let mut burst = vec![100.0; 98];
        burst.extend([600.0, 640.0]);
        let lasting = [vec![100.0; 90], vec![600.0; 10]].concat();
        let little = [vec![100.0; 99], vec![140.0]].concat();
        for (totals, until) in [(&burst, 100.0), (&lasting, 600.0), (&little, 140.0)] {
            assert_eq!(scale_until([series(totals)].iter()), until);
        }
        // The usual of another run is seen whole.
        assert_eq!(scale_until([series(&burst), series(&lasting)].iter()), 640.0);
        assert_eq!(scale_until([series(&[7.0])].iter()), 7.0);
        assert_eq!(series(&burst).cuts(100.0), [99.0]);
        assert_eq!(series(&[9.0, 1.0, 9.0]).cuts(5.0), [0.5, 2.5]);
        assert_eq!(series(&[1.0, 9.0, 1.0]).outline(0, 5.0), "M0 1000v-200h1v-800h1v800h1V1000");
    }
}
