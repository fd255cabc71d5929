// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ways in which a block device can be in use, and what to do about each.

use std::fmt;
use std::path::PathBuf;

/// How a device or file is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Usage {
    /// It, or a partition of it, is mounted.
    Mounted {
        /// Name of the device.
        name: String,
        /// Folder it is mounted on.
        folder: PathBuf,
    },
    /// A volume is made of it or of a partition of it.
    Held {
        /// Name of the device.
        name: String,
        /// Name of the device that holds it, such as an array or volume.
        by: String,
    },
    /// The system swaps to it.
    Swap {
        /// The device or file.
        name: String,
    },
    /// It is a loop device's file.
    Loop {
        /// Name of the loop device that has the file.
        by: String,
    },
    /// A program, perhaps in another container, has it for itself.
    Claimed,
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Usage::Mounted { name, folder } => {
                write!(f, "in use: {name} is mounted on {}", folder.display())
            }
            Usage::Held { name, by } => write!(f, "in use: {name} is a part of {by}"),
            Usage::Swap { name } => write!(f, "in use: {name} is swap space"),
            Usage::Loop { by } => write!(f, "in use: it is the file of {by}"),
            Usage::Claimed => f.write_str("in use: another program has claimed it"),
        }
    }
}

impl Usage {
    /// What to do about it, as a sentence.
    pub fn advice(&self) -> String {
        match self {
            Usage::Mounted { folder, .. } => {
                let folder = folder.display();
                format!("Name the folder instead (bfq bench {folder}), or unmount it first.")
            }
            Usage::Held { by, .. } => format!("Take {by} apart first, or name a folder on it."),
            Usage::Swap { name } => format!("Say `swapoff {name}` first, or name a folder."),
            Usage::Loop { by } => format!("Name {by} instead, or detach it first."),
            Usage::Claimed => "End that program, or name a folder on its filesystem.".to_owned(),
        }
    }
}
