// SPDX-License-Identifier: MIT OR Apache-2.0
//! The screen as cells: the disk, its history, the table, and a line of keys.

use super::rows::Row;
use super::sorting::KEYS;
use crate::snapshot::DiskFigures;
use crate::table::{rate, took};
use base::text::wrapped;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Clear, Paragraph, Row as TableRow, Sparkline, Table, TableState};
use std::ops::RangeInclusive;

/// Which rows of the table are shown, and where.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shown {
    /// The first of them.
    pub first: usize,
    rows: usize,
    first_line: usize,
}

impl Shown {
    /// The row that a line of the terminal shows.
    pub fn row_at(&self, line: u16) -> Option<usize> {
        let below = usize::from(line).checked_sub(self.first_line)?;
        (below < self.rows).then_some(self.first + below)
    }
}

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
    pub selected: Option<usize>,
    /// The first row that was shown before.
    pub first_shown: usize,
    /// Why the selected process waited, and what the scheduler decided.
    pub reasons: Vec<String>,
    pub order: &'static str,
    pub is_tree: bool,
    pub filter: &'a str,
    pub edits_filter: bool,
    pub is_paused: bool,
    pub shows_help: bool,
    pub has_color: bool,
}

/// Draws all that there is.
pub(super) fn draw(view: &View<'_>, frame: &mut Frame<'_>) -> Shown {
    let area = frame.area();
    let reasons = reason_lines(view, area);
    let head = view.disk.map_or_else(Text::default, |disk| headline(view, disk, area));
    let heights = [head.lines.len().max(3) as u16, 2].map(Constraint::Length);
    let heights = heights.into_iter().chain([Constraint::Min(1)]);
    let heights = heights.chain([reasons.len() as u16, 1].map(Constraint::Length));
    let [top, history, table, why, keys] = Layout::vertical(heights).areas(area);
    let shown = match view.disk {
        Some(_) => {
            frame.render_widget(Paragraph::new(head), top);
            draw_history(view, frame, history);
            draw_table(view, frame, table)
        }
        None => {
            frame.render_widget(Paragraph::new("the first interval has not ended yet"), top);
            Shown::default()
        }
    };
    frame.render_widget(Paragraph::new(reasons.join("\n")), why);
    frame.render_widget(Paragraph::new(bottom(view)), keys);
    if view.shows_help {
        draw_help(frame);
    }
    shown
}

/// The scheduler's reasons in lines that fit, a third of the screen at most.
fn reason_lines(view: &View<'_>, area: Rect) -> Vec<String> {
    let lines = view.reasons.iter().flat_map(|line| wrapped(line, area.width.into()));
    lines.take(usize::from(area.height) / 3).collect()
}

/// The disk, in three lines, and the settings of its elevator below. That events were lost comes
/// before what may be cut off.
fn headline(view: &View<'_>, disk: &DiskFigures, area: Rect) -> Text<'static> {
    let title = Style::new().add_modifier(Modifier::BOLD);
    let place = format!("{} of {}", view.place.0, view.place.1);
    if disk.is_gone {
        let text = format!("{} ({place}): it is there no more", disk.name);
        return Text::from(Line::styled(text, title));
    }
    let interval_s = view.interval_s;
    let lost = match view.lost_events {
        0 => String::new(),
        lost => format!("{lost} events lost: figures too low  "),
    };
    let use_of = format!(
        "used {:.0} %  busy {:.0} %  depth {:.1} (most {})  {} waiting",
        disk.utilisation_percent, disk.busy_percent, disk.depth, disk.deepest, disk.waiting_ios
    );
    let moves = format!(
        "{lost}read {}/s  written {}/s  discarded {}/s",
        rate(disk.all.read_bytes, interval_s),
        rate(disk.all.written_bytes, interval_s),
        rate(disk.all.discarded_bytes, interval_s)
    );
    let first = format!("{} [{}] {place}", disk.name, disk.elevator);
    let mut lines = vec![Line::styled(first, title), Line::raw(use_of), Line::raw(moves)];
    lines.extend(tunable_lines(disk, area).into_iter().map(Line::raw));
    Text::from(lines)
}

/// The settings of the elevator, in an eighth of the lines at most: of bfq all fit 80x24.
fn tunable_lines(disk: &DiskFigures, area: Rect) -> Vec<String> {
    let tunables = disk.tunables.iter().map(|(name, value)| format!("{name}={value}"));
    let tunables = tunables.collect::<Vec<_>>().join(" ");
    if tunables.is_empty() {
        return Vec::new();
    }
    let mut lines = wrapped(&tunables, area.width.into());
    let most = usize::from(area.height) / 8;
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            let room = usize::from(area.width).saturating_sub(2);
            *last = last.chars().take(room).chain(" …".chars()).collect();
        }
    }
    lines
}

