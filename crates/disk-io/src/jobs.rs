// SPDX-License-Identifier: MIT OR Apache-2.0
//! The processes of job files as a host of the loop.

use crate::drive::DriveHost;
use blk::{Command, IoError, Tag};
use runner::Runner;

impl DriveHost for Runner {
    fn complete(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>) {
        Runner::complete(self, now_ns, tag, result);
    }

    fn advance(&mut self, now_ns: u64) {
        Runner::advance(self, now_ns);
    }

    fn next_command(&mut self, now_ns: u64) -> Option<Command> {
        Runner::next_command(self, now_ns)
    }

    fn next_wake_ns(&self) -> Option<u64> {
        Runner::next_wake_ns(self)
    }

    fn finished(&self) -> bool {
        Runner::finished(self)
    }

    fn interrupt(&mut self, now_ns: u64) {
        Runner::interrupt(self, now_ns);
    }

    fn minds_contents(&self) -> bool {
        Runner::verifies(self)
    }

    fn begins(&mut self, tag: Tag) -> bool {
        Runner::begins(self, tag)
    }

    fn fill(&mut self, tag: Tag, data: &mut [u8]) {
        Runner::fill(self, tag, data);
    }

    fn ended(&mut self, tag: Tag, data: Option<&[u8]>) {
        Runner::ended(self, tag, data);
    }
}
