// SPDX-License-Identifier: MIT OR Apache-2.0
//! A server in a process of its own, so that its descriptors, memory and log are its own alone. The
//! process is this test program, told by the environment which of its tests is the server.

use crate::set_up::{MIB, Place, until};
use std::fs::{self, File};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

/// A server in a process of its own.
pub struct Served {
    pub place: Place,
    child: Child,
}

impl Served {
    /// The test of this name serves the folder that this variable names, and stops when its
    /// standard input ends.
    pub fn start(test: &str, variable: &str) -> Served {
        Served::start_in(Place::new(), test, variable)
    }

    /// The same with a folder in which something is prepared.
    pub fn start_in(place: Place, test: &str, variable: &str) -> Served {
        place.file("a", 16 * MIB);
        place.file("b", 16 * MIB);
        let log = File::create(place.path("log")).expect("a log");
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", test, "--nocapture"])
            .env(variable, place.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("a child");
        let served = Served { place, child };
        until("the child listens", || served.connect().is_some());
        served
    }

    pub fn connect(&self) -> Option<UnixStream> {
        UnixStream::connect(self.place.path("socket")).ok()
    }

    pub fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.child.id())).expect("its descriptors").count()
    }

    pub fn resident_bytes(&self) -> u64 {
        self.status("VmRSS") * 1024
    }

    pub fn threads(&self) -> u64 {
        self.status("Threads")
    }

    /// A number of the kernel's about the process.
    fn status(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("its status");
        let line = status.lines().find(|line| line.starts_with(name)).expect("a line");
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// Stops the server, and returns the lines of its log.
    pub fn stop(mut self) -> Vec<String> {
        drop(self.child.stdin.take());
        assert!(self.child.wait().expect("an end").success());
        let log = fs::read_to_string(self.place.path("log")).expect("a log");
        log.lines().map(ToOwned::to_owned).collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It has ended already, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
