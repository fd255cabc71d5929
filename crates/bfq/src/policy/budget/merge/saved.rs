// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a process remembers of its queue while it shares another one (spec 5.7).

use crate::{
    model::think_time::{IoBound, ThinkTime},
    policy::budget::{latency::raise::Raise, service::inject_limit::Injection},
    store::arena::key,
    units::{Time, Weight},
};

key!(
    /// Names what a process remembers.
    SavedId
);

/// State saved at a merge and restored at a split.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SavedState {
    pub base_weight: Weight,
    pub short_think_time: bool,
    pub think_time: ThinkTime,
    pub last_completion: Time,
    pub io_bound: IoBound,
    pub injection: Injection,
    pub in_large_burst: bool,
    pub was_in_burst_list: bool,
    pub coefficient: u32,
    pub raise: Raise,
}
