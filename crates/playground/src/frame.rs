// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be drawn of a run after it went on.

use crate::figures::ProcessFigures;
use report::timeline::Timeline;
use serde::Serialize;

/// What is to be drawn of a run after it went on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// The time to which it has come, ns.
    pub now_ns: u64,
    /// Whether it is over.
    pub has_ended: bool,
    /// Who was served, and what was decided, since the last frame; none: no process was.
    pub timeline: Option<Timeline>,
    /// The figures of all processes, in their order.
    pub processes: Vec<ProcessFigures>,
    /// Requests in the scheduler now.
    pub waiting: u32,
    /// Requests on the disk now.
    pub in_flight: u32,
    /// The control groups, with their weights now.
    pub groups: Vec<GroupAbout>,
}

/// A control group, as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupAbout {
    /// Path of the group.
    pub path: String,
    /// The weight that it has now.
    pub weight: u32,
}
