//! Finds the values: begins with the known disk that is nearest, computes what can be computed, and
//! turns one knob after the other as long as the simulated figures get nearer to the measured ones.

use super::characterise::per_second;
use super::draft::Draft;
use super::fitted::Fitted;
use super::knobs::{Knob, ROTATIONS, knobs};
use super::play::{Limit, play};
use super::{Characteristics, Does, FitError, Measured, SimulatedDisk, formulas};
use device::{ModelKind, Profile, Tolerance};
use std::time::Duration;

/// What is known of a disk without measuring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What it is, in a sentence.
    pub description: String,
    /// Its size.
    pub capacity_bytes: u64,
    /// Commands that it takes at a time.
    pub depth: u32,
    /// Who says so.
    pub depth_source: String,
    /// Whether the kernel believes that it rotates.
    pub rotational: bool,
    /// The day of the measurement: `2026-11-22`.
    pub date: String,
}

/// By how much a knob is turned: less when no turn helps any more.
const STEPS: [f64; 5] = [2.0, 1.4, 1.15, 1.05, 1.02];
/// Turns of all knobs for one step, at most.
const SWEEPS: usize = 4;
/// A turn has to help by more than this share of the error.
const HELPS: f64 = 0.002;
/// Operations of a simulated trial that only reads.
const READS: u64 = 2_048;
/// Operations of one that writes: caches have to fill.
const WRITES: u64 = 4_096;
/// A disk that takes longer than this for a random read moves an arm, if it says that it does.
const ARM_NS: u64 = 1_000_000;
/// Nobody measures better than this: the search ends.
const GOOD_ENOUGH: f64 = 0.01;
/// What has fewer values is taken unless the other is nearer by this factor.
const FEWER_VALUES: f64 = 1.25;
/// A miss that nobody need care about.
const SMALL_MISS: f64 = 0.01;
/// No simulated trial ends by its time.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// Plays a trial on a simulated disk; returns the figure.
pub(super) fn simulated(
    profile: &Profile,
    span_bytes: u64,
    measured: &Measured,
) -> Result<f64, FitError> {
    let trial = measured.trial;
    let operations = if trial.does == Does::Read { READS } else { WRITES };
    let mut disk = SimulatedDisk::new(profile, span_bytes, true);
    let played = play(&mut disk, trial, Limit { time: FOREVER, operations }, 0)?;
    Ok(per_second(trial, &played))
}

/// Finds the profile with which a simulated disk does most nearly what was measured.
///
/// # Parameters
/// * `known`: disks to begin with; mostly all built-in profiles.
///
/// # Errors
/// [`FitError::NoModel`] if `known` is empty or nothing can be made to fit.
pub fn fit(
    facts: &Facts,
    measured: &Characteristics,
    known: &[Profile],
) -> Result<Fitted, FitError> {
    let latency_ns = measured.figure("random_read_depth_1").map_or(0, |figure| figure.latency_ns);
    let moves_an_arm = facts.rotational && latency_ns > ARM_NS;
    let complex = if moves_an_arm { ModelKind::HardDisk } else { ModelKind::Flash };
    let simple = search(facts, measured, known, ModelKind::Simple);
    let complex = search(facts, measured, known, complex);
    let best = match (simple, complex) {
        (Some(simple), Some(complex)) => {
            let (fewer, more) = (simple.error(), complex.error());
            if fewer <= more * FEWER_VALUES + SMALL_MISS { simple } else { complex }
        }
        (simple, complex) => simple.or(complex).ok_or(FitError::NoModel)?,
    };
    Fitted::new(facts, measured, &best.draft, best.kind, &best.nearest)
}

/// One way to play the disk.
struct Guess {
    kind: ModelKind,
    draft: Draft,
    nearest: String,
    /// The square of the logarithm of simulated by measured, with its weight, for each figure.
    squares: Vec<f64>,
    /// The sum of all weights.
    weights: f64,
}

