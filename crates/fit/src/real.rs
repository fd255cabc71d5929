// SPDX-License-Identifier: MIT OR Apache-2.0
//! A real disk: a file or device behind the block layer.

use super::error::FitError;
use super::subject::{Subject, TrialRequest};
use disk_io::{Completion, Engine, EngineSettings, Io, Target};
use std::time::{Duration, Instant};

/// How long a wait may take before it is asked whether to go on.
const PATIENCE: Duration = Duration::from_millis(100);

/// A file or block device, by io_uring.
pub struct RealDisk<'a> {
    target: &'a Target,
    writes: bool,
    interrupted: &'a dyn Fn() -> bool,
    engine: Option<Engine>,
    completions: Vec<Completion>,
    began: Instant,
}

impl<'a> RealDisk<'a> {
    /// The disk behind an open target, which is written to only if `writes` is set.
    pub fn new(target: &'a Target, writes: bool, interrupted: &'a dyn Fn() -> bool) -> Self {
        let (engine, completions) = (None, Vec::new());
        RealDisk { target, writes, interrupted, engine, completions, began: Instant::now() }
    }
}

impl Subject for RealDisk<'_> {
    fn span_bytes(&self) -> u64 {
        self.target.capacity_bytes()
    }

    fn writes(&self) -> bool {
        self.writes
    }

    fn begin(&mut self, depth: u32, longest_bytes: u32) -> Result<(), FitError> {
        // The old one goes first: its buffers need not be there twice.
        self.engine = None;
        let settings = EngineSettings { depth, longest_bytes, kind: None };
        self.engine = Some(self.target.engine(settings)?);
        Ok(())
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn submit(&mut self, tag: u32, request: TrialRequest) -> Result<(), FitError> {
        let TrialRequest { op, offset_bytes, length_bytes } = request;
        let engine = self.engine.as_mut().expect("begun before anything is submitted");
        engine.submit(tag, Io { op, offset_bytes, length_bytes })?;
        Ok(())
    }

    fn wait(&mut self, ended: &mut Vec<u32>) -> Result<(), FitError> {
        if (self.interrupted)() {
            return Err(FitError::Interrupted);
        }
        let engine = self.engine.as_mut().expect("begun before anything is waited for");
        engine.wait(PATIENCE, &mut self.completions)?;
        for completion in self.completions.drain(..) {
            completion.result?;
            ended.push(completion.tag);
        }
        Ok(())
    }
}
