// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a trace cannot be simulated process by process.

use crate::error::LabError;
use std::io;
use trace::TraceError;

/// Why a trace cannot be simulated process by process.
#[derive(Debug, thiserror::Error)]
pub enum WhatIfError {
    /// The trace could not be opened, or not be copied to where it can be read twice.
    #[error("{name}: {source}; expected a readable trace")]
    Unreadable {
        /// The name of the trace.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The trace is wrong.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// No process of the trace does what a job can do.
    #[error("{name}: no process reads or writes in it; expected one")]
    NoProcess {
        /// The name of the trace.
        name: String,
    },
    /// The trace has no times to which those of modelled disks could be near.
    #[error(
        "{name}: it does not say how long requests took, so that no disk can be chosen by it; \
         expected --device NAME"
    )]
    NoTimes {
        /// The name of the trace.
        name: String,
    },
    /// No disk of the trace's size can be modelled.
    #[error(
        "{name}: it needs a disk of {needed_bytes} bytes; expected at most {largest_bytes}, the \
         capacity of the largest disk that can be modelled"
    )]
    LargerThanAnyDisk {
        /// The name of the trace.
        name: String,
        /// Where its I/O ends.
        needed_bytes: u64,
        /// The largest capacity of a modelled disk.
        largest_bytes: u64,
    },
    /// The trace goes beyond the end of a device that was named.
    #[error(
        "{name}: it needs a disk of {needed_bytes} bytes, and {device} has {capacity_bytes}; \
         expected a larger one, as with capacity={needed_bytes}B in --device"
    )]
    BeyondDevice {
        /// The name of the trace.
        name: String,
        /// Where its I/O ends.
        needed_bytes: u64,
        /// The name of the device.
        device: String,
        /// The size of the device.
        capacity_bytes: u64,
    },
    /// There is no place for a temporary folder, or for a copy of the trace in it.
    #[error(transparent)]
    NoPlace(io::Error),
    /// There is no built-in trace of that name, or the trace cannot be simulated as is asked for.
    #[error(transparent)]
    Lab(#[from] LabError),
}

impl WhatIfError {
    /// Whether the input is wrong; if not, something failed on the way.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NoPlace(_) => false,
            Self::Lab(error) => error.is_usage(),
            Self::Unreadable { .. } | Self::Trace(_) | Self::NoProcess { .. } => true,
            Self::NoTimes { .. } | Self::LargerThanAnyDisk { .. } => true,
            Self::BeyondDevice { .. } => true,
        }
    }
}