/// How much of the disk was in use in each of the last intervals, the newest at the right.
fn draw_history(view: &View<'_>, frame: &mut Frame<'_>, area: Rect) {
    let shown = view.history.len().min(area.width.into());
    let data = view.history[view.history.len() - shown..].to_vec();
    let style = if view.has_color { Style::new().fg(Color::Cyan) } else { Style::new() };
    frame.render_widget(Sparkline::default().data(data).max(100).style(style), area);
}

fn draw_table(view: &View<'_>, frame: &mut Frame<'_>, area: Rect) -> Shown {
    let rows = &view.rows;
    let columns: Vec<&Column> =
        COLUMNS.iter().filter(|column| column.fits.contains(&area.width)).collect();
    let right = |text: String| Cell::from(Line::from(text).right_aligned());
    let lines = rows.iter().map(|row| {
        let name = format!("{:indent$}{}", "", row.name, indent = row.level * 2);
        let figures = columns.iter().map(|column| right((column.text)(row, view.interval_s)));
        TableRow::new(std::iter::once(Cell::from(name)).chain(figures))
    });
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let heads = columns.iter().map(|column| right(column.head.to_owned()));
    let head = std::iter::once(Cell::from("process or group")).chain(heads);
    let widths = columns.iter().map(|column| Constraint::Length(column.width));
    let table = Table::new(lines, std::iter::once(Constraint::Fill(1)).chain(widths))
        .header(TableRow::new(head).style(bold))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let room = usize::from(area.height.saturating_sub(1));
    let first = view.first_shown.min(rows.len().saturating_sub(room));
    let mut state = TableState::default().with_offset(first).with_selected(view.selected);
    frame.render_stateful_widget(table, area, &mut state);
    let first = state.offset();
    let shown = rows.len().saturating_sub(first).min(room);
    Shown { first, rows: shown, first_line: usize::from(area.y) + 1 }
}

/// A column beside that of the names.
struct Column {
    head: &'static str,
    width: u16,
    /// The widths of terminals that have it.
    fits: RangeInclusive<u16>,
    text: fn(&Row<'_>, f64) -> String,
}

const NARROW: RangeInclusive<u16> = 0..=75;
const ALL: RangeInclusive<u16> = 0..=u16::MAX;
const FROM_76: RangeInclusive<u16> = 76..=u16::MAX;
const FROM_110: RangeInclusive<u16> = 110..=u16::MAX;
const FROM_150: RangeInclusive<u16> = 150..=u16::MAX;

const fn column(
    head: &'static str,
    width: u16,
    fits: RangeInclusive<u16>,
    text: fn(&Row<'_>, f64) -> String,
) -> Column {
    Column { head, width, fits, text }
}

/// All columns, from the left to the right.
const COLUMNS: [Column; 16] = [
    column("pid", 7, FROM_76, |row, _| row.pid.map_or_else(String::new, |pid| pid.to_string())),
    column("time %", 6, ALL, |row, _| format!("{:.1}", row.figures.time_percent)),
    column("due %", 5, FROM_76, |row, _| {
        row.due_percent.map_or_else(String::new, |due| format!("{due:.1}"))
    }),
    column("bytes %", 7, FROM_110, |row, _| format!("{:.1}", row.figures.bytes_percent)),
    column("bytes/s", 7, NARROW, |row, seconds| rate(row.figures.bytes(), seconds)),
    column("read/s", 7, FROM_76, |row, seconds| rate(row.figures.read_bytes, seconds)),
    column("write/s", 7, FROM_76, |row, seconds| rate(row.figures.written_bytes, seconds)),
    column("IO/s", 6, FROM_76, |row, seconds| {
        format!("{:.0}", row.figures.ios as f64 / seconds.max(1e-9))
    }),
    column("depth", 5, FROM_110, |row, _| format!("{:.1}", row.figures.queue_depth)),
    column("wait50", 6, FROM_150, |row, _| took(row.figures, row.figures.waiting.median_ns)),
    column("wait99", 6, ALL, |row, _| took(row.figures, row.figures.waiting.p99_ns)),
    column("waitmax", 7, FROM_150, |row, _| took(row.figures, row.figures.waiting.worst_ns)),
    column("disk50", 6, FROM_150, |row, _| took(row.figures, row.figures.in_device.median_ns)),
    column("disk99", 6, FROM_76, |row, _| took(row.figures, row.figures.in_device.p99_ns)),
    column("diskmax", 7, FROM_150, |row, _| took(row.figures, row.figures.in_device.worst_ns)),
    column("all99", 6, FROM_150, |row, _| took(row.figures, row.figures.whole.p99_ns)),
];

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
    let groups = if view.is_tree { "groups " } else { "" };
    format!("{paused}{groups}by {}{filter}  h help  q quit", view.order)
}

fn draw_help(frame: &mut Frame<'_>) {
    let mut lines = vec![
        "Tab      the next disk".to_owned(),
        "t        groups with their processes".to_owned(),
        "/        only names with a text; Esc: all".to_owned(),
        "p        pause".to_owned(),
        "j k      down and up (arrows, mouse)".to_owned(),
        "Esc      select what comes first".to_owned(),
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
