// SPDX-License-Identifier: MIT OR Apache-2.0
//! The policies: each decides in its own way who is served when, and keeps its own state
//! beside the model's.

pub(crate) mod budget;
pub(crate) mod time;
