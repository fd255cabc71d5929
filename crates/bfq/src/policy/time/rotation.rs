// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose a disk with moving parts is at the moment, and what a move of its head takes.

use super::{company::Streams, seek::Seek};
use crate::{
    model::ids::{QueueId, RequestId},
    units::{Sector, Span, Time},
};

/// Whose the disk is, and what its time is charged to.
#[derive(Debug)]
pub(super) struct Rotation {
    pub holder: Option<QueueId>,
    /// Who pays for its slot, if the holder does not: a reader of the same stream.
    pub payer: Option<QueueId>,
    /// When its slot began. What passed before is no part of the slot: a slot that is over before
    /// anything is served in it would be given again and again.
    pub began: Time,
    /// What the holder was charged in its slot.
    pub used: Span,
    /// What others were charged in it that were served because the head was there.
    pub joined: Span,
    /// How long of it the disk was kept free for the holder.
    idle: Span,
    /// The streams that several queues read.
    pub streams: Streams,
    /// The time before this has been charged.
    pub charged_until: Time,
    /// What moving the head takes.
    pub seek: Seek,
    /// Who has the disk in the holder's slot: for one request, and while it reads ahead.
    pub visitor: Option<QueueId>,
    /// Where the head was before its visit.
    pub left_at: Sector,
    /// The request in the device that the head had to move for, with nothing beside it.
    pub moving: Option<(RequestId, Time)>,
}

impl Rotation {
    pub const fn new(now: Time) -> Self {
        Rotation {
            holder: None,
            payer: None,
            began: now,
            used: Span::ZERO,
            joined: Span::ZERO,
            idle: Span::ZERO,
            streams: Streams::new(),
            charged_until: now,
            seek: Seek::new(),
            visitor: None,
            left_at: Sector::FIRST,
            moving: None,
        }
    }

    /// A slot of `holder` begins, which `payer` pays for if that is another one.
    pub fn begin(&mut self, now: Time, holder: QueueId, payer: Option<QueueId>) {
        (self.holder, self.payer, self.began) = (Some(holder), payer, now);
        (self.used, self.joined, self.idle) = (Span::ZERO, Span::ZERO, Span::ZERO);
    }

    /// How long the disk was kept free for the holder in its slot.
    pub const fn idle(&self) -> Span {
        self.idle
    }

    /// The disk was kept free for a queue since the last charge.
    pub fn note_idle(&mut self, queue: QueueId, now: Time) {
        if self.is_holder(queue) {
            self.idle += now.since(self.charged_until);
        }
    }

    /// A request went to the disk past the order; it has `in_flight` now.
    pub fn bypassed(&mut self, now: Time, in_flight: u32) {
        if in_flight == 1 {
            self.charged_until = now;
        }
    }

    /// Whether it is the slot of a queue.
    pub fn is_holder(&self, queue: QueueId) -> bool {
        self.holder == Some(queue)
    }

    /// The holder was charged.
    pub fn use_slot(&mut self, charged: Span) {
        self.used += charged;
    }

    /// A queue is gone, or moved.
    pub fn forget(&mut self, queue: QueueId) {
        self.holder.take_if(|holder| *holder == queue);
        self.payer.take_if(|payer| *payer == queue);
        self.visitor.take_if(|visitor| *visitor == queue);
    }
}
