// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the layer allows to be merged, whatever an elevator finds (peers.md §1.2, bfq.md §2.7).

use crate::bio::Bio;
use crate::ids::GroupId;
use crate::request::Request;
use base::IoprioValue;

/// The layer's side of a merge: limits of size, and what is known of the process whose bio (or
/// request) wants to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeRules {
    /// The group of the process that issues the bio; the root if there is none.
    pub group: GroupId,
    /// The ioprio of that process.
    pub ioprio: IoprioValue,
    /// The largest request that may result, sectors.
    pub max_sectors: u32,
    /// Only the cheapest attempt is wanted (`nomerges` = 1).
    pub one_hit_only: bool,
}

impl MergeRules {
    /// The precondition: same operation, group and ioprio, and a request that still can grow. Says
    /// nothing of place and size.
    pub fn admits(&self, bio: &Bio, request: &Request) -> bool {
        request.mergeable()
            && bio.op == request.op
            && self.group == request.group
            && self.ioprio == request.ioprio
    }

    /// Whether the request is not too large with the bio.
    pub fn fits(&self, bio: &Bio, request: &Request) -> bool {
        bio.sectors <= self.max_sectors.saturating_sub(request.sectors)
    }

    /// [`admits`](MergeRules::admits) for the merge of two requests.
    pub fn admits_request(&self, survivor: &Request, absorbed: &Request) -> bool {
        survivor.mergeable()
            && absorbed.mergeable()
            && survivor.op == absorbed.op
            && survivor.group == absorbed.group
            && survivor.ioprio == absorbed.ioprio
    }

    /// [`fits`](MergeRules::fits) for the merge of two requests.
    pub fn fits_request(&self, survivor: &Request, absorbed: &Request) -> bool {
        absorbed.sectors <= self.max_sectors.saturating_sub(survivor.sectors)
    }
}
