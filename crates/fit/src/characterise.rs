// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plays all trials on a disk and tells what it is like.

use super::error::FitError;
use super::play::{Limit, Played, play};
use super::subject::Subject;
use super::trials::{AccessPattern, TRIALS, Trial};
use device::Quantity;
use statrs::statistics::{Data, OrderStatistics};
use std::time::Duration;

/// Turns of all trials, an odd number. The spread over them tells how far a figure can be trusted.
const LEAST_ROUNDS: u64 = 3;
const MOST_ROUNDS: u64 = 9;
/// A trial is not cut into shorter pieces than this, if that still gives the least rounds.
const SLICE: Duration = Duration::from_millis(250);
/// No model meets a figure better than this, as a part of it: being known better counts no more.
const MET_TO: f64 = 0.1;
/// Rounds that differ by more than this tell little, in percent.
const NOISY_PERCENT: f64 = 10.0;
/// The share of the time that one long stretch of writing gets, in percent.
const STEADY_PERCENT: u32 = 20;
/// Less than this share of the first pace is a fall, in percent.
const FALL_PERCENT: f64 = 70.0;
/// There is no telling a disk from less than this.
const LEAST_SPAN_BYTES: u64 = 8 << 20;

/// One figure of a disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The trial that was played on the disk.
    pub trial: &'static Trial,
    /// Median over the rounds: bytes a second or operations a second.
    pub value: f64,
    /// Least of the rounds, of which a fourth is left aside as too low and a fourth as too high.
    pub low: f64,
    /// Greatest of the same.
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

    /// How much a miss of this figure counts: what is known badly need not be met well.
    pub(super) fn weight(&self) -> f64 {
        let spread = self.spread_percent() / 100.0;
        MET_TO.powi(2) / (MET_TO.powi(2) + spread.powi(2))
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
    /// How often each trial was played.
    pub rounds: u64,
    /// The figures, in the order of [`TRIALS`].
    pub figures: Vec<Measured>,
    /// The knee of random reads: the depth beyond which they gain hardly anything.
    pub knee: Knee,
    /// Of writes, if there were any.
    pub steady: Option<Steady>,
}

impl Characteristics {
    /// The figure of a trial, if that was played.
    pub fn figure(&self, name: &str) -> Option<&Measured> {
        self.figures.iter().find(|figure| figure.trial.name == name)
    }

    /// By how much the rounds of a figure differ, in percent: the median over the figures.
    pub fn noise_percent(&self) -> f64 {
        let spreads: Vec<f64> = self.figures.iter().map(Measured::spread_percent).collect();
        if spreads.is_empty() { 0.0 } else { Data::new(spreads).median() }
    }

    /// Why a profile of this is of little use, and what to do about it; none if the disk was quiet.
    pub fn doubt(&self) -> Option<String> {
        let noise_percent = self.noise_percent();
        (noise_percent > NOISY_PERCENT).then(|| {
            format!(
                "THE DISK WAS NOT QUIET: the rounds of half the figures differ by {noise_percent:.0} % and \
                 more, so a profile fitted to them is of little use. End what else uses the disk and the \
                 processors, or give it more time (--time)"
            )
        })
    }

    /// The value of a trial, if that was played.
    pub(super) fn value(&self, name: &str) -> Option<f64> {
        self.figure(name).map(|figure| figure.value)
    }
}

/// Plays all trials in turns, reading before writing, for about `time` altogether; a slow
/// disk takes longer.
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
        (writes || !trial.does.writes()) && (is_whole || trial.place != AccessPattern::Inner)
    };
    let trials: Vec<&'static Trial> = TRIALS.iter().filter(possible).collect();
    let (reading, writing): (Vec<_>, Vec<_>) = trials.iter().copied().partition(reads_only);
    let steady_time = if writes { time * STEADY_PERCENT / 100 } else { Duration::ZERO };
    let of_a_trial = (time - steady_time) / trials.len() as u32;
    let rounds = rounds(of_a_trial);
    let slice = of_a_trial / rounds as u32;
    let steps = trials.len() * rounds as usize + usize::from(writes);
    let mut slices: Vec<(&'static Trial, Vec<Played>)> = Vec::new();
    let mut step = 0;
    for part in [reading, writing] {
        let first = slices.len();
        slices.extend(part.iter().map(|trial| (*trial, Vec::new())));
        for round in 0..rounds {
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
    Ok(Characteristics { span_bytes, rounds, knee: knee(&figures), figures, steady })
}

/// How often a trial is played in its time.
fn rounds(of_a_trial: Duration) -> u64 {
    let fitting = (of_a_trial.as_nanos() / SLICE.as_nanos()) as u64;
    // Of an odd number the median is one of them.
    (fitting.saturating_sub(1) | 1).clamp(LEAST_ROUNDS, MOST_ROUNDS)
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
        low: values[values.len() / 4],
        high: values[values.len() - 1 - values.len() / 4],
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

/// Writes in a row without a pause, and looks for a fall of the pace.
pub(super) fn steady(subject: &mut dyn Subject, limit: Limit) -> Result<Steady, FitError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_time_more_rounds() {
        let rounds_in = |ms| rounds(Duration::from_millis(ms));
        for (ms, expected) in [
            (0, 3),
            (600, 3),
            (1_000, 3),
            (1_249, 3),
            (1_250, 5),
            (1_500, 5),
            (1_800, 7),
            (60_000, 9),
        ] {
            assert_eq!(rounds_in(ms), expected, "{ms} ms for a trial");
        }
    }

    #[test]
    fn a_figure_known_badly_counts_little() {
        let trial = &TRIALS[0];
        let weight = |low, high| {
            Measured { trial, value: 100.0, low, high, latency_ns: 0, latency_99_ns: 0 }.weight()
        };
        assert!(weight(99.0, 101.0) > 0.85);
        assert!(weight(50.0, 150.0) < 0.05);
    }
}
