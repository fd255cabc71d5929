// SPDX-License-Identifier: MIT OR Apache-2.0
//! Early queue merge: processes whose requests interleave to one sequential stream share a queue,
//! and part again when the stream is none any more (spec 5).

mod cooperate;
mod execute;
pub(crate) mod positions;
mod release;
pub(crate) mod saved;
mod saving;
mod schedule;
mod split;
mod stable;

use crate::units::{Sectors, Span};

/// Requests are close if no farther apart than this.
pub(crate) const CLOSE: Sectors = Sectors::of(8192);
/// A queue can be merged so long after it (re)started its I/O (a tenth of a second).
pub(crate) const WINDOWS_PER_S: u64 = 10;
/// Stable merge: farthest apart in creation, and delay before it is decided.
pub(crate) const STABLE: Span = Span::from_ms(600);
/// A split queue is not examined for think time or raises for so long.
pub(crate) const AFTER_SPLIT: Span = Span::from_ms(2000);
