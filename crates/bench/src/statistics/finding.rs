// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may be said of two candidates: a finding holds no more than was found.
//!
//! An effect of a sure direction ([`Apart`]) cannot be made of an interval that holds equality, one
//! that was not told apart ([`Open`]) always holds it, and what too few rounds showed has no
//! interval at all. Sentences and drawings are made from a finding alone.

use crate::model::{Better, Matters, Metric};
use base::Interval;

/// What may be said of two candidates. Effects are the first divided by the second, or the first
/// less the second for a metric whose [`Matters`] is in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finding {
    /// One is better, and that matters.
    Apart(Apart),
    /// One is better, but by so little that it does not matter.
    Slight(Apart),
    /// It is not known which is better, or whether one is.
    Open(Open),
    /// Too few rounds to tell anything.
    TooFew {
        /// The median effect in those rounds.
        median: f64,
        /// Rounds without which nothing can be told.
        least_rounds: usize,
    },
}

/// Which of two is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The first of the two is better.
    Better,
    /// The second of the two is better.
    Worse,
}

/// An effect of which equality is no part, so its direction is sure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    effect: Interval,
    direction: Direction,
}

/// An effect of which equality is a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Open(Interval);

impl Matters {
    /// An effect seen from the other side.
    pub fn turned(self, effect: Interval) -> Interval {
        effect.map(|value| match self {
            Matters::Ratio { .. } => 1.0 / value,
            Matters::Points(_) => -value,
        })
    }
}

impl Apart {
    /// An effect on a metric; none if equality is a part of it.
    pub(super) fn new(metric: Metric, effect: Interval) -> Option<Self> {
        let info = metric.info();
        let equality = info.matters.equality();
        let more = effect.low > equality;
        let less = effect.high < equality;
        let direction = match (info.better, more) {
            (Better::Higher, true) | (Better::Lower, false) => Direction::Better,
            (Better::Higher, false) | (Better::Lower, true) => Direction::Worse,
        };
        (more || less).then_some(Apart { effect, direction })
    }

    /// How much, with its interval.
    pub fn effect(&self) -> Interval {
        self.effect
    }

    /// Which of the two is better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    fn turned(self, matters: Matters) -> Self {
        let direction = match self.direction {
            Direction::Better => Direction::Worse,
            Direction::Worse => Direction::Better,
        };
        Apart { effect: matters.turned(self.effect), direction }
    }
}

impl Open {
    /// The interval of a single question may exclude equality where many questions together leave
    /// it open; then it is widened as far as equality.
    pub(super) fn new(matters: Matters, effect: Interval) -> Self {
        let equality = matters.equality();
        let (low, high) = (effect.low.min(equality), effect.high.max(equality));
        Open(Interval { low, high, ..effect })
    }

    /// What may be, with equality in it.
    pub fn effect(&self) -> Interval {
        self.0
    }
}

impl Finding {
    /// The same of the second compared with the first.
    pub fn turned(self, matters: Matters) -> Self {
        match self {
            Finding::Apart(apart) => Finding::Apart(apart.turned(matters)),
            Finding::Slight(apart) => Finding::Slight(apart.turned(matters)),
            Finding::Open(open) => Finding::Open(Open(matters.turned(open.0))),
            Finding::TooFew { median, least_rounds } => {
                let turned = matters.turned(Interval { median, low: median, high: median });
                Finding::TooFew { median: turned.median, least_rounds }
            }
        }
    }

    /// The difference, if one is sure and matters.
    pub fn apart(&self) -> Option<&Apart> {
        match self {
            Finding::Apart(apart) => Some(apart),
            Finding::Slight(_) | Finding::Open(_) | Finding::TooFew { .. } => None,
        }
    }

    /// The interval, if there were enough rounds for one.
    pub fn interval(&self) -> Option<Interval> {
        match self {
            Finding::Apart(apart) | Finding::Slight(apart) => Some(apart.effect),
            Finding::Open(open) => Some(open.0),
            Finding::TooFew { .. } => None,
        }
    }

    /// The median effect of the rounds, also where they are too few for an interval.
    pub fn median(&self) -> f64 {
        match self {
            Finding::TooFew { median, .. } => *median,
            Finding::Apart(Apart { effect, .. })
            | Finding::Slight(Apart { effect, .. })
            | Finding::Open(Open(effect)) => effect.median,
        }
    }
}
