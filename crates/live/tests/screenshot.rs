// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture of `docs/top.md`: a screen of a made-up load, as SVG.
//! `BFQ_WRITE_DOCS=1 cargo test -p bfq-live --test screenshot` draws it.

use live::{DeviceId, Event, Input, Kind, Monitor, Name, People, Screen, Watched, Who};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use std::fmt::Write;
use std::path::Path;

const COLUMNS: u16 = 80;
const ROWS: u16 = 18;
const CELL: (u16, u16) = (8, 17);
const DISK: DeviceId = DeviceId(8 << 20);
const SECOND: u64 = 1_000_000_000;

/// Who is at work: number, name, group, and an I/O every so many microseconds of so many sectors.
const LOADS: [(u32, &str, &str, u64, u32); 4] = [
    (612, "postgres", "/system.slice/postgresql.service", 900, 16),
    (1733, "restic", "/system.slice/backup.service", 2100, 512),
    (2950, "firefox", "/user.slice/user-1000.slice", 5300, 64),
    (57, "kworker/u8:2", "/", 7900, 256),
];

struct Cast;

impl People for Cast {
    fn who(&mut self, thread: u32) -> Option<Who> {
        let (process, name, group, ..) = *LOADS.iter().find(|load| load.0 == thread)?;
        let (name, group) = (name.to_owned(), Some(group.to_owned()));
        Some(Who { process, name, group, is_kernel: process < 100 })
    }
}

/// A second of the load; that of later seconds is less and more by turns.
fn events(second: u64) -> Vec<Event> {
    let mut events = Vec::new();
    for (number, (thread, name, _, period_us, sectors)) in LOADS.into_iter().enumerate() {
        let period_ns = period_us * 1000 * (2 + second % 5) / 3;
        for turn in 0..SECOND / period_ns {
            let queued_ns = (second + 1) * SECOND + turn * period_ns;
            let sector = (number as u64 * 1_000_000) + turn * 1024;
            let op = if number % 2 == 1 { base::Op::Write } else { base::Op::Read };
            let (name, flags) = (Name::new(name), trace::Flags::PLAIN);
            let took_ns = 80_000 + u64::from(sectors) * 2000;
            let steps = [
                (Kind::Queued, queued_ns),
                (Kind::Issued, queued_ns + 40_000 * (number as u64 + 1)),
                (Kind::Completed, queued_ns + 40_000 * (number as u64 + 1) + took_ns),
            ];
            events.extend(steps.map(|(kind, time_ns)| Event {
                time_ns,
                kind,
                device: DISK,
                thread,
                name,
                op,
                flags,
                sector,
                sectors,
            }));
        }
    }
    events.sort_by_key(|event| event.time_ns);
    events
}

/// The cells of a terminal as SVG: runs of letters that look alike are one text.
fn svg(buffer: &Buffer) -> String {
    let (width, height) = (COLUMNS * CELL.0 + 16, ROWS * CELL.1 + 16);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#1b1f24\"/>\n"
    );
    for y in 0..ROWS {
        for x in 0..COLUMNS {
            let cell = &buffer[(x, y)];
            let is_reversed = cell.modifier.contains(Modifier::REVERSED);
            let (left, top) = (8 + x * CELL.0, 8 + y * CELL.1);
            if is_reversed {
                let (wide, high) = CELL;
                let _ = writeln!(
                    text,
                    "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" \
                     fill=\"#d0d7de\"/>"
                );
            }
            if cell.symbol().trim().is_empty() {
                continue;
            }
            let color = match cell.fg {
                _ if is_reversed => "#1b1f24",
                Color::Cyan => "#56c8d8",
                _ => "#d0d7de",
            };
            let is_bold = cell.modifier.contains(Modifier::BOLD);
            let weight = if is_bold { " font-weight=\"bold\"" } else { "" };
            let symbol = cell.symbol().replace('&', "&amp;").replace('<', "&lt;");
            let baseline = top + 13;
            let _ = writeln!(
                text,
                "<text x=\"{left}\" y=\"{baseline}\" fill=\"{color}\"{weight}>{symbol}</text>"
            );
        }
    }
    text + "</svg>\n"
}

#[test]
fn the_picture_in_the_documentation_is_what_the_screen_shows() {
    let watched = Watched { name: "sda".to_owned(), device: DISK, partitions: Vec::new() };
    let mut monitor = Monitor::new(&[watched], SECOND);
    let mut screen = Screen::new(true);
    for second in 0..60 {
        for event in events(second) {
            monitor.take(&event, &mut Cast);
        }
        let mut snapshot = monitor.snapshot((second + 2) * SECOND);
        let disk = &mut snapshot.disks[0];
        disk.elevator = "bfq".to_owned();
        disk.tunables = [("low_latency".to_owned(), "1".to_owned())].into();
        for group in &mut disk.groups {
            group.entitled_percent = match group.group.as_str() {
                "/system.slice/postgresql.service" => Some(53.3),
                "/system.slice/backup.service" => Some(13.3),
                "/system.slice" => Some(66.7),
                "/" => Some(100.0),
                _ => Some(33.3),
            };
        }
        screen.add(snapshot);
    }
    screen.take(Input::Letter('t'));
    let mut terminal = Terminal::new(TestBackend::new(COLUMNS, ROWS)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    let drawn = svg(terminal.backend().buffer());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/top.svg");
    if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
        std::fs::write(&path, drawn).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == drawn, "BFQ_WRITE_DOCS=1 cargo test -p bfq-live --test screenshot");
}
