// SPDX-License-Identifier: MIT OR Apache-2.0
//! The processes and control groups of the threads that do I/O, asked for once and kept.

use crate::event::Name;
use base::text::printable;
use std::collections::BTreeMap;

/// Threads that are kept at most; beyond, all are asked for again.
pub(crate) const MOST_THREADS: usize = 1 << 14;

/// A process, or a part of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Number of the process.
    pub process: u32,
    /// Name of its program.
    pub name: String,
    /// Path of its control group; none if it had ended before it could be asked for.
    pub group: Option<String>,
    /// Whether it is a part of the kernel: whose data it writes is not known.
    pub is_kernel: bool,
}

/// Tells which process a thread belongs to.
pub trait ThreadOwners {
    /// What a thread belongs to; none if it has ended.
    fn owner(&mut self, thread: u32) -> Option<Owner>;
}

/// The threads that are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threads {
    /// By number: the name that it had when it was asked for, and whose it is.
    known: BTreeMap<u32, (Name, Owner)>,
}

impl Threads {
    /// How many are kept.
    #[cfg(test)]
    pub fn entries(&self) -> usize {
        self.known.len()
    }

    /// Whose a thread is. One that has another name is another one, or another program.
    pub fn owner(&mut self, thread: u32, name: Name, owners: &mut dyn ThreadOwners) -> &Owner {
        if self.known.len() >= MOST_THREADS && !self.known.contains_key(&thread) {
            self.known.clear();
        }
        let is_known = self.known.get(&thread).is_some_and(|(known, _)| *known == name);
        if !is_known {
            let ended = || Owner {
                process: thread,
                name: name.to_string(),
                group: None,
                is_kernel: thread == 0,
            };
            let mut who = owners.owner(thread).unwrap_or_else(ended);
            who.name = printable(&who.name);
            self.known.insert(thread, (name, who));
        }
        &self.known[&thread].1
    }

    /// Forgets all: processes move to other groups.
    pub fn forget(&mut self) {
        self.known.clear();
    }
}
