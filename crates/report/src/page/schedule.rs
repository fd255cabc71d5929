// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schedule: who was served when, why turns ended, and where the head of the disk was; a panel
//! for each scheduler, all over the same time.

mod events;
mod lanes;
mod path;
mod span;

use super::text::breakable;
use crate::page::axis::ticks;
use crate::page::schedule::span::{LANE, ROW, Span};
use crate::page::sheet::{Drawn, Sheet};
use crate::timeline::Timeline;
use base::SECTOR_BYTES;
use base::text::{decimal_size, time};
use lanes::Lanes;
use maud::{Markup, html};
use path::{Path, UNITS};

/// Height of the part that shows the head, pixels.
const HEAD: usize = 130;
/// Height of the axis, pixels.
const AXIS: usize = 26;

/// The schedules of a stage; nothing if no result has one.
pub(super) fn schedules(sheet: &Sheet) -> Markup {
    let recorded: Vec<(&Drawn, &Timeline)> = sheet
        .drawn
        .iter()
        .filter_map(|drawn| Some((drawn, drawn.run().plots.as_ref()?.timeline.as_ref()?)))
        .collect();
    let timelines: Vec<&Timeline> = recorded.iter().map(|(_, timeline)| *timeline).collect();
    let Some(span) = Span::of(&timelines) else { return html! {} };
    let lanes = Lanes::of(sheet, &timelines);
    let head = sheet.stage.device.rotational.then(|| Range::of(&timelines)).flatten();
    html! {
        figure.schedule tabindex="0" role="group"
            aria-label="Schedule; plus and minus zoom, arrow keys move"
            data-from=(span.from_ns) data-until=(span.until_ns)
            data-seen={ (span.seen_from_ns) " " (span.seen_until_ns) } data-units=(UNITS) {
            figcaption {
                "Schedule" span.unit { ", " (what_is_seen(head.is_some())) }
            }
            div.zoom hidden {
                button type="button" data-zoom="in" aria-label="zoom in" { "+" }
                button type="button" data-zoom="out" aria-label="zoom out" { "−" }
                button type="button" data-zoom="left" aria-label="earlier" { "←" }
                button type="button" data-zoom="right" aria-label="later" { "→" }
                button type="button" data-zoom="reset" { "reset" }
                button type="button" data-zoom="all" { "all recorded" }
                output aria-live="polite" { "Drag to zoom; point at a turn to read it." }
            }
            @for (drawn, timeline) in &recorded {
                (panel(sheet, &drawn.label, timeline, &span, &lanes, head.as_ref()))
            }
        }
    }
}

fn what_is_seen(head: bool) -> &'static str {
    match head {
        true => "who was served when, and where the head was",
        false => "who was served when",
    }
}

fn panel(
    sheet: &Sheet,
    label: &str,
    timeline: &Timeline,
    span: &Span,
    lanes: &Lanes,
    head: Option<&Range>,
) -> Markup {
    let budget = sheet.budget.entries;
    let rows = events::rows(timeline, budget);
    let lanes = &lanes.of_one(sheet, timeline);
    let lanes_height = lanes.list.len() * LANE;
    let events_height = rows.len() * ROW;
    let head_height = if head.is_some() { HEAD } else { 0 };
    let plot_height = lanes_height + events_height + head_height;
    let (axis, unit) = span.axis();
    html! {
        div.panel {
            div.name { (breakable(label)) }
            div.frame {
                div.names aria-hidden="true" {
                    @for lane in &lanes.list {
                        div.lane { (lane.name) }
                    }
                    @for row in &rows {
                        div.event { (row.name) }
                    }
                    @if let Some(range) = head {
                        div.head {
                            span { (decimal_size(range.until.saturating_mul(SECTOR_BYTES))) }
                            span { "head" }
                            span { (decimal_size(range.from.saturating_mul(SECTOR_BYTES))) }
                        }
                    }
                }
                svg role="img" width="100%" height=(plot_height + AXIS) {
                    title { "Schedule under " (label) }
                    desc { (described(timeline)) }
                    @for lane in 0..lanes.list.len() {
                        @let y = lane * LANE + LANE;
                        line.grid x1="0" x2="100%" y1=(y) y2=(y) {}
                    }
                    svg.view x="0" y="0" width="100%" height=(plot_height) preserveAspectRatio="none"
                        viewBox=(span.view_box(plot_height))
                        data-turns=(lanes.turns_for_script(sheet, timeline, span, budget)) {
                        (lanes.drawn(sheet, timeline, span, budget))
                        (events::drawn(&rows, lanes, timeline, span, lanes_height))
                        @if let Some(range) = head {
                            (range.drawn(lanes, timeline, span, lanes_height + events_height, budget))
                        }
                    }
                    g.ticks { (ticks(&axis, (plot_height + 14) as f64, unit)) }
                }
            }
        }
    }
}

fn described(timeline: &Timeline) -> String {
    let requests: u64 = timeline.requests.iter().map(|entry| entry.count).sum();
    let idle_ns: u64 = timeline.waits.iter().map(|wait| wait.until_ns - wait.from_ns).sum();
    format!(
        "From {} to {} of the run: {requests} requests, {} turns, {} idle for a process.",
        time(timeline.from_ns),
        time(timeline.until_ns),
        timeline.turns.len(),
        time(idle_ns)
    )
}

/// The part of the disk where requests were, sectors.
struct Range {
    from: u64,
    until: u64,
}

impl Range {
    fn of(timelines: &[&Timeline]) -> Option<Range> {
        let entries = || timelines.iter().flat_map(|one| &one.requests);
        let placed = || entries().filter(|entry| entry.end_sector > entry.first_sector);
        let from = placed().map(|entry| entry.first_sector).min()?;
        let until = placed().map(|entry| entry.end_sector).max()?;
        Some(Range { from, until })
    }

    fn y(&self, sector: u64, top: usize) -> i64 {
        let up = (sector.clamp(self.from, self.until) - self.from) as f64;
        let room = (HEAD - 14) as f64;
        let height = up / (self.until - self.from).max(1) as f64 * room;
        (top + HEAD - 7) as i64 - height.round() as i64
    }

    /// What was read and written where, in the colours of who asked for it, and thin lines from
    /// each to the next: the disk does one thing at a time.
    fn drawn(
        &self,
        lanes: &Lanes,
        timeline: &Timeline,
        span: &Span,
        top: usize,
        budget: usize,
    ) -> Markup {
        let mut travel = Path::default();
        let mut strokes: Vec<(usize, Path)> = Vec::new();
        let mut free_ns = 0;
        let placed = timeline.requests.iter().filter(|entry| entry.end_sector > entry.first_sector);
        for entry in placed.take(budget) {
            let from_ns = entry.dispatched_ns.max(free_ns);
            let begin = (span.units(from_ns), self.y(entry.first_sector, top));
            let end = (span.units(entry.ended_ns), self.y(entry.end_sector, top));
            travel.line_to(begin);
            travel.line_to(end);
            let colour = lanes.colour_of(&timeline.who[entry.who]);
            let place = strokes.iter().position(|(of, _)| *of == colour).unwrap_or_else(|| {
                strokes.push((colour, Path::default()));
                strokes.len() - 1
            });
            strokes[place].1.segment(begin, end);
            free_ns = entry.ended_ns;
        }
        html! {
            path.travel d=(travel.text()) {}
            @for (colour, path) in &strokes {
                path class={ "at s" (colour) } d=(path.text()) {}
            }
        }
    }
}
