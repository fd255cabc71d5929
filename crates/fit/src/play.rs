// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loop that plays a trial on a disk, real or simulated, and takes the time.

use super::error::FitError;
use super::subject::{Subject, TrialRequest};
use super::trials::{AccessPattern, Does, Trial};
use base::Op;
use fastrand::Rng;
use std::time::Duration;

/// When a trial ends: when either is reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// This time has passed, and enough was counted.
    pub time: Duration,
    /// The number of operations that were done.
    pub operations: u64,
}

/// What counts for nothing: a fourth of the limit, while queues and caches fill.
const WARM_UP: u64 = 4;
/// The least operations to be counted, however slow the disk is.
const LEAST_COUNTED: u64 = 8;
/// Parts of the time for which the pace is told.
const PARTS: u64 = 20;

/// How many blocks up to the last one are the inner ones, as in `device::measure`.
const INNER_BLOCKS: u64 = 32_768;

/// What a disk did.
#[derive(Clone, Debug, Default)]
pub(super) struct Played {
    /// Operations that were counted.
    pub counted: u64,
    /// The time they took together.
    pub window_ns: u64,
    /// How long each of them took.
    pub latencies_ns: Vec<u64>,
    /// Operations, warm-up included, in each part of the time.
    pub pace: Vec<u64>,
}

impl Played {
    /// Operations counted in the window, per second.
    pub fn per_second(&self) -> f64 {
        self.counted as f64 * 1e9 / self.window_ns.max(1) as f64
    }
}

/// Where the requests of a trial go, and what they do.
struct Requests<'a> {
    trial: &'a Trial,
    first_block: u64,
    blocks: u64,
    next_block: u64,
    rng: Rng,
}

impl<'a> Requests<'a> {
    fn new(trial: &'a Trial, span_bytes: u64, seed: u64) -> Self {
        let blocks = span_bytes / u64::from(trial.block_bytes);
        let first_block = match trial.place {
            AccessPattern::Inner => blocks.saturating_sub(INNER_BLOCKS),
            AccessPattern::Outer | AccessPattern::Random => 0,
        };
        let rng = Rng::with_seed(seed);
        Requests { trial, first_block, blocks, next_block: first_block, rng }
    }

    fn next(&mut self) -> TrialRequest {
        let op = match self.trial.does {
            Does::Read => Op::Read,
            Does::Write | Does::SyncedWrite => Op::Write,
            Does::Mixed if self.rng.u32(0..10) < 7 => Op::Read,
            Does::Mixed => Op::Write,
        };
        let block = match self.trial.place {
            AccessPattern::Random => self.rng.u64(0..self.blocks),
            AccessPattern::Outer | AccessPattern::Inner => self.next_block,
        };
        self.next_block = match block + 1 {
            end if end >= self.blocks => self.first_block,
            next => next,
        };
        let length_bytes = self.trial.block_bytes;
        TrialRequest { op, offset_bytes: block * u64::from(length_bytes), length_bytes }
    }
}

/// What a tag is at.
#[derive(Clone, Copy, Default)]
struct Flight {
    began_ns: u64,
    is_flush: bool,
}

/// Plays a trial until the limit.
///
/// # Errors
/// If the disk fails, or the user wants no more.
pub(super) fn play(
    subject: &mut dyn Subject,
    trial: &Trial,
    limit: Limit,
    seed: u64,
) -> Result<Played, FitError> {
    subject.begin(trial.depth, trial.block_bytes)?;
    let mut requests = Requests::new(trial, subject.span_bytes(), seed);
    let mut flights = vec![Flight::default(); trial.depth as usize];
    let mut free: Vec<u32> = (0..trial.depth).collect();
    let mut ended = Vec::new();
    let mut played = Played { pace: vec![0; PARTS as usize], ..Played::default() };
    let time_ns = u64::try_from(limit.time.as_nanos()).unwrap_or(u64::MAX).max(PARTS);
    let begin_ns = subject.now_ns();
    // When the warm-up was over, the present, and the operations done up to there.
    let (mut warm_ns, mut now_ns, mut done) = (None, begin_ns, 0);
    loop {
        let passed_ns = now_ns - begin_ns;
        let enough = passed_ns >= time_ns && played.counted >= LEAST_COUNTED;
        if enough || done >= limit.operations {
            break;
        }
        if warm_ns.is_none()
            && (passed_ns >= time_ns / WARM_UP || done >= limit.operations / WARM_UP)
        {
            warm_ns = Some(now_ns);
        }
        for tag in free.drain(..) {
            flights[tag as usize] = Flight { began_ns: now_ns, is_flush: false };
            subject.submit(tag, requests.next())?;
        }
        ended.clear();
        subject.wait(&mut ended)?;
        now_ns = subject.now_ns();
        for tag in ended.drain(..) {
            let flight = &mut flights[tag as usize];
            if trial.does == Does::SyncedWrite && !flight.is_flush {
                flight.is_flush = true;
                subject.submit(
                    tag,
                    TrialRequest { op: Op::Flush, offset_bytes: 0, length_bytes: 0 },
                )?;
                continue;
            }
            free.push(tag);
            done += 1;
            let part = (now_ns - begin_ns).min(time_ns - 1) / time_ns.div_ceil(PARTS);
            played.pace[part as usize] += 1;
            if let Some(warm_ns) = warm_ns {
                played.counted += 1;
                played.window_ns = now_ns - warm_ns;
                played.latencies_ns.push(now_ns - flight.began_ns);
            }
        }
    }
    finish(subject, trial.depth as usize - free.len(), ended)?;
    Ok(played)
}

/// Waits for what is still under way.
fn finish(
    subject: &mut dyn Subject,
    mut under_way: usize,
    mut ended: Vec<u32>,
) -> Result<(), FitError> {
    while under_way > 0 {
        subject.wait(&mut ended)?;
        under_way -= ended.drain(..).count();
    }
    Ok(())
}
