// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why the disk is kept for a queue, as results name it.

use bfq::why::{IdlingRule, WithholdRule};

/// An [`IdlingRule`] with an order; or a rule of tfq.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The tunable `strict_guarantees` is on.
    Strict,
    /// Moving away would cost throughput.
    BoostsThroughput,
    /// Its weight is raised.
    ProtectsRaised,
    /// The shares would not be kept.
    Asymmetric,
    /// No other queue wants the disk.
    OnlyBusyQueue,
    /// The rule that tfq named for keeping the device free.
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
            Rule::Withheld(WithholdRule::Visit) => "visit",
            Rule::Withheld(WithholdRule::ReadAhead) => "read_ahead",
        }
    }

    /// Why the disk is kept for a queue, for people.
    pub fn because(self) -> &'static str {
        match self {
            Rule::Strict => "strict_guarantees is on",
            Rule::BoostsThroughput => "for throughput",
            Rule::ProtectsRaised => "its weight is raised",
            Rule::Asymmetric => "to keep the shares",
            Rule::OnlyBusyQueue => "no other queue waited",
            Rule::OnLoan => "on loan, it starts",
            Rule::Withheld(WithholdRule::Full) => "the device had enough to do",
            Rule::Withheld(WithholdRule::Unknown) => "the device was not known yet",
            Rule::Withheld(WithholdRule::Expected) => "it was expected back at once",
            Rule::Withheld(WithholdRule::Alone) => "served alone, to see what that takes",
            Rule::Withheld(WithholdRule::Slot) => "its slot",
            Rule::Withheld(WithholdRule::BeforeSlot) => "the disk had requests of others",
            Rule::Withheld(WithholdRule::WriteCache) => "the disk emptied its write cache",
            Rule::Withheld(WithholdRule::OneAtATime) => "strict is 2",
            Rule::Withheld(WithholdRule::Visit) => "it asks now and then",
            Rule::Withheld(WithholdRule::ReadAhead) => "the disk read ahead for it",
        }
    }
}
