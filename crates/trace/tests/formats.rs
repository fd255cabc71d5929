// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is read of a small trace in each format, and that it comes back when it is written.

use base::Op;
use std::io::Write;
use trace::{Format, ReadOptions, Record, RequestEvent, TraceReader, Writer};

/// A sample of each format, and how it is called.
const SAMPLES: [(&str, Format, &[u8]); 12] = [
    ("blkparse", Format::Blkparse, include_bytes!("data/blkparse.txt")),
    ("7 little", Format::Blktrace, include_bytes!("data/blktrace-7-little.bin")),
    ("7 big", Format::Blktrace, include_bytes!("data/blktrace-7-big.bin")),
    ("8 little", Format::Blktrace, include_bytes!("data/blktrace-8-little.bin")),
    ("8 big", Format::Blktrace, include_bytes!("data/blktrace-8-big.bin")),
    ("iolog 2", Format::Iolog2, include_bytes!("data/iolog2.txt")),
    ("iolog 3", Format::Iolog3, include_bytes!("data/iolog3.txt")),
    ("start-up", Format::Startup, include_bytes!("data/startup.txt")),
    ("MSR", Format::Msr, include_bytes!("data/msr.csv")),
    ("Alibaba", Format::Alibaba, include_bytes!("data/alibaba.csv")),
    ("Tencent", Format::Tencent, include_bytes!("data/tencent.csv")),
    ("SPC", Format::Spc, include_bytes!("data/spc.csv")),
];

fn sample(name: &str) -> &'static [u8] {
    SAMPLES.iter().find(|sample| sample.0 == name).unwrap().2
}

/// A record in a line: time in us, event, operation with its flags, device,
/// place in bytes, process.
fn line(record: &Record, reader: &TraceReader) -> String {
    let event = match record.event {
        RequestEvent::Queued => "Q",
        RequestEvent::Issued => "D",
        RequestEvent::Completed => "C",
    };
    let flags = record.flags;
    let flags: String = [
        (flags.preflush, 'f'),
        (flags.sync, 's'),
        (flags.read_ahead, 'a'),
        (flags.metadata, 'm'),
        (flags.fua, 'u'),
        (flags.takes_over, '!'),
    ]
    .iter()
    .filter(|flag| flag.0)
    .map(|flag| flag.1)
    .collect();
    let process = record.process.map_or(String::new(), |id| {
        let process = &reader.names().processes()[id.0 as usize];
        let pid = process.pid.map_or(String::new(), |pid| format!("-{pid}"));
        format!(" {}{pid}", process.name)
    });
    let response = record.response_ns.map_or(String::new(), |ns| format!(" took {}", ns / 1000));
    format!(
        "{} {event} {}:{flags} {} {}+{}{process}{response}",
        record.time_ns / 1000,
        record.op.name(),
        reader.names().devices()[record.device.0 as usize],
        record.offset_bytes,
        record.length_bytes
    )
}

fn lines(bytes: &[u8], options: ReadOptions) -> Vec<String> {
    let mut reader = TraceReader::new(bytes, "t", options).unwrap();
    let mut lines = Vec::new();
    while let Some(record) = reader.next() {
        lines.push(line(&record.unwrap(), &reader));
    }
    lines
}

fn read(name: &str) -> Vec<String> {
    lines(sample(name), ReadOptions::default())
}

#[test]
fn each_format_is_known_by_its_content() {
    for (name, format, bytes) in SAMPLES {
        assert_eq!(Format::detect(bytes), Some(format), "{name}");
        assert_eq!(TraceReader::new(bytes, "t", ReadOptions::default()).unwrap().format(), format);
    }
    for other in ["", "[job]\nrw=read\n", "1,2,3\n", "a,b,c,d,e\n", "{}", "\x1f\x00"] {
        assert_eq!(Format::detect(other.as_bytes()), None, "{other:?}");
    }
}

#[test]
fn blkparse() {
    let expected = [
        "0 Q read:s 8,0 114426880+4096 cat file-697",
        "4 D read:s 8,0 114426880+4096 cat file-697",
        "500 C read:s 8,0 114426880+4096",
        "600 Q read:sa 8,0 114430976+65536 cat file-697",
        "900 C read:sa 8,0 114463744+32768",
        "950 C read:sa 8,0 114430976+32768",
        "1000 Q write: 8,0 2097152+4096 kworker/0:1-700",
        "1000 Q write: 8,0 2101248+4096 kworker/0:1-700",
        "2000 C write: 8,0 2097152+8192",
        "3000 Q write:fsmu 8,0 4608000+4096 jbd2/sda1-8-698",
        "3100 Q flush:s 8,0 0+0 jbd2/sda1-8-698",
        "4000 C write:smu 8,0 4608000+4096",
        "4500 C flush:s 8,0 0+0",
        "5000 Q discard:s 8,0 536870912+1048576 fstrim-699",
    ];
    assert_eq!(read("blkparse"), expected);
}

