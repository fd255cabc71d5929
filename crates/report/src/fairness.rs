// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fairly a run shared the device's time.

use serde::{Deserialize, Serialize};

/// How fairly the device's time was shared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fairness {
    /// The least R of a process; absent if none is due anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<f64>,
    /// Useful time: the part of the time that the device would have needed for what all got, had
    /// it served them one by one, each as if alone. Above 1 where it serves several at once.
    pub useful: f64,
    /// The processes, in the order of jobs and clones.
    pub processes: Vec<ProcessFairness>,
    /// The groups, parents first; empty if no job names one.
    pub groups: Vec<GroupFairness>,
}

/// What a process got, beside its fair share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessFairness {
    /// The job's place among all, from 0.
    pub job: usize,
    /// The job's name.
    pub jobname: String,
    /// Which of the job's processes, from 0.
    pub clone: u32,
    /// Its weight in its group.
    pub weight: u32,
    /// The part of the device's time that it uses when it is alone, 0 to 1.
    pub demand: f64,
    /// The part of the device's time that it was due, 0 to 1.
    pub share: f64,
    /// Bytes a second that it got.
    pub bw_bytes: u64,
    /// Bytes a second that it gets alone.
    pub alone_bw_bytes: u64,
    /// Bytes a second that it gets at its share.
    pub fair_bw_bytes: u64,
    /// The rate that it got, of that at its share; absent if it is due nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r: Option<f64>,
}

/// What a group's processes got, beside their fair shares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupFairness {
    /// Path of the group.
    pub path: String,
    /// The part of the device's time that they were due, 0 to 1.
    pub share: f64,
    /// The time that they would have needed alone for what they got, of the time that they were
    /// due; absent if they are due nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r: Option<f64>,
}
