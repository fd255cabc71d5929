// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdict: which candidate suits which goal, how sure that is, and what was not tested.
//!
//! All pairs of candidates are [compared](crate::statistics::compare) on all metrics that count for
//! one of the goals asked for, as one family of questions: the fewer goals are asked for, the
//! sharper the answer. What was called a difference decides, and nothing else: between two
//! candidates stands the sum of the logarithms of their ratios, each with its weight. Ten times
//! better is as good as it gets, and ten points of a percentage are like twice as good.
//!
//! A candidate is recommended if none beats it, and it beats others the most; but not if it is
//! worse in what the goal is named after, for then it depends; and not if it lacks figures that
//! others have, as it may be worse there than all that was measured. Where no difference was found
//! the one that is there stays.
//!
//! What is told and what is drawn come from the same [findings](crate::statistics::Finding), and
//! only `words` turns these into words.

mod drawn;
mod figures;
mod judge;
mod outcome;
mod programs;
mod shown;
mod weights;
mod words;

pub use figures::Figure;
pub use judge::{judge, judge_file};
pub use outcome::{Advice, Answer, Disturbed, Lack, OfGoal, Pair, Verdict};
pub use programs::ProgramVerdict;
pub use weights::{Weights, WeightsError};
