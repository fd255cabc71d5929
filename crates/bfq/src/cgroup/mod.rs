// SPDX-License-Identifier: MIT OR Apache-2.0
//! What cgroups see of the scheduler: the weights that users write and read, and
//! statistics (spec 6).

mod accounting;
pub mod statistics;
pub mod weight;

#[cfg(test)]
mod offline_tests;
#[cfg(test)]
mod share_tests;
#[cfg(test)]
mod statistics_tests;
#[cfg(test)]
mod test_host;
#[cfg(test)]
mod weight_tests;
