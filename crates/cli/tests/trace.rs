// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq trace` and the replay of traces, as users meet them.

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Two processes: the second one starts when the first has read, and both wait for what they read.
const TRACE: &str = "\
  8,0    0        1     0.000000000   100  Q   R 2048 + 8 [sh]
  8,0    0        2     0.000500000     0  C   R 2048 + 8 [0]
  8,0    0        3     0.010500000   101  Q  RA 4096 + 64 [ls]
  8,0    0        4     0.010600000   101  Q  RA 4160 + 64 [ls]
  8,0    0        5     0.011000000     0  C  RA 4096 + 128 [0]
  8,0    0        6     0.031000000   101  Q   R 8192 + 8 [ls]
  8,0    0        7     0.031200000     0  C   R 8192 + 8 [0]
";

/// A folder of its own for a test, in which the binary runs.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        desk.write("t.txt", TRACE);
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The exit code, stdout and stderr.
    fn bfq(&self, arguments: &str) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
        command.args(arguments.split_whitespace()).current_dir(self.0.path());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn done(&self, arguments: &str) -> String {
        let (code, stdout, stderr) = self.bfq(arguments);
        assert_eq!(code, 0, "{arguments}: {stderr}");
        stdout
    }

    /// Runs, expects exit code 2 and one line on stderr, and gives that line.
    fn refused(&self, arguments: &str) -> String {
        let (code, stdout, stderr) = self.bfq(arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments}: {stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{arguments}: {stderr}");
        stderr.trim_end().to_owned()
    }

    fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.done(arguments)).unwrap()
    }

    /// How long a simulated replay takes, ms.
    fn replayed_ms(&self, arguments: &str) -> u64 {
        let json = self.json(&format!(
            "sim {arguments} --device reference-flat --scheduler none --output-format json --quiet"
        ));
        let job = &json["runs"][0]["fio"]["jobs"][0];
        assert_eq!(job["read"]["total_ios"], 4, "{arguments}");
        job["read"]["runtime"].as_u64().unwrap()
    }
}

#[test]
fn info_says_what_is_in_a_trace() {
    let desk = Desk::new();
    let text = desk.done("trace info t.txt");
    for line in [
        "format       blkparse",
        "records      7 in 31.2 ms",
        "requests     4, 72 KiB",
        "read-ahead   2 (50.0 %)",
        "sequential   1 (25.0 %)",
        "sizes up to  4 KiB 50 %, 32 KiB 50 %",
        "under way    2 at most",
        "device       8,0: 4 requests, bytes 1048576 to 4198400",
        "process      ls (101): 3 requests, 68 KiB",
    ] {
        assert!(text.contains(&format!("  {line}\n")), "{line} in\n{text}");
    }
    let json = desk.json("trace info t.txt t.txt --output-format json");
    assert_eq!(json["traces"].as_array().unwrap().len(), 2);
    let trace = &json["traces"][0];
    assert_eq!(trace["operations"]["read"]["requests"], 4);
    assert_eq!(trace["think_time_ns"]["N"], 1);
    assert_eq!(trace["processes"][0]["name"], "ls (101)");
}

#[test]
fn a_trace_is_replayed_at_its_times_as_a_chain_or_without_gaps() {
    let desk = Desk::new();
    // Requests of 4 to 32 KiB take well below a millisecond each; the gaps add up to 30.1 ms.
    assert_eq!(desk.replayed_ms("t.txt"), 31);
    assert_eq!(desk.replayed_ms("t.txt --replay timed"), 31);
    assert_eq!(desk.replayed_ms("t.txt --replay chain"), 30);
    assert!(desk.replayed_ms("t.txt --replay fast") < 3);
    desk.write("j.fio", "[a]\ndirect=1\nread_iolog=t.txt\nreplay_mode=chain\ngroup_reporting\n");
    assert_eq!(desk.replayed_ms("j.fio"), 30);
    desk.write(
        "half.fio",
        "[a]\ndirect=1\nread_iolog=t.txt\nreplay_mode=chain\nreplay_time_scale=50\ngroup_reporting\n",
    );
    assert_eq!(desk.replayed_ms("half.fio"), 60);
}

#[test]
fn a_converted_trace_replaces_a_file_and_nothing_else() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let desk = Desk::new();
    desk.write("o.csv", "");
    fs::set_permissions(desk.path("o.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(desk.bfq("trace convert t.txt o.csv --to msr").0, 0);
    assert_eq!(fs::metadata(desk.path("o.csv")).unwrap().permissions().mode() & 0o777, 0o640);
    symlink("/dev/null", desk.path("null")).unwrap();
    assert_eq!(desk.bfq("trace convert t.txt null --to msr").0, 0);
    assert!(desk.path("null").is_symlink(), "a device is not replaced by a file");
    let (code, _, stderr) = desk.bfq("trace convert t.txt nowhere/o.csv --to msr");
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("there is no folder nowhere"), "{stderr}");
}

