//! One die: reads in order of arrival, one program at a time, reads before programs.

/// What a die has to program, with all that belongs to it (garbage collection, erase).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// Running number of the unit.
    pub unit: u64,
    /// Sectors of the host in it.
    pub sectors: u32,
}

/// A die and its timeline.
#[derive(Clone, Debug, Default)]
pub(super) struct Die {
    /// When all reads that it was given so far are done.
    read_free_ns: u64,
    /// The page that the last read left in its register.
    register: Option<u64>,
    program: Option<Program>,
    program_end_ns: u64,
    /// For how much longer reads may hold up the program.
    patience_ns: u64,
}

impl Die {
    /// Reads a page, from `from_ns` on at the earliest; returns when it is in the register. `kept` is
    /// the page if it stays there, none if the next read of it takes as long.
    pub fn read(&mut self, from_ns: u64, kept: Option<u64>, read_ns: u64, suspend_ns: u64) -> u64 {
        let mut start_ns = from_ns.max(self.read_free_ns);
        if kept.is_some() && self.register == kept {
            return start_ns;
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
        self.read_free_ns
    }

    /// Begins to program; returns the end, which reads may put off. All of them together put it off
    /// by its own length at most, so that no program starves.
    pub fn begin_program(&mut self, from_ns: u64, program: Program, program_ns: u64) -> u64 {
        debug_assert!(self.program.is_none(), "one program at a time");
        self.register = None;
        self.program = Some(program);
        self.program_end_ns = from_ns.max(self.read_free_ns) + program_ns;
        self.patience_ns = program_ns;
        self.program_end_ns
    }

    /// When the program ends as things stand.
    pub fn program_end_ns(&self) -> u64 {
        self.program_end_ns
    }

    /// Ends the program.
    pub fn finish_program(&mut self) -> Option<Program> {
        self.program.take()
    }
}
