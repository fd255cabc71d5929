// SPDX-License-Identifier: MIT OR Apache-2.0
//! The screen as cells: the disk, its history, the table, and a line of keys.

use super::rows::Row;
use super::sorting::KEYS;
use crate::snapshot::DiskFigures;
use crate::table::{rate, short_time};
use base::text::wrapped;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Clear, Paragraph, Row as TableRow, Sparkline, Table, TableState};

/// Lines above the first row of the table.
pub(super) const FIRST_ROW_LINE: usize = 6;

/// A terminal that is narrower shows fewer columns.
const WIDE: u16 = 76;

/// What is to be drawn.
pub(super) struct View<'a> {
    /// None before the first interval has ended.
    pub disk: Option<&'a DiskFigures>,
    /// The number of the disk, from 1, and of how many it is one.
    pub place: (usize, usize),
    pub interval_s: f64,
    pub lost_events: u64,
    /// How much of the disk was in use in the last intervals, percent, the newest last.
    pub history: Vec<u64>,
    pub rows: Vec<Row<'a>>,
    pub selected: usize,
    /// What the scheduler decided, and why the selected process waited.
    pub reasons: Vec<String>,
    pub order: &'static str,
    pub filter: &'a str,
    pub edits_filter: bool,
    pub is_paused: bool,
    pub shows_help: bool,
    pub has_color: bool,
}

/// Draws all that there is.
pub(super) fn draw(view: &View<'_>, frame: &mut Frame<'_>) {
    let reasons = reason_lines(view, frame.area());
    let heights = [3, 2].map(Constraint::Length).into_iter().chain([Constraint::Min(1)]);
    let heights = heights.chain([reasons.len() as u16, 1].map(Constraint::Length));
    let [head, history, table, why, keys] = Layout::vertical(heights).areas(frame.area());
    match view.disk {
        Some(disk) => {
            frame.render_widget(Paragraph::new(headline(view, disk)), head);
            draw_history(view, frame, history);
            draw_table(view, frame, table);
        }
        None => frame.render_widget(Paragraph::new("the first interval has not ended yet"), head),
    }
    frame.render_widget(Paragraph::new(reasons.join("\n")), why);
    frame.render_widget(Paragraph::new(bottom(view)), keys);
    if view.shows_help {
        draw_help(frame);
    }
}

/// The scheduler's reasons in lines that fit, a third of the screen at most.
fn reason_lines(view: &View<'_>, area: Rect) -> Vec<String> {
    let lines = view.reasons.iter().flat_map(|line| wrapped(line, area.width.into()));
    lines.take(usize::from(area.height) / 3).collect()
}

/// The disk, in three lines.
fn headline<'a>(view: &View<'_>, disk: &'a DiskFigures) -> Text<'a> {
    let title = Style::new().add_modifier(Modifier::BOLD);
    let place = format!("{} of {}", view.place.0, view.place.1);
    if disk.is_gone {
        let text = format!("{} ({place}): it is there no more", disk.name);
        return Text::from(Line::styled(text, title));
    }
    let interval_s = view.interval_s;
    let tunables = disk.tunables.iter().map(|(name, value)| format!("{name}={value}"));
    let lost = match view.lost_events {
        0 => tunables.collect::<Vec<_>>().join(" "),
        lost => format!("{lost} events were lost: figures are too low"),
    };
    let use_of = format!(
        "used {:.0} %  busy {:.0} %  depth {:.1} (most {})  {} waiting",
        disk.utilisation_percent, disk.busy_percent, disk.depth, disk.deepest, disk.waiting_ios
    );
    let moves = format!(
        "read {}/s  written {}/s  discarded {}/s  {lost}",
        rate(disk.all.read_bytes, interval_s),
        rate(disk.all.written_bytes, interval_s),
        rate(disk.all.discarded_bytes, interval_s)
    );
    let first = format!("{} [{}] {place}", disk.name, disk.elevator);
    Text::from(vec![Line::styled(first, title), Line::raw(use_of), Line::raw(moves)])
}

