// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is said about mistakes, word for word.

use std::env::VarError;
use std::io::{self, BufRead};
use std::path::Path;

use proptest::prelude::*;

use super::section_tests::Imagined;
use super::{Environment, LoadSettings, load, parse, parse_by, parse_with};
use crate::error::JobErrors;

fn error(text: &str) -> String {
    match parse(text, "j.fio") {
        Err(error) => error.to_string(),
        Ok(_) => panic!("no error for {text:?}"),
    }
}

/// Job file (`|` for line ends) and message.
const MISTAKES: &[(&str, &str)] = &[
    // Sections and lines.
    ("", "j.fio: there is no job; expected a section other than [global]"),
    ("[global]|bs=4k", "j.fio: there is no job; expected a section other than [global]"),
    (
        "bs=4k|[a]",
        "j.fio:1: option \"bs\" before the first section; expected [global] or [NAME] above it",
    ),
    ("|[a", "j.fio:2: the section has no closing bracket; expected [NAME]"),
    ("[]", "j.fio:1: the section has no name; expected [NAME] or [global]"),
    ("[a] b", "j.fio:1: \" b\" after the section; expected [NAME]"),
    ("[a]|=4k", "j.fio:2: there is no option name before \"=\"; expected OPTION=VALUE"),
    ("[a]|bs", "j.fio:2: option \"bs\" has no value; expected bs=VALUE"),
    ("[a]|bs=", "j.fio:2: option \"bs\" has no value; expected bs=VALUE"),
    ("[a]|direct=", "j.fio:2: option \"direct\" has no value; expected direct=VALUE"),
    ("[a]|size=${X", "j.fio:2: \"${\" without \"}\"; expected ${VARIABLE}"),
    (
        "[a]|bs=${NO_SUCH_BLOCK}k",
        "j.fio:2: the environment variable \"NO_SUCH_BLOCK\" is not set; \
         expected a value for it: NO_SUCH_BLOCK=VALUE bfq ...",
    ),
    // Options that are not there.
    ("[a]|iodpeth=4", "j.fio:2: unknown option \"iodpeth\"; did you mean `iodepth`?"),
    ("[a]|block_size=4k", "j.fio:2: unknown option \"block_size\"; did you mean `blocksize`?"),
    ("[a]|colour=red", "j.fio:2: unknown option \"colour\"; bfq list job-options has all"),
    (
        "[a]|size=1g|verify=md5",
        "j.fio:3: bad value \"md5\" for option \"verify\"; expected none, 0 or crc32c",
    ),
    (
        "[a]|size=1g|verify=crc32c|verify_interval=1000",
        "j.fio:4: bad value \"1000\" for option \"verify_interval\"; expected a multiple of 512",
    ),
    (
        "[a]|size=1g|bs=6k|verify=crc32c|verify_interval=4k",
        "j.fio:5: verify_interval of 4096 bytes; expected a divisor of every block size (of 6144 \
         bytes)",
    ),
    (
        "[a]|size=1g|verify_dump=1",
        "j.fio:3: fio's option \"verify_dump\" is not supported; expected a job without it, or \
         --ignore-unsupported",
    ),
    (
        "[a]|ioscheduler=bfq",
        "j.fio:2: fio's option \"ioscheduler\" is not supported; expected --scheduler on the \
         command line, or --ignore-unsupported",
    ),
    (
        "[a]|wait_for=b",
        "j.fio:2: fio's option \"wait_for\" is not supported; expected stonewall, or \
         --ignore-unsupported",
    ),
    // Numbers.
    (
        "[a]|size=1.5g",
        "j.fio:2: bad value \"1.5g\" for option \"size\"; expected a whole number with an \
         optional unit k, m, g, t or p, or a percentage",
    ),
    (
        "[a]|size=4x",
        "j.fio:2: bad value \"4x\" for option \"size\"; expected a whole number with an \
         optional unit k, m, g, t or p, or a percentage",
    ),
    (
        "[a]|size=101%",
        "j.fio:2: bad value \"101%\" for option \"size\"; expected a percentage from 1 to 100",
    ),
    (
        "[a]|size=99999999t",
        "j.fio:2: bad value \"99999999t\" for option \"size\"; expected a number below 2^64, \
         or a percentage",
    ),
    (
        "[a]|number_ios=-4",
        "j.fio:2: bad value \"-4\" for option \"number_ios\"; expected a whole number with an \
         optional unit k, m, g, t or p",
    ),
    (
        "[a]|runtime=1m30s",
        "j.fio:2: bad value \"1m30s\" for option \"runtime\"; expected a whole number with an \
         optional unit us, ms, s, m, h or d",
    ),
    (
        "[a]|thinktime=0.5s",
        "j.fio:2: bad value \"0.5s\" for option \"thinktime\"; expected a whole number with an \
         optional unit us, ms, s, m, h or d",
    ),
    (
        "[a]|runtime=99999999999d",
        "j.fio:2: bad value \"99999999999d\" for option \"runtime\"; expected a time of less \
         than 500 years",
    ),
    (
        "[a]|size=(4*",
        "j.fio:2: bad value \"(4*\" for option \"size\"; expected a number or a parenthesis, \
         or a percentage",
    ),
    (
        "[a]|iodepth=(8/0)",
        "j.fio:2: bad value \"(8/0)\" for option \"iodepth\"; expected an expression that does \
         not divide by zero",
    ),
    (
        "[a]|iodepth=(8 8)",
        "j.fio:2: bad value \"(8 8)\" for option \"iodepth\"; expected a closing parenthesis",
    ),
    (
        "[a]|numjobs=(1-2)",
        "j.fio:2: bad value \"(1-2)\" for option \"numjobs\"; expected an expression whose value \
         is from 0 to 2^53",
    ),
    (
        "[a]|numjobs=$ncpus",
        "j.fio:2: option \"numjobs\" uses $ncpus, which depends on the machine; expected a value \
         that means the same everywhere, or ${VARIABLE}",
    ),
    // Bounds.
    (
        "[a]|iodepth=0",
        "j.fio:2: bad value \"0\" for option \"iodepth\"; expected a whole number from 1 to \
         4294967295",
    ),
    (
        "[a]|prio=8",
        "j.fio:2: bad value \"8\" for option \"prio\"; expected a whole number from 0 to 7",
    ),
    (
        "[a]|prioclass=4",
        "j.fio:2: bad value \"4\" for option \"prioclass\"; expected a whole number from 0 to 3",
    ),
    (
        "[a]|cgroup_weight=0",
        "j.fio:2: bad value \"0\" for option \"cgroup_weight\"; expected a whole number from 1 \
         to 1000",
    ),
    (
        "[a]|rwmixread=101",
        "j.fio:2: bad value \"101\" for option \"rwmixread\"; expected a percentage from 0 to 100",
    ),
    (
        "[a]|nrfiles=0",
        "j.fio:2: bad value \"0\" for option \"nrfiles\"; expected a whole number from 1 to 65536",
    ),
    (
        "[a]|direct=0|nrfiles=2",
        "j.fio:3: several files of a process with direct=0; expected one file, or direct=1: the \
         modelled page cache knows one file a process",
    ),
    (
        "[a]|file_service_type=zipf",
        "j.fio:2: bad value \"zipf\" for option \"file_service_type\"; expected roundrobin, random \
         or sequential",
    ),
    (
        "[a]|random_distribution=zipf:1",
        "j.fio:2: bad value \"zipf:1\" for option \"random_distribution\"; expected zipf:THETA, a \
         number of 0 or more that is not 1, such as zipf:1.2",
    ),
    (
        "[a]|random_distribution=pareto:1",
        "j.fio:2: bad value \"pareto:1\" for option \"random_distribution\"; expected pareto:H, a \
         number above 0 and below 1, such as pareto:0.2",
    ),
    (
        "[a]|random_distribution=zoned:60/10:30/20",
        "j.fio:2: bad value \"zoned:60/10:30/20\" for option \"random_distribution\"; expected \
         shares of the I/Os that add up to 100, not to 90",
    ),
    ("[a]|zonesize=1m", "j.fio:2: zonesize without zones; expected zonemode=strided with it"),
    (
        "[a]|zonemode=strided",
        "j.fio:2: zonemode=strided without zonesize; expected zonesize=BYTES with it",
    ),
    (
        "[a]|latency_target=5ms",
        "j.fio:2: latency_target without latency_window; expected latency_window=TIME with it",
    ),
    ("[a]|direct=2", "j.fio:2: bad value \"2\" for option \"direct\"; expected 0 or 1"),
    ("[a]|direct=true", "j.fio:2: bad value \"true\" for option \"direct\"; expected 0 or 1"),
    // Words.
    (
        "[a]|rw=wipe",
        "j.fio:2: bad value \"wipe\" for option \"rw\"; expected read, write, rw, readwrite, \
         randread, randwrite, randrw, trim, randtrim, trimwrite or randtrimwrite",
    ),
    (
        "[a]|direct=0|rw=trim",
        "j.fio:3: trims with direct=0; expected direct=1: trims pass the page cache by",
    ),
    (
        "[a]|rw=read:4k:2",
        "j.fio:2: bad value \"read:4k:2\" for option \"rw\"; expected a whole number with an \
         optional unit k, m, g, t or p",
    ),
    (
        "[a]|ioengine=null",
        "j.fio:2: bad value \"null\" for option \"ioengine\"; expected sync, psync, vsync, \
         pvsync, pvsync2, libaio, io_uring or posixaio",
    ),
    (
        "[a]|rate_process=even",
        "j.fio:2: bad value \"even\" for option \"rate_process\"; expected linear or poisson",
    ),
    (
        "[a]|thinktime_blocks_type=issues",
        "j.fio:2: bad value \"issues\" for option \"thinktime_blocks_type\"; expected complete \
         or issue",
    ),
    // Block sizes.
    (
        "[a]|bs=1000",
        "j.fio:2: bad value \"1000\" for option \"bs\"; expected a multiple of 512 bytes, which \
         direct I/O needs",
    ),
    (
        "[a]|bs=4KiB",
        "j.fio:2: bad value \"4KiB\" for option \"bs\"; expected a multiple of 512 bytes, which \
         direct I/O needs (fio takes KiB for 1000 bytes, and k for 1024)",
    ),
    (
        "[a]|bs=4k,4k,4k,4k",
        "j.fio:2: bad value \"4k,4k,4k,4k\" for option \"bs\"; expected at most three values: \
         for reads, writes and trims",
    ),
    (
        "[a]|bsrange=4k",
        "j.fio:2: bad value \"4k\" for option \"bsrange\"; expected LEAST-MOST, such as 4k-32k",
    ),
    (
        "[a]|bssplit=4k/50:8k/60",
        "j.fio:2: bad value \"4k/50:8k/60\" for option \"bssplit\"; expected percentages that \
         add up to 100, not to 110",
    ),
    (
        "[a]|bssplit=4k/50:8k/20",
        "j.fio:2: bad value \"4k/50:8k/20\" for option \"bssplit\"; expected percentages that \
         add up to 100, not to 70",
    ),
    // Lists and paths.
    (
        "[a]|percentile_list=101",
        "j.fio:2: bad value \"101\" for option \"percentile_list\"; expected up to 20 numbers \
         above 0 and up to 100, such as 50:99:99.9",
    ),
    (
        "[a]|filename=a::b",
        "j.fio:2: bad value \"a::b\" for option \"filename\"; expected a path, or several with : \
         between them (colons in a path as \\:)",
    ),
    (
        "[a]|cgroup=a//b",
        "j.fio:2: bad value \"a//b\" for option \"cgroup\"; expected names with single slashes \
         between them, such as a/b",
    ),
    (
        "[a]|replay_skip=all",
        "j.fio:2: bad value \"all\" for option \"replay_skip\"; expected read, write, trim or \
         sync, with commas between them",
    ),
    // Options that don't go together.
    (
        "[a]|fadvise_hint=2",
        "j.fio:2: bad value \"2\" for option \"fadvise_hint\"; expected 0, 1, random or sequential",
    ),
    (
        "[a]|rate=1m|rate_iops=10",
        "j.fio:3: both rate and rate_iops are given; expected one of them: fio excludes the other",
    ),
    (
        "[a]|thinktime=10|thinktime_spin=20",
        "j.fio:3: thinktime_spin is longer than thinktime; expected at most thinktime",
    ),
    (
        "[a]|rw=read:3",
        "j.fio:2: holes of 3 bytes between I/Os; expected a multiple of 512 bytes, which direct \
         I/O needs",
    ),
    (
        "[a]|offset=1000",
        "j.fio:2: offset of 1000 bytes; expected a multiple of 512 bytes, which direct I/O needs",
    ),
    // Other files.
    (
        "[a]|include missing.fio",
        "j.fio:2: cannot read include missing.fio: no such file; expected a readable file",
    ),
    (
        "[a]|read_iolog=missing.log",
        "j.fio:2: cannot read the I/O log missing.log: no such file; expected a readable file",
    ),
];

