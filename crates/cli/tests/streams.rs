// SPDX-License-Identifier: MIT OR Apache-2.0
//! No state of stdout and stderr, and no bytes in an argument, make the command panic, lose a
//! result in silence, or end with another exit code than it should.

use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The exit code of a program whose reader has gone, in a shell.
const NOBODY_READS: i32 = 141;

const JOB: &str = "\
# One reader.
[global]
direct=1
thread
rw=randread
bs=4k
size=1m
runtime=20ms
time_based
[a]
";

const TRACE: &str = "  8,0    1        1     0.000000000   100  Q   R 8 + 8 [a]\n";

/// Every subcommand, in ways that say something on stdout, on stderr or on both.
const COMMANDS: &[&str] = &[
    "--help",
    "--version",
    "sim -h",
    "list schedulers",
    "list tunables",
    "list devices",
    "list devices ssd-sata",
    "list scenarios .",
    "sim job.fio --device reference-ssd",
    "sim job.fio --device reference-ssd --scheduler bfq --output-format json",
    "sim job.fio --device reference-ssd --scheduler bfq,none --fair",
    "run job.fio --target scratch --size 1m",
    "run job.fio --target scratch --size 1m --output-format json",
    "explain job.fio --job a --device reference-ssd",
    "report r.json",
    "report r.json --format html",
    "trace info t.txt",
    "trace convert t.txt converted --to msr",
    "trace convert t.txt /dev/stdout --to msr",
    "fidelity log.csv",
    "bench --as none=fio.json",
    "bench --import fio.json",
    "bench --check .",
    "bench --check --as none=fio.json",
    "generate completions bash",
    "generate man man",
    "help exit-codes",
    "list job-options",
    "bench --restore --journals .",
    "doctor",
    "doctor --json",
    "doctor --restore --journals .",
    "top --for 1ms --json --journals .",
    "what-if t.txt",
    // Mistakes.
    "",
    "simulate",
    "sim",
    "sim nope.fio",
    "sim job.fio --frobnicate",
    "run job.fio --target scratch",
    "explain job.fio --job b",
    "report t.txt",
    "report r.json --format fairness",
    "trace info nope",
    "bench nowhere",
    "doctor nowhere",
    "top nowhere --for 1ms",
    "what-if nope",
    "bench-worker",
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("job.fio", JOB);
    write("t.txt", TRACE);
    let results = "sim job.fio --device reference-ssd --output-format json --quiet -o";
    let words = format!("{results} r.json --scheduler all");
    assert!(bfq(folder.path(), words.split(' ')).output().unwrap().status.success());
    let results = fs::read(folder.path().join("r.json")).unwrap();
    let results: Value = serde_json::from_slice(&results).unwrap();
    write("fio.json", &results["runs"][0]["fio"].to_string());
    folder
}

