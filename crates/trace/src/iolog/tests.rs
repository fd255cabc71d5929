// SPDX-License-Identifier: MIT OR Apache-2.0
//! I/O logs: what is read of them, and what is said about mistakes.

use super::{Action, FileId, IologReader, Record};
use proptest::prelude::*;

fn read(text: &str) -> Result<Vec<Record>, String> {
    let mut reader =
        IologReader::new(text.as_bytes(), "l.log").map_err(|error| error.to_string())?;
    reader.by_ref().collect::<Result<_, _>>().map_err(|error| error.to_string())
}

#[test]
fn every_action_is_read() {
    let text = "fio version 2 iolog\n/x add\n/x open\n/x read 4096 512\n\n/x wait 100 0\n\
                /x write 0 8192\n/x trim 0 9999999999\n/x sync 0 0\n/x datasync 0 0\n/x close\n";
    let actions = [
        (2, Action::Add),
        (3, Action::Open),
        (4, Action::Read { offset_bytes: 4096, length_bytes: 512 }),
        (6, Action::Wait { us: 100 }),
        (7, Action::Write { offset_bytes: 0, length_bytes: 8192 }),
        (8, Action::Trim { offset_bytes: 0, length_bytes: 9_999_999_999 }),
        (9, Action::Sync),
        (10, Action::DataSync),
        (11, Action::Close),
    ];
    let expected: Vec<Record> = actions
        .into_iter()
        .map(|(line, action)| Record { line, timestamp_us: None, file: FileId(0), action })
        .collect();
    assert_eq!(read(text).unwrap(), expected);
}

#[test]
fn version_3_has_timestamps_and_files_have_numbers() {
    let text = "fio version 3 iolog\n0 /x add\n0 /y add\n5 /y open\n17 /y read 0 512\n";
    let mut reader = IologReader::new(text.as_bytes(), "l.log").unwrap();
    assert_eq!(reader.version(), 3);
    let last = reader.by_ref().last().unwrap().unwrap();
    assert_eq!((last.timestamp_us, last.file), (Some(17), FileId(1)));
    assert_eq!(reader.files().collect::<Vec<_>>(), ["/x", "/y"]);
}

#[test]
fn each_mistake_is_named_with_its_line() {
    let header_error = "l.log:1: this is not an I/O log that can be replayed; expected \"fio \
                        version 2 iolog\" or \"fio version 3 iolog\" in the first line";
    for (text, message) in [
        ("", header_error),
        ("0, 4096, 512", header_error),
        ("fio version 1 iolog", header_error),
        ("2|x", "l.log:2: the line is too short; expected FILE ACTION [OFFSET LENGTH]"),
        ("2|x add|x open|x read 0", "l.log:4: the length is missing; expected a whole number"),
        ("2|x add|x open|x read 4k 512", "l.log:4: the offset is \"4k\"; expected a whole number"),
        (
            "2|x add|x open|x read 0 512 1",
            "l.log:4: \"1\" after the end of the action; expected FILE ACTION [OFFSET LENGTH]",
        ),
        (
            "2|x add|x open|x read 0 0",
            "l.log:4: I/O of 0 bytes at 0; expected at least one byte, below 2^64",
        ),
        (
            "2|x add|x open|x write 0 4294967296",
            "l.log:4: I/O of 4294967296 bytes; expected less than 4 GiB",
        ),
        (
            "2|x add|x read 0 512",
            "l.log:3: \"read\" for the file \"x\", which is not open; expected \"x open\" \
             before it",
        ),
        (
            "2|x add|x open|x close|x sync 0 0",
            "l.log:5: \"sync\" for the file \"x\", which is not open; expected \"x open\" \
             before it",
        ),
        (
            "2|x open",
            "l.log:2: \"open\" for the file \"x\", which was not added; expected \"x add\" \
             before it",
        ),
        (
            "2|x add|x erase 0 512",
            "l.log:3: unknown action \"erase\"; expected add, open, close, read, write, sync, \
             datasync, trim or wait",
        ),
        ("3|x add", "l.log:2: the timestamp is \"x\"; expected a whole number"),
        (
            "3|0 x add|0 x wait 100 0",
            "l.log:3: \"wait\" in a log of version 3; expected timestamps alone, or a log of \
             version 2",
        ),
    ] {
        let text = match text.split_once('|') {
            Some((version, rest)) => {
                format!("fio version {version} iolog\n{}\n", rest.replace('|', "\n"))
            }
            None => text.to_string(),
        };
        assert_eq!(read(&text).unwrap_err(), message, "{text:?}");
    }
}

#[test]
fn whoever_passes_over_a_wrong_line_reads_the_next() {
    let text = "fio version 2 iolog\nx add\nx erase\nx open\n";
    let mut reader = IologReader::new(text.as_bytes(), "l.log").unwrap();
    assert!(reader.next().unwrap().is_ok());
    assert!(reader.next().unwrap().is_err_and(|error| error.can_be_skipped));
    assert_eq!(reader.next().unwrap().unwrap().action, Action::Open);
    assert!(reader.next().is_none());
}

proptest! {
    #[test]
    fn arbitrary_logs_are_read_or_are_errors(
        version in 2..4,
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        lines in prop::collection::vec(
            "([0-9]{1,4} )?[xy] (add|open|close|read|write|trim|sync|wait)( [0-9]{1,20}){0,3}",
            0..20,
        ),
    ) {
        let mut text = format!("fio version {version} iolog\n{}\n", lines.join("\n")).into_bytes();
        text.extend_from_slice(&bytes);
        let last = IologReader::new(text.as_slice(), "l.log").map(Iterator::last);
        prop_assert!(last.is_ok(), "the first line is right");
    }
}
