// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pictures of `docs/top.md`: screens of a made-up load, as SVG.
//! `BFQ_WRITE_DOCS=1 cargo test -p bfq-live --test screenshot` draws them.

mod svg;

use explain::{Activity, Holder, Kept, WaitingProgram};
use live::{
    BlockEvent, BlockEventKind, DeviceId, DiskFigures, Input, Monitor, Name, Owner, Screen,
    ThreadOwners, Watched,
};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier};
use std::collections::BTreeMap;
use svg::{Look, assert_is_the_picture, svg};

const COLUMNS: u16 = 80;
const ROWS: u16 = 18;
const DISK: DeviceId = DeviceId(8 << 20);
const SECOND: u64 = 1_000_000_000;

/// Who is at work: number, name, group, the microseconds between its I/Os, and their sectors.
const LOADS: [(u32, &str, &str, u64, u32); 4] = [
    (612, "postgres", "/system.slice/postgresql.service", 900, 16),
    (1733, "restic", "/system.slice/backup.service", 2100, 512),
    (2950, "firefox", "/user.slice/user-1000.slice", 5300, 64),
    (57, "kworker/u8:2", "/", 7900, 256),
];

struct Cast;

impl ThreadOwners for Cast {
    fn owner(&mut self, thread: u32) -> Option<Owner> {
        let (process, name, group, ..) = *LOADS.iter().find(|load| load.0 == thread)?;
        let (name, group) = (name.to_owned(), Some(group.to_owned()));
        Some(Owner { process, name, group, is_kernel: process < 100 })
    }
}

/// A second of the load; that of later seconds is less and more by turns.
fn events(second: u64) -> Vec<BlockEvent> {
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
                (BlockEventKind::Queued, queued_ns),
                (BlockEventKind::Issued, queued_ns + 40_000 * (number as u64 + 1)),
                (BlockEventKind::Completed, queued_ns + 40_000 * (number as u64 + 1) + took_ns),
            ];
            events.extend(steps.map(|(kind, time_ns)| BlockEvent {
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

/// What a screen shows as SVG.
fn drawn(screen: &mut Screen) -> String {
    let mut terminal = Terminal::new(TestBackend::new(COLUMNS, ROWS)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let cell = |x: u16, y: u16| {
        let cell = &buffer[(x, y)];
        let look = Look {
            is_reversed: cell.modifier.contains(Modifier::REVERSED),
            is_bold: cell.modifier.contains(Modifier::BOLD),
            is_cyan: cell.fg == Color::Cyan,
        };
        (cell.symbol().to_owned(), look)
    };
    let lines: Vec<_> = (0..ROWS).map(|y| (0..COLUMNS).map(|x| cell(x, y)).collect()).collect();
    svg(&lines)
}

/// Some settings of bfq.
fn tunables() -> BTreeMap<String, String> {
    let all = [("low_latency", "1"), ("slice_idle", "8"), ("timeout_sync", "124")];
    all.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// What the scheduler of our module decided in the last second of the load.
fn activity() -> Activity {
    let kept =
        Kept { rule: Some("asymmetric"), because: Some("to keep the shares"), ns: 90, idle_ns: 80 };
    let holder = |who: &str, ns: u64, kept: Vec<Kept>| Holder {
        who: who.to_owned(),
        ns,
        kept,
        ..Holder::default()
    };
    let firefox = Holder {
        raises: vec!["interactive"],
        raised_requests: 188,
        ..holder("firefox", 120, Vec::new())
    };
    let why = WaitingProgram {
        name: "postgres".to_owned(),
        sentence:
            "postgres waited 38 µs of its 152 µs mean latency for turns of restic; bfq never \
                   raised its weight."
                .to_owned(),
        ios: 555,
        latency_ns: 84_360_000,
        causes: Vec::new(),
        counts: Vec::new(),
    };
    Activity {
        scheduler: "bfq".to_owned(),
        elapsed_ns: 1000,
        nobody_ns: 30,
        holders: vec![holder("restic", 690, vec![kept]), holder("postgres", 160, vec![]), firefox],
        programs: vec![why],
        ..Activity::default()
    }
}

/// A minute of the load, as a screen.
fn screen(complete: impl Fn(&mut DiskFigures)) -> Screen {
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
        disk.tunables = tunables();
        for group in &mut disk.groups {
            group.entitled_percent = match group.group.as_str() {
                "/system.slice/postgresql.service" => Some(53.3),
                "/system.slice/backup.service" => Some(13.3),
                "/system.slice" => Some(66.7),
                "/" => Some(100.0),
                _ => Some(33.3),
            };
        }
        complete(disk);
        screen.add(snapshot);
    }
    screen
}

const HOW: &str = "cargo test -p bfq-live --test screenshot";

#[test]
fn the_picture_in_the_documentation_is_what_the_screen_shows() {
    let mut screen = screen(|_| {});
    screen.take(Input::Letter('t'));
    assert_is_the_picture("top.svg", &drawn(&mut screen), HOW);
}

#[test]
fn so_is_that_with_reasons() {
    let mut screen = screen(|disk| disk.activity = Some(activity()));
    screen.take(Input::Move(1));
    let drawn = drawn(&mut screen);
    assert!(drawn.contains(">latency</text>"), "the reason of the selected process: {drawn}");
    assert_is_the_picture("top-why.svg", &drawn, HOW);
}
