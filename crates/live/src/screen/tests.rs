// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the screen shows after inputs.

use super::{Input, Next, Screen};
use crate::snapshot::{DiskFigures, Figures, GroupFigures, ProcessFigures, Snapshot};
use explain::{Activity, Holder, Kept, WaitingProgram};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Modifier;

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
            let is_of =
                |line: &String| line.trim_start().replace("(kernel) ", "").starts_with(name);
            let place = lines.iter().position(is_of)?;
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
    assert!(narrow[8].starts_with("(kernel) kworker/0"), "{narrow:?}");
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
    let turns = "bfq had the disk serve postgres 60 % (12 % idle: to keep the shares), \
                 no process 40 %";
    let decided = "postgres raised (interactive) for 7 requests";
    let not_told = "postgres: why it waits is not told; that is told of the programs whose I/O \
                    took longest";
    let why = "backup waited for turns of postgres.";
    let refused = "no reasons: sda: another process is looking at it";
    let told = |activity, no_reasons: Option<&str>, inputs: &[Input], columns| {
        let mut snapshot = snapshot();
        snapshot.disks[0].activity = activity;
        snapshot.disks[0].no_reasons = no_reasons.map(str::to_owned);
        let lines = shown_of(snapshot, inputs, columns);
        let end = lines.len() - 1;
        let start = lines.iter().rposition(|line| line.starts_with("(kernel)")).unwrap() + 1;
        let told = lines[start..end].iter().filter(|line| !line.is_empty());
        told.cloned().collect::<Vec<_>>().join(" ")
    };
    let busy = Some("sda: another process is looking at it");
    for (activity, no_reasons, inputs, expected) in [
        (Some(activity()), None, &[][..], format!("{not_told} {turns} {decided}")),
        (Some(activity()), None, &[Input::Move(1)], format!("{why} {turns} {decided}")),
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
    assert_eq!(selected(&mut screen, &[Input::Move(1)]), "backup");
    assert_eq!(selected(&mut screen, &[Input::Move(5)]), "(kernel) kworker/0:1");
}

/// The name that is selected after inputs.
fn selected(screen: &mut Screen, inputs: &[Input]) -> String {
    inputs.iter().for_each(|&input| assert_eq!(screen.take(input), Next::Draw));
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let is_selected = |y: &u16| buffer[(0, *y)].modifier.contains(Modifier::REVERSED);
    let Some(line) = (0..24).find(is_selected) else { return String::new() };
    let text: String = (0..22).map(|x| buffer[(x, line)].symbol()).collect();
    text.trim().to_owned()
}

#[test]
fn a_process_that_was_selected_stays_so_wherever_it_goes() {
    let mut screen = Screen::new(false);
    screen.add(snapshot());
    assert_eq!(selected(&mut screen, &[]), "postgres");
    assert_eq!(selected(&mut screen, &[Input::Move(1)]), "backup");
    let mut later = snapshot();
    later.disks[0].processes.insert(0, process(600, "tar", "/", 90.0, 7));
    screen.add(later);
    assert_eq!(selected(&mut screen, &[]), "backup");
    assert_eq!(selected(&mut screen, &[Input::Letter('3')]), "backup");
    // Without I/O it is not there; no other process is taken for it.
    let mut later = snapshot();
    later.disks[0].processes.remove(1);
    screen.add(later);
    assert_eq!(selected(&mut screen, &[]), "");
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    let shown = format!("{}", terminal.backend());
    assert!(shown.contains("backup (502) did nothing in this interval"), "{shown}");
    screen.add(snapshot());
    assert_eq!(selected(&mut screen, &[]), "backup");
    // A filter hides it, and nothing false is said of it.
    let typed = [Input::Letter('/'), Input::Letter('d'), Input::Letter('b'), Input::Enter];
    assert_eq!(selected(&mut screen, &typed), "");
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    let shown = format!("{}", terminal.backend());
    assert!(!shown.contains("did nothing"), "{shown}");
    assert_eq!(selected(&mut screen, &[Input::Escape]), "backup");
    assert_eq!(selected(&mut screen, &[Input::Escape]), "backup");
    assert_eq!(selected(&mut screen, &[Input::Letter('1')]), "postgres", "the first of each order");
}

#[test]
fn a_click_selects_the_row_under_it_also_in_a_scrolled_list() {
    let mut snapshot = snapshot();
    let many = (0..40).map(|n| process(1000 + n, &format!("p{n}"), "/", 50.0 - f64::from(n), 1));
    snapshot.disks[0].processes = many.collect();
    let mut screen = Screen::new(false);
    screen.add(snapshot);
    // 17 rows fit; the first of them is in the seventh line.
    assert_eq!(selected(&mut screen, &[Input::Move(30)]), "p30");
    assert_eq!(selected(&mut screen, &[Input::Click(6)]), "p14");
    assert_eq!(selected(&mut screen, &[Input::Click(22)]), "p30", "the list stays where it is");
    // Neither the head nor the keys are rows.
    assert_eq!(selected(&mut screen, &[Input::Click(5), Input::Click(23)]), "p30");
}

