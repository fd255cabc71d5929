// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulated disk: a model of `crates/device`, in virtual time.

use super::error::FitError;
use super::subject::{Subject, TrialRequest};
use base::{Op, SECTOR_BYTES};
use device::{Command, Completion, Device, Profile};
use std::collections::VecDeque;

/// Where the platters of a simulated disk stand at the beginning.
const SEED: u64 = 1;

/// A disk by its profile. Each trial finds it rested.
pub struct SimulatedDisk {
    profile: Profile,
    span_bytes: u64,
    writes: bool,
    disk: Device,
    /// Commands that the disk has no room for yet.
    host_queue: VecDeque<Command>,
    completions: Vec<Completion>,
    now_ns: u64,
}

impl SimulatedDisk {
    /// The first `span_bytes` of a disk, which is only read unless `writes` is set.
    pub fn new(profile: &Profile, span_bytes: u64, writes: bool) -> Self {
        let capacity_bytes = profile.capacity_sectors() * SECTOR_BYTES;
        SimulatedDisk {
            span_bytes: span_bytes.min(capacity_bytes),
            writes,
            disk: Device::from_profile(profile, SEED),
            profile: profile.clone(),
            host_queue: VecDeque::new(),
            completions: Vec::new(),
            now_ns: 0,
        }
    }

    /// Gives the disk what it has room for.
    fn feed(&mut self) {
        while self.disk.in_flight() < self.disk.depth()
            && let Some(command) = self.host_queue.pop_front()
        {
            let taken = self.disk.submit(self.now_ns, command);
            debug_assert!(taken.is_ok(), "there was room");
        }
    }
}

impl Subject for SimulatedDisk {
    fn span_bytes(&self) -> u64 {
        self.span_bytes
    }

    fn writes(&self) -> bool {
        self.writes
    }

    fn begin(&mut self, _depth: u32, _longest_bytes: u32) -> Result<(), FitError> {
        self.disk = Device::from_profile(&self.profile, SEED);
        self.host_queue.clear();
        self.now_ns = 0;
        Ok(())
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn submit(&mut self, tag: u32, request: TrialRequest) -> Result<(), FitError> {
        let op = request.op;
        let (sector, sectors) = match op {
            Op::Flush => (0, 0),
            _ => (request.offset_bytes / SECTOR_BYTES, request.length_bytes / SECTOR_BYTES as u32),
        };
        let command = Command { tag, op, sector, sectors };
        self.host_queue.push_back(command);
        self.feed();
        Ok(())
    }

    fn wait(&mut self, ended: &mut Vec<u32>) -> Result<(), FitError> {
        let stuck = || FitError::Stuck { name: self.profile.name().to_owned() };
        self.now_ns = self.disk.next_event_ns().ok_or_else(stuck)?;
        self.disk.advance(self.now_ns, &mut self.completions);
        for completion in self.completions.drain(..) {
            if completion.result.is_err() {
                return Err(FitError::Stuck { name: self.profile.name().to_owned() });
            }
            ended.push(completion.tag);
        }
        self.feed();
        Ok(())
    }
}
