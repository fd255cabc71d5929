// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bars: throughput, shares and start-up times, a bar for each scheduler.

use super::scale::{Axis, number};
use super::text::{breakable, legend};
use crate::names::phase;
use crate::page::axis::{axis_row, grid};
use crate::page::sheet::{Drawn, Sheet};
use crate::study::{Measure, Participant, entitled, got};
use crate::summary::GroupSummary;
use base::text::{megabytes, percent};
use maud::{Markup, html};

/// A piece of a bar.
struct Piece {
    /// The class that gives it its colour.
    class: String,
    value: f64,
    name: String,
}

/// One bar: its name, the pieces that it is made of, and what stands behind it.
struct Bar<'a> {
    label: &'a str,
    pieces: Vec<Piece>,
    text: String,
    /// Values at which marks stand.
    marks: Vec<f64>,
}

/// Bytes per second, by part.
pub(super) fn throughput(sheet: &Sheet) -> Markup {
    let total = |column: &Drawn| column.run().summary.bw_bytes() as f64;
    let bars = sheet.drawn.iter().map(|column| {
        let total = total(column);
        let bytes = |part: &Participant| part.bytes_in_total(column.run());
        let all: u64 = sheet.stage.parts.iter().map(bytes).sum();
        let piece = |place: usize| {
            let part = &sheet.stage.parts[place];
            let value = total * bytes(part) as f64 / all.max(1) as f64;
            let jobs = part.jobs.iter().map(|&job| &column.run().summary.jobs[job]);
            let rate = jobs.map(|job| job.bw_bytes).sum();
            let name = format!("{} {} MB/s", part.name, megabytes(rate));
            Piece { class: sheet.class(place), value, name }
        };
        Bar {
            label: &column.label,
            pieces: (0..sheet.stage.parts.len()).map(piece).collect(),
            text: megabytes(total as u64),
            marks: Vec::new(),
        }
    });
    let most = sheet.drawn.iter().map(total).fold(0.0, f64::max);
    let axis = Axis::linear(most / 1e6, number);
    figure("Throughput", "MB/s", &axis, 1e6, bars.collect())
}

/// Who got which part of all bytes: the groups beside their weights, else the jobs.
pub(super) fn shares(sheet: &Sheet) -> Markup {
    let columns = &sheet.drawn;
    let families = families(&columns[0].run().summary.groups);
    if families.is_empty() && !is_shared(sheet) {
        return html! {};
    }
    let axis = Axis::linear(100.0, |value| format!("{value}"));
    if families.is_empty() {
        let bars = columns.iter().map(|column| {
            let all: u64 = sheet.stage.parts.iter().map(|part| part.bytes(column.run())).sum();
            let piece = |place: usize| {
                let part = &sheet.stage.parts[place];
                let share = part.bytes(column.run()) as f64 * 100.0 / all.max(1) as f64;
                let name = format!("{} {share:.1} %", part.name);
                Piece { class: sheet.class(place), value: share, name }
            };
            let pieces = (0..sheet.stage.parts.len()).map(piece).collect();
            Bar { label: &column.label, pieces, text: String::new(), marks: Vec::new() }
        });
        return figure("Shares of the bytes", "%", &axis, 1.0, bars.collect());
    }
    html! {
        @for siblings in &families {
            (family(sheet, &axis, siblings))
        }
    }
}

/// Whether two parts have more under some scheduler than can hardly be seen.
fn is_shared(sheet: &Sheet) -> bool {
    const SEEN: f64 = 0.02;
    sheet.drawn.iter().any(|column| {
        let parts = &sheet.stage.parts;
        let all: u64 = parts.iter().map(|part| part.bytes(column.run())).sum();
        let seen = parts.iter().filter(|part| part.bytes(column.run()) as f64 > SEEN * all as f64);
        seen.count() > 1
    })
}

/// Groups that stand beside each other, by their places, family after family.
fn families(groups: &[GroupSummary]) -> Vec<Vec<usize>> {
    let mut families: Vec<(u32, &str, Vec<usize>)> = Vec::new();
    for (place, group) in groups.iter().enumerate().filter(|(_, group)| group.path != "/") {
        let parent = group.path.rsplit_once('/').map_or("", |(parent, _)| parent);
        match families.iter_mut().find(|family| (family.0, family.1) == (group.phase, parent)) {
            Some((_, _, members)) => members.push(place),
            None => families.push((group.phase, parent, vec![place])),
        }
    }
    families.into_iter().map(|(_, _, members)| members).filter(|one| one.len() > 1).collect()
}

