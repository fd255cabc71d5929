// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes, and the queues that they share (peers.md §5.2).

use blk::GroupId;

use super::queue::LEVELS;
use super::queue_id::QueueId;
use super::seek::SeekDistance;
use super::think_time::ThinkTime;
use base::{Class, Ioprio};

/// What is known of a process.
#[derive(Debug)]
pub(super) struct ProcessState {
    pub priority: Ioprio,
    pub group: GroupId,
    /// Of its synchronous requests; none before the first of them.
    pub queue: Option<QueueId>,
    pub think_time: ThinkTime,
    /// Generation A's measure of seeking.
    pub seek: SeekDistance,
}

impl ProcessState {
    pub fn new(now_ticks: i64, priority: Ioprio, group: GroupId) -> ProcessState {
        let think_time = ThinkTime::new(now_ticks);
        ProcessState { priority, group, queue: None, think_time, seek: SeekDistance::default() }
    }
}

/// The queues that all processes share.
#[derive(Debug, Default)]
pub(super) struct SharedQueues {
    /// Asynchronous ones by class and level; the idle class has one.
    pub by_priority: [[Option<QueueId>; LEVELS]; Class::ALL.len()],
    /// For synchronous requests without process.
    pub orphans: Option<QueueId>,
}
