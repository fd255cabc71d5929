//! What a group has done: counters, each with its documentation in one table (spec 6.7).

/// Counters of one kind of request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByOperation {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Discards.
    pub discards: u64,
    /// Of all these, the sync ones.
    pub sync: u64,
    /// And the others.
    pub asynchronous: u64,
}

impl ByOperation {
    /// Reads, writes and discards together.
    pub const fn total(&self) -> u64 {
        self.reads + self.writes + self.discards
    }

    pub(crate) fn add(&mut self, operation: crate::Operation, sync: bool, amount: u64) {
        *match operation {
            crate::Operation::Read => &mut self.reads,
            crate::Operation::Write => &mut self.writes,
            crate::Operation::Discard => &mut self.discards,
        } += amount;
        *if sync { &mut self.sync } else { &mut self.asynchronous } += amount;
    }

    pub(crate) fn add_all(&mut self, other: &ByOperation) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.discards += other.discards;
        self.sync += other.sync;
        self.asynchronous += other.asynchronous;
    }
}

/// The counters of a group that are always kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupStatistics {
    /// Bytes of requests inserted.
    pub service_bytes: ByOperation,
    /// Requests inserted.
    pub serviced: ByOperation,
    /// The same of groups below it that are gone.
    pub inherited_bytes: ByOperation,
    /// The same of groups below it that are gone.
    pub inherited_serviced: ByOperation,
}

impl GroupStatistics {
    /// Takes over what a member group leaves behind.
    pub(crate) fn inherit(&mut self, gone: &GroupStatistics) {
        self.inherited_bytes.add_all(&gone.service_bytes);
        self.inherited_bytes.add_all(&gone.inherited_bytes);
        self.inherited_serviced.add_all(&gone.serviced);
        self.inherited_serviced.add_all(&gone.inherited_serviced);
    }
}
