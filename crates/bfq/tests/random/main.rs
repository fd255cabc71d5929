// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random scenarios of the whole core, in the manner of TigerBeetle's VOPR: a simulated host with
//! processes, groups, a device and faults of every kind, and after each step every invariant.
//!
//! ```text
//! BFQ_SEED=17 cargo test -p bfq --test random      replays one seed
//! BFQ_POLICY=tfq BFQ_SEED=17 cargo test …           the same, under one policy only
//! BFQ_TRACE=1 BFQ_SEED=17 cargo test …              the same, and prints every decision
//! BFQ_SEEDS=1000..5000 cargo test …                a range of seeds
//! BFQ_SOAK_MINUTES=60 cargo test --release …       as many as fit into an hour
//! ```

mod dice;
mod events;
mod host;
mod io;
mod memory;
mod model;
mod options;
mod played;
mod shares;
mod workers;

use bfq::{Budget, TimeFair};
use dice::Dice;
use host::{Coverage, Host};
use played::Played;
use std::{
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

#[global_allocator]
static ALLOCATOR: memory::Watched = memory::Watched;

/// Seeds of an ordinary test run.
const SEEDS: Range<u64> = 0..300;
/// Statistics from here on are no counters of events.
const FIRST_GAUGE: &str = "max_budget";

/// Plays the scenario of a seed under a policy.
fn play<P: Played>(seed: u64) -> Coverage {
    let mut host = Host::<P>::new(Dice::of_seed(seed));
    host.play();
    host.coverage
}

/// Plays the scenarios of a seed: the general one under each policy, and sometimes one about
/// the budget's shares.
fn play_all(seed: u64, coverage: &mut Coverage) {
    try_seed::<Budget>(seed, coverage, |seed| {
        if seed % 8 == 7 {
            shares::play(&mut Dice::of_seed(seed));
        }
        play::<Budget>(seed)
    });
    // It counts nothing.
    try_seed::<TimeFair>(seed, &mut Coverage::default(), play::<TimeFair>);
}

/// Plays a seed, if the policy is wanted; if an invariant breaks, says how to replay it.
fn try_seed<P: Played>(seed: u64, coverage: &mut Coverage, play: impl Fn(u64) -> Coverage) {
    let name = P::NAME;
    if variable("BFQ_POLICY").is_some_and(|wanted| wanted != name) {
        return;
    }
    match catch_unwind(AssertUnwindSafe(|| play(seed))) {
        Ok(covered) => coverage.add(covered.0.into_iter()),
        Err(panic) => {
            eprintln!("replay: BFQ_POLICY={name} BFQ_SEED={seed} cargo test -p bfq --test random");
            std::panic::resume_unwind(panic);
        }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn number(name: &str) -> Option<u64> {
    variable(name).map(|value| value.parse().unwrap_or_else(|_| panic!("{name}: a number")))
}

/// The seeds that were asked for, and when to stop at the latest.
fn wanted() -> (Range<u64>, Option<Instant>) {
    if let Some(seed) = number("BFQ_SEED") {
        return (seed..seed + 1, None);
    }
    let first = number("BFQ_FIRST_SEED").unwrap_or(0);
    if let Some(minutes) = number("BFQ_SOAK_MINUTES") {
        return (first..u64::MAX, Some(Instant::now() + Duration::from_secs(60 * minutes)));
    }
    let Some(range) = variable("BFQ_SEEDS") else { return (SEEDS, None) };
    let ends =
        range.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    (ends.expect("BFQ_SEEDS: FIRST..END"), None)
}

fn show(coverage: &Coverage) {
    for (name, sum) in coverage.0.iter().take_while(|(name, _)| *name != FIRST_GAUGE) {
        println!("{sum:>14} {name}");
    }
}

/// The fuzz target plays bytes instead of seeds, through the same host: it must end whatever they
/// are, and short ones are the most unlike a seed.
#[test]
fn scenarios_of_bytes() {
    play_bytes::<Budget>();
    play_bytes::<TimeFair>();
}

fn play_bytes<P: Played>() {
    for length in 0..100 {
        let mut dice = Dice::of_seed(length);
        let bytes: Vec<u8> = (0..6 * length).map(|_| dice.below(256) as u8).collect();
        let mut host = Host::<P>::new(Dice::of_bytes(&bytes));
        host.play();
        assert!(host.model.is_empty());
    }
}

#[test]
fn random_scenarios() {
    host::TRACE.store(variable("BFQ_TRACE").is_some(), std::sync::atomic::Ordering::Relaxed);
    let (seeds, until) = wanted();
    let ordinary = seeds == SEEDS;
    let mut coverage = Coverage::default();
    let mut played = 0;
    for seed in seeds {
        if until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        play_all(seed, &mut coverage);
        played += 1;
        if played % 5000 == 0 {
            eprintln!("{played} seeds played");
        }
    }
    println!("{played} seeds played, no invariant broken");
    show(&coverage);
    if ordinary {
        for (name, sum) in coverage.0.iter().take_while(|(name, _)| *name != FIRST_GAUGE) {
            assert!(*sum > 0, "no scenario reached {name}");
        }
    }
}
