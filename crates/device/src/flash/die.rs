// SPDX-License-Identifier: MIT OR Apache-2.0
//! One die: reads in order of arrival, one program at a time, reads before programs.

/// What a die has to program, with all that belongs to it (garbage collection, erase).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// Running number of the unit.
    pub unit: u64,
    /// Sectors of the host in it.
    pub sectors: u32,
}

/// How long a program takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ProgramTime {
    /// With all that belongs to it, ns.
    pub whole_ns: u64,
    /// Of that, for garbage collection, ns.
    pub collection_ns: u64,
}

impl ProgramTime {
    /// How much of a wait for it is for garbage collection. When within its time a die collects is
    /// not modelled, so each part of it is as much collection as the whole is.
    pub fn collection_share_ns(&self, wait_ns: u64) -> u64 {
        let share = u128::from(wait_ns) * u128::from(self.collection_ns);
        (share / u128::from(self.whole_ns.max(1))) as u64
    }
}

/// When a die has read a page, and what it did before, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageTimes {
    /// The reads before it are done.
    pub free_ns: u64,
    /// It has got past the program, if there is one.
    pub start_ns: u64,
    /// The page is in the register.
    pub end_ns: u64,
}

/// A die and its timeline.
#[derive(Clone, Debug)]
pub(super) struct Die {
    channel: u16,
    /// When all reads that it was given so far are done.
    read_free_ns: u64,
    /// The page that the last read left in its register.
    register: Option<u64>,
    program: Option<Program>,
    program_end_ns: u64,
    program_time: ProgramTime,
    /// For how much longer reads may hold up the program.
    patience_ns: u64,
}

impl Die {
    /// A die on that channel, with nothing to do.
    pub fn new(channel: u16) -> Die {
        Die {
            channel,
            read_free_ns: 0,
            register: None,
            program: None,
            program_end_ns: 0,
            program_time: ProgramTime::default(),
            patience_ns: 0,
        }
    }

    /// The channel that it is on.
    pub fn channel(&self) -> u16 {
        self.channel
    }

    /// Reads a page, from `from_ns` on at the earliest; `kept` is
    /// the page if it stays there, none if the next read of it takes as long.
    pub fn read(
        &mut self,
        from_ns: u64,
        kept: Option<u64>,
        read_ns: u64,
        suspend_ns: u64,
    ) -> PageTimes {
        let free_ns = from_ns.max(self.read_free_ns);
        let mut start_ns = free_ns;
        if kept.is_some() && self.register == kept {
            return PageTimes { free_ns, start_ns, end_ns: start_ns };
        }
        if self.program.is_some() && self.program_end_ns > start_ns {
            let rest_ns = self.program_end_ns - start_ns;
            if self.patience_ns >= read_ns && rest_ns > suspend_ns {
                self.patience_ns -= read_ns;
                self.program_end_ns += read_ns;
                start_ns += suspend_ns;
            } else {
                start_ns = self.program_end_ns;
            }
        }
        self.register = kept;
        self.read_free_ns = start_ns + read_ns;
        PageTimes { free_ns, start_ns, end_ns: self.read_free_ns }
    }

    /// Begins to program; returns the end, which reads may put off. All of them together put it off
    /// by its own length at most, so that no program starves.
    pub fn begin_program(&mut self, from_ns: u64, program: Program, time: ProgramTime) -> u64 {
        debug_assert!(self.program.is_none(), "one program at a time");
        self.register = None;
        self.program = Some(program);
        self.program_end_ns = from_ns.max(self.read_free_ns) + time.whole_ns;
        self.program_time = time;
        self.patience_ns = time.whole_ns;
        self.program_end_ns
    }

    /// When the program ends as things stand.
    pub fn program_end_ns(&self) -> u64 {
        self.program_end_ns
    }

    /// How long the program takes that it began last, without the reads that put it off.
    pub fn program_time(&self) -> ProgramTime {
        self.program_time
    }

    /// Ends the program that is under way and gives it back; none if there is none.
    pub fn finish_program(&mut self) -> Option<Program> {
        self.program.take()
    }
}
