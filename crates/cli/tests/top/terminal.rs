// SPDX-License-Identifier: MIT OR Apache-2.0
//! A terminal for tests: a program runs on it, keys are typed, and what it shows is read.

// Each test uses a part of it.
#![allow(dead_code)]

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// The longest that anything may take before it shows.
const PATIENCE: Duration = Duration::from_secs(60);

/// A pseudo-terminal with a program that runs on it.
pub struct Terminal {
    master: File,
    /// Held open, so that the terminal outlives the program.
    _slave: OwnedFd,
    /// All bytes that the program has written.
    written: Arc<Mutex<Vec<u8>>>,
    /// Whether that is read, by an end of the terminal of its own.
    listens: Arc<AtomicBool>,
    before: Termios,
    pub child: Child,
}

impl Terminal {
    /// Runs `program` on a terminal of that width, which is its controlling one.
    pub fn run(program: &str, arguments: &[&str], columns: u16, term: &str) -> Self {
        // No program of another test may hold it open.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave =
            open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        let before = tcgetattr(&slave).unwrap();
        set_columns(&slave, columns);
        let stdio = || Stdio::from(slave.try_clone().unwrap());
        // Whoever runs the tests may ignore the end of a terminal (nohup).
        let mut command = Command::new("env");
        command.args(["--default-signal=HUP", "setsid", "--ctty", program]).args(arguments);
        command.env("TERM", term);
        for choice in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(choice);
        }
        command.stdin(stdio()).stdout(stdio()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let master = File::from(master);
        let (mut reader, written) = (master.try_clone().unwrap(), Arc::new(Mutex::new(Vec::new())));
        let all = Arc::clone(&written);
        let listens = Arc::new(AtomicBool::new(true));
        let goes_on = Arc::clone(&listens);
        spawn(move || {
            let mut part = [0; 4096];
            while goes_on.load(Ordering::Relaxed) {
                let Ok(read @ 1..) = reader.read(&mut part) else { return };
                all.lock().unwrap().extend_from_slice(&part[..read]);
            }
        });
        Terminal { master, _slave: slave, written, listens, before, child }
    }

    /// Types these keys into it.
    pub fn keys(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Makes it wider or narrower; the program is told by a signal.
    pub fn resize(&self, columns: u16) {
        set_columns(&self.master, columns);
    }

    /// Closes it under the program, and waits for the end of that. The answer is its process.
    pub fn hang_up(self) -> u32 {
        let Terminal { master, _slave, listens, mut child, .. } = self;
        drop(_slave);
        listens.store(false, Ordering::Relaxed);
        drop(master);
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > PATIENCE {
                let _ = child.kill();
                panic!("it does not end");
            }
            sleep(Duration::from_millis(20));
        }
        child.id()
    }

    /// All that the program has written.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.written.lock().unwrap()).into_owned()
    }

    /// Waits until what is shown is as told.
    pub fn wait_for(&mut self, what: &str, is_shown: impl Fn(&str) -> bool) {
        let start = Instant::now();
        loop {
            let shown = shown(&self.written());
            if is_shown(&shown) {
                return;
            }
            if start.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("expected {what}, there is:\n{shown}");
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Waits for the end of the program, and for the terminal to be as before.
    pub fn end(&mut self) -> ExitStatus {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("it does not end");
            }
            sleep(Duration::from_millis(20));
        };
        let after = tcgetattr(&self.master).unwrap();
        let modes = |of: &Termios| (of.input_modes, of.output_modes, of.local_modes);
        assert_eq!(modes(&after), modes(&self.before), "the terminal is left as it was");
        status
    }
}

fn set_columns(terminal: impl rustix::fd::AsFd, columns: u16) {
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}

/// What a terminal shows after all that was written to it: the cursor's moves and what clears the
/// screen count, colours do not.
fn shown(written: &str) -> String {
    let mut cells: BTreeMap<(u32, u32), char> = BTreeMap::new();
    let (mut line, mut column) = (1, 1);
    let mut letters = written.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => {
                let (parameters, end) = sequence(&mut letters);
                match end {
                    'H' => {
                        let mut numbers = parameters.split(';').map(|text| text.parse().ok());
                        line = numbers.next().flatten().unwrap_or(1);
                        column = numbers.next().flatten().unwrap_or(1);
                    }
                    'J' => cells.clear(),
                    _ => {}
                }
            }
            '\r' => column = 1,
            '\n' => line += 1,
            letter => {
                cells.insert((line, column), letter);
                column += 1;
            }
        }
    }
    let last = cells.keys().next_back().map_or(0, |place| place.0);
    let text_of = |line| -> String {
        let all = cells.range((line, 0)..(line + 1, 0));
        let mut text = String::new();
        for (&(_, column), &letter) in all {
            text.extend(std::iter::repeat_n(' ', column as usize - 1 - text.chars().count()));
            text.push(letter);
        }
        text
    };
    (1..=last).map(text_of).collect::<Vec<_>>().join("\n")
}

/// The parameters of a control sequence, and the letter that ends it.
fn sequence(letters: &mut std::str::Chars<'_>) -> (String, char) {
    let mut parameters = String::new();
    for letter in letters {
        match letter {
            '[' if parameters.is_empty() => {}
            letter if letter.is_ascii_alphabetic() => return (parameters, letter),
            letter => parameters.push(letter),
        }
    }
    (parameters, ' ')
}

#[test]
fn moves_and_clearing_count_and_colours_do_not() {
    let written = "old\x1b[2J\x1b[1;1H\x1b[1mone\x1b[1;6Htwo\x1b[0m\x1b[3;2Hthree";
    assert_eq!(shown(written), "one  two\n\n three");
}
