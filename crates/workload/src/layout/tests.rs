// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where processes work, as tables of job files and regions.

use super::{lay_out, phases, required_bytes};
use crate::parse::{parse, parse_with, section_tests::Imagined};
use proptest::prelude::*;

const K: u64 = 1 << 10;
const TARGET_BYTES: u64 = 1000 * K;

/// Regions as (start, length) in KiB, of a job file with `|` for line ends.
fn regions(text: &str) -> Vec<(u64, u64)> {
    let jobs = parse(&text.replace('|', "\n"), "t.fio").unwrap();
    let plans = lay_out(&jobs, TARGET_BYTES).unwrap_or_else(|error| panic!("{text}: {error}"));
    plans.iter().map(|plan| (plan.region.start_bytes / K, plan.region.length_bytes / K)).collect()
}

#[test]
fn files_lie_end_to_end() {
    for (text, expected) in [
        // Private files, one for each clone.
        ("[a]|size=100k", vec![(0, 100)]),
        ("[a]|size=100k|[b]|size=200k", vec![(0, 100), (100, 200)]),
        ("[a]|size=100k|numjobs=3|[b]|size=8k", vec![(0, 100), (100, 100), (200, 100), (300, 8)]),
        ("[global]|bs=512|[a]|size=1k|[b]|size=4k", vec![(0, 1), (4, 4)]),
        // Sections of the same name have the same files, those of the first clones.
        ("[a]|size=100k|[a]|size=40k|stonewall", vec![(0, 100), (0, 40)]),
        ("[a]|size=8k|[a]|size=8k|numjobs=2", vec![(0, 8), (0, 8), (8, 8)]),
        ("[a]|size=8k|[b]|filename=a.0.0", vec![(0, 8), (0, 8)]),
        ("[a]|size=8k|[a]|size=8k|directory=/x|[a]|size=4k", vec![(0, 8), (8, 8), (0, 4)]),
        ("[/dev/sda]|size=8k", vec![(0, 8)]),
        (
            "[global]|filename_format=f|size=8k|[a]|directory=/x|[b]|directory=/y/|[c]|directory=/y",
            vec![(0, 8), (8, 8), (8, 8)],
        ),
        // An offset is one into the file, which is longer by it, as under fio.
        ("[a]|size=40k|offset=8k|[b]|size=4k", vec![(8, 40), (48, 4)]),
        ("[a]|size=32k|offset=8k|offset_increment=16k|numjobs=2", vec![(8, 32), (40 + 24, 32)]),
        // Shared files.
        ("[a]|filename=f|size=100k|numjobs=2", vec![(0, 100), (0, 100)]),
        (
            "[a]|filename=f|size=40k|[p]|size=8k|[b]|filename=f|size=100k|offset=12k",
            vec![(0, 40), (112, 8), (12, 100)],
        ),
        ("[a]|filename=f|size=100k|[b]|filename=f|offset=40k", vec![(0, 100), (40, 60)]),
        (
            "[a]|filename=f|size=20k|offset_increment=20k|numjobs=3",
            vec![(0, 20), (20, 20), (40, 20)],
        ),
        ("[global]|directory=/x|filename=f|[a]|size=8k|[b]|size=4k", vec![(0, 8), (0, 4)]),
        (
            "[a]|filename_format=f.$jobnum|size=8k|numjobs=2|[b]|filename_format=f.1|size=12k",
            vec![(0, 8), (8, 8), (8, 12)],
        ),
        (
            "[global]|filename_format=$jobname.$filenum|size=8k|[a]|numjobs=2|[b]",
            vec![(0, 8), (0, 8), (8, 8)],
        ),
        // The target itself.
        ("[a]|filename=/dev/sda", vec![(0, 1000)]),
        ("[a]|filename=/dev/sda|offset=300k", vec![(300, 700)]),
        ("[a]|filename=/dev/sda|offset=300k|size=100k", vec![(300, 100)]),
        ("[a]|filename=/dev/sda|offset=300k|size=900k", vec![(300, 700)]),
        ("[p]|size=8k|[a]|filename=/dev/sda|offset=100k", vec![(0, 8), (100, 900)]),
        // Percentages are of the target; an offset is rounded up to a block.
        ("[a]|size=20%", vec![(0, 200)]),
        ("[a]|filename=/dev/sda|size=20%|offset=50%", vec![(500, 200)]),
        ("[a]|filename=/dev/sda|size=8k|offset=33%", vec![(332, 8)]),
        ("[a]|filename=/dev/sda|size=8k|offset=33%|offset_align=100k", vec![(400, 8)]),
        (
            "[a]|filename=/dev/sda|size=8k|offset_increment=25%|numjobs=3",
            vec![(0, 8), (252, 8), (504, 8)],
        ),
    ] {
        assert_eq!(regions(text), expected, "{text}");
    }
}

#[test]
fn plans_name_their_job_and_clone() {
    let jobs = parse("[a]\nsize=4k\nnumjobs=2\n[b]\nsize=4k\n", "t.fio").unwrap();
    let plans = lay_out(&jobs, TARGET_BYTES).unwrap();
    let named: Vec<(usize, u32)> = plans.iter().map(|plan| (plan.job, plan.clone)).collect();
    assert_eq!(named, [(0, 0), (0, 1), (1, 0)]);
}

