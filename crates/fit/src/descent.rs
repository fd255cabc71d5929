// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the values: begins with known disks, as they are and with what can be computed, and turns
//! one knob after the other as long as the simulated figures get nearer to the measured ones.

use super::characterise::{Characteristics, Measured};
use super::draft::Draft;
use super::error::FitError;
use super::facts::Facts;
use super::figure::simulated;
use super::fitted::Fitted;
use super::formulas::{self, Assumed};
use super::knobs::{Knob, knobs};
use device::{ModelKind, Profile, Tolerance};
use std::cmp::Ordering;

/// By how much a knob is turned: less when no turn helps any more. And of how many guesses, at
/// most: which one will be best does not show before coarse turns have been made.
const STEPS: [(f64, usize); 5] = [(2.0, 8), (1.4, 8), (1.15, 8), (1.05, 3), (1.02, 2)];
/// Turns of all knobs for one step, at most.
const SWEEPS: usize = 4;
/// A turn has to help by more than this share of the error.
const HELPS: f64 = 0.002;
/// A disk that takes longer than this for a random read moves an arm, if it says that it does.
const ARM_NS: u64 = 1_000_000;
/// No measurement is better than this: the search ends.
const GOOD_ENOUGH: f64 = 0.01;
/// What has fewer values is taken unless the other is nearer by this factor.
const FEWER_VALUES: f64 = 1.25;
/// A deviation that does not matter.
const SMALL_MISS: f64 = 0.01;

/// Finds the profile with which a simulated disk does most nearly what was measured. Asked to end
/// earlier, it gives the nearest that it has found until then.
///
/// # Parameters
/// * `known`: disks to begin with; mostly all built-in profiles.
/// * `interrupted`: whether to end; asked many times a second.
///
/// # Errors
/// [`FitError::NoModel`] if `known` is empty or nothing can be made to fit.
pub fn fit(
    facts: &Facts,
    measured: &Characteristics,
    known: &[Profile],
    interrupted: &dyn Fn() -> bool,
) -> Result<Fitted, FitError> {
    let latency_ns = measured.figure("random_read_depth_1").map_or(0, |figure| figure.latency_ns);
    let moves_an_arm = facts.rotational && latency_ns > ARM_NS;
    let kind = if moves_an_arm { ModelKind::HardDisk } else { ModelKind::Flash };
    let search = Search { facts, measured, known, interrupted };
    let best = match search.nearest(ModelKind::Simple) {
        // Nothing could be nearer by enough.
        Some(simple) if simple.error() <= SMALL_MISS => simple,
        Some(simple) => {
            let is_nearer =
                |complex: &Guess| complex.error() * FEWER_VALUES + SMALL_MISS < simple.error();
            search.nearest(kind).filter(is_nearer).unwrap_or(simple)
        }
        None => search.nearest(kind).ok_or(FitError::NoModel)?,
    };
    let fitted = Fitted::new(facts, measured, &best.draft, best.kind, &best.nearest)?;
    Ok(Fitted { ended_early: interrupted(), ..fitted })
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

    /// The same with a knob turned, if that makes a profile that is better.
    fn turned(&self, knob: &Knob, factor: f64, measured: &Characteristics) -> Option<Guess> {
        let mut draft = self.draft.clone();
        knob.turn(&mut draft, factor);
        if draft == self.draft {
            return None;
        }
        let profile = draft.profile(&self.nearest).ok()?;
        let mut squares = self.squares.clone();
        let changed = |figure: &Measured| knob.touches(figure.trial);
        for (square, figure) in squares.iter_mut().zip(&measured.figures) {
            *square = if changed(figure) { 0.0 } else { *square };
        }
        let most = self.squares.iter().sum::<f64>() * (1.0 - HELPS).powi(2);
        let mut sum: f64 = squares.iter().sum();
        for (square_after, figure) in squares.iter_mut().zip(&measured.figures) {
            if changed(figure) {
                *square_after = square(&profile, measured, figure)?;
                sum += *square_after;
            }
            // Most turns are bad ones, and mostly a few figures show that.
            if sum >= most {
                return None;
            }
        }
        Some(Guess { draft, squares, nearest: self.nearest.clone(), ..*self })
    }
}

/// The square of a miss, with its weight.
fn square(profile: &Profile, measured: &Characteristics, figure: &Measured) -> Option<f64> {
    let simulated = simulated(profile, measured.span_bytes, figure).ok()?;
    Some(figure.weight() * (simulated / figure.value).ln().powi(2))
}

/// What is searched for, where it begins, and who may end it.
struct Search<'a> {
    facts: &'a Facts,
    measured: &'a Characteristics,
    known: &'a [Profile],
    interrupted: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// Begins with the nearest guesses, and turns the knobs: of fewer guesses the finer the steps
    /// are.
    fn nearest(&self, kind: ModelKind) -> Option<Guess> {
        let mut guesses = self.first_guesses(kind);
        let knobs = knobs(kind, self.measured);
        for (step, most_guesses) in STEPS {
            guesses.sort_by(by_error);
            guesses.truncate(most_guesses);
            guesses = guesses.into_iter().map(|guess| self.swept(guess, &knobs, step)).collect();
            if guesses.iter().any(|guess| guess.error() < GOOD_ENOUGH) {
                break;
            }
        }
        guesses.into_iter().min_by(by_error)
    }

    /// Each known disk of the model, as it is and with what can be computed. There is one also if
    /// no more are wanted: what was measured would be lost without.
    fn first_guesses(&self, kind: ModelKind) -> Vec<Guess> {
        let like = |profile: &Profile| {
            let mut draft = Draft::like(profile);
            state_facts(&mut draft, self.facts);
            draft
        };
        let mut guesses = Vec::new();
        for profile in self.known.iter().filter(|profile| profile.model() == kind) {
            let guess = |draft: Draft| Guess::new(kind, draft, profile.name(), self.measured);
            guesses.extend(guess(like(profile)));
            for assumed in Assumed::all(kind) {
                if !guesses.is_empty() && (self.interrupted)() {
                    return guesses;
                }
                let mut draft = like(profile);
                formulas::apply(&mut draft, kind, assumed, self.measured);
                guesses.extend(guess(draft));
            }
        }
        guesses
    }

    /// Turns all knobs by one step, up and down, as long as that helps.
    fn swept(&self, mut best: Guess, knobs: &[&Knob], step: f64) -> Guess {
        for _ in 0..SWEEPS {
            let before = best.error();
            for knob in knobs {
                if (self.interrupted)() {
                    return best;
                }
                let turns = [step, 1.0 / step].into_iter();
                let tried = turns.filter_map(|factor| best.turned(knob, factor, self.measured));
                best = tried.min_by(by_error).unwrap_or(best);
            }
            if best.error() < GOOD_ENOUGH || best.error() >= before * (1.0 - HELPS) {
                break;
            }
        }
        best
    }
}

fn by_error(a: &Guess, b: &Guess) -> Ordering {
    a.error().total_cmp(&b.error())
}

/// What needs no measuring.
fn state_facts(draft: &mut Draft, facts: &Facts) {
    let exact = Tolerance::Exact;
    draft.state("capacity", facts.capacity_bytes, "the size that the kernel tells", exact);
    draft.state("depth", u64::from(facts.depth), &facts.depth_source, exact);
    draft.state("rotational", u64::from(facts.rotational), "what the kernel tells", exact);
}
