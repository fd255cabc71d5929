// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a session simulates: all of it, so that the same setup is always the same session.

use serde::{Deserialize, Serialize};

/// What a session simulates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The modelled disk, as `--device` has it.
    pub device: String,
    /// One to three schedulers, as `--scheduler` has them.
    pub schedulers: String,
    /// The text of a fio job file.
    pub job_file: String,
    /// Its name in messages and results.
    #[serde(default = "usual_name")]
    pub name: String,
    /// Seed of every random choice.
    #[serde(default = "usual_seed")]
    pub seed: u64,
    /// Weights that change on the way, in the order of their times.
    #[serde(default)]
    pub changes: Vec<Change>,
}

/// A group's weight changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// When, ns of virtual time.
    pub at_ns: u64,
    /// Path of the group.
    pub group: String,
    /// The weight from then on.
    pub weight: u32,
}

fn usual_name() -> String {
    "playground.fio".to_owned()
}

fn usual_seed() -> u64 {
    1
}

impl Setup {
    /// A job file on a disk under schedulers, with seed 1.
    pub fn new(device: &str, schedulers: &str, job_file: &str) -> Setup {
        Setup {
            device: device.to_owned(),
            schedulers: schedulers.to_owned(),
            job_file: job_file.to_owned(),
            name: usual_name(),
            seed: usual_seed(),
            changes: Vec::new(),
        }
    }

    /// The command that has the same results, as long as no weight changes on the way.
    pub fn command(&self) -> String {
        let Setup { device, schedulers, name, seed, .. } = self;
        format!("bfq sim {name} --device {device} --scheduler {schedulers} --seed {seed}")
    }
}
