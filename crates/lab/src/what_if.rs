// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is simulated of a trace: [`split()`] makes a job file of it, with a job for each process,
//! and [`nearest()`] finds the modelled disk that is nearest to the recorded one. The results of
//! [`Simulations`](crate::Simulations) of both say what other schedulers would have done.

mod error;
mod nearest;
mod split;

pub use error::WhatIfError;
pub use fit::Traced;
pub use nearest::{Nearest, nearest};
pub use split::{Split, split};
