//! Plays all trials on a disk and tells what it is like.

use super::play::{Limit, Played, play};
use super::{FitError, Place, Subject, TRIALS, Trial};
use device::Quantity;
use std::time::Duration;

/// Turns of all trials. The spread over them tells how far a figure can be trusted.
const ROUNDS: u64 = 3;
/// The share of the time that one long stretch of writing gets, in percent.
const STEADY_PERCENT: u32 = 20;
/// Less than this share of the first pace is a fall, in percent.
const FALL_PERCENT: f64 = 70.0;
/// There is no telling a disk from less than this.
const LEAST_SPAN_BYTES: u64 = 8 << 20;

/// One figure of a disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What was played.
    pub trial: &'static Trial,
    /// Median over the rounds: bytes a second or operations a second.
    pub value: f64,
    /// Least of the rounds.
    pub low: f64,
    /// Greatest of the rounds.
    pub high: f64,
    /// Median time of an operation, in nanoseconds.
    pub latency_ns: u64,
    /// The time that 99 of 100 operations do not take, in nanoseconds.
    pub latency_99_ns: u64,
}

impl Measured {
    /// Half of what lies between the rounds, in percent of the figure.
    pub fn spread_percent(&self) -> f64 {
        100.0 * (self.high - self.low) / 2.0 / self.value.max(1e-9)
    }
}

/// Where more in flight hardly help any more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knee {
    /// The smallest depth with nine tenths of the most.
    pub depth: u32,
    /// The most random reads a second at any depth.
    pub most_per_second: f64,
}

/// One long stretch of writing in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    /// Bytes written in all: how far this could look.
    pub bytes: u64,
    /// Bytes a second in the first fourth of the time.
    pub first: f64,
    /// Bytes a second in the last fourth.
    pub last: f64,
    /// Bytes written before the pace fell for good, if it did.
    pub fell_after_bytes: Option<u64>,
}

/// What a disk was found to be like.
#[derive(Clone, Debug, PartialEq)]
pub struct Characteristics {
    /// How much of the disk was measured, in bytes from the beginning of the target.
    pub span_bytes: u64,
    /// The figures, in the order of [`TRIALS`].
    pub figures: Vec<Measured>,
    /// Of random reads.
    pub knee: Knee,
    /// Of writes, if there were any.
    pub steady: Option<Steady>,
}

impl Characteristics {
    /// The figure of a trial, if that was played.
    pub fn figure(&self, name: &str) -> Option<&Measured> {
        self.figures.iter().find(|figure| figure.trial.name == name)
    }

    /// The value of a trial, if that was played.
    pub(super) fn value(&self, name: &str) -> Option<f64> {
        self.figure(name).map(|figure| figure.value)
    }
}

