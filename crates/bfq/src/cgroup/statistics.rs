// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a group has done: one table of figures, and how they are shown (spec 6.7).
//!
//! Bytes and requests are always counted. The other figures cost a little for every request and
//! are kept while
//! [`Scheduler::set_detailed_statistics`](crate::Scheduler::set_detailed_statistics) is on.

use super::weight::DeviceNumber;
use crate::{
    model::request::Operation,
    units::{Sectors, Span, Time},
};
use core::fmt::{self, Display, Formatter};

/// An amount by kind of request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByOperation {
    /// Of reads, writes and discards.
    by_operation: [u64; 3],
    /// Of all these, the sync ones.
    sync: u64,
}

impl ByOperation {
    /// Amounts of reads, writes and discards, and how much of all these is sync.
    pub const fn new(by_operation: [u64; 3], sync: u64) -> Self {
        ByOperation { by_operation, sync }
    }

    /// Of an operation alone.
    pub const fn of(&self, operation: Operation) -> u64 {
        self.by_operation[operation as usize]
    }

    /// Of all operations, the sync ones.
    pub const fn sync(&self) -> u64 {
        self.sync
    }

    /// Of all operations, those that are not sync.
    pub const fn asynchronous(&self) -> u64 {
        self.total() - self.sync
    }

    /// The fields as files show them: name and value, in their order.
    pub const fn fields(&self) -> [(&'static str, u64); 6] {
        [
            ("Read", self.of(Operation::Read)),
            ("Write", self.of(Operation::Write)),
            ("Sync", self.sync),
            ("Async", self.asynchronous()),
            ("Discard", self.of(Operation::Discard)),
            ("Total", self.total()),
        ]
    }

    /// Reads, writes and discards together.
    pub const fn total(&self) -> u64 {
        let [reads, writes, discards] = self.by_operation;
        reads + writes + discards
    }

    #[inline]
    pub(crate) fn add(&mut self, operation: Operation, sync: bool, amount: u64) {
        self.by_operation[operation as usize] += amount;
        self.sync += amount * u64::from(sync);
    }

    pub(crate) fn subtract(&mut self, operation: Operation, sync: bool, amount: u64) {
        self.by_operation[operation as usize] -= amount;
        self.sync -= amount * u64::from(sync);
    }

    pub(crate) fn add_all(&mut self, other: &ByOperation) {
        let pairs = self.by_operation.iter_mut().zip(other.by_operation);
        pairs.for_each(|(sum, amount)| *sum += amount);
        self.sync += other.sync;
    }
}

/// Amounts that add up over a group and those below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupAmounts {
    /// Bytes of requests inserted.
    pub service_bytes: ByOperation,
    /// Number of requests inserted.
    pub serviced: ByOperation,
    /// Time of requests in the device.
    pub service_time_ns: ByOperation,
    /// Time of requests from their allocation until they went to the device.
    pub wait_time_ns: ByOperation,
    /// Requests absorbed by others.
    pub merged: ByOperation,
    /// Requests that wait in a queue at present; it is a level, not a sum.
    pub queued: ByOperation,
    /// Time in which a queue of the group was in service; what it was charged under tfq.
    pub in_service: Span,
}

impl GroupAmounts {
    pub(crate) fn add_all(&mut self, other: &GroupAmounts) {
        self.service_bytes.add_all(&other.service_bytes);
        self.serviced.add_all(&other.serviced);
        self.service_time_ns.add_all(&other.service_time_ns);
        self.wait_time_ns.add_all(&other.wait_time_ns);
        self.merged.add_all(&other.merged);
        self.queued.add_all(&other.queued);
        self.in_service += other.in_service;
    }
}

/// All that a group has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupStatistics {
    /// Of the group itself.
    pub own: GroupAmounts,
    /// Groups below it that are gone.
    pub inherited: GroupAmounts,
    /// Sum of the numbers of reads and writes that waited at each dispatch.
    pub queue_size_sum: u64,
    /// Number of these dispatches.
    pub queue_size_samples: u64,
    /// Time until a dispatch of the group since a request came while others were in service.
    pub group_wait: Span,
    /// Time in which the disk was kept idle for the group, until a request of it came.
    pub idle: Span,
    /// Time in which nothing of the group waited, from a dispatch to the next insertion.
    pub empty: Span,
    /// Times that a queue of the group stopped being busy.
    pub dequeues: u64,
}

impl GroupStatistics {
    /// Takes over what a member group leaves behind.
    pub(crate) fn inherit(&mut self, gone: &GroupStatistics) {
        self.inherited.add_all(&gone.own);
        self.inherited.add_all(&gone.inherited);
    }

    /// Clears all but what is always counted, and what waits.
    pub(crate) fn reset_detailed(&mut self) {
        let kept = |amounts: &GroupAmounts| GroupAmounts {
            service_bytes: amounts.service_bytes,
            serviced: amounts.serviced,
            queued: amounts.queued,
            ..GroupAmounts::default()
        };
        let (own, inherited) = (kept(&self.own), kept(&self.inherited));
        *self = GroupStatistics { own, inherited, ..GroupStatistics::default() };
    }
}

/// Since when a group waits, and since when nothing of it does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupClocks {
    pub waiting_since: Option<Time>,
    pub empty_since: Option<Time>,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Adds up over subgroups.
    ByOperation(fn(&GroupAmounts) -> ByOperation),
    /// Adds up over subgroups.
    Sum(fn(&GroupAmounts) -> u64),
    /// A figure of the group that does not add up over subgroups.
    Own(fn(&GroupStatistics) -> u64),
}