#[test]
fn what_does_not_fit_is_an_error_at_the_section() {
    for (text, message) in [
        (
            "[a]|bs=4k",
            "t.fio:1: job \"a\": there is nothing to read or write; expected size=BYTES, or a \
             filename that another job gives a size",
        ),
        (
            "[a]|size=600k|[b]|size=600k",
            "t.fio:3: job \"b\": it needs the target up to byte 1228800; expected a target of \
             that size, which has 1024000 bytes",
        ),
        (
            "[a]|filename=/dev/sda|offset=2m",
            "t.fio:1: job \"a\": its offset of 2097152 bytes is behind the end of its file of \
             1024000 bytes; expected a smaller offset",
        ),
        (
            "[a]|size=4k|bs=8k",
            "t.fio:1: job \"a\": its region of 4096 bytes is smaller than its blocks; expected \
             at least 8192 bytes",
        ),
        (
            "[a]|size=34k|bs=12k|nrfiles=3",
            "t.fio:1: job \"a\": each of its 3 files gets 11605 bytes of its size, less than a \
             block of 12288; expected size of at least 36864 bytes, or fewer files",
        ),
        (
            "[a]|size=16000p|offset=16000p",
            "t.fio:1: offset + size is too large; expected below 2^64",
        ),
    ] {
        let jobs = parse(&text.replace('|', "\n"), "t.fio").unwrap();
        let error = lay_out(&jobs, TARGET_BYTES).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn the_bytes_required_are_those_that_suffice() {
    for (text, expected) in [
        ("[a]|size=100k|numjobs=3", 300 * K),
        ("[a]|filename=/dev/sda|offset=100k|size=100k", 200 * K),
        ("[a]|filename=/dev/sda|offset=100k|size=100k|[b]|size=300k", 300 * K),
        ("[a]|filename=/dev/sda", 0),
    ] {
        let jobs = parse(&text.replace('|', "\n"), "t.fio").unwrap();
        let bytes = required_bytes(&jobs).unwrap();
        assert_eq!(bytes, expected, "{text}");
        if bytes > 0 {
            assert!(lay_out(&jobs, bytes).is_ok(), "{text}");
            assert!(lay_out(&jobs, bytes - 4096).is_err() || text.contains("/dev/"), "{text}");
        }
    }
}

#[test]
fn a_log_has_a_region_that_holds_its_files() {
    let plain = "fio version 2 iolog\nx add\ny add\nx open\ny open\nx read 4096 1024\n\
                 y write 0 512\n";
    let device = "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda read 8192 4096\n";
    let environment =
        Imagined { files: [("plain", plain), ("device", device)].into(), ..Imagined::default() };
    for (options, expected) in [
        ("read_iolog=plain", (8, 12)),
        ("read_iolog=device", (0, 12)),
        ("read_iolog=plain|replay_redirect=/dev/sdb", (0, 5)),
        ("read_iolog=device|replay_redirect=file", (8, 12)),
    ] {
        let text = format!("[p]\nsize=8k\n[a]\n{}\n", options.replace('|', "\n"));
        let jobs = parse_with(&text, "t.fio", &environment).unwrap();
        let region = lay_out(&jobs, TARGET_BYTES).unwrap()[1].region;
        assert_eq!((region.start_bytes / K, region.length_bytes / K), expected, "{options}");
    }
}

#[test]
fn a_stonewall_begins_a_phase() {
    for (text, expected) in [
        ("[a]|[b]", "[0..2]"),
        ("[a]|stonewall|[b]", "[0..2]"),
        ("[a]|[b]|stonewall|numjobs=2|[c]", "[0..1, 1..4]"),
        ("[global]|stonewall|[a]|[b]|[c]|stonewall=0", "[0..1, 1..3]"),
        ("[a]|[b]|new_group", "[0..2]"),
    ] {
        let text = format!("[global]\nsize=4k\n{}\n", text.replace('|', "\n"));
        let jobs = parse(&text, "t.fio").unwrap();
        let plans = lay_out(&jobs, TARGET_BYTES).unwrap();
        assert_eq!(format!("{:?}", phases(&jobs, &plans)), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn private_files_never_overlap(
        sizes in prop::collection::vec((1u64..50, 1u32..4, 0u64..9), 1..9)
    ) {
        let mut text = String::from("[global]\nbs=512\n");
        for (number, (size, clones, offset)) in sizes.into_iter().enumerate() {
            let (size, offset) = (size * 512, offset * 512);
            let section = format!("[j{number}]\nsize={size}\nnumjobs={clones}\noffset={offset}\n");
            text.push_str(&section);
        }
        let jobs = parse(&text, "t.fio").unwrap();
        let plans = lay_out(&jobs, required_bytes(&jobs).unwrap()).unwrap();
        for pair in plans.windows(2) {
            let end_bytes = pair[0].region.start_bytes + pair[0].region.length_bytes;
            prop_assert!(end_bytes <= pair[1].region.start_bytes);
        }
    }
}

#[test]
fn more_files_than_memory_holds_are_refused() {
    let jobs = |text: &str| parse(&text.replace('|', "\n"), "t.fio").unwrap();
    let text = "[a]|size=1m|[b]|rw=randread|size=1g|numjobs=65536|nrfiles=65536";
    let error = lay_out(&jobs(text), TARGET_BYTES).unwrap_err().to_string();
    let expected = "t.fio:3: job \"b\": 65536 processes with 65536 files each, 4294967297 with \
                    those of the jobs before; expected at most 1048576 files of all processes";
    assert_eq!(error, expected);
    assert!(required_bytes(&jobs(text)).is_err());
}