#[test]
fn each_mistake_is_named_with_its_line_and_what_was_expected() {
    for (text, message) in MISTAKES {
        let text = text.replace('|', "\n");
        let error = parse_with(&text, "j.fio", &Imagined::default());
        let Err(error) = error else { panic!("no error for {text:?}") };
        assert_eq!(error.to_string(), *message, "{text:?}");
    }
}

#[test]
fn all_mistakes_of_a_file_are_told_in_the_order_of_its_lines() {
    let text = "
[global]
iodpeth=4
[a
[a]
size=1.5g
offset=1000
rate=1m
rate_iops=10
include missing.fio
[b]
direct=2
";
    let error = parse_with(text, "j.fio", &Imagined::default()).unwrap_err();
    let lines: Vec<u32> = error.iter().map(|mistake| mistake.line).collect();
    assert_eq!(lines, [3, 4, 6, 7, 9, 10, 12]);
    let told = error.to_string();
    assert!(told.starts_with("7 mistakes:\n  j.fio:3: unknown option \"iodpeth\""), "{told}");
    assert_eq!(told.lines().count(), 8);
}

#[test]
fn a_mistake_in_a_global_section_is_told_once() {
    let error = parse("[global]\noffset=1000\n[a]\n[b]\n[c]\n", "j.fio").unwrap_err();
    assert_eq!(error.iter().count(), 1, "{error}");
}

#[test]
fn unsupported_options_are_ignored_if_that_is_wanted_and_named() {
    let text = "[a]\ndirect=1\nverify_dump=1\nnice=3\n[b]\ndirect=1\n";
    let settings = LoadSettings { ignore_unsupported: true, ..LoadSettings::default() };
    let jobs = parse_by(text, "j.fio", &settings, &Imagined::default()).unwrap();
    let notes: Vec<(u32, &str)> =
        crate::notes(&jobs).into_iter().map(|note| (note.line, note.text.as_str())).collect();
    assert_eq!(
        notes,
        [
            (3, "option \"verify_dump\" is not supported, and is ignored"),
            (4, "option \"nice\" is not supported, and is ignored"),
        ]
    );
    // What fio has not either stays a mistake.
    let error = parse_by("[a]\nbz=1\n", "j.fio", &settings, &Imagined::default());
    assert!(error.is_err());
}

#[test]
fn a_replay_cannot_be_verified() {
    let told = error("[a]\nverify=crc32c\nread_iolog=no-such-log\n");
    let expected = "j.fio:2: verify with read_iolog; expected one of them";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn a_mistake_in_an_included_file_is_named_with_the_way_to_it() {
    let files = [
        ("inc.fio", "size=1k\ninclude deep.fio\n"),
        ("deep.fio", "\n\nbz=4k\n"),
        ("section.fio", "[b]\n"),
        ("self.fio", "include ./self.fio\n"),
        ("other.fio", "include self.fio\n"),
    ]
    .into();
    let environment = Imagined { files, ..Imagined::default() };
    for (file, message) in [
        (
            "inc.fio",
            "deep.fio:3: unknown option \"bz\"; did you mean `bs`? \
             (included from inc.fio:2) (included from j.fio:2)",
        ),
        (
            "section.fio",
            "section.fio:1: a section in an included file; expected options only \
             (included from j.fio:2)",
        ),
        (
            "other.fio",
            "self.fio:1: include ./self.fio: the file includes itself; expected a file that does \
             not lead back to this one (included from other.fio:1) (included from j.fio:2)",
        ),
        (
            "./j.fio",
            "j.fio:2: include ./j.fio: the file includes itself; expected a file that does not \
             lead back to this one",
        ),
    ] {
        let text = format!("[a]\ninclude {file}\n");
        let error = parse_with(&text, "j.fio", &environment).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

/// Includes that never lead back to an open file, yet never end.
struct Endless;

impl Environment for Endless {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        let text = format!("include {0}x\ninclude {0}y\n", path.display());
        Ok(Box::new(io::Cursor::new(text)))
    }

    fn variable(&self, _: &str) -> Result<String, VarError> {
        Err(VarError::NotPresent)
    }
}

#[test]
fn endless_includes_end_in_an_error() {
    let error = parse_with("[a]\ninclude x\n", "j.fio", &Endless).unwrap_err().to_string();
    let message = "xxxxxxxxxxxxxxxx:1: too many includes; expected at most 16 files within each \
                   other, 1000 in all";
    assert!(error.starts_with(message), "{error}");
}

#[test]
fn a_job_file_that_cannot_be_read_is_an_error() {
    let error = load(Path::new("does/not/exist.fio")).unwrap_err().to_string();
    assert!(error.starts_with("does/not/exist.fio: No such file"), "{error}");
    assert!(error.ends_with("expected a readable job file"), "{error}");
}

#[test]
fn deep_nesting_of_parentheses_is_an_error_not_a_crash() {
    let text = format!("[a]\nsize={}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    assert!(error(&text).ends_with("expected fewer parentheses, or a percentage"));
}

fn option_name() -> impl Strategy<Value = String> {
    let names: Vec<&str> = super::options::names().collect();
    prop_oneof![4 => proptest::sample::select(names).prop_map(str::to_string), 1 => "[a-z_]{0,9}"]
}

fn option_value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,3}(k|m|g|ms|s|%)?",
        "[(0-9+*/%^.)kms-]{0,20}",
        "(rand)?(read|write|rw)(:[0-9]{1,4}k?)?",
        "[0-9]{1,2}k?([-:/,][0-9]{1,2}k?){0,3}",
        ".{0,20}",
        "\\$\\{?[A-Za-z]{0,8}\\}?",
    ]
}

proptest! {
    #[test]
    fn arbitrary_text_is_a_job_file_or_an_error(text in "(?s).{0,200}") {
        let _ = parse_with(&text, "j.fio", &Imagined::default());
    }

    #[test]
    fn arbitrary_options_are_jobs_or_errors_with_a_line(
        lines in prop::collection::vec((option_name(), prop::option::of(option_value())), 0..12)
    ) {
        let mut text = String::from("[a]\n");
        for (name, value) in &lines {
            match value {
                Some(value) => text.push_str(&format!("{name}={value}\n")),
                None => text.push_str(&format!("{name}\n")),
            }
        }
        let result = parse_with(&text, "j.fio", &Imagined::default());
        for error in result.as_ref().err().into_iter().flat_map(JobErrors::iter) {
            prop_assert!(error.line > 0 && error.line as usize <= text.lines().count(), "{error}");
            let says_it = error.what.starts_with("unknown option");
            prop_assert!(!error.what.is_empty() && (says_it || !error.expected.is_empty()));
        }
    }
}
