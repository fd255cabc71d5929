// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which completion ends which request, in recordings as the kernel makes them.

use trace::{Format, Pairing, ReadOptions, Record, RequestEvent, TraceReader};

/// When each request of a trace was queued and ended, µs, in the order of their ends.
fn responses(trace: &[u8]) -> Vec<(u64, u64)> {
    let mut pairing: Pairing<Record> = Pairing::default();
    let mut responses = Vec::new();
    for record in TraceReader::new(trace, "t", ReadOptions::default()).unwrap() {
        let record = record.unwrap();
        if let Some(request) = pairing.beginning(&record) {
            pairing.queued(&request, request);
        } else if record.event == RequestEvent::Completed {
            let ended = |request: Record| {
                responses.push((request.time_ns / 1000, record.time_ns / 1000));
            };
            pairing.completed(&record, ended);
        }
    }
    responses
}

/// Lines of blkparse of one device: time in µs, action, and what follows.
fn text(lines: &[(u64, &str, &str)]) -> String {
    let line = |&(us, action, rest): &(u64, &str, &str)| {
        format!("8,0 1 1 {}.{:06} 100 {action} {rest}\n", us / 1_000_000, us % 1_000_000)
    };
    lines.iter().map(line).collect()
}

/// Each flush was ended by the disk's own, one too early.
#[test]
fn a_flush_ends_behind_the_disks_own() {
    let trace = text(&[
        (0, "Q", "FWS [db]"),
        (1, "D", "FN [kworker/1:1H]"),
        (500, "Q", "FWS [web]"),
        (10_000, "C", "FN 0 [0]"),
        (10_001, "C", "FWS 0 [0]"),
        (10_010, "D", "FN [kworker/1:1H]"),
        (20_000, "C", "FN 0 [0]"),
        (20_001, "C", "WS 0 [0]"),
    ]);
    assert_eq!(responses(trace.as_bytes()), [(0, 10_001), (500, 20_001)]);
}

#[test]
fn a_durable_write_ends_behind_the_flush_that_it_needs() {
    let other = (1, "Q", "FWS [other]");
    let queued = (2, "Q", "FWFSM 81957 + 17 [xfs]");
    let command = (3, "D", "FN [kworker/3:1H]");
    let flushed = (1628, "C", "FN 0 [0]");
    let issued = (1671, "D", "WSM 81957 + 17 [kworker/2:1H]");
    let data = (1843, "C", "WSM 81957 + 17 [0]");
    let end = (2742, "C", "WSM 81957 [0]");
    for (lines, expected) in [
        // The disk cannot make a single write durable: a flush before it, and one behind.
        (&[other, queued, command, flushed, issued, data, end][..], &[(2, 2742)][..]),
        (&[queued, command, flushed, data, (2742, "C", "WSM 81974 [0]")], &[(2, 2742)]),
        // It can: the end comes at once, as it does without a flush before.
        (&[(0, "Q", "WFS 8 + 8 [db]"), command, (9, "C", "WFS 8 + 8 [0]")], &[(0, 9)]),
        // It has no cache: there is no line without a length.
        (&[queued, issued, data], &[(2, 1843)]),
        // The first such line shows how it is with later ones.
        (
            &[queued, data, end, (3000, "Q", "FWFSM 8 + 8 [xfs]"), (4000, "C", "WSM 8 + 8 [0]")],
            &[(2, 1843)],
        ),
    ] {
        assert_eq!(responses(text(lines).as_bytes()), expected, "{lines:?}");
    }
}

/// What the kernel itself writes, 48 bytes a record, of the same as the text.
#[test]
fn flushes_of_a_binary_trace_end_as_those_of_a_text() {
    let [read, write, flush, sync, fua] = [1, 2, 4, 8, 1 << 15];
    let [queued, issued, completed] = [1, 7, 8];
    let record = |(us, event, category, sector, sectors): (u64, u32, u32, u64, u32)| {
        let mut bytes = 0x6561_7407_u32.to_le_bytes().to_vec();
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend((us * 1000).to_le_bytes());
        bytes.extend(sector.to_le_bytes());
        for word in [sectors * 512, category << 16 | event, 100, 8 << 20, 1, 0] {
            bytes.extend(word.to_le_bytes());
        }
        bytes
    };
    let trace: Vec<u8> = [
        (0, queued, flush | write | sync, 0, 0),
        (1, queued, flush | write | fua | sync, 81957, 17),
        (2, issued, flush | read, 0, 0),
        (1000, completed, flush | read, 0, 0),
        (1001, completed, write | sync, 0, 0),
        (1002, issued, write | sync, 81957, 17),
        (1500, completed, write | sync, 81957, 17),
        (1501, issued, flush | read, 0, 0),
        (2000, completed, flush | read, 0, 0),
        (2001, completed, write | sync, 81957, 0),
    ]
    .into_iter()
    .flat_map(record)
    .collect();
    assert_eq!(Format::detect(&trace), Some(Format::Blktrace));
    assert_eq!(responses(&trace), [(0, 1001), (1, 2001)]);
}

#[test]
fn a_lost_completion_is_not_made_up_for_by_a_later_one() {
    let write = |us: u64, actions: &'static str| {
        let of = |(place, action): (usize, char)| match action {
            'C' => (us + 1000, "C", "WS 8 + 8 [0]"),
            'D' => (us + place as u64, "D", "WS 8 + 8 [db]"),
            _ => (us + place as u64, "Q", "WS 8 + 8 [db]"),
        };
        actions.chars().enumerate().map(of).collect::<Vec<_>>()
    };
    for (first, later) in [("QD", "QDC"), ("Q", "QC"), ("D", "DC")] {
        let lines = [write(0, first), write(10_000, later), write(20_000, later)].concat();
        let expected = [(10_000, 11_000), (20_000, 21_000)];
        assert_eq!(responses(text(&lines).as_bytes()), expected, "{later}");
    }
    // What has not been issued does not end.
    let lines = [write(0, "QD"), write(10, "Q"), vec![(50, "C", "WS 8 + 8 [0]")]].concat();
    assert_eq!(responses(text(&lines).as_bytes()), [(0, 50)]);
}
