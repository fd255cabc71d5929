// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is made of a trace for replay.

use super::recording;
use crate::recorded::entry::{Due, TraceEntry, TraceKind};
use crate::recorded::settings::{ReplayMode, ReplaySettings};
use crate::recorded::trace::{TakeOver, Trace, TraceFile, TraceProcess};
use std::num::NonZeroU32;

fn trace(text: &str, settings: &ReplaySettings) -> Result<Trace, String> {
    Trace::read(text.as_bytes(), "l.log", settings, 1).map_err(|error| error.to_string())
}

#[test]
fn a_trace_is_the_io_of_a_log_with_its_delays() {
    let text = "fio version 3 iolog\n0 x add\n0 y add\n0 x open\n9 y open\n10 x read 4096 512\n\
                10 y write 0 1024\n30 x sync 0 0\n20 x close\n";
    let entry = |delay_us: u64, kind, file, length_bytes, offset_bytes| TraceEntry {
        due: Due::Delayed(delay_us * 1000),
        kind,
        metadata: false,
        file,
        length_bytes,
        offset_bytes,
    };
    let file = |name: &str, length_bytes| TraceFile { name: name.to_string(), length_bytes };
    let trace = trace(text, &ReplaySettings::default()).unwrap();
    assert_eq!(trace.files, [file("x", 4608), file("y", 1024)]);
    assert!(trace.writes && trace.processes.len() == 1);
    let expected = [
        entry(10, TraceKind::Read, 0, 512, 4096),
        entry(0, TraceKind::Write, 1, 1024, 0),
        entry(20, TraceKind::Sync, 0, 0, 0),
    ];
    assert_eq!(trace.processes[0].entries.to_vec().unwrap(), expected);
}

#[test]
fn an_entry_takes_no_more_than_32_bytes() {
    assert!(size_of::<TraceEntry>() <= 32);
}

#[test]
fn what_cannot_be_replayed_is_an_error() {
    let settings = ReplaySettings::default();
    let head = "fio version 2 iolog\nx add\nx open\n";
    for (line, message) in [
        (
            "x read 100 512",
            "l.log:4: I/O of 512 bytes at 100; expected multiples of 512 bytes, or \
                replay_align=512",
        ),
        (
            "x read 0 100",
            "l.log:4: I/O of 100 bytes at 0; expected multiples of 512 bytes, or replay_align=512",
        ),
        ("x close", "l.log: there is no I/O in this log; expected at least one I/O"),
        (
            "x trim 0 4096",
            "l.log: nothing of this log can be replayed (discards, which cannot be replayed and \
                are left out: 1); expected at least one I/O",
        ),
    ] {
        assert_eq!(trace(&format!("{head}{line}\n"), &settings).unwrap_err(), message);
    }
}

/// The last of them was left out.
#[test]
fn io_that_is_aligned_has_all_sectors_that_it_touched() {
    for (align_bytes, offset_bytes, length_bytes) in [(512, 7680, 1536), (4096, 4096, 1536)] {
        let align_bytes = Some(align_bytes);
        let settings = ReplaySettings { align_bytes, ..ReplaySettings::default() };
        let text = "fio version 2 iolog\nx add\nx open\nx read 8000 1000\n";
        let entry = trace(text, &settings).unwrap().processes[0].entries.to_vec().unwrap()[0];
        assert_eq!((entry.offset_bytes, entry.length_bytes), (offset_bytes, length_bytes));
    }
}

#[test]
fn trims_are_left_out_with_a_remark_unless_they_are_to_be_skipped() {
    let text = "fio version 2 iolog\nx add\nx open\nx trim 0 4096\nx read 0 512\n";
    for (skip_trims, remarks) in
        [(false, &["discards, which cannot be replayed and are left out: 1"][..]), (true, &[])]
    {
        let settings = ReplaySettings { skip_trims, ..ReplaySettings::default() };
        let trace = trace(text, &settings).unwrap();
        assert_eq!(trace.processes[0].entries.len(), 1);
        assert_eq!(trace.remarks, remarks);
    }
}

#[test]
fn records_that_are_not_in_order_of_time_leave_a_remark() {
    let expected = |first: u32| {
        [format!(
            "records that are earlier than one before them, and may be replayed later than they \
             were: 2, the first in line {first}"
        )]
    };
    let text = "8,0 0 1 5.0 10 Q R 0 + 8 [a]\n8,0 0 2 1.0 10 Q R 8 + 8 [a]\n\
                8,0 0 3 2.0 10 Q R 16 + 8 [a]\n";
    assert_eq!(trace(text, &ReplaySettings::default()).unwrap().remarks, expected(2));
    let head = "fio version 3 iolog\n0 x add\n0 x open\n";
    let log = format!("{head}5000 x read 0 512\n1000 x read 0 512\n2000 x read 0 512\n");
    assert_eq!(trace(&log, &ReplaySettings::default()).unwrap().remarks, expected(5));
    let ordered = format!("{head}1000 x read 0 512\n1000 x read 0 512\n2000 x read 0 512\n");
    assert!(trace(&ordered, &ReplaySettings::default()).unwrap().remarks.is_empty());
}