#[test]
fn blktrace_of_both_versions_and_byte_orders() {
    let expected = [
        "1 Q read:s 8,16 1048576+4096 dd-77",
        "2 D read:s 8,16 1048576+4096 dd-77",
        "90 C read:s 8,16 1048576+4096",
        "95 Q read:sam 8,16 1052672+8192 dd-77",
        "96 Q write:fsu 8,16 2097152+512 -78",
        "97 Q flush:s 8,16 0+0 -78",
        "98 Q discard: 8,16 33554432+1048576 -78",
    ];
    for name in ["7 little", "7 big", "8 little", "8 big"] {
        assert_eq!(read(name), expected, "{name}");
    }
}

#[test]
fn logs_of_fio() {
    let expected = [
        "0 Q read:s /dev/sdb 4096+4096 fio",
        "1500 Q write:s /dev/sdb 8192+512 fio",
        "1500 Q flush:s /dev/sdb 0+0 fio",
        "1500 Q discard:s /dev/sdb 0+1048576 fio",
    ];
    assert_eq!(read("iolog 2"), expected);
    let expected = [
        "7 Q read:s /dev/sdb 4096+4096 fio",
        "1507 Q write:s /dev/sdb 8192+512 fio",
        "1600 Q flush:s /dev/sdb 0+0 fio",
    ];
    assert_eq!(read("iolog 3"), expected);
}

#[test]
fn start_up() {
    let expected = [
        "2000125 Q read:sm! disk 10737418240+4096 shell-812",
        "2004225 Q read:sa disk 10737422336+4096 shell-812",
        "2004265 Q read:s disk 16106127360+32768 shell-812",
        "2014565 Q read:s! disk 536870912+8192 daemon-77",
        "2014765 Q read:sa! disk 10737426432+4096 shell-812",
    ];
    assert_eq!(read("start-up"), expected);
}

#[test]
fn volumes_of_data_centres() {
    let expected = [
        "12816637200306162 Q read:s src1,0 7014609920+24576 src1,0 took 4128",
        "12816637201638215 Q write:s src1,0 1317441536+8192 src1,0 took 196",
        "12816637202638224 Q write:s src1,1 2436440064+4096 src1,1 took 183",
    ];
    assert_eq!(read("MSR"), expected);
    let expected = [
        "1577808144360767 Q write:s 419 8792731648+16384 419",
        "1577808144360813 Q read:s 725 59110326272+360448 725",
        "1577808144361067 Q write:s 419 8792748032+4096 419",
    ];
    assert_eq!(read("Alibaba"), expected);
    let expected = [
        "1538323199000000 Q write:s 1576 53940228096+299008 1576",
        "1538323199000000 Q read:s 1301 2148368384+4096 1301",
        "1538323200000000 Q write:s 1576 53940527104+4096 1576",
    ];
    assert_eq!(read("Tencent"), expected);
    let expected = [
        "551706 Q write:s 0 10721927168+8192 0",
        "554041 Q write:s 0 10721198080+8192 0",
        "1011732 Q read:s 1 1759379456+15872 1",
    ];
    assert_eq!(read("SPC"), expected);
}

fn written(bytes: &[u8], to: Format) -> Vec<u8> {
    let mut reader = TraceReader::new(bytes, "t", ReadOptions::default()).unwrap();
    let mut writer = Writer::new(Vec::new(), to, reader.format()).unwrap();
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.names()).unwrap();
    }
    writer.finish(reader.names()).unwrap()
}

#[test]
fn what_is_written_is_read_again() {
    for (name, format, bytes) in SAMPLES.iter().filter(|sample| sample.1.is_written()) {
        let again = written(bytes, *format);
        assert_eq!(Format::detect(&again), Some(*format), "{name}");
        let lines = |bytes| lines(bytes, ReadOptions::default());
        // What has a clock of its own begins at 0.
        let (before, after) = (lines(bytes), lines(&again));
        let without_time = |lines: &[String]| -> Vec<String> {
            lines.iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
        };
        assert_eq!(without_time(&before), without_time(&after), "{name}");
        if !matches!(format, Format::Blkparse | Format::Iolog2 | Format::Iolog3) {
            assert_eq!(before, after, "{name}");
        }
    }
}

