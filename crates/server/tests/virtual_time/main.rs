// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk of the server at work in virtual time, with clients that are a few lines each.

mod fairness;
mod faults;
mod hanging;
mod rates;
mod world;
mod zeros;