/// Groups have shades of grey: colours are those of jobs.
fn group_class(number: usize) -> String {
    format!("g{}", number % 6)
}

fn family(sheet: &Sheet, axis: &Axis, places: &[usize]) -> Markup {
    const UNIT: &str = "% of what they got together; marks: what weights promise";
    let columns = &sheet.drawn;
    let first = &columns[0].run().summary.groups;
    let bars = columns.iter().map(|column| {
        let groups = &column.run().summary.groups;
        let members = || places.iter().filter_map(|&place| groups.get(place));
        let share = |group: &GroupSummary| got(groups, group) * 100.0;
        let mut marks: Vec<f64> = Vec::new();
        for group in members() {
            let before = marks.last().copied().unwrap_or(0.0);
            marks.push(before + entitled(groups, group).unwrap_or(0.0) * 100.0);
        }
        marks.pop();
        let piece = |(number, group): (usize, &GroupSummary)| Piece {
            class: group_class(number),
            value: share(group),
            name: format!("{} {:.1} %", group.path, share(group)),
        };
        let shares: Vec<_> = members().map(|group| percent(got(groups, group))).collect();
        Bar {
            label: &column.label,
            pieces: members().enumerate().map(piece).collect(),
            text: shares.join(" : "),
            marks,
        }
    });
    let members: Vec<_> = places
        .iter()
        .enumerate()
        .map(|(number, &place)| {
            let weight = first[place].weight.unwrap_or(0);
            (group_class(number), format!("{} (weight {weight})", first[place].path))
        })
        .collect();
    let title = format!("Shares of groups{}", phase(&first[places[0]], first));
    html! {
        (figure(&title, UNIT, axis, 1.0, bars.collect()))
        (legend(&members))
    }
}

/// How long a program took to start.
pub(super) fn start_up(sheet: &Sheet, measure: &Measure) -> Markup {
    let most = measure.values.iter().flatten().copied().fold(0.0, f64::max);
    let class = measure.part.map_or(String::new(), |part| sheet.class(part));
    let bars = sheet.drawn.iter().map(|column| {
        let value = column.of(measure);
        let text = measure.shown(column.place).unwrap_or_else(|| "–".to_owned());
        let pieces = value.map(|value| Piece { class: class.clone(), value, name: text.clone() });
        let pieces = pieces.into_iter().collect();
        Bar { label: &column.label, pieces, text, marks: Vec::new() }
    });
    let (unit_ns, unit) = if most < 2e9 { (1e6, "ms") } else { (1e9, "s") };
    let axis = Axis::linear(most / unit_ns, number);
    let title = format!("Time until {}", measure.name.replacen("start of ", "", 1) + " is done");
    figure(&title, unit, &axis, unit_ns, bars.collect())
}

fn figure(title: &str, unit: &str, axis: &Axis, scale: f64, bars: Vec<Bar>) -> Markup {
    html! {
        figure.bars {
            figcaption { (title) span.unit { ", " (unit) } }
            div.rows {
                @for bar in &bars {
                    div.row {
                        div.label { (breakable(bar.label)) }
                        div."value first" { (bar.text) }
                        (drawn(bar, axis, scale))
                    }
                }
                (axis_row(axis))
            }
        }
    }
}

fn drawn(bar: &Bar, axis: &Axis, scale: f64) -> Markup {
    let names: Vec<&str> = bar.pieces.iter().map(|piece| piece.name.as_str()).collect();
    let mut from = 0.0;
    let mut pieces = Vec::new();
    for piece in &bar.pieces {
        let until = from + piece.value / scale;
        let (left, right) = (axis.percent(from), axis.percent(until));
        pieces.push((piece, left, right - left));
        from = until;
    }
    html! {
        svg.bar role="img" height="18" width="100%" {
            title { (bar.label) ": " (names.join(", ")) }
            (grid(axis))
            @for (piece, left, width) in &pieces {
                @if *width > 0.0 {
                    rect class=(piece.class) x={ (number(*left)) "%" } y="2" height="14"
                        width={ (number(*width)) "%" } { title { (piece.name) } }
                }
            }
            @for mark in &bar.marks {
                @let at = number(axis.percent(*mark));
                line.mark x1={ (at) "%" } x2={ (at) "%" } y1="0" y2="18" {}
            }
        }
    }
}