/// A file of that name was written, and another one looked for.
#[test]
fn a_dash_is_a_standard_stream() {
    let desk = Desk::new();
    let table = desk.done("trace convert t.txt - --to msr --quiet");
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(!desk.path("-").exists());
    // What stood in the file that is stdout stays there.
    desk.write("all.csv", "before\n");
    let all = fs::OpenOptions::new().append(true).open(desk.path("all.csv")).unwrap();
    let mut convert = Command::new(env!("CARGO_BIN_EXE_bfq"));
    convert.args(["trace", "convert", "t.txt", "-", "--to", "msr", "--quiet"]);
    assert!(convert.current_dir(desk.0.path()).stdout(all).status().unwrap().success());
    assert_eq!(fs::read_to_string(desk.path("all.csv")).unwrap(), format!("before\n{table}"));
    // There is nothing on stdin.
    let refused = desk.refused("trace info -");
    assert!(refused.contains("there is nothing in this trace"), "{refused}");
}

#[test]
fn a_trace_is_converted_and_means_the_same() {
    let desk = Desk::new();
    for format in ["blkparse", "iolog2", "iolog3", "msr", "alibaba", "spc", "tencent"] {
        let (code, stdout, stderr) = desk.bfq(&format!("trace convert t.txt o.gz --to {format}"));
        assert_eq!((code, stdout.as_str()), (0, ""), "{stderr}");
        assert_eq!(stderr, format!("bfq: 4 requests from blkparse to {format}\n"));
        let json = desk.json("trace info o.gz --output-format json");
        assert_eq!(json["traces"][0]["format"], format);
        assert_eq!(json["traces"][0]["bytes"], 72 << 10);
    }
}

#[test]
fn mistakes_are_named() {
    let desk = Desk::new();
    desk.write("bad.txt", &format!("{TRACE}  8,0 0 8 0.04 101 Q R here + 8 [ls]\n"));
    let mistake = "bad.txt:8: the sector is \"here\"; expected a whole number";
    for (arguments, message) in [
        ("trace info bad.txt", mistake),
        ("trace convert bad.txt o.txt --to msr", mistake),
        ("sim bad.txt", mistake),
        (
            "trace info none.txt",
            "none.txt: No such file or directory (os error 2); expected a readable trace",
        ),
        (
            "trace info t.txt --format msr",
            "t.txt:1: the line has 2 columns; expected \
             Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
        ),
        (
            "sim j.fio --replay chain",
            "--replay: none of the files is a trace; expected one, or replay_mode=MODE in the job \
             file",
        ),
        (
            "sim small.fio",
            "small.fio:1: job \"a\": it needs the target up to byte 2252349571072; expected a \
             target of that size, which has 274877906944 bytes, or replay_scale=9, which divides \
             offsets",
        ),
        (
            "sim cached.fio",
            "cached.fio:2: a trace of what came below the page cache is replayed above it; \
             expected direct=1 with this trace",
        ),
        (
            "sim odd.fio",
            "odd.csv:1: I/O of 100 bytes at 512; expected multiples of 512 bytes, or \
             replay_align=512",
        ),
    ] {
        desk.write("j.fio", "[a]\nsize=1m\nnumber_ios=1\ndirect=1\n");
        desk.write("far.csv", "1,R,2252349566976,4096,1\n");
        desk.write("small.fio", "[a]\ndirect=1\nread_iolog=far.csv\n");
        desk.write("cached.fio", "[a]\ndirect=0\nread_iolog=t.txt\n");
        desk.write("odd.csv", "1,R,512,100,1\n");
        desk.write("odd.fio", "[a]\ndirect=1\nread_iolog=odd.csv\n");
        let device = if arguments.starts_with("sim") { " --device reference-flat" } else { "" };
        assert_eq!(desk.refused(&format!("{arguments}{device}")), format!("bfq: {message}"));
    }
    assert!(!desk.path("o.txt").exists(), "what cannot be converted leaves nothing");
    assert!(desk.done("trace info bad.txt --skip-bad").contains("wrong        1, passed over"));
    let (_, _, stderr) = desk.bfq("trace convert bad.txt o.txt --to spc --skip-bad");
    assert_eq!(stderr, "bfq: 4 requests from blkparse to spc; wrong records, passed over: 1\n");
    for (arguments, told) in [
        ("trace info t.txt --format csv", "no such format; there are: blkparse, "),
        ("trace info t.txt --format blkpars", "no such format; did you mean `blkparse`?"),
        ("trace convert t.txt o.txt --to mssr", "no such format; did you mean `msr`?"),
        ("trace convert t.txt o.txt --to blktrace", "it is only read; expected one of blkparse, "),
        ("trace convert t.txt o.txt --to startp", "no such format; there are: blkparse, iolog2, "),
    ] {
        let (code, _, stderr) = desk.bfq(arguments);
        assert_eq!(code, 2);
        assert!(stderr.contains(told), "{stderr}");
    }
}