/// A figure of a group: its name, unit and meaning.
#[derive(Clone, Copy, Debug)]
pub struct GroupStatisticInfo {
    /// Its name, as behind `blkio.bfq.`; the figure for all the subtree has `_recursive` behind it.
    pub name: &'static str,
    /// The unit of its value.
    pub unit: &'static str,
    /// What the figure counts, as a phrase for documents.
    pub doc: &'static str,
    /// It is kept only while detailed statistics are on.
    pub detailed: bool,
    source: Source,
}

/// The value of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupFigure {
    /// One for each kind of request.
    ByOperation(ByOperation),
    /// One number for all requests of the group.
    Plain(u64),
}

const fn figure(
    name: &'static str,
    unit: &'static str,
    source: Source,
    doc: &'static str,
) -> GroupStatisticInfo {
    GroupStatisticInfo { name, unit, doc, detailed: true, source }
}

/// All figures of a group.
pub const GROUP_STATISTICS: [GroupStatisticInfo; 13] = [
    GroupStatisticInfo {
        name: "io_service_bytes",
        unit: "bytes",
        doc: "Bytes of the requests that came to the scheduler for the group. Bios that were added \
              to waiting requests are not counted.",
        detailed: false,
        source: Source::ByOperation(|amounts| amounts.service_bytes),
    },
    GroupStatisticInfo {
        name: "io_serviced",
        unit: "requests",
        doc: "Requests that came to the scheduler for the group.",
        detailed: false,
        source: Source::ByOperation(|amounts| amounts.serviced),
    },
    figure(
        "sectors",
        "sectors",
        Source::Sum(|amounts| {
            let bytes = amounts.service_bytes;
            Sectors::of_bytes(bytes.of(Operation::Read) + bytes.of(Operation::Write)).count()
        }),
        "Sectors of the reads and writes among io_service_bytes.",
    ),
    figure(
        "time",
        "ms",
        Source::Sum(|amounts| amounts.in_service.as_ms()),
        "Time in which a queue of the group was in service, the disk kept idle for it included; what \
         it was charged under tfq.",
    ),
    figure(
        "io_service_time",
        "ns",
        Source::ByOperation(|amounts| amounts.service_time_ns),
        "Time of the group's requests in the device, from dispatch to completion, added up.",
    ),
    figure(
        "io_wait_time",
        "ns",
        Source::ByOperation(|amounts| amounts.wait_time_ns),
        "Time of the group's requests from their allocation to their dispatch, added up.",
    ),
    figure(
        "io_merged",
        "requests",
        Source::ByOperation(|amounts| amounts.merged),
        "Waiting requests that were absorbed by their neighbours.",
    ),
    figure(
        "io_queued",
        "requests",
        Source::ByOperation(|amounts| amounts.queued),
        "Requests that wait at present.",
    ),
    figure(
        "avg_queue_size",
        "requests",
        Source::Own(|own| own.queue_size_sum.checked_div(own.queue_size_samples).unwrap_or(0)),
        "Reads and writes that waited when one of the group was dispatched (itself among them), on \
         average.",
    ),
    figure(
        "group_wait_time",
        "ns",
        Source::Own(|own| own.group_wait.as_ns()),
        "Time that the group waited to be served at all: from a request that came while no queue \
         of the group was in service to the group's next dispatch.",
    ),
    figure(
        "idle_time",
        "ns",
        Source::Own(|own| own.idle.as_ns()),
        "Time in which the disk was kept idle for the group and that a request of it ended.",
    ),
    figure(
        "empty_time",
        "ns",
        Source::Own(|own| own.empty.as_ns()),
        "Time in which nothing of the group waited, from a dispatch to the next insertion.",
    ),
    figure(
        "dequeue",
        "events",
        Source::Own(|own| own.dequeues),
        "Times that a queue of the group stopped being busy.",
    ),
];

impl GroupStatisticInfo {
    /// The figure of this name, without `_recursive`.
    pub fn from_name(name: &str) -> Option<&'static GroupStatisticInfo> {
        GROUP_STATISTICS.iter().find(|info| info.name == name)
    }

    /// Its value for the group alone, without what it inherited.
    pub fn own(&self, statistics: &GroupStatistics) -> GroupFigure {
        match self.source {
            Source::Own(value) => GroupFigure::Plain(value(statistics)),
            _ => self.amount(&statistics.own),
        }
    }

    /// Its value for a subtree, as
    /// [`recursive_group_statistics`](crate::Scheduler::recursive_group_statistics) gives it; none
    /// if the figure does not add up.
    pub fn recursive(&self, amounts: &GroupAmounts) -> Option<GroupFigure> {
        let adds_up = !matches!(self.source, Source::Own(_));
        adds_up.then(|| self.amount(amounts))
    }

    fn amount(&self, amounts: &GroupAmounts) -> GroupFigure {
        match self.source {
            Source::ByOperation(value) => GroupFigure::ByOperation(value(amounts)),
            Source::Sum(value) => GroupFigure::Plain(value(amounts)),
            Source::Own(_) => GroupFigure::Plain(0),
        }
    }
}

/// What reading a statistic of a cgroup shows: a figure for each device on which it did I/O, and,
/// if the figure goes by kind of request, the sum of all.
#[derive(Clone, Copy, Debug)]
pub struct StatisticLines<'a>(pub &'a [(DeviceNumber, GroupFigure)]);

impl Display for StatisticLines<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut sum = None;
        for &(device, figure) in self.0 {
            match figure {
                GroupFigure::Plain(value) => writeln!(f, "{device} {value}")?,
                GroupFigure::ByOperation(value) => {
                    for (field, value) in value.fields() {
                        writeln!(f, "{device} {field} {value}")?;
                    }
                    *sum.get_or_insert(0) += value.total();
                }
            }
        }
        sum.map_or(Ok(()), |sum: u64| writeln!(f, "Total {sum}"))
    }
}