#[test]
fn wrong_lines_of_a_log_are_passed_over_in_every_mode_if_that_is_asked_for() {
    let text = "fio version 2 iolog\nx add\nx open\nx read zero 512\nx read 0 512\nx close\n";
    for mode in [None, Some(ReplayMode::Chain)] {
        let skipping = ReplaySettings { mode, skip_bad: true, ..ReplaySettings::default() };
        let passed_over = trace(text, &skipping).unwrap();
        assert_eq!(passed_over.processes[0].entries.len(), 1);
        assert_eq!(passed_over.remarks, ["wrong records, left out: 1"]);
        let strict = ReplaySettings { skip_bad: false, ..skipping };
        let error = trace(text, &strict).unwrap_err();
        assert!(error.starts_with("l.log:4: the offset is \"zero\""), "{error}");
    }
}

/// Each entry in short: when it is due and what it waits for.
fn chained(text: &str) -> Vec<String> {
    let settings = ReplaySettings { mode: Some(ReplayMode::Chain), ..ReplaySettings::default() };
    let trace = trace(text, &settings).unwrap();
    let short = |process: &TraceProcess| {
        let entries = process.entries.to_vec().unwrap();
        let entries = entries.iter().enumerate().map(|(index, entry)| {
            let us = |ns: u64| ns / 1000;
            let follows = process.take_overs.iter().find(|take_over| take_over.entry == index);
            let follows = follows
                .map_or(String::new(), |&TakeOver { process, completed_ios, .. }| {
                    format!("@{process}/{completed_ios}")
                });
            let due = match entry.due {
                Due::Gap { gap_ns, waits_for } => {
                    format!("+{}-{}", us(gap_ns), waits_for.map_or(0, NonZeroU32::get))
                }
                due => panic!("{due:?} in a chain"),
            };
            format!("{}{due}{follows}", entry.offset_bytes / 512)
        });
        format!("{}: {}", process.name, entries.collect::<Vec<_>>().join(" "))
    };
    trace.processes.iter().map(short).collect()
}

#[test]
fn a_request_waits_for_what_completed_since_the_one_before() {
    // Two reads at once; the third waits for the second, which ended last;
    // the fourth for the first.
    let text = "
        8,0 0 1 1.000000000 10 Q R 0 + 8 [sh]
        8,0 0 2 1.000010000 10 Q R 8 + 8 [sh]
        8,0 0 3 1.000100000  0 C R 8 + 8 [0]
        8,0 0 4 1.000150000 10 Q R 16 + 8 [sh]
        8,0 0 5 1.000160000  0 C R 0 + 8 [0]
        8,0 0 6 1.000170000  0 C R 16 + 8 [0]
        8,0 0 7 1.000200000 10 Q R 24 + 8 [sh]
        8,0 0 8 1.000210000 10 Q R 32 + 8 [sh]";
    assert_eq!(chained(text), ["sh: 0+0-0 8+10-0 16+50-1 24+30-1 32+10-0"]);
}

#[test]
fn a_process_starts_after_what_ended_last_and_write_back_is_not_waited_for() {
    let text = "
        8,0 0 1 0.000000000 10 Q R 0 + 8 [sh]
        8,0 0 2 0.000100000  0 C R 0 + 8 [0]
        8,0 0 3 0.000140000 11 Q RA 8 + 8 [git]
        8,0 0 4 0.000150000 12 Q W 99 + 8 [kworker/0:1]
        8,0 0 5 0.000190000  0 C W 99 + 8 [0]
        8,0 0 6 0.000200000 12 Q W 107 + 8 [kworker/0:1]
        8,0 0 7 0.000300000  0 C RA 8 + 8 [0]
        8,0 0 8 0.000320000 11 Q R 16 + 8 [git status]";
    let expected =
        ["sh: 0+0-0", "git status: 8+40-0@0/1 16+20-1", "kworker/0:1: 99+50-0@0/1 107+50-0"];
    assert_eq!(chained(text), expected);
}

#[test]
fn a_large_trace_goes_through_a_scratch_file_and_comes_out_the_same() {
    let event = |time: u64, action: &str, pid: u64, rest: &str| {
        format!("8,0 0 1 0.{time:09} {pid} {action} {rest} [p{pid}]\n")
    };
    let text: String = (0..3000_u64)
        .flat_map(|number| {
            let what = ["R", "RA", "W", "WSM", "RM"][(number % 5) as usize];
            let place = format!("{what} {} + 8", number * number);
            let (time, pid) = (number * 100, 10 + number % 3);
            [event(time, "Q", pid, &place), event(time + 70, "C", 0, &place)]
        })
        .collect();
    for mode in ReplayMode::ALL {
        let settings = ReplaySettings { mode: Some(mode), ..ReplaySettings::default() };
        let entries = |most_in_memory| {
            let format = trace::Format::Blkparse;
            let source = text.as_bytes();
            let trace = recording::read(source, "t", format, &settings, 1, most_in_memory);
            let processes = trace.unwrap().processes;
            processes.iter().map(|p| p.entries.to_vec().unwrap()).collect::<Vec<_>>()
        };
        let in_memory = entries(usize::MAX);
        assert_eq!(in_memory.iter().map(Vec::len).collect::<Vec<_>>(), [1000; 3]);
        assert_eq!(entries(0), in_memory);
        assert_eq!(entries(700), in_memory);
    }
}
