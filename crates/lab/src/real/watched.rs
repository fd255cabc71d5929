// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run on a real target with an observer inside.

use blk::{Command, IoError, Tag};
use disk_io::DriveHost;
use runner::Runner;
use sim::RunObserver;

/// A runner, and an observer that is told of each command that has ended before the runner is.
pub(crate) struct Watched<W> {
    pub runner: Runner,
    pub observer: W,
}

impl<W: RunObserver> DriveHost for Watched<W> {
    fn complete(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>) {
        self.observer.ends(now_ns, tag, result, &self.runner);
        self.runner.complete(now_ns, tag, result);
    }

    fn advance(&mut self, now_ns: u64) {
        self.runner.advance(now_ns);
    }

    fn next_command(&mut self, now_ns: u64) -> Option<Command> {
        self.runner.next_command(now_ns)
    }

    fn next_wake_ns(&self) -> Option<u64> {
        self.runner.next_wake_ns()
    }

    fn finished(&self) -> bool {
        self.runner.finished()
    }

    fn interrupt(&mut self, now_ns: u64) {
        self.runner.interrupt(now_ns);
    }

    fn minds_contents(&self) -> bool {
        self.runner.verifies()
    }

    fn begins(&mut self, tag: Tag) -> bool {
        self.runner.begins(tag)
    }

    fn fill(&mut self, tag: Tag, data: &mut [u8]) {
        self.runner.fill(tag, data);
    }

    fn ended(&mut self, tag: Tag, data: Option<&[u8]>) {
        self.runner.ended(tag, data);
    }
}
