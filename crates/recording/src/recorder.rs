// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a recording: a record for each call of the scheduler.

use crate::{
    call::{Answer, Call},
    decision,
    format::{MAGIC, VERSION},
    line::RecordLine,
    record::{Opening, Record},
};
use bfq::{
    Time,
    why::{Decision, Observer},
};

/// Where records go: a ring, a file, a vector.
pub trait Sink {
    /// Takes all of these bytes, or none of them and answers false. They are not asked to be taken
    /// again: what is lost is counted, and told when there is room again.
    #[must_use]
    fn write(&mut self, bytes: &[u8]) -> bool;
}

/// Writes records: as the observer of a scheduler the decisions, and what else it is given.
#[derive(Debug)]
pub struct Recorder<S: Sink> {
    sink: S,
    /// Where a record is put together: kernels have little room on their stacks.
    line: RecordLine,
    /// The time of the last record in the sink.
    written_ns: u64,
    /// Records for which there was no room since the last one in the sink.
    lost: u64,
}

impl<S: Sink> Recorder<S> {
    /// Begins a recording.
    ///
    /// # Errors
    /// Gives the sink back if it has no room for the opening; what follows could not be read.
    pub fn begin(mut sink: S, now: Time, opening: &Opening) -> Result<Self, S> {
        let mut head = [VERSION; MAGIC.len() + 1];
        head[..MAGIC.len()].copy_from_slice(&MAGIC);
        if !sink.write(&head) {
            return Err(sink);
        }
        let mut recorder = Recorder { sink, line: RecordLine::new(), written_ns: 0, lost: 0 };
        recorder.record(now, &Record::Opening(*opening));
        if recorder.lost == 0 { Ok(recorder) } else { Err(recorder.sink) }
    }

    /// Adds a record of the time `now`.
    pub fn record(&mut self, now: Time, record: &Record) {
        self.add(now, |line| record.write(line));
    }

    /// Adds a call, which need not be made a [`Record`] first.
    pub(crate) fn call(&mut self, now: Time, call: &Call) {
        self.add(now, |line| call.write(line));
    }

    /// Adds the answer of the scheduler to the last call.
    pub(crate) fn answer(&mut self, now: Time, answer: &Answer) {
        self.add(now, |line| answer.write(line));
    }

    /// Adds a record of these contents, unless there is no room for it.
    fn add(&mut self, now: Time, contents: impl FnOnce(&mut RecordLine)) {
        let lost = Record::Lost { records: self.lost };
        if self.lost > 0 && !self.write(now, |line| lost.write(line)) {
            self.lost += 1;
            return;
        }
        self.lost = u64::from(!self.write(now, contents));
    }

    /// Where the records go.
    #[cfg(test)]
    pub(crate) fn sink(&self) -> &S {
        &self.sink
    }

    /// Where the records go, to change it.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// Whether the sink has taken it.
    fn write(&mut self, now: Time, contents: impl FnOnce(&mut RecordLine)) -> bool {
        let now_ns = now.as_ns();
        self.line.begin(now_ns);
        self.line.time_after(self.written_ns, now_ns);
        contents(&mut self.line);
        let written = self.sink.write(self.line.finish());
        if written {
            self.written_ns = now_ns;
        }
        written
    }
}

impl<S: Sink> Observer for Recorder<S> {
    // Inlined, it would be part of each of the functions that decide something.
    #[inline(never)]
    fn decided(&mut self, now: Time, decision: &Decision) {
        self.add(now, |line| decision::write(decision, line));
    }
}
