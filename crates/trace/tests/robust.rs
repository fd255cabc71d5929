// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whatever the bytes, reading a trace ends: with records, or with errors that say where.

use proptest::prelude::*;
use trace::{Format, ReadOptions, Summary, TraceReader, Writer};

/// Reads bytes as a trace, and does with them what is done with traces.
fn exercise(bytes: &[u8], format: Option<Format>, skip_bad: bool) {
    let Ok(mut reader) = TraceReader::new(bytes, "t", ReadOptions { format, skip_bad }) else {
        return;
    };
    let mut summary = Summary::default();
    let mut writers: Vec<_> = Format::ALL
        .into_iter()
        .filter_map(|to| Writer::new(Vec::new(), to, reader.format()))
        .collect();
    let mut errors = 0;
    while let Some(record) = reader.next() {
        match record {
            Ok(record) => {
                let end = record.offset_bytes.checked_add(record.length_bytes);
                assert!(end.is_some(), "{record:?} ends");
                summary.add(&record);
                for writer in &mut writers {
                    writer.write(&record, reader.names()).unwrap();
                }
            }
            Err(error) => {
                errors += 1;
                assert!(!(skip_bad && error.can_be_skipped), "{error} is skipped");
            }
        }
    }
    assert!(errors <= 1, "after an error there is nothing more");
    summary.finish();
    for writer in writers {
        writer.finish(reader.names()).unwrap();
    }
}

const SAMPLES: [&[u8]; 12] = [
    include_bytes!("data/blkparse.txt"),
    include_bytes!("data/blktrace-7-little.bin"),
    include_bytes!("data/blktrace-7-big.bin"),
    include_bytes!("data/blktrace-8-little.bin"),
    include_bytes!("data/blktrace-8-big.bin"),
    include_bytes!("data/iolog2.txt"),
    include_bytes!("data/iolog3.txt"),
    include_bytes!("data/startup.txt"),
    include_bytes!("data/msr.csv"),
    include_bytes!("data/alibaba.csv"),
    include_bytes!("data/tencent.csv"),
    include_bytes!("data/spc.csv"),
];

fn compressed(bytes: &[u8], how: u8) -> Vec<u8> {
    use std::io::Write;
    match how {
        0 => bytes.to_vec(),
        1 => {
            let fast = flate2::Compression::fast();
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), fast);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        _ => ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest),
    }
}

#[test]
fn truncated_anywhere() {
    for sample in SAMPLES {
        for end in 0..sample.len() {
            exercise(&sample[..end], Format::detect(sample), end % 2 == 0);
        }
    }
}

/// Each time the next record was looked for, what reads the trace once got one layer deeper, until
/// the stack was full.
#[test]
fn bytes_between_all_of_very_many_records_are_skipped() {
    // The first field of a record of version 7; one without anything else is no request.
    let mut record = 0x6561_7407_u32.to_le_bytes().to_vec();
    record.resize(48, 0);
    let mut bytes = record.clone();
    for _ in 0..200_000 {
        bytes.push(0xff);
        bytes.extend_from_slice(&record);
    }
    let options = ReadOptions { format: Some(Format::Blktrace), skip_bad: true };
    let mut reader = TraceReader::new(&bytes[..], "t", options).unwrap();
    assert!(reader.by_ref().all(|record| record.is_err()), "no record is a request");
    assert_eq!(reader.skipped(), 200_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn arbitrary_bytes(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        format in prop::sample::select(Format::ALL.to_vec()),
        skip_bad: bool,
    ) {
        exercise(&bytes, Some(format), skip_bad);
        exercise(&bytes, None, skip_bad);
    }

    #[test]
    fn flipped_bits_in_what_was_a_trace(
        sample in prop::sample::select(SAMPLES.to_vec()),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 1..12),
        how in 0..3_u8,
        skip_bad: bool,
    ) {
        let format = Format::detect(sample);
        let mut bytes = compressed(sample, how);
        for (place, bit) in flips {
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
        }
        exercise(&bytes, format, skip_bad);
        exercise(&bytes, None, skip_bad);
    }

    #[test]
    fn words_and_numbers_in_any_order(
        words in prop::collection::vec("[QDCRWAFSM]{1,3}|[0-9]{1,20}|[0-9]{1,3}[,.][0-9]{1,9}|\\[x\\]|\\+|Seq|Read|a-1", 0..60),
        separators in prop::collection::vec(prop::sample::select(vec![" ", ",", "\n"]), 60),
        format in prop::sample::select(Format::ALL.to_vec()),
    ) {
        let pairs = words.iter().zip(&separators);
        let text: String = pairs.map(|(word, separator)| format!("{word}{separator}")).collect();
        exercise(text.as_bytes(), Some(format), true);
        exercise(text.as_bytes(), Some(format), false);
    }
}
