// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the screen shows after inputs.

use super::{Input, Next, Screen};
use crate::snapshot::{DiskFigures, Figures, GroupFigures, ProcessFigures, Snapshot};
use explain::{Activity, Holder, Kept, WaitingProgram};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn process(pid: u32, name: &str, group: &str, time_percent: f64, ios: u64) -> ProcessFigures {
    let figures = Figures { time_percent, ios, read_bytes: ios * 4096, ..Figures::default() };
    let group = Some(group.to_owned());
    ProcessFigures { pid: Some(pid), name: name.to_owned(), group, is_kernel: pid < 100, figures }
}

fn snapshot() -> Snapshot {
    let group = |path: &str, due: f64| GroupFigures {
        group: path.to_owned(),
        entitled_percent: Some(due),
        figures: Figures::default(),
    };
    let disk = DiskFigures {
        name: "sda".to_owned(),
        elevator: "bfq".to_owned(),
        utilisation_percent: 87.0,
        processes: vec![
            process(501, "postgres", "/db", 60.0, 100),
            process(502, "backup", "/backup", 30.0, 900),
            process(44, "kworker/0:1", "/", 10.0, 10),
        ],
        groups: vec![group("/", 100.0), group("/backup", 20.0), group("/db", 80.0)],
        ..DiskFigures::default()
    };
    let other = DiskFigures { name: "sdb".to_owned(), is_gone: true, ..DiskFigures::default() };
    Snapshot { interval_s: 1.0, disks: vec![disk, other], ..Snapshot::default() }
}

/// The lines of a screen after inputs.
fn shown(inputs: &[Input], columns: u16) -> Vec<String> {
    shown_of(snapshot(), inputs, columns)
}

fn shown_of(snapshot: Snapshot, inputs: &[Input], columns: u16) -> Vec<String> {
    let mut screen = Screen::new(false);
    screen.add(snapshot);
    for &input in inputs {
        assert_eq!(screen.take(input), Next::Draw);
    }
    let mut terminal = Terminal::new(TestBackend::new(columns, 24)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..24).map(|y| line(y).trim_end().to_owned()).collect()
}

/// The places of names in the lines of the table.
fn order(lines: &[String]) -> Vec<&str> {
    let first = |line: &'static str| line;
    let names = ["postgres", "backup", "kworker/0:1"].map(first);
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let place = lines.iter().position(|line| line.trim_start().starts_with(name))?;
            Some((place, name))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, name)| name).collect()
}

#[test]
fn keys_sort_filter_and_group() {
    use Input::{Enter, Escape, Letter};
    let table: &[(&[Input], &[&str])] = &[
        (&[], &["postgres", "backup", "kworker/0:1"]),
        (&[Letter('3')], &["backup", "postgres", "kworker/0:1"]),
        (&[Letter('t')], &["kworker/0:1", "backup", "postgres"]),
        (&[Letter('/'), Letter('d'), Letter('b'), Enter], &["postgres"]),
        (&[Letter('/'), Letter('x'), Escape], &["postgres", "backup", "kworker/0:1"]),
    ];
    for (inputs, expected) in table {
        assert_eq!(order(&shown(inputs, 80)), *expected, "{inputs:?}");
    }
}

#[test]
fn all_fits_eighty_columns_and_the_most_of_it_forty() {
    let wide = shown(&[], 80);
    assert!(wide[0].starts_with("sda [bfq] 1 of 2"), "{wide:?}");
    assert!(wide[5].contains("due %") && wide[5].ends_with("disk99"), "{wide:?}");
    assert!(wide[6].starts_with("postgres") && wide[6].contains("501"), "{wide:?}");
    assert!(shown(&[Input::Letter('t')], 80).iter().any(|line| line.contains("80.0")));
    let narrow = shown(&[], 40);
    assert!(narrow[5].ends_with("wait99") && narrow[6].contains("60.0"), "{narrow:?}");
    assert!(narrow[8].starts_with("kworker/0:1 (ker"), "{narrow:?}");
}

/// What the scheduler decided while the processes of [`snapshot`] used the disk.
fn activity() -> Activity {
    let kept =
        Kept { rule: Some("asymmetric"), because: Some("to keep the shares"), ns: 12, idle_ns: 9 };
    let postgres = Holder {
        who: "postgres".to_owned(),
        ns: 60,
        kept: vec![kept],
        raises: vec!["interactive"],
        raised_requests: 7,
        ..Holder::default()
    };
    let backup = WaitingProgram {
        name: "backup".to_owned(),
        sentence: "backup waited for turns of postgres.".to_owned(),
        ios: 900,
        latency_ns: 80,
        causes: Vec::new(),
        counts: Vec::new(),
    };
    Activity {
        scheduler: "bfq".to_owned(),
        elapsed_ns: 100,
        nobody_ns: 40,
        holders: vec![postgres],
        programs: vec![backup],
        ..Activity::default()
    }
}

#[test]
fn the_reasons_are_below_the_table_and_follow_the_selected_process() {
    let turns = "bfq had the disk serve postgres 60 % (12 % idle: to keep the shares), nobody 40 %";
    let decided = "postgres raised (interactive) for 7 requests";
    let why = "backup waited for turns of postgres.";
    let refused = "no reasons: sda: somebody else is looking at it";
    let told = |activity, no_reasons: Option<&str>, inputs: &[Input], columns| {
        let mut snapshot = snapshot();
        snapshot.disks[0].activity = activity;
        snapshot.disks[0].no_reasons = no_reasons.map(str::to_owned);
        let lines = shown_of(snapshot, inputs, columns);
        let end = lines.len() - 1;
        let start = lines.iter().rposition(|line| line.starts_with("kworker")).unwrap() + 1;
        let told = lines[start..end].iter().filter(|line| !line.is_empty());
        told.cloned().collect::<Vec<_>>().join(" ")
    };
    let busy = Some("sda: somebody else is looking at it");
    for (activity, no_reasons, inputs, expected) in [
        (Some(activity()), None, &[][..], format!("{turns} {decided}")),
        (Some(activity()), None, &[Input::Move(1)], format!("{turns} {decided} {why}")),
        (None, busy, &[], refused.to_owned()),
        (None, None, &[], String::new()),
    ] {
        for columns in [80, 40] {
            assert_eq!(told(activity.clone(), no_reasons, inputs, columns), expected);
        }
    }
}

#[test]
fn a_disk_that_is_gone_is_told_and_help_covers_until_a_key() {
    let gone = shown(&[Input::Tab], 80);
    assert!(gone[0].starts_with("sdb (2 of 2): it is there no more"), "{gone:?}");
    let help = shown(&[Input::Letter('h')], 40);
    assert!(help[0].starts_with("Tab"), "{help:?}");
    let after = shown(&[Input::Letter('h'), Input::Enter], 40);
    assert!(after[0].starts_with("sda"), "{after:?}");
    assert_eq!(Screen::new(true).take(Input::Letter('q')), Next::Quit);
}

#[test]
fn nothing_changes_while_paused() {
    let mut screen = Screen::new(false);
    screen.add(snapshot());
    screen.take(Input::Letter('p'));
    screen.add(Snapshot::default());
    assert_eq!(screen.disks().len(), 2);
    screen.take(Input::Click(7));
    assert_eq!(screen.selected, 1);
    screen.take(Input::Move(5));
    assert_eq!(screen.selected, 2);
}
