// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device counts, in a form that tables, JSON and documentation can all be made from.

use crate::command::Command;
use base::Op;

/// One counter of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Its name: lower case, words joined by underscores, the unit last.
    pub name: &'static str,
    /// Unit of the value.
    pub unit: &'static str,
    /// What is counted, as a phrase for documents.
    pub doc: &'static str,
    /// Its value since the device was made.
    pub value: u64,
}

impl Statistic {
    pub(crate) const fn new(
        name: &'static str,
        unit: &'static str,
        doc: &'static str,
        value: u64,
    ) -> Self {
        Statistic { name, unit, doc, value }
    }
}

/// The counters that every model has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic {
    reads: u64,
    writes: u64,
    flushes: u64,
    discards: u64,
    errors: u64,
    sectors_read: u64,
    sectors_written: u64,
    sectors_discarded: u64,
}

impl Traffic {
    pub fn accepted(&mut self, command: &Command) {
        let sectors = u64::from(command.sectors);
        match command.op {
            Op::Read => {
                (self.reads, self.sectors_read) = (self.reads + 1, self.sectors_read + sectors)
            }
            Op::Write => {
                (self.writes, self.sectors_written) =
                    (self.writes + 1, self.sectors_written + sectors)
            }
            Op::Flush => self.flushes += 1,
            Op::Discard => {
                (self.discards, self.sectors_discarded) =
                    (self.discards + 1, self.sectors_discarded + sectors)
            }
        }
    }

    pub fn failed(&mut self) {
        self.errors += 1;
    }

    pub fn statistics(&self) -> Vec<Statistic> {
        vec![
            Statistic::new("reads", "commands", "reads accepted", self.reads),
            Statistic::new("writes", "commands", "writes accepted", self.writes),
            Statistic::new("flushes", "commands", "flushes accepted", self.flushes),
            Statistic::new("discards", "commands", "discards accepted", self.discards),
            Statistic::new("errors", "commands", "commands that ended with an error", self.errors),
            Statistic::new("sectors_read", "sectors", "sectors of the reads", self.sectors_read),
            Statistic::new(
                "sectors_written",
                "sectors",
                "sectors of the writes",
                self.sectors_written,
            ),
            Statistic::new(
                "sectors_discarded",
                "sectors",
                "sectors of the discards",
                self.sectors_discarded,
            ),
        ]
    }
}
