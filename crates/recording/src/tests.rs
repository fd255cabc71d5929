// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whatever is written is read back, and whatever is read does no harm.

use crate::{
    Record, Recorder, RecordingReader, Sink, Timed,
    problem::Problem,
    read::ReadError,
    record::Opening,
    test_sample::{self, Source},
    text::Text,
};
use bfq::{Config, Time, tunables::TUNABLES, why::Decision};
use proptest::prelude::*;
use std::vec::Vec;

/// Takes this number of bytes and no more.
struct Bounded {
    bytes: Vec<u8>,
    room: usize,
}

impl Sink for Bounded {
    fn write(&mut self, bytes: &[u8]) -> bool {
        let fits = self.bytes.len() + bytes.len() <= self.room;
        if fits {
            self.bytes.extend_from_slice(bytes);
        }
        fits
    }
}

fn opening() -> Opening {
    Opening::at_attach("bfq", Text::new(b"sda"), &Config::new(true, 64))
}

fn recorder(room: usize) -> Recorder<Bounded> {
    let sink = Bounded { bytes: Vec::new(), room };
    Recorder::begin(sink, Time::from_ns(1_000), &opening()).ok().expect("room for the opening")
}

fn recorded(records: &[(u64, Record)]) -> Vec<u8> {
    let mut recorder = recorder(usize::MAX);
    for (at_ns, record) in records {
        recorder.record(Time::from_ns(*at_ns), record);
    }
    core::mem::take(&mut recorder.sink_mut().bytes)
}

/// All records but the opening.
fn read(bytes: &[u8]) -> Result<Vec<Timed>, ReadError> {
    Ok(RecordingReader::new(bytes)?.collect::<Result<Vec<_>, _>>()?.split_off(1))
}

fn kick(at_ns: u64) -> (u64, Record) {
    (at_ns, Record::Decision(Decision::Kick))
}

proptest! {
    #[test]
    fn each_record_is_read_as_it_was_written(
        numbers in prop::collection::vec(any::<u64>(), 1..40),
        times in prop::collection::vec(0..u64::MAX / 2, 1..10),
    ) {
        let records = test_sample::records(&mut Source::new(numbers));
        let times = times.iter().cycle().map(|&ns| Time::from_ns(ns).as_ns());
        let records: Vec<(u64, Record)> = times.zip(records).collect();
        let read = read(&recorded(&records)).expect("it was written so");
        let read: Vec<_> = read.iter().map(|timed| (timed.at.as_ns(), timed.record)).collect();
        prop_assert_eq!(read, records);
    }

    #[test]
    fn a_recording_with_other_bytes_in_it_is_read_or_refused(
        numbers in prop::collection::vec(any::<u64>(), 1..40),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let records = test_sample::records(&mut Source::new(numbers));
        let records: Vec<_> = records.into_iter().map(|record| (5_000, record)).collect();
        let mut bytes = recorded(&records);
        bytes.truncate(1 + cut.index(bytes.len()));
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(reader) = RecordingReader::new(&bytes) {
            let mut last = 0;
            for read in reader {
                let offset = read.map_or_else(|error| error.offset, |timed| timed.offset);
                prop_assert!(last < offset && offset < bytes.len());
                last = offset;
            }
        }
    }

    #[test]
    fn any_bytes_behind_the_head_are_read_or_refused(
        rest in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut bytes = Vec::from(&recorded(&[])[..crate::format::MAGIC.len() + 1]);
        bytes.extend(rest);
        prop_assert!(RecordingReader::new(&bytes).expect("the head").count() <= bytes.len());
    }
}

#[test]
fn the_longest_record_has_room() {
    let ends = [u64::MAX; bfq::MAX_ACTUATORS];
    let config = Config {
        actuator_ends: &ends,
        nr_requests: u32::MAX,
        hz: u32::MAX,
        ..Config::new(true, 0)
    };
    let mut opening = Opening::at_attach(&"x".repeat(16), Text::new(&[b'x'; 32]), &config);
    opening.tunables.0 = TUNABLES.map(|info| info.max);
    let longest = [(u64::MAX / 2, Record::Opening(opening))];
    assert_eq!(read(&recorded(&longest)).unwrap()[0].record, longest[0].1);
}

#[test]
fn a_recording_of_the_first_version_is_one_of_bfq() {
    let whole = recorded(&[kick(2_000)]);
    let head = crate::format::MAGIC.len();
    // The end of the opening: `strict`, detailed statistics or not, and the name of the policy with
    // its length. The first and the last are new.
    let opening_end = head + 2 + usize::from(whole[head + 1]);
    let (strict, policy) = (opening_end - 6, opening_end - 4);
    assert_eq!(whole[strict..opening_end], *b"\x01\x00\x03bfq");
    let mut first = whole.clone();
    first.drain(policy..opening_end);
    first.remove(strict);
    first[head] = 1;
    first[head + 1] -= 5;
    let records = |bytes: &[u8]| {
        let read =
            RecordingReader::new(bytes).expect("a recording").map(|timed| timed.map(|t| t.record));
        read.collect::<Result<Vec<_>, _>>().expect("well-formed")
    };
    assert_eq!(records(&first), records(&whole));
    assert_eq!(records(&first)[0], Record::Opening(opening()));
}

#[test]
fn what_a_record_takes() {
    let len = |record| recorded(&[(1_500, record)]).len() - recorded(&[]).len();
    assert_eq!(len(kick(0).1), 4, "its length, two bytes of time, its number");
}

#[test]
fn what_found_no_room_is_counted() {
    let mut recorder = recorder(usize::MAX);
    let full = recorder.sink().bytes.len();
    recorder.sink_mut().room = full;
    for at_ns in [2_000, 3_000, 4_000] {
        recorder.record(Time::from_ns(at_ns), &kick(0).1);
    }
    // Room for the note, but not for what it stands before: that is lost, too.
    recorder.sink_mut().room = full + 5;
    recorder.record(Time::from_ns(5_000), &kick(0).1);
    recorder.sink_mut().room = usize::MAX;
    recorder.record(Time::from_ns(6_000), &kick(0).1);
    let read = read(&recorder.sink().bytes).expect("whole records");
    let read: Vec<_> = read.iter().map(|timed| (timed.at.as_ns(), timed.record)).collect();
    let lost = |at_ns, records| (at_ns, Record::Lost { records });
    assert_eq!(read, [lost(5_000, 3), lost(6_000, 1), kick(6_000)]);
}

#[test]
fn what_is_no_recording_is_refused_with_its_place() {
    let whole = recorded(&[kick(2_000)]);
    let last = whole.len() - 4;
    let changed = |place: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[place] = byte;
        bytes
    };
    let table = [
        (b"t_ns,event,queue".to_vec(), 0, Problem::NoRecording),
        (Vec::new(), 0, Problem::NoRecording),
        (whole[..crate::format::MAGIC.len()].to_vec(), 0, Problem::Cut),
        (changed(crate::format::MAGIC.len(), 9), 0, Problem::Version(9)),
        (whole[..whole.len() - 1].to_vec(), last, Problem::Cut),
        (changed(last, 2), last, Problem::TooShort),
        (changed(whole.len() - 1, 255), last, Problem::UnknownRecord(255)),
    ];
    for (bytes, offset, problem) in table {
        assert_eq!(read(&bytes), Err(ReadError { offset, problem }), "{bytes:02x?}");
    }
}