fn bfq(folder: &Path, arguments: impl IntoIterator<Item: AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// A pipe without a reader.
fn unread_pipe() -> Stdio {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn full_device() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn stderr_that_cannot_be_written_changes_nothing_else() {
    let folder = folder();
    for command in COMMANDS {
        let words = || bfq(folder.path(), command.split_whitespace());
        let usual = words().output().unwrap();
        assert_ne!(usual.status.code(), Some(101), "{command}: {}", told(&usual));
        for (what, stream) in [("a pipe", unread_pipe()), ("a full device", full_device())] {
            let output = words().stderr(stream).stdout(Stdio::piped()).output().unwrap();
            assert_eq!(output.status.code(), usual.status.code(), "{command}, stderr is {what}");
            let (found, expected) = (!output.stdout.is_empty(), !usual.stdout.is_empty());
            assert_eq!(found, expected, "{command}, stderr is {what}");
        }
    }
}

#[test]
fn stdout_that_cannot_be_written_is_an_error_and_one_without_a_reader_ends_quietly() {
    let folder = folder();
    // A worker tells only the process that started it, which reads its stdout.
    for command in COMMANDS.iter().filter(|&&command| command != "bench-worker") {
        let words = || bfq(folder.path(), command.split_whitespace());
        let usual = words().output().unwrap();
        let prints = !usual.stdout.is_empty();
        let code = usual.status.code();

        let output = words().stdout(full_device()).stderr(Stdio::piped()).output().unwrap();
        let (expected, said) =
            if prints { (Some(1), told(&output)) } else { (code, String::new()) };
        assert_eq!(output.status.code(), expected, "{command}, full: {}", told(&output));
        assert_eq!(said.contains("stdout: No space left on device"), prints, "{command}: {said}");

        let output = words().stdout(unread_pipe()).stderr(Stdio::piped()).output().unwrap();
        let expected = if prints { Some(NOBODY_READS) } else { code };
        assert_eq!(output.status.code(), expected, "{command}, unread: {}", told(&output));
        assert!(!told(&output).contains("roken pipe"), "{command}: {}", told(&output));
    }
}

#[test]
fn both_streams_may_be_of_no_use() {
    let folder = folder();
    for command in COMMANDS {
        let mut words = bfq(folder.path(), command.split_whitespace());
        let status = words.stdout(full_device()).stderr(full_device()).status().unwrap();
        assert!(matches!(status.code(), Some(0..=2)), "{command}: {status}");
    }
}

#[test]
fn an_argument_may_have_any_bytes() {
    let folder = folder();
    let strange = OsString::from_vec(b"j\xfe.fio".to_vec());
    for command in COMMANDS {
        let words: Vec<&OsStr> = command.split_whitespace().map(OsStr::new).collect();
        for place in 0..=words.len() {
            for replaced in [0, 1] {
                let end = (place + replaced).min(words.len());
                let mut arguments = words.clone();
                arguments.splice(place..end, [strange.as_os_str()]);
                let output = bfq(folder.path(), &arguments).output().unwrap();
                let code = output.status.code();
                assert!(matches!(code, Some(0..=2)), "{arguments:?}: {}", told(&output));
            }
        }
    }
}

#[test]
fn files_whose_names_are_not_utf8_are_files_like_any_other() {
    let folder = folder();
    let name = |text: &[u8]| OsString::from_vec(text.to_vec());
    let copy = |from: &str, to: &[u8]| {
        fs::copy(folder.path().join(from), folder.path().join(name(to))).unwrap();
    };
    let profile = include_str!("../../device/profiles/reference-ssd.toml");
    fs::write(folder.path().join("disk.toml"), profile).unwrap();
    copy("disk.toml", b"d\xfe.toml");
    copy("job.fio", b"j\xfe.fio");
    copy("r.json", b"r\xfe.json");
    copy("fio.json", b"f\xfe.json");
    copy("t.txt", b"t\xfe.txt");
    copy("t.txt", b"[a];#$\n ${B}.txt");
    copy("t.txt", b"global");
    for arguments in [
        &[
            b"sim".as_slice(),
            b"j\xfe.fio",
            b"--device",
            b"d\xfe.toml:depth=3,rotational=1",
            b"-o",
            b"o\xfe.json",
            b"--output-format",
            b"json",
        ][..],
        &[b"report", b"r\xfe.json", b"o\xfe.json", b"-o", b"o\xfe.html"],
        &[b"report", b"o\xfe.json"],
        &[b"explain", b"j\xfe.fio", b"--job", b"a", b"--device", b"d\xfe.toml"],
        &[b"list", b"devices", b"d\xfe.toml:depth=3"],
        &[b"list", b"scenarios", b"."],
        &[b"run", b"j\xfe.fio", b"--target", b"scratch\xfe", b"--size", b"1m"],
        &[b"trace", b"info", b"t\xfe.txt"],
        &[b"trace", b"convert", b"t\xfe.txt", b"-o", b"u\xfe.gz", b"--to", b"iolog3"],
        &[b"sim", b"t\xfe.txt", b"--device", b"reference-ssd"],
        &[b"sim", b"[a];#$\n ${B}.txt", b"--device", b"reference-ssd"],
        &[b"sim", b"global", b"--device", b"reference-ssd"],
        &[b"bench", b"--as", b"none=f\xfe.json"],
    ] {
        let words = arguments.iter().map(|&word| OsStr::from_bytes(word));
        let output = bfq(folder.path(), words.clone()).output().unwrap();
        let words: Vec<_> = words.collect();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", told(&output));
    }
    let results = fs::read(folder.path().join(name(b"o\xfe.json"))).unwrap();
    let results: Value = serde_json::from_slice(&results).unwrap();
    let command = results["runs"][0]["scenario"]["command"].as_str().unwrap();
    assert!(command.starts_with(r"bfq sim $'j\xfe.fio' --device "), "{command}");
}