#[test]
fn completions_become_response_times_and_back() {
    let csv = written(sample("blkparse"), Format::Msr);
    let text = String::from_utf8(csv.clone()).unwrap();
    let expected = "0,8,0,Read,114426880,4096,5000\n6000,8,0,Read,114430976,65536,3500\n\
                    10001,8,0,Write,2097152,4096,9999\n10002,8,0,Write,2101248,4096,9998\n\
                    30000,8,0,Write,4608000,4096,10000\n";
    assert_eq!(text, expected);
    let text = String::from_utf8(written(&csv, Format::Blkparse)).unwrap();
    let events: Vec<&str> =
        text.lines().map(|line| line.split_whitespace().nth(5).unwrap()).collect();
    assert_eq!(events.concat(), "QCQCQQCCQC");
}

#[test]
fn requests_that_are_not_queued_begin_when_they_are_issued() {
    let text = b"8,0 0 1 0.0 697 D R 8 + 8 [cat]\n8,0 0 2 0.001 0 C R 8 + 8 [0]\n\
                 8,0 0 3 0.002 697 D R 8 + 16 [cat]\n8,0 0 4 0.004 0 C R 8 + 16 [0]\n";
    let msr = String::from_utf8(written(text, Format::Msr)).unwrap();
    assert_eq!(msr, "0,8,0,Read,4096,4096,10000\n20000,8,0,Read,4096,8192,20000\n");
    let log = String::from_utf8(written(text, Format::Iolog2)).unwrap();
    assert_eq!(log.matches(" read ").count(), 2, "{log}");
    let mut summary = trace::Summary::default();
    let reader = TraceReader::new(&text[..], "t", ReadOptions::default()).unwrap();
    reader.for_each(|record| summary.add(&record.unwrap()));
    summary.finish();
    assert_eq!((summary.requests().requests, summary.responses.count()), (2, 2));
}

#[test]
fn what_is_issued_again_is_another_request_unless_it_was_queued() {
    let requests = |text: &str| {
        let log = written(text.as_bytes(), Format::Iolog2);
        String::from_utf8(log).unwrap().matches(" read ").count()
    };
    let line = |action: char, ms: u32| format!("8,0 0 1 0.00{ms} 697 {action} R 8 + 8 [cat]\n");
    // Without completions, as of `blktrace -a issue`.
    assert_eq!(requests(&(line('D', 1) + &line('D', 2) + &line('D', 3))), 3);
    // The disk gave it back (`R`), and is given it once more.
    assert_eq!(requests(&(line('Q', 1) + &line('D', 2) + &line('R', 3) + &line('D', 4))), 1);
    assert_eq!(requests(&(line('D', 1) + &line('Q', 2) + &line('D', 3) + &line('C', 4))), 2);
}

#[test]
fn a_flush_of_a_start_up_has_no_sectors() {
    for letters in ["F", "FF", "FN", "FWS"] {
        let line = format!("sh-1 0.0 0 1000 Seq 0 1 {letters} 0.0 X\n");
        let reader = TraceReader::new(line.as_bytes(), "t", ReadOptions::default()).unwrap();
        let ops: Vec<Op> = reader.map(|record| record.unwrap().op).collect();
        assert_eq!(ops, [Op::Flush], "{letters}");
    }
}

/// Those with bytes of the command in parentheses were errors, the others flushes.
#[test]
fn commands_passed_through_to_a_disk_are_no_io() {
    let line = |rest: &str| format!("8,0 1 1 0.0 100 {rest}\n");
    for rest in [
        "D R 36 (12 00 00 00 24 00 ..) [smartctl]",
        "C R (12 00 00 00 24 00 ..) [0]",
        "D R 36 [smartctl]",
        "D W 512 (a1 08 2e ..) [hdparm]",
        "C R [0]",
        "C WS [0]",
        "Q N 0 (00 ..) [sg_turs]",
    ] {
        let trace = line("Q R 8 + 8 [cat]") + &line(rest) + &line("C R 8 + 8 [0]");
        let read = lines(trace.as_bytes(), ReadOptions::default());
        assert_eq!(read, ["0 Q read:s 8,0 4096+4096 cat-100", "0 C read:s 8,0 4096+4096"]);
    }
    // With times since the event before (`blkparse -t`).
    let trace = line("Q FWS (     210) [db]") + &line("C WS 0 (    8501) [0]");
    let read = lines(trace.as_bytes(), ReadOptions::default());
    assert_eq!(read, ["0 Q flush:s 8,0 0+0 db-100", "0 C flush:s 8,0 0+0"]);
}

