//! What is said about mistakes, word for word.

use std::io::{self, BufRead};
use std::path::Path;

use proptest::prelude::*;

use super::section_tests::Imagined;
use super::{Surroundings, load, parse, parse_with};

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
    ("[a]|size=${X", "j.fio:2: \"${\" without \"}\"; expected ${VARIABLE}"),
    // Options that are not there.
    (
        "[a]|iodpeth=4",
        "j.fio:2: unknown option \"iodpeth\"; expected a supported option; \
         the nearest is iodepth",
    ),
    (
        "[a]|block_size=4k",
        "j.fio:2: unknown option \"block_size\"; expected a supported option; \
         the nearest is blocksize",
    ),
    (
        "[a]|size=1g|verify=crc32c",
        "j.fio:3: fio's option \"verify\" is not supported; expected a supported option; \
         the nearest is rw",
    ),
    (
        "[a]|ioscheduler=bfq",
        "j.fio:2: fio's option \"ioscheduler\" is not supported; expected a supported option; \
         the nearest is --scheduler on the command line",
    ),
    (
        "[a]|iodepth_batch=4",
        "j.fio:2: fio's option \"iodepth_batch\" is not supported; expected a supported option; \
         the nearest is iodepth",
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
        "[a]|nrfiles=2",
        "j.fio:2: bad value \"2\" for option \"nrfiles\"; expected a whole number from 1 to 1",
    ),
    ("[a]|direct=2", "j.fio:2: bad value \"2\" for option \"direct\"; expected 0 or 1"),
    ("[a]|direct=true", "j.fio:2: bad value \"true\" for option \"direct\"; expected 0 or 1"),
    // Words.
    (
        "[a]|rw=trim",
        "j.fio:2: bad value \"trim\" for option \"rw\"; expected read, write, rw, readwrite, \
         randread, randwrite or randrw",
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
        "[a]|rate_process=poisson",
        "j.fio:2: bad value \"poisson\" for option \"rate_process\"; expected linear",
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
        "[a]|filename=/dev/sda:/dev/sdb",
        "j.fio:2: bad value \"/dev/sda:/dev/sdb\" for option \"filename\"; expected one path \
         (colons in it as \\:)",
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
fn a_mistake_in_an_included_file_is_named_with_the_way_to_it() {
    let files = [
        ("inc.fio", "size=1k\ninclude deep.fio\n"),
        ("deep.fio", "\n\nbz=4k\n"),
        ("section.fio", "[b]\n"),
        ("self.fio", "include ./self.fio\n"),
        ("other.fio", "include self.fio\n"),
    ]
    .into();
    let surroundings = Imagined { files, ..Imagined::default() };
    for (file, message) in [
        (
            "inc.fio",
            "deep.fio:3: unknown option \"bz\"; expected a supported option; the nearest is bs \
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
        let error = parse_with(&text, "j.fio", &surroundings).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

/// Includes that never lead back to an open file, yet never end.
struct Endless;

impl Surroundings for Endless {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        let text = format!("include {0}x\ninclude {0}y\n", path.display());
        Ok(Box::new(io::Cursor::new(text)))
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
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
        if let Err(error) = parse_with(&text, "j.fio", &Imagined::default()) {
            prop_assert!(error.line > 0 && error.line as usize <= text.lines().count(), "{error}");
            prop_assert!(!error.what.is_empty() && !error.expected.is_empty());
        }
    }
}
