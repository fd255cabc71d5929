// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who decides on the shares of a disk: its elevator, io.cost, or neither.

use crate::machine::DiskSeen;
use crate::tree::{GroupSeen, Tree};
use crate::weight::{MOST_OF_BFQ, MOST_OF_IO};
use host::DeviceNumber;
use std::fmt;

/// The elevators that share by the weights of groups.
const WEIGHING: [&str; 2] = ["bfq", "tfq"];

/// Whether an elevator shares by the weights of groups.
pub(crate) fn is_weighing(elevator: &str) -> bool {
    WEIGHING.contains(&elevator)
}

/// Who shares out a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Governor {
    /// Its elevator, by the weights for bfq.
    Elevator {
        /// Name of the elevator.
        name: String,
    },
    /// The controller io.cost, by `io.weight`, above an elevator that knows no weights.
    IoCost,
    /// An elevator that knows no weights: who has more requests waiting gets more.
    Nobody {
        /// Name of the elevator.
        elevator: String,
    },
}

impl Governor {
    /// That of a disk.
    pub fn of(seen: &DiskSeen, tree: Option<&Tree>) -> Self {
        let elevator = seen.disk.current.clone();
        if is_weighing(&elevator) {
            return Governor::Elevator { name: elevator };
        }
        match tree.is_some_and(|tree| tree.io_cost.contains(&seen.disk.device)) {
            true => Governor::IoCost,
            false => Governor::Nobody { elevator },
        }
    }

    /// The weight of a group by which it decides; none if it knows no weights.
    pub fn weight_of(&self, group: &GroupSeen, disk: DeviceNumber) -> Option<u32> {
        match self {
            Governor::Elevator { .. } => Some(group.bfq_weight_on(disk)),
            Governor::IoCost => Some(group.io_weight_on(disk)),
            Governor::Nobody { .. } => None,
        }
    }

    /// The file in which it reads the weight of a group.
    pub fn weight_file(&self, tree: &Tree, group: &GroupSeen) -> String {
        match self {
            Governor::Elevator { .. } => tree.bfq_weight_file(group),
            Governor::IoCost | Governor::Nobody { .. } => tree.io_weight_file(group),
        }
    }

    /// The weight nearest to one that its file takes.
    pub fn taken(&self, weight: u32) -> u32 {
        let most = match self {
            Governor::Elevator { .. } => MOST_OF_BFQ,
            Governor::IoCost | Governor::Nobody { .. } => MOST_OF_IO,
        };
        weight.clamp(1, most)
    }

    /// Whether it is the disk's elevator.
    pub fn is_elevator(&self) -> bool {
        matches!(self, Governor::Elevator { .. })
    }

    /// Whether weights count at all.
    pub fn weighs(&self) -> bool {
        !matches!(self, Governor::Nobody { .. })
    }
}

impl fmt::Display for Governor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Governor::Elevator { name } => write!(f, "{name} shares it by weights"),
            Governor::IoCost => f.write_str("io.cost shares it by weights"),
            Governor::Nobody { elevator } => write!(f, "{elevator} knows no weights"),
        }
    }
}