/// Plays all trials in turns, reading before writing, for about `time` altogether; a slow disk takes
/// longer.
///
/// # Parameters
/// * `is_whole`: all of the disk is measured, not a file on it.
/// * `operations`: no trial is longer than this, whatever its time; for disks in virtual time.
/// * `progress`: is told how many steps of how many are done.
///
/// # Errors
/// [`FitError`]: the target is too small, fails, or the user wants no more.
pub fn characterise(
    subject: &mut dyn Subject,
    is_whole: bool,
    time: Duration,
    operations: u64,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Characteristics, FitError> {
    let span_bytes = subject.span_bytes();
    if span_bytes < LEAST_SPAN_BYTES {
        return Err(FitError::TooSmall { span_bytes, least_bytes: LEAST_SPAN_BYTES });
    }
    let (writes, reads_only) = (subject.writes(), |trial: &&Trial| !trial.does.writes());
    let possible = |trial: &&'static Trial| {
        (writes || !trial.does.writes()) && (is_whole || trial.place != Place::Inner)
    };
    let trials: Vec<&'static Trial> = TRIALS.iter().filter(possible).collect();
    let (reading, writing): (Vec<_>, Vec<_>) = trials.iter().copied().partition(reads_only);
    let steps = trials.len() * ROUNDS as usize + usize::from(writes);
    let steady_time = if writes { time * STEADY_PERCENT / 100 } else { Duration::ZERO };
    let slice = (time - steady_time) / (trials.len() as u32 * ROUNDS as u32);
    let mut slices: Vec<(&'static Trial, Vec<Played>)> = Vec::new();
    let mut step = 0;
    for part in [reading, writing] {
        let first = slices.len();
        slices.extend(part.iter().map(|trial| (*trial, Vec::new())));
        for round in 0..ROUNDS {
            for (trial, played) in &mut slices[first..] {
                progress(step, steps);
                step += 1;
                let limit = Limit { time: slice, operations };
                played.push(play(subject, trial, limit, round)?);
            }
        }
    }
    let steady = match writes {
        true => {
            progress(step, steps);
            Some(steady(subject, Limit { time: steady_time, operations })?)
        }
        false => None,
    };
    let figures: Vec<_> = slices.iter().map(|(trial, played)| measured(trial, played)).collect();
    Ok(Characteristics { span_bytes, knee: knee(&figures), figures, steady })
}

/// A figure of a trial from its slices: in base units of its quantity.
pub(super) fn per_second(trial: &Trial, played: &Played) -> f64 {
    match trial.quantity() {
        Quantity::Rate => played.per_second() * f64::from(trial.block_bytes),
        _ => played.per_second(),
    }
}

fn measured(trial: &'static Trial, slices: &[Played]) -> Measured {
    let mut values: Vec<f64> = slices.iter().map(|played| per_second(trial, played)).collect();
    values.sort_by(f64::total_cmp);
    let mut latencies_ns: Vec<u64> =
        slices.iter().flat_map(|played| played.latencies_ns.iter().copied()).collect();
    latencies_ns.sort_unstable();
    let at = |percent: usize| latencies_ns[(latencies_ns.len() - 1) * percent / 100];
    Measured {
        trial,
        value: values[values.len() / 2],
        low: values[0],
        high: values[values.len() - 1],
        latency_ns: at(50),
        latency_99_ns: at(99),
    }
}

fn knee(figures: &[Measured]) -> Knee {
    let reads = || figures.iter().filter(|figure| figure.trial.name.starts_with("random_read_"));
    let most = reads().map(|figure| figure.value).fold(0.0, f64::max);
    let depth = reads().find(|figure| figure.value >= 0.9 * most).map_or(1, |f| f.trial.depth);
    Knee { depth, most_per_second: most }
}

fn steady(subject: &mut dyn Subject, limit: Limit) -> Result<Steady, FitError> {
    let trial = Trial::named("sequential_write_outer").expect("a trial of the table");
    let played = play(subject, trial, limit, 0)?;
    let part_s = limit.time.as_secs_f64() / played.pace.len() as f64;
    let block_bytes = u64::from(trial.block_bytes);
    let rate = |parts: &[u64]| {
        let operations: u64 = parts.iter().sum();
        (operations * block_bytes) as f64 / (part_s * parts.len() as f64)
    };
    let fourth = played.pace.len() / 4;
    let (first, last) =
        (rate(&played.pace[..fourth]), rate(&played.pace[played.pace.len() - fourth..]));
    let is_slow = |part: &u64| rate(&[*part]) < first * FALL_PERCENT / 100.0;
    let slow_to_the_end = played.pace.iter().rev().take_while(|part| is_slow(part)).count();
    // Fewer could be an accident, and a disk that is slow from the beginning has not fallen.
    let fell = slow_to_the_end >= fourth && slow_to_the_end <= played.pace.len() - fourth;
    let before = &played.pace[..played.pace.len() - slow_to_the_end];
    Ok(Steady {
        bytes: played.pace.iter().sum::<u64>() * block_bytes,
        first,
        last,
        fell_after_bytes: fell.then(|| before.iter().sum::<u64>() * block_bytes),
    })
}