#[test]
fn lost_events_are_seen_at_every_width() {
    let mut snapshot = snapshot();
    snapshot.lost_events = 12_345;
    snapshot.disks[0].tunables = [("slice_idle".to_owned(), "8".to_owned())].into();
    for columns in [40, 80, 200] {
        let lines = shown_of(snapshot.clone(), &[], columns);
        assert!(lines[2].starts_with("12345 events lost: figures too low"), "{lines:?}");
    }
}

#[test]
fn all_tunables_of_bfq_fit_eighty_columns() {
    let mut snapshot = snapshot();
    let of_bfq = [
        ("back_seek_max", "16384"),
        ("back_seek_penalty", "2"),
        ("fifo_expire_async", "250"),
        ("fifo_expire_sync", "125"),
        ("low_latency", "1"),
        ("max_budget", "0"),
        ("slice_idle", "8"),
        ("slice_idle_us", "8000"),
        ("strict_guarantees", "0"),
        ("timeout_sync", "125"),
    ];
    let owned = of_bfq.map(|(name, value)| (name.to_owned(), value.to_owned()));
    snapshot.disks[0].tunables = owned.into();
    let lines = shown_of(snapshot.clone(), &[], 80).join(" ");
    for (name, value) in of_bfq {
        assert!(lines.contains(&format!("{name}={value}")), "{name}: {lines}");
    }
    let narrow = shown_of(snapshot.clone(), &[], 40);
    assert!(narrow[5].ends_with(" …"), "{narrow:?}");
    let table = crate::table(&snapshot, None);
    assert!(table.contains("\nback_seek_max=16384 back_seek_penalty=2"), "{table}");
}

#[test]
fn wider_terminals_have_more_figures() {
    for (columns, heads) in [
        (80, &["due %", "disk99"][..]),
        (110, &["bytes %", "depth"]),
        (150, &["wait50", "waitmax", "disk50", "diskmax", "all99"]),
    ] {
        let lines = shown(&[], columns);
        let narrower = shown(&[], columns - 5);
        for head in heads {
            assert!(lines[5].contains(head), "{columns}: {lines:?}");
            assert!(!narrower[5].contains(head), "{columns}: {narrower:?}");
        }
    }
}

#[test]
fn what_has_no_group_is_told_in_a_row_of_its_own() {
    let mut snapshot = snapshot();
    let mut ended = process(700, "true", "", 25.0, 5);
    ended.group = None;
    snapshot.disks[0].no_group = ended.figures.clone();
    snapshot.disks[0].processes.push(ended);
    let lines = shown_of(snapshot.clone(), &[Input::Letter('t')], 80);
    let row = lines.iter().find(|line| line.starts_with("no group (ended)")).unwrap();
    assert!(row.contains("25.0"), "{lines:?}");
    let table = crate::table(&snapshot, None);
    let row = table.lines().find(|line| line.ends_with("no group (ended)")).unwrap();
    assert!(row.trim_start().starts_with("group    25.0"), "{table}");
}

#[test]
fn groups_are_sorted_among_those_beside_them() {
    use Input::Letter;
    let mut snapshot = snapshot();
    for (group, percent, ios) in [("/", 100.0, 1010), ("/backup", 30.0, 900), ("/db", 60.0, 100)] {
        let mut groups = snapshot.disks[0].groups.iter_mut();
        let found = groups.find(|other| other.group == group).unwrap();
        found.figures = Figures { time_percent: percent, ios, ..Figures::default() };
    }
    let order_by = |inputs: &[Input]| {
        let lines = shown_of(snapshot.clone(), inputs, 80);
        let place = |name: &str| lines.iter().position(|line| line.trim().starts_with(name));
        place("/db").unwrap() < place("/backup").unwrap()
    };
    assert!(order_by(&[Letter('t')]));
    assert!(!order_by(&[Letter('t'), Letter('3')]));
}

#[test]
fn names_cannot_give_the_terminal_orders() {
    let mut snapshot = snapshot();
    snapshot.disks[0].groups[1].group = "/a\x1b[2Jb".to_owned();
    let table = crate::table(&snapshot, None);
    assert!(table.contains("/a?[2Jb") && !table.contains('\x1b'), "{table}");
}

#[test]
fn tables_fit_a_terminal() {
    let mut snapshot = snapshot();
    snapshot.disks[0].activity = Some(activity());
    for line in crate::table(&snapshot, Some(80)).lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(crate::table(&snapshot, Some(80)).contains("(kernel) kworker"));
    assert!(crate::table(&snapshot, Some(200)).contains("wait 50 %"));
    // Nothing has ended: no time is told.
    assert!(crate::table(&snapshot, None).contains(" -  /backup"));
}
