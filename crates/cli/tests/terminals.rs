// SPDX-License-Identifier: MIT OR Apache-2.0
//! What goes to a terminal suits it: lines fit, and one that is dumb gets letters and nothing else.

#[path = "top/terminal.rs"]
mod terminal;

use std::fs;
use std::path::Path;
use terminal::Terminal;

const JOBS: &str = "\
[global]
direct=1
rw=randread
size=64m
runtime=500ms
time_based
[a-job-with-quite-a-long-name-such-as-people-give]
cgroup=a/group/with/a/long/path
bs=16k
[another-job-with-quite-a-long-name-as-the-first-one]
cgroup=another/group/with/a/long/path
ioengine=libaio
iodepth=4
rw=read
bs=256k
";

const EXPLAIN: &str = "explain jobs.fio --job a-job-with-quite-a-long-name-such-as-people-give";

/// All that a command writes, on stdout or stderr, to a terminal of that kind and width.
fn shown(folder: &Path, arguments: &str, columns: u16, term: &str) -> String {
    // Some libraries take any terminal for one with colours where CI is set.
    let script = "export CI=1; cd \"$1\" && shift && \"$0\" \"$@\" 2>&1; echo ended with $?";
    let bfq = env!("CARGO_BIN_EXE_bfq");
    let mut words = vec!["-c", script, bfq, folder.to_str().unwrap()];
    words.extend(arguments.split(' '));
    let mut terminal = Terminal::run("sh", &words, columns, term);
    terminal.wait_for("its end", |text| text.contains("ended with 0"));
    terminal.end();
    // A terminal makes two letters of the end of a line.
    terminal.written().replace("\r\n", "\n")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("jobs.fio"), JOBS).unwrap();
    let trace = "  8,0    1        1     0.000000000   100  Q   R 8 + 8 [a]\n";
    fs::write(folder.path().join("t.txt"), trace).unwrap();
    folder
}

#[test]
fn a_dumb_terminal_gets_letters_and_nothing_else() {
    let folder = folder();
    shown(folder.path(), "sim jobs.fio --output-format json -o r.json", 80, "dumb");
    for (arguments, is_set_off_elsewhere) in [
        ("sim jobs.fio --scheduler bfq,none", true),
        ("report r.json", true),
        (EXPLAIN, true),
        ("run jobs.fio --target disk --size 128m --runtime 300ms", true),
        ("what-if t.txt --device reference-ssd", true),
        ("trace info t.txt", false),
        ("list devices", false),
        ("sim --help", true),
    ] {
        for (term, is_set_off) in [("dumb", false), ("xterm", is_set_off_elsewhere)] {
            let text = shown(folder.path(), arguments, 80, term);
            let found = text.contains('\x1b') || text.contains('\r');
            assert_eq!(found, is_set_off, "{arguments} on {term:?}: {text:?}");
        }
    }
}

#[test]
fn an_explanation_is_as_wide_as_its_terminal() {
    let folder = folder();
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
    let explain = format!("{EXPLAIN} --scheduler bfq --quiet");
    let [narrow, wide] = [80, 160].map(|columns| shown(folder.path(), &explain, columns, "dumb"));
    assert!(widest(&narrow) <= 80, "{narrow}");
    assert!((100..=160).contains(&widest(&wide)), "{wide}");
    shown(folder.path(), &format!("{explain} -o x.txt"), 160, "dumb");
    let file = fs::read_to_string(folder.path().join("x.txt")).unwrap();
    assert!((81..=100).contains(&widest(&file)), "{file}");
    let words = |text: &str| {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        words.sort();
        words
    };
    let without_end = wide.rsplit_once("ended with").unwrap().0;
    assert_eq!(words(without_end), words(&file), "wrapped, and nothing else");
}
