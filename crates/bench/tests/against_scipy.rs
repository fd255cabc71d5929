// SPDX-License-Identifier: MIT OR Apache-2.0
//! Our statistics beside SciPy's on the same samples (`testdata/statistics.py` makes the file).

use bench::statistics::{corrected_p, median_interval};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    medians: Vec<Median>,
    permutations: Vec<Permutation>,
}

#[derive(Deserialize)]
struct Median {
    kind: String,
    values: Vec<f64>,
    median: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Permutation {
    kind: String,
    differences: Vec<Vec<f64>>,
    /// The p of each question by itself.
    single: Vec<f64>,
    /// Of all of them together.
    corrected: Vec<f64>,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../testdata/statistics.json")).unwrap()
}

#[test]
fn medians_and_their_intervals() {
    let vectors = vectors();
    assert_eq!(vectors.medians.len(), 20);
    for of in &vectors.medians {
        let ours = median_interval(&of.values).unwrap();
        let case = format!("{} of {}: {ours:?}", of.kind, of.values.len());
        assert!((ours.median - of.median).abs() < 1e-12, "{case} {}", of.median);
        // SciPy resamples at random, so where two medians of a large sample are about as likely to
        // be the end, it may take the neighbour.
        let mut sorted = of.values.clone();
        sorted.sort_by(f64::total_cmp);
        let range = sorted[sorted.len() - 1] - sorted[0];
        for (ours, theirs) in [(ours.low, of.low), (ours.high, of.high)] {
            assert!((ours - theirs).abs() <= 0.01 * range, "{case} {} {}", of.low, of.high);
        }
    }
}

#[test]
fn permutation_tests_with_and_without_correction() {
    let vectors = vectors();
    assert_eq!(vectors.permutations.len(), 10);
    for of in &vectors.permutations {
        let questions: Vec<Vec<Option<f64>>> = of
            .differences
            .iter()
            .map(|rounds| rounds.iter().copied().map(Some).collect())
            .collect();
        let single = questions.iter().map(|one| corrected_p(std::slice::from_ref(one), 0)[0]);
        let (single, corrected): (Vec<f64>, _) = (single.collect(), corrected_p(&questions, 0));
        for (ours, theirs) in [(&single, &of.single), (&corrected, &of.corrected)] {
            for (one, other) in ours.iter().zip(theirs) {
                assert!((one - other).abs() < 1e-9, "{}: {ours:?} {theirs:?}", of.kind);
            }
        }
    }
}
