// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the literature claims of bfq and its rivals, a module a source. Many scenarios are long, so
//! these are simulated in release builds only.

pub mod announcement_2010;
pub mod documentation;
pub mod page_2008;
pub mod published;
pub mod queue_merge;
pub mod s_suite;
