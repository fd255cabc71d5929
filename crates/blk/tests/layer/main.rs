// SPDX-License-Identifier: MIT OR Apache-2.0
//! The block layer through its public face: time lines with a scripted elevator, and random runs.

mod lab;
mod merge;
mod overdue;
mod random;
mod run;
mod submit;
mod switch;
