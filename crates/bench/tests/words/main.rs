// SPDX-License-Identifier: MIT OR Apache-2.0
//! The test on the words: whatever was measured, no sentence of a verdict and no label of its
//! drawing says more than the measurements.
//!
//! `checker` reads the printed text like a suspicious reader with the raw figures beside it. It is
//! held against runs that are made up at random, against real ones, and against sentences that are
//! wrong on purpose.
//!
//! Results of one's own are checked by
//! `BFQ_BENCH_RESULTS=FOLDER cargo test -p bfq-bench --test words real -- --nocapture`, which reads
//! every `*.jsonl` in the folder.

mod checker;
mod made_up;

use bench::model::{Goal, Measurement, Opening, ResultsFile};
use bench::verdict::{Verdict, Weights, judge};
use checker::complaints;
use std::path::{Path, PathBuf};

/// All goals together, then each by itself.
fn families() -> Vec<Vec<Weights>> {
    let alone = Goal::ALL.map(|goal| vec![Weights::of(goal)]);
    std::iter::once(Weights::of_all_goals()).chain(alone).collect()
}

/// What is wrong with the words about these measurements, whichever goals are asked for.
fn wrong(opening: &Opening, measured: &[Measurement], families: &[Vec<Weights>]) -> Vec<String> {
    let of_family = |goals: &Vec<Weights>| {
        let verdict = judge(opening, measured, goals);
        let text = verdict.to_string();
        let complaints = complaints(&verdict, measured, &text);
        complaints.into_iter().map(move |complaint| format!("{complaint}\n{text}"))
    };
    families.iter().flat_map(of_family).collect()
}

#[test]
fn no_sentence_about_random_measurements_says_more_than_they_do() {
    const RUNS: u64 = 120;
    let families = families();
    let mut recommend = 0;
    for seed in 0..RUNS {
        let (opening, measured) = made_up::run(seed);
        let family = &families[seed as usize % families.len()];
        let wrong = wrong(&opening, &measured, std::slice::from_ref(family));
        assert!(wrong.is_empty(), "seed {seed}: {}", wrong.join("\n"));
        let verdict = judge(&opening, &measured, family);
        recommend += u64::from(verdict.recommended().is_some());
    }
    assert!((RUNS / 10..RUNS * 9 / 10).contains(&recommend), "{recommend} of {RUNS} say something");
}

fn results_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut results: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|of| of == "jsonl")).collect();
    results.sort();
    results
}

#[test]
fn no_sentence_about_real_runs_says_more_than_they_do() {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/runs");
    let folder = std::env::var_os("BFQ_BENCH_RESULTS").map_or(ours, PathBuf::from);
    let results = results_in(&folder);
    assert!(!results.is_empty(), "there are no results in {}", folder.display());
    for path in &results {
        let (opening, measured) = ResultsFile::read(path).unwrap();
        let wrong = wrong(&opening, &measured, &families());
        assert!(wrong.is_empty(), "{}: {}", path.display(), wrong.join("\n"));
    }
    println!("{} runs in {}, no sentence says too much", results.len(), folder.display());
}

/// A verdict for a desktop, and what was measured: bfq starts programs six times faster, costs a
/// third of the throughput, and differs in nothing else.
fn plain() -> (Verdict, Vec<Measurement>) {
    let (opening, measured) = made_up::plain();
    (judge(&opening, &measured, &[Weights::of(Goal::Desktop)]), measured)
}

/// The checker is worth something only if it finds what is wrong.
#[test]
fn what_is_wrong_on_purpose_is_found() {
    let (verdict, measured) = plain();
    let text = verdict.to_string();
    assert_eq!(complaints(&verdict, &measured, &text), [""; 0], "{text}");
    let clause = |from: &str, to: &str| {
        let begin = text.find(from).unwrap_or_else(|| panic!("{from}: {text}"));
        let end = begin + text[begin..].find(to).unwrap() + to.len();
        text[begin..end].to_owned()
    };
    let starts = clause("starts ", " (start-readers)");
    let moves = clause("moves ", " (start-readers)");
    for (wrong, told) in [
        (text.replacen(&starts, "starts 12 [11–13] times faster (start-readers)", 1), "median"),
        (
            text.replacen(&starts, "starts 6.0 [5.99–6.01] times faster (start-readers)", 1),
            "narrower",
        ),
        (text.replacen(&starts, "starts 83 % [80–85 %] faster (start-readers)", 1), "percent"),
        (text.replacen(" times faster (", " times slower (", 1), "direction"),
        (
            text.replacen(&moves, "costs 31 % [−244 to 69 %] throughput (start-readers)", 1),
            "reaches",
        ),
        (text.replacen(&moves, "moves 33 % [0–40 %] less (start-readers)", 1), "equality"),
        (text.replacen("(start-readers)", "(start-nowhere)", 1), "not measured"),
        (text.replacen("For desktop use:", "For pure throughput:", 1), "named after"),
        (text.replacen(&starts, &moves, 1), "largest"),
    ] {
        let found = complaints(&verdict, &measured, &wrong);
        assert!(found.iter().any(|one| one.contains(told)), "{told}: {found:?}\n{wrong}");
    }
    // The same words about the first three rounds, or one.
    for rounds in [1, 3] {
        let few: Vec<Measurement> =
            measured.iter().filter(|one| one.round < rounds).cloned().collect();
        let found = complaints(&verdict, &few, &text);
        assert!(found.iter().any(|one| one.contains("too few rounds")), "{found:?}");
        assert!(found.iter().any(|one| one.contains("an interval of")), "{found:?}");
    }
}
