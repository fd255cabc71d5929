//! Writing a recording.

use crate::{
    MAGIC, VERSION,
    line::Line,
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
    /// The time of the last record in the sink.
    written_ns: u64,
    /// Records for which there was no room since the last one in the sink.
    lost: u64,
}

impl<S: Sink> Recorder<S> {
    /// Begins a recording.
    ///
    /// # Errors
    /// Gives the sink back if it has no room for the opening; nobody could read what follows.
    pub fn begin(mut sink: S, now: Time, opening: &Opening) -> Result<Self, S> {
        let mut head = [VERSION; MAGIC.len() + 1];
        head[..MAGIC.len()].copy_from_slice(&MAGIC);
        if !sink.write(&head) {
            return Err(sink);
        }
        let mut recorder = Recorder { sink, written_ns: 0, lost: 0 };
        recorder.record(now, &Record::Opening(*opening));
        if recorder.lost == 0 { Ok(recorder) } else { Err(recorder.sink) }
    }

    /// Adds a record.
    pub fn record(&mut self, now: Time, record: &Record) {
        if self.lost > 0 && !self.write(now, &Record::Lost { records: self.lost }) {
            self.lost += 1;
            return;
        }
        self.lost = u64::from(!self.write(now, record));
    }

    /// Where the records go.
    pub fn sink(&self) -> &S {
        &self.sink
    }

    /// The same, to change it.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// Whether the sink has taken it.
    fn write(&mut self, now: Time, record: &Record) -> bool {
        let now_ns = now.as_ns();
        let mut line = Line::new(now_ns);
        line.time_after(self.written_ns, now_ns);
        record.write(&mut line);
        let written = self.sink.write(line.finish());
        if written {
            self.written_ns = now_ns;
        }
        written
    }
}

impl<S: Sink> Observer for Recorder<S> {
    fn decided(&mut self, now: Time, decision: &Decision) {
        self.record(now, &Record::Decision(*decision));
    }
}