#[test]
fn traces_put_together_are_read_to_the_end() {
    let bytes = sample("blkparse");
    let one = lines(bytes, ReadOptions::default());
    let two = lines(&[bytes, bytes].concat(), ReadOptions::default());
    assert_eq!(two, [&one[..], &one[..]].concat());
}

#[test]
fn compressed_traces_are_read_directly() {
    let bytes = sample("blkparse");
    let plain = lines(bytes, ReadOptions::default());
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |bytes: &[u8]| {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    };
    // A frame to be skipped: its magic, its length, three bytes.
    let skipped = [0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    let (one, other) = bytes.split_at(400);
    for compressed in [
        gzip(bytes),
        [gzip(one), gzip(other)].concat(),
        zstd(bytes),
        [zstd(one), skipped.to_vec(), zstd(other)].concat(),
        [skipped.to_vec(), zstd(bytes)].concat(),
    ] {
        assert_eq!(lines(&compressed, ReadOptions::default()), plain);
    }
}

#[test]
fn each_mistake_is_named_with_its_place() {
    let good = "  8,0    0        1     0.000000000   697  Q   R 8 + 8 [cat]\n";
    let wrong = |bytes: &[u8], format| {
        let options = ReadOptions { format: Some(format), skip_bad: false };
        let reader = TraceReader::new(bytes, "t", options);
        let mistakes = match reader {
            Err(error) => return error.to_string(),
            Ok(mut reader) => reader.find_map(Result::err),
        };
        mistakes.map_or_else(String::new, |error| error.to_string())
    };
    for (format, text, message) in [
        (
            Format::Blkparse,
            format!("{good}  8,0 0 1 0.1 697 Q R 8 + x [cat]"),
            "t:2: the number of sectors is \"x\"; expected a whole number",
        ),
        (
            Format::Blkparse,
            format!("{good}  8,0 0 1 0.1 697 Q"),
            "t:2: the line is too short; expected MAJOR,MINOR CPU SEQUENCE SECONDS.NANOSECONDS \
             PID ACTION RWBS SECTOR + SECTORS [COMMAND]",
        ),
        (
            Format::Blkparse,
            "8,0 0 1 0.1 697 Z R 8 + 8 [cat]".into(),
            "t:1: unknown action \"Z\"; expected Q, D, C or another of blkparse's actions",
        ),
        (
            Format::Blkparse,
            "8,0 0 1 0.1 697 Q WX 8 + 8 [cat]".into(),
            "t:1: unknown kind of request \"WX\"; expected letters such as R, WS, RA or FWFSM",
        ),
        (
            Format::Blkparse,
            "8,0 0 1 0.1 697 Q R 36028797018963967 + 8 [cat]".into(),
            "t:1: sector 36028797018963967 + 8; expected an end below 2^64 bytes",
        ),
        (
            Format::Startup,
            "sh 0 8 8 Seq 0 0 R 0 C".into(),
            "t:1: the process is \"sh\"; expected NAME-PID",
        ),
        (
            Format::Startup,
            "sh-1 0.0 0 1000 Seq 0 1 R 0.0 X".into(),
            "t:1: a request of 0 sectors; expected at least one",
        ),
        (
            Format::Msr,
            "128166372003061629,src1,0,Read,7014609920,24576".into(),
            "t:1: the line has 6 columns; expected \
             Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
        ),
        (
            Format::Tencent,
            "1,0,4294967296,0,7".into(),
            "t:1: the size is 4294967296; expected a number below 2^32",
        ),
        (Format::Alibaba, "4,D,0,512,1".into(), "t:1: the operation is \"D\"; expected R or W"),
        (Format::Tencent, "1,0,8,2,7".into(), "t:1: the type is \"2\"; expected 0 (read) or 1"),
        (
            Format::Spc,
            "0,1,0,W,0.1".into(),
            "t:1: I/O of 0 bytes at 512; expected at least one byte, below 2^64",
        ),
        (
            Format::Spc,
            "0,1,512,W,1e3".into(),
            "t:1: the time is \"1e3\"; expected seconds, such as 0.000000123",
        ),
        (
            Format::Iolog2,
            "fio version 4 iolog".into(),
            "t:1: this is not an I/O log that can be replayed; expected \"fio version 2 iolog\" \
             or \"fio version 3 iolog\" in the first line",
        ),
        (
            Format::Spc,
            "x".repeat(70_000),
            "t:1: the line has more than 65536 bytes; expected a line of text",
        ),
    ] {
        assert_eq!(wrong(text.as_bytes(), format), message);
    }
    let whole = sample("7 little");
    assert_eq!(
        wrong(&whole[..whole.len() - 1], Format::Blktrace),
        format!(
            "t: at byte {}: the trace ends within a record; expected a whole record",
            whole.len() - 57
        )
    );
    let junk = [&whole[..64], b"junk", &whole[64..]].concat();
    assert_eq!(
        wrong(&junk, Format::Blktrace),
        "t: at byte 64: no record begins here; expected a record of blktrace, version 7 or 8"
    );
    assert_eq!(
        TraceReader::new(&b"hello"[..], "t", ReadOptions::default()).err().unwrap().to_string(),
        "t: the format of this trace is not known; expected one of blkparse, blktrace, iolog2, \
         iolog3, startup, msr, alibaba, tencent, spc, or to be told which"
    );
    assert_eq!(
        TraceReader::new(&b""[..], "t", ReadOptions::default()).err().unwrap().to_string(),
        "t: there is nothing in this trace; expected records"
    );
}

#[test]
fn wrong_records_are_skipped_and_counted() {
    let skipping = |bytes: &[u8], format| {
        let options = ReadOptions { format: Some(format), skip_bad: true };
        let mut reader = TraceReader::new(bytes, "t", options).unwrap();
        let records = reader.by_ref().filter(Result::is_ok).count();
        (records, reader.skipped())
    };
    let lines = "419,W,0,512,1\nnonsense\n419,W,512,512,2\n\n419,W,0,0,3\n419,R,0,512,4\n";
    assert_eq!(skipping(lines.as_bytes(), Format::Alibaba), (3, 2));
    let whole = sample("8 big");
    let junk = [&whole[..80], b"eat and more junk", &whole[80..]].concat();
    assert_eq!(skipping(&junk, Format::Blktrace), (7, 1));
    assert_eq!(skipping(&whole[..whole.len() - 90], Format::Blktrace), (6, 1));
}

#[test]
fn a_trace_with_a_mistake_in_its_first_line_is_known_by_the_next() {
    for (name, format, bytes) in SAMPLES {
        if format.is_written() && format.is_of_devices() {
            let wrong_first = [b"419,W,zero,512,1\n", bytes].concat();
            assert_eq!(Format::detect(&wrong_first), Some(format), "{name}");
            let mut reader =
                TraceReader::new(&wrong_first[..], "t", ReadOptions::default()).unwrap();
            let error = reader.find_map(Result::err).expect("a mistake");
            assert_eq!(error.place, trace::TracePosition::Line(1), "{name}: {error}");
        }
    }
    let late = [&b"nonsense\n".repeat(16)[..], b"419,W,0,512,1\n"].concat();
    assert_eq!(Format::detect(&late), None, "sixteen lines are looked at");
}

#[test]
fn a_trace_in_which_every_record_is_wrong_is_an_error_also_if_they_are_skipped() {
    let options = ReadOptions { format: Some(Format::Spc), skip_bad: true };
    let mut reader = TraceReader::new(&b"0,x,512,R,1\nnonsense\n"[..], "t", options).unwrap();
    assert_eq!(
        reader.next().unwrap().unwrap_err().to_string(),
        "t:1: no record is right, 2 wrong; the first: the LBA is \"x\"; expected a whole number"
    );
    assert!(reader.next().is_none());
    assert_eq!(reader.skipped(), 2);
}

#[test]
fn a_truncated_archive_is_an_error_that_is_not_skipped() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(sample("SPC")).unwrap();
    let gzip = encoder.finish().unwrap();
    let options = ReadOptions { format: Some(Format::Spc), skip_bad: true };
    let error = match TraceReader::new(&gzip[..gzip.len() - 6], "t", options) {
        Err(error) => error,
        Ok(mut reader) => reader.find_map(Result::err).unwrap(),
    };
    assert!(error.to_string().contains("cannot read"), "{error}");
    assert!(!error.can_be_skipped);
}