/// How much of the disk was in use in each of the last intervals, the newest at the right.
fn draw_history(view: &View<'_>, frame: &mut Frame<'_>, area: Rect) {
    let shown = view.history.len().min(area.width.into());
    let data = view.history[view.history.len() - shown..].to_vec();
    let style = if view.has_color { Style::new().fg(Color::Cyan) } else { Style::new() };
    frame.render_widget(Sparkline::default().data(data).max(100).style(style), area);
}

fn draw_table(view: &View<'_>, frame: &mut Frame<'_>, area: Rect) {
    let is_wide = area.width >= WIDE;
    let rows = &view.rows;
    let lines = rows.iter().map(|row| cells(row, view.interval_s, is_wide));
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let (head, widths) = columns(is_wide);
    let right = |text: &'static str| Cell::from(Line::from(text).right_aligned());
    let (first, rest) = head.split_first().expect("there are columns");
    let head = std::iter::once(Cell::from(*first)).chain(rest.iter().map(|text| right(text)));
    let table = Table::new(lines, widths)
        .header(TableRow::new(head).style(bold))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let selected = view.selected.min(rows.len().saturating_sub(1));
    let mut state = TableState::default().with_selected((!rows.is_empty()).then_some(selected));
    frame.render_stateful_widget(table, area, &mut state);
}

/// The columns: their heads and widths.
fn columns(is_wide: bool) -> (Vec<&'static str>, Vec<Constraint>) {
    let all: &[(&str, u16)] = match is_wide {
        true => &[
            ("pid", 7),
            ("time %", 6),
            ("due %", 5),
            ("read/s", 7),
            ("write/s", 7),
            ("IO/s", 6),
            ("wait99", 6),
            ("disk99", 6),
        ],
        false => &[("time %", 6), ("bytes/s", 7), ("wait99", 6)],
    };
    let name = ("process or group", Constraint::Fill(1));
    let rest = all.iter().map(|(head, width)| (*head, Constraint::Length(*width)));
    std::iter::once(name).chain(rest).unzip()
}

fn cells(row: &Row<'_>, interval_s: f64, is_wide: bool) -> TableRow<'static> {
    let figures = row.figures;
    let name = format!("{:indent$}{}", "", row.name, indent = row.level * 2);
    let time = format!("{:.1}", figures.time_percent);
    let waiting = short_time(figures.waiting.p99_ns);
    let rest = match is_wide {
        true => vec![
            row.pid.map_or_else(String::new, |pid| pid.to_string()),
            time,
            row.due_percent.map_or_else(String::new, |due| format!("{due:.1}")),
            rate(figures.read_bytes, interval_s),
            rate(figures.written_bytes, interval_s),
            format!("{:.0}", figures.ios as f64 / interval_s.max(1e-9)),
            waiting,
            short_time(figures.in_device.p99_ns),
        ],
        false => vec![time, rate(figures.bytes(), interval_s), waiting],
    };
    let right = |text: String| Cell::from(Line::from(text).right_aligned());
    TableRow::new(std::iter::once(Cell::from(name)).chain(rest.into_iter().map(right)))
}

/// What is in force, and the keys.
fn bottom(view: &View<'_>) -> String {
    if view.edits_filter {
        return format!("names with: {}_", view.filter);
    }
    let paused = if view.is_paused { "PAUSED  " } else { "" };
    let filter = match view.filter {
        "" => String::new(),
        filter => format!("  names with {filter}"),
    };
    format!("{paused}by {}{filter}  h help  q quit", view.order)
}

fn draw_help(frame: &mut Frame<'_>) {
    let mut lines = vec![
        "Tab      the next disk".to_owned(),
        "t        groups with their processes".to_owned(),
        "/        only names with a text; Esc: all".to_owned(),
        "p        pause".to_owned(),
        "j k      down and up (arrows, mouse)".to_owned(),
    ];
    lines.extend(KEYS.map(|(key, _, name)| format!("{key}        by {name}")));
    lines.push("(kernel) the kernel writes back: whose".to_owned());
    lines.push("         data it is is not known".to_owned());
    lines.push("q        quit".to_owned());
    let height = (lines.len() as u16).min(frame.area().height);
    let area = Rect { height, ..frame.area() };
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines.join("\n")), area);
}