impl Guess {
    fn new(
        kind: ModelKind,
        draft: Draft,
        nearest: &str,
        measured: &Characteristics,
    ) -> Option<Guess> {
        let profile = draft.profile(nearest).ok()?;
        let squares = measured.figures.iter().map(|figure| square(&profile, measured, figure));
        let squares = squares.collect::<Option<_>>()?;
        let weights = measured.figures.iter().map(Measured::weight).sum();
        Some(Guess { kind, draft, nearest: nearest.to_owned(), squares, weights })
    }

    /// Root of the mean of the squares: 0.1 is off by 10 % on the average of what is known well.
    fn error(&self) -> f64 {
        (self.squares.iter().sum::<f64>() / self.weights.max(1e-9)).sqrt()
    }

    /// The same with a knob turned, if that makes a profile.
    fn turned(&self, knob: &Knob, factor: f64, measured: &Characteristics) -> Option<Guess> {
        let mut draft = self.draft.clone();
        knob.turn(&mut draft, factor);
        if draft == self.draft {
            return None;
        }
        let profile = draft.profile(&self.nearest).ok()?;
        let mut squares = self.squares.clone();
        for (square_before, figure) in squares.iter_mut().zip(&measured.figures) {
            if knob.touches(figure.trial) {
                *square_before = square(&profile, measured, figure)?;
            }
        }
        Some(Guess { draft, squares, nearest: self.nearest.clone(), ..*self })
    }

    fn is_better_than(&self, other: &Guess) -> bool {
        self.error() < other.error() * (1.0 - HELPS)
    }
}

/// The square of a miss, with its weight.
fn square(profile: &Profile, measured: &Characteristics, figure: &Measured) -> Option<f64> {
    let simulated = simulated(profile, measured.span_bytes, figure).ok()?;
    Some(figure.weight() * (simulated / figure.value).ln().powi(2))
}

/// Begins with the nearest known disk, as it is or with what can be computed, and turns the knobs.
fn search(
    facts: &Facts,
    measured: &Characteristics,
    known: &[Profile],
    kind: ModelKind,
) -> Option<Guess> {
    let like_known = |profile: &Profile| {
        let mut draft = Draft::like(profile);
        state_facts(&mut draft, facts);
        draft
    };
    let as_known =
        |profile: &Profile| Guess::new(kind, like_known(profile), profile.name(), measured);
    let computed = |profile: &Profile, rotation: u64| {
        let mut draft = like_known(profile);
        draft.set("rotation", rotation);
        formulas::apply(&mut draft, kind, measured);
        Guess::new(kind, draft, profile.name(), measured)
    };
    let like = || known.iter().filter(|profile| profile.model() == kind);
    let by_error = |a: &Guess, b: &Guess| a.error().total_cmp(&b.error());
    let nearest = like().filter_map(as_known).min_by(by_error)?;
    let profile = like().find(|profile| profile.name() == nearest.nearest)?;
    let speeds = if kind == ModelKind::HardDisk { &ROTATIONS[..] } else { &ROTATIONS[..1] };
    let guesses = speeds.iter().filter_map(|rotation| computed(profile, *rotation));
    let mut best = guesses.chain([nearest]).min_by(by_error)?;
    let knobs = knobs(kind, measured);
    for step in STEPS {
        for _ in 0..SWEEPS {
            let before = best.error();
            for knob in &knobs {
                let turns = [step, 1.0 / step].into_iter();
                let tried = turns.filter_map(|factor| best.turned(knob, factor, measured));
                if let Some(guess) = tried.min_by(by_error).filter(|g| g.is_better_than(&best)) {
                    best = guess;
                }
            }
            if best.error() < GOOD_ENOUGH {
                return Some(best);
            }
            if best.error() >= before * (1.0 - HELPS) {
                break;
            }
        }
    }
    Some(best)
}

/// What needs no measuring.
fn state_facts(draft: &mut Draft, facts: &Facts) {
    let exact = Tolerance::Exact;
    draft.state("capacity", facts.capacity_bytes, "the size that the kernel tells", exact);
    draft.state("depth", u64::from(facts.depth), &facts.depth_source, exact);
    draft.state("rotational", u64::from(facts.rotational), "what the kernel tells", exact);
}
