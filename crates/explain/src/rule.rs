// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why the disk is kept for a queue, as results name it.

use bfq::why::IdlingRule;

/// An [`IdlingRule`] with an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    Strict,
    BoostsThroughput,
    ProtectsRaised,
    Asymmetric,
    OnlyBusyQueue,
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

impl Rule {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Strict => "strict",
            Rule::BoostsThroughput => "boosts_throughput",
            Rule::ProtectsRaised => "protects_raised",
            Rule::Asymmetric => "asymmetric",
            Rule::OnlyBusyQueue => "only_busy_queue",
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
        }
    }
}
