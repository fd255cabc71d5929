// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a nanosecond of an I/O can go.

use crate::cast::ProcessNumber;
use crate::queues::Party;
use crate::record::{Doing, PoolLimit};
use bfq::why::{IdlingRule, WithholdRule};
use device::Phase;

/// Exactly one of these holds at each moment between submission and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// There is no request for it.
    Pool(PoolLimit),
    /// It is another queue's turn.
    Behind(Party, Doing),
    /// No queue has its turn: the scheduler was not asked yet.
    Nobody,
    /// It is its own queue's turn, and requests of the queue are before it.
    Own,
    /// It is its own queue's turn, and by that rule nothing goes to the device.
    OwnKept(Rule),
    /// It is its own queue's turn, and the device has only requests of others.
    OwnDeviceTaken(Option<ProcessNumber>),
    /// It was handed out, and the device has no room.
    DeviceFull,
    /// In the device, together with requests of that other process that came there before it.
    DeviceBehind(Option<ProcessNumber>),
    /// In the device, and no request of others there is older.
    Device,
    /// In a device that tells what it is doing for it, or for whom it lets it wait: the process
    /// that is known to have an older request there.
    Phase(Phase, Option<Option<ProcessNumber>>),
}

/// A [`Cause`] as results name it: processes of a job are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reason {
    pub kind: Kind,
    pub who: Option<Who>,
    pub rule: Option<Rule>,
}

/// What kind of cause it is, in the order in which an I/O meets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Pool(PoolLimit),
    BehindServed,
    BehindHeld,
    BehindIdling,
    BehindInjected,
    /// The disk is kept free for what another queue wrote.
    WriteCache,
    Nobody,
    Own,
    OwnKept,
    OwnDeviceTaken,
    DeviceFull,
    DeviceBehind,
    Device,
    Phase(Phase),
}

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    /// Another process of the same job.
    Sibling,
    Job(usize),
    /// Processes of several jobs, or something that is no process.
    Party(Party),
    Unknown,
}

/// An [`IdlingRule`] with an order; or a rule of tfq.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    Strict,
    BoostsThroughput,
    ProtectsRaised,
    Asymmetric,
    OnlyBusyQueue,
    /// What tfq says.
    Withheld(WithholdRule),
    /// Whose turn it is, is on loan: what tfq says beside that is of no account.
    OnLoan,
}

impl From<IdlingRule> for Rule {
    fn from(rule: IdlingRule) -> Self {
        match rule {
            IdlingRule::Strict => Rule::Strict,
            IdlingRule::BoostsThroughput => Rule::BoostsThroughput,
            IdlingRule::ProtectsRaised => Rule::ProtectsRaised,
            IdlingRule::Asymmetric => Rule::Asymmetric,
            IdlingRule::OnlyBusyQueue => Rule::OnlyBusyQueue,
        }
    }
}

impl From<WithholdRule> for Rule {
    fn from(rule: WithholdRule) -> Self {
        Rule::Withheld(rule)
    }
}

impl Rule {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Strict => "strict",
            Rule::BoostsThroughput => "boosts_throughput",
            Rule::ProtectsRaised => "protects_raised",
            Rule::Asymmetric => "asymmetric",
            Rule::OnlyBusyQueue => "only_busy_queue",
            Rule::OnLoan => "on_loan",
            Rule::Withheld(WithholdRule::Full) => "full",
            Rule::Withheld(WithholdRule::Unknown) => "unknown",
            Rule::Withheld(WithholdRule::Expected) => "expected",
            Rule::Withheld(WithholdRule::Alone) => "alone",
            Rule::Withheld(WithholdRule::Slot) => "slot",
            Rule::Withheld(WithholdRule::BeforeSlot) => "before_slot",
            Rule::Withheld(WithholdRule::WriteCache) => "write_cache",
            Rule::Withheld(WithholdRule::OneAtATime) => "one_at_a_time",
        }
    }

    /// Why the disk is kept for a queue, for people.
    pub fn because(self) -> &'static str {
        match self {
            Rule::Strict => "strict_guarantees is on",
            Rule::BoostsThroughput => "for throughput",
            Rule::ProtectsRaised => "its weight is raised",
            Rule::Asymmetric => "to keep the shares",
            Rule::OnlyBusyQueue => "nobody else waited",
            Rule::OnLoan => "on loan, it starts",
            Rule::Withheld(WithholdRule::Full) => "the device had enough to do",
            Rule::Withheld(WithholdRule::Unknown) => "the device was not known yet",
            Rule::Withheld(WithholdRule::Expected) => "it was expected back at once",
            Rule::Withheld(WithholdRule::Alone) => "served alone, to see what that takes",
            Rule::Withheld(WithholdRule::Slot) => "its slot",
            Rule::Withheld(WithholdRule::BeforeSlot) => "the disk had requests of others",
            Rule::Withheld(WithholdRule::WriteCache) => "the disk emptied its write cache",
            Rule::Withheld(WithholdRule::OneAtATime) => "strict is 2",
        }
    }
}

impl Kind {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Pool(PoolLimit::Whole) => "pool_full",
            Kind::Pool(PoolLimit::Part) => "pool_part_full",
            Kind::Pool(PoolLimit::Share) => "pool_share_full",
            Kind::BehindServed => "behind_served",
            Kind::BehindHeld => "behind_held",
            Kind::BehindIdling => "behind_idling",
            Kind::BehindInjected => "behind_injected",
            Kind::WriteCache => "write_cache",
            Kind::Nobody => "nobody_in_service",
            Kind::Own => "own_turn",
            Kind::OwnKept => "own_turn_kept",
            Kind::OwnDeviceTaken => "own_turn_device_taken",
            Kind::DeviceFull => "device_full",
            Kind::DeviceBehind => "device_behind",
            Kind::Device => "device",
            Kind::Phase(phase) => crate::phases::row(phase).name,
        }
    }
}
