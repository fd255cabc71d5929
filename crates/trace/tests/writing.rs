// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a writer says of what it wrote: how many requests, and what is not as it was.

use trace::{Format, ReadOptions, TraceReader, Writer};

/// A trace written in another format, by a writer that can be asked; and the reader.
fn written(text: &str, to: Format) -> (Writer<Vec<u8>>, TraceReader<'_>) {
    let mut reader = TraceReader::new(text.as_bytes(), "t", ReadOptions::default()).unwrap();
    let mut writer = Writer::new(Vec::new(), to, reader.format()).unwrap();
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.names()).unwrap();
    }
    (writer, reader)
}

#[test]
fn requests_are_counted_as_they_are_written() {
    let text = "8,0 0 1 0.0 697 D R 8 + 8 [cat]\n8,0 0 2 0.001 0 C R 8 + 8 [0]\n\
                8,0 0 3 0.002 697 D D 64 + 8 [cat]\n8,0 0 4 0.003 697 D D 80 + 8 [cat]\n";
    for to in Format::ALL.into_iter().filter(|to| to.is_written()) {
        let (writer, _) = written(text, to);
        let has_discards = matches!(to, Format::Blkparse | Format::Iolog2 | Format::Iolog3);
        let expected = if has_discards { (3, 0) } else { (1, 2) };
        assert_eq!((writer.requests(), writer.left_out()), expected, "{}", to.name());
    }
}

#[test]
fn what_gets_a_later_time_is_counted() {
    let text = [5, 1, 9, 7].map(|s| format!("8,0 0 1 {s}.0 697 Q R 8 + 8 [cat]\n")).concat();
    for (to, delayed) in [
        (Format::Blkparse, 1),
        (Format::Iolog3, 1),
        (Format::Iolog2, 2),
        (Format::Msr, 0),
        (Format::Spc, 0),
    ] {
        let (writer, reader) = written(&text, to);
        assert_eq!(writer.delayed(), delayed, "{}", to.name());
        let out_of_order = reader.out_of_order().map(|of| of.to_string());
        assert_eq!(out_of_order.as_deref(), Some("2, the first in line 2"));
    }
}

/// All of them were lost, as a replay leaves out what is shorter than 100 µs.
#[test]
fn short_gaps_gather_to_waits_that_a_replay_keeps() {
    let line = |us: u64| format!("8,0 0 1 0.{us:06} 697 Q R 8 + 8 [cat]\n");
    for (times_us, expected) in [
        (&[0, 90, 180, 270, 360][..], &[180, 180][..]),
        (&[0, 99, 100, 150, 1000], &[100, 900]),
        (&[7, 107, 110], &[100]),
    ] {
        let text: String = times_us.iter().map(|us| line(*us)).collect();
        let (writer, reader) = written(&text, Format::Iolog2);
        let log = String::from_utf8(writer.finish(reader.names()).unwrap()).unwrap();
        let waits = log.lines().filter_map(|line| line.split_once(" wait ")?.1.split_once(' '));
        let waits: Vec<u64> = waits.map(|(us, _)| us.parse().unwrap()).collect();
        assert_eq!(waits, expected, "{times_us:?}");
    }
}

/// The end was cut off: byte 9000 lay behind the last sector.
#[test]
fn requests_that_are_not_of_whole_sectors_keep_their_ends() {
    for (to, place) in [
        (Format::Blkparse, (7680, 1536)),
        (Format::Tencent, (7680, 1536)),
        (Format::Spc, (7680, 1320)),
        (Format::Alibaba, (8000, 1000)),
    ] {
        let (writer, reader) = written("0,h,0,Read,8000,1000,50000\n", to);
        let text = writer.finish(reader.names()).unwrap();
        let mut again = TraceReader::new(&text[..], "t", ReadOptions::default()).unwrap();
        let record = again.next().unwrap().unwrap();
        assert_eq!((record.offset_bytes, record.length_bytes), place, "{}", to.name());
    }
}

/// They became responses of no time at all, to which no disk is near.
#[test]
fn response_times_that_are_not_known_are_counted_and_read_as_none() {
    let iolog = "fio version 3 iolog\n0 x add\n0 x open\n0 x read 0 4096\n9 x read 4096 4096\n";
    let line = |us: u32, rest: &str| format!("8,0 0 1 0.{us:06} 697 {rest}\n");
    let lost = [
        line(0, "Q R 8 + 8 [a]"),
        line(1000, "C R 8 + 8 [0]"),
        line(2000, "Q R 64 + 8 [a]"),
        line(5000, "Q R 640 + 8 [a]"),
        line(5000, "C R 640 + 8 [0]"),
    ];
    for (text, without, expected_ns) in
        [(iolog, 2, vec![None, None]), (&lost.concat(), 1, vec![Some(1_000_000), None, Some(100)])]
    {
        let (writer, reader) = written(text, Format::Msr);
        assert_eq!(writer.without_response(), without, "{text}");
        let table = writer.finish(reader.names()).unwrap();
        let again = TraceReader::new(&table[..], "t", ReadOptions::default()).unwrap();
        let responses_ns: Vec<_> = again.map(|record| record.unwrap().response_ns).collect();
        assert_eq!(responses_ns, expected_ns);
    }
}

/// Two files were once one volume, 0.
#[test]
fn each_device_has_a_number_of_its_own_where_volumes_have_no_names() {
    let head = "fio version 2 iolog\n";
    let of = |name: &str| format!("{name} add\n{name} open\n{name} read 0 4096\n");
    for (devices, numbers, renumbered) in [
        (&["x", "y"][..], &["0", "1"][..], 0),
        (&["7", "x", "1"], &["7", "1", "0"], 1),
        (&["x", "0", "2", "z"], &["0", "1", "2", "3"], 1),
    ] {
        let log = devices.iter().map(|name| of(name)).collect::<String>();
        let log = format!("{head}{log}{}", of(devices[0]));
        for to in [Format::Alibaba, Format::Tencent, Format::Spc] {
            let (writer, reader) = written(&log, to);
            assert_eq!(writer.renumbered(), renumbered, "{devices:?}");
            let text = writer.finish(reader.names()).unwrap();
            let mut again = TraceReader::new(&text[..], "t", ReadOptions::default()).unwrap();
            assert_eq!(again.by_ref().count(), devices.len() + 1);
            assert_eq!(again.names().devices(), numbers, "{}", to.name());
        }
    }
}
