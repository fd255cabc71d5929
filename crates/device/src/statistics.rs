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
    /// What was accepted, by operation.
    accepted: [Accepted; Op::ALL.len()],
    errors: u64,
}

/// The commands of one operation.
#[derive(Clone, Copy, Debug, Default)]
struct Accepted {
    commands: u64,
    sectors: u64,
}

impl Traffic {
    pub fn accepted(&mut self, command: &Command) {
        let accepted = &mut self.accepted[command.op as usize];
        accepted.commands += 1;
        accepted.sectors += u64::from(command.sectors);
    }

    pub fn failed(&mut self) {
        self.errors += 1;
    }

    pub fn statistics(&self) -> Vec<Statistic> {
        let of = |op: Op| self.accepted[op as usize];
        let commands = |name, doc, op: Op| Statistic::new(name, "commands", doc, of(op).commands);
        let sectors = |name, doc, op: Op| Statistic::new(name, "sectors", doc, of(op).sectors);
        vec![
            commands("reads", "reads accepted", Op::Read),
            commands("writes", "writes accepted", Op::Write),
            commands("flushes", "flushes accepted", Op::Flush),
            commands("discards", "discards accepted", Op::Discard),
            Statistic::new("errors", "commands", "commands that ended with an error", self.errors),
            sectors("sectors_read", "sectors of the reads", Op::Read),
            sectors("sectors_written", "sectors of the writes", Op::Write),
            sectors("sectors_discarded", "sectors of the discards", Op::Discard),
        ]
    }
}
