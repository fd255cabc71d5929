// SPDX-License-Identifier: MIT OR Apache-2.0
//! The screen as cells: the disk, its history, the table, and a line of keys.

use super::Screen;
use super::rows::Row;
use super::sorting::KEYS;
use crate::snapshot::DiskFigures;
use crate::table::{rate, short_time};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Clear, Paragraph, Row as TableRow, Sparkline, Table, TableState};

/// Lines above the first row of the table.
pub(super) const FIRST_ROW_LINE: usize = 6;

/// A terminal that is narrower shows fewer columns.
const WIDE: u16 = 76;

/// Draws it.
pub(super) fn screen(screen: &Screen, frame: &mut Frame<'_>) {
    let heights =
        [Constraint::Length(3), Constraint::Length(2), Constraint::Min(1), Constraint::Length(1)];
    let [head, history, table, keys] = Layout::vertical(heights).areas(frame.area());
    match screen.disks().get(screen.disk) {
        Some(disk) => {
            frame.render_widget(Paragraph::new(headline(screen, disk)), head);
            draw_history(screen, frame, history);
            draw_table(screen, frame, table);
        }
        None => frame.render_widget(Paragraph::new("the first interval has not ended yet"), head),
    }
    frame.render_widget(Paragraph::new(bottom(screen)), keys);
    if screen.shows_help {
        draw_help(frame);
    }
}

/// The disk, in three lines.
fn headline<'a>(screen: &Screen, disk: &'a DiskFigures) -> Text<'a> {
    let title = Style::new().add_modifier(Modifier::BOLD);
    let place = format!("{} of {}", screen.disk + 1, screen.disks().len());
    if disk.is_gone {
        let text = format!("{} ({place}): it is there no more", disk.name);
        return Text::from(Line::styled(text, title));
    }
    let interval_s = screen.latest().map_or(1.0, |snapshot| snapshot.interval_s);
    let lost = screen.latest().map_or(0, |snapshot| snapshot.lost_events);
    let tunables = disk.tunables.iter().map(|(name, value)| format!("{name}={value}"));
    let lost = match lost {
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
fn draw_history(screen: &Screen, frame: &mut Frame<'_>, area: Rect) {
    let of = |snapshot: &crate::Snapshot| {
        let disk = snapshot.disks.get(screen.disk);
        disk.map_or(0, |disk| disk.utilisation_percent.round() as u64)
    };
    let shown = screen.history.len().min(area.width.into());
    let data: Vec<u64> = screen.history.iter().skip(screen.history.len() - shown).map(of).collect();
    let style = colored(screen, Color::Cyan);
    frame.render_widget(Sparkline::default().data(data).max(100).style(style), area);
}

fn draw_table(screen: &Screen, frame: &mut Frame<'_>, area: Rect) {
    let is_wide = area.width >= WIDE;
    let interval_s = screen.latest().map_or(1.0, |snapshot| snapshot.interval_s);
    let rows = screen.rows();
    let lines = rows.iter().map(|row| cells(row, interval_s, is_wide));
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let (head, widths) = columns(is_wide);
    let right = |text: &'static str| Cell::from(Line::from(text).right_aligned());
    let (first, rest) = head.split_first().expect("there are columns");
    let head = std::iter::once(Cell::from(*first)).chain(rest.iter().map(|text| right(text)));
    let table = Table::new(lines, widths)
        .header(TableRow::new(head).style(bold))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let selected = screen.selected.min(rows.len().saturating_sub(1));
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
fn bottom(screen: &Screen) -> String {
    if screen.edits_filter {
        return format!("names with: {}_", screen.filter);
    }
    let paused = if screen.is_paused { "PAUSED  " } else { "" };
    let order = if screen.is_tree { "groups" } else { screen.sorting.name() };
    let filter = match screen.filter.as_str() {
        "" => String::new(),
        filter => format!("  names with {filter}"),
    };
    format!("{paused}by {order}{filter}  h help  q quit")
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

fn colored(screen: &Screen, color: Color) -> Style {
    if screen.has_color { Style::new().fg(color) } else { Style::new() }
}
