// SPDX-License-Identifier: MIT OR Apache-2.0
//! The screen, through a pseudo-terminal: keys, other sizes, and every way to leave.

use crate::machine::{LoopDevice, instances, machine};
use crate::terminal::Terminal;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A screen that shows a loop device.
struct Shown {
    terminal: Terminal,
    device: LoopDevice,
    tracefs: PathBuf,
    journals: TempDir,
}

impl Shown {
    fn at(columns: u16, term: &str) -> Option<Self> {
        let (device, tracefs) = machine()?;
        let journals = tempfile::tempdir().unwrap();
        let folder = journals.path().to_str().unwrap();
        let options = ["top", device.name(), "--interval", "100ms", "--journals", folder];
        let terminal = Terminal::run(env!("CARGO_BIN_EXE_bfq"), &options, columns, term);
        Some(Shown { terminal, device, tracefs, journals })
    }

    /// Waits until an interval of the disk is shown.
    fn wait_for_disk(&mut self) {
        let title = format!("{} [", self.device.name());
        self.terminal.wait_for(&title, |shown| shown.starts_with(&title));
    }

    /// It ends well, and nothing stays.
    fn ends(mut self) {
        let status = self.terminal.end();
        assert!(status.success(), "{status}");
        let pid = self.terminal.child.id();
        assert_eq!(instances(&self.tracefs, pid), 0, "nothing stays");
        let written = self.terminal.written();
        assert!(written.contains("\x1b[?1049l"), "the other screen is left");
        assert!(written.contains("\x1b[?25h"), "the cursor is back");
    }
}

fn read(node: &Path) {
    let mut dd = Command::new("dd");
    dd.arg(format!("if={}", node.display())).args(["of=/dev/null", "bs=64k", "iflag=direct"]);
    assert!(dd.stderr(Stdio::null()).status().unwrap().success());
}

#[test]
fn keys_change_what_is_shown_and_so_does_the_size() {
    let Some(mut shown) = Shown::at(80, "xterm") else { return };
    shown.wait_for_disk();
    let node = shown.device.node.clone();
    let terminal = &mut shown.terminal;
    for (keys, part) in [
        ("", "due %"),
        ("2", "by bytes"),
        ("t", "groups by"),
        ("h", "the next disk"),
        ("x", "due %"),
        ("p", "PAUSED"),
        ("p", "groups by"),
        ("/no-such\r", "names with no-such"),
    ] {
        terminal.keys(keys);
        terminal.wait_for(part, |text| text.contains(part));
    }
    terminal.keys("\x1b");
    terminal.wait_for("all names", |text| !text.contains("names with"));
    terminal.keys("tp");
    terminal.wait_for("PAUSED", |text| text.contains("PAUSED"));
    terminal.keys("p");
    terminal.wait_for("dd", |text| {
        read(&node);
        text.lines().any(|line| line.starts_with("dd "))
    });
    terminal.resize(40);
    terminal.wait_for("fewer columns", |text| {
        text.contains("bytes/s") && text.lines().all(|line| line.chars().count() <= 40)
    });
    terminal.resize(80);
    terminal.wait_for("all columns", |text| text.contains("due %"));
    terminal.keys("q");
    shown.ends();
}

#[test]
fn it_fits_forty_columns_and_leaves_by_ctrl_c() {
    let Some(mut shown) = Shown::at(40, "xterm") else { return };
    shown.wait_for_disk();
    shown.terminal.wait_for("40 columns", |text| {
        text.contains("bytes/s") && text.lines().all(|line| line.chars().count() <= 40)
    });
    shown.terminal.keys("\x03");
    shown.ends();
}

#[test]
fn signals_end_it_as_keys_do() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let Some(mut shown) = Shown::at(80, "xterm") else { return };
        shown.wait_for_disk();
        let pid = shown.terminal.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        shown.ends();
    }
}

/// Such a terminal once was read for ever, and no signal was seen any more.
#[test]
fn it_ends_with_its_terminal_and_nothing_stays() {
    let Some(mut shown) = Shown::at(80, "xterm") else { return };
    shown.wait_for_disk();
    let Shown { terminal, device: _device, tracefs, journals } = shown;
    let pid = terminal.hang_up();
    assert_eq!(instances(&tracefs, pid), 0, "no instance stays");
    assert_eq!(fs::read_dir(journals.path()).unwrap().count(), 0, "no journal stays");
}

#[test]
fn a_dumb_terminal_gets_tables() {
    let Some(mut shown) = Shown::at(80, "dumb") else { return };
    shown.terminal.wait_for("a table", |text| text.contains("an interval of 0.1 s"));
    // Here Ctrl-C is a signal, by the terminal.
    shown.terminal.keys("\x03");
    let status = shown.terminal.end();
    assert!(status.success(), "{status}");
    let written = shown.terminal.written();
    assert!(!written.contains('\x1b'), "{written}");
    let mut said = String::new();
    shown.terminal.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(
        said.contains("this terminal cannot be drawn on") && said.contains("--batch"),
        "{said}"
    );
    assert_eq!(instances(&shown.tracefs, shown.terminal.child.id()), 0);
}
