// SPDX-License-Identifier: MIT OR Apache-2.0
//! Low latency: queues that look interactive or soft real-time get a raised weight for a
//! while (spec 4).

mod arrival;
mod burst;
pub(crate) mod periods;
pub(crate) mod raise;
mod raises;
mod raising;
mod soft_rt;
