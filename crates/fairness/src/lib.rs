// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fair shares of a device's time, and how near to them processes came.
//!
//! * [`Tree`]: groups with weights, and processes in them with what each asks for; its
//!   [`shares`](Tree::shares) are the weighted max-min ones.
//! * [`judge()`]: what processes got, beside what they would have got at their fair shares.
//!
//! ```
//! use fairness::{Class, Tree, TreeProcess};
//!
//! let mut tree = Tree::new();
//! let [light, heavy] = [100, 300].map(|weight| tree.group(Tree::ROOT, weight));
//! for group in [light, heavy, heavy] {
//!     tree.process(TreeProcess { group, weight: 40, class: Class::BestEffort, demand: 1.0 });
//! }
//! assert_eq!(tree.shares(&[true, true, true]), [0.25, 0.375, 0.375]);
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod judge;
mod tree;

pub use judge::{Alone, Judged, Life, Verdict, judge};
pub use tree::{Class, Tree, TreeGroup, TreeProcess};
