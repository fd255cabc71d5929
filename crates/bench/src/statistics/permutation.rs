// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sign-flip permutation test of paired differences, for many questions at once.
//!
//! If two candidates are alike, each round's difference could as well have had the other sign, and
//! with it those of all other metrics of that round. So the test looks at what all ways to choose
//! the signs would have given. Its statistic is the paired t, which grows with the agreement of the
//! rounds; its table is not used, as noise of disks is not normal. Several questions are corrected
//! for by the distribution of the *greatest* t of all of them (Westfall and Young 1993, step-down
//! maxT): that holds the chance of any false claim at the level, and asks for fewer rounds than
//! Bonferroni's or Holm's correction, which multiply a p that few rounds cannot make small.

/// A claim is made if chance would make one, anywhere in a run, at most this often.
pub const LEVEL: f64 = 0.05;

/// Up to this number of rounds all ways to choose the signs are looked at, beyond it a random
/// choice of as many.
const EXACT_ROUNDS: usize = 13;

/// Statistics that differ by less are the same: sums of the same numbers in another order.
const SAME: f64 = 1.0 - 1e-9;

/// The least number of rounds with which a difference can be significant, when `pairs` of
/// candidates are compared.
pub fn rounds_needed(pairs: usize) -> usize {
    let least_p = |rounds: i32| pairs.max(1) as f64 * 2_f64.powi(1 - rounds);
    (1..).find(|rounds| least_p(*rounds) <= LEVEL).map_or(0, |rounds| rounds as usize)
}

/// For each question the probability that chance alone gives an effect as strong as its own,
/// anywhere among the questions that are not stronger.
///
/// A question is its differences, round by round; all questions have as many rounds, and none for
/// a round in which it was not measured. `seed` chooses the signs if there are more than 13 rounds.
pub fn corrected_p(questions: &[Vec<Option<f64>>], seed: u64) -> Vec<f64> {
    let rounds = questions.iter().map(Vec::len).max().unwrap_or(0);
    let unflipped = vec![1.0; rounds];
    let observed: Vec<f64> = questions.iter().map(|rows| statistic(rows, &unflipped)).collect();
    let mut weakest_first: Vec<usize> = (0..questions.len()).collect();
    weakest_first.sort_by(|one, other| observed[*one].total_cmp(&observed[*other]));

    let mut reached = vec![0_u32; questions.len()];
    let mut flips = 0_u32;
    for signs in sign_choices(rounds, seed) {
        flips += 1;
        let mut greatest: f64 = 0.0;
        for &place in &weakest_first {
            greatest = greatest.max(statistic(&questions[place], &signs));
            reached[place] += u32::from(greatest >= observed[place] * SAME);
        }
    }
    let mut corrected = vec![1.0; questions.len()];
    let mut least: f64 = 0.0;
    for &place in weakest_first.iter().rev() {
        // A weaker effect is not surer than a stronger one.
        least = least.max(f64::from(reached[place]) / f64::from(flips));
        corrected[place] = least;
    }
    corrected
}

/// t² of the differences with these signs; 0 of fewer than two.
fn statistic(differences: &[Option<f64>], signs: &[f64]) -> f64 {
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for (difference, sign) in differences.iter().zip(signs) {
        let Some(difference) = difference else { continue };
        n += 1.0;
        sum += difference * sign;
        squares += difference * difference;
    }
    if n < 2.0 || squares == 0.0 {
        return 0.0;
    }
    // The part of the squares that the mean explains: 1 if all differences are the same.
    let explained = (sum * sum / n / squares).min(1.0);
    (n - 1.0) * explained / (1.0 - explained).max(1e-12)
}

/// The ways to choose the signs of rounds: the first is always positive, as turning all of them
/// changes no statistic.
fn sign_choices(rounds: usize, seed: u64) -> Box<dyn Iterator<Item = Vec<f64>>> {
    let sign = |negative: bool| if negative { -1.0 } else { 1.0 };
    let choices = 1_u32 << (rounds.clamp(1, EXACT_ROUNDS) - 1);
    if rounds <= EXACT_ROUNDS {
        let choice = move |bits: u32| (0..rounds).map(|at| sign(bits >> at & 1 == 1)).collect();
        return Box::new((0..choices).map(choice));
    }
    let mut random = fastrand::Rng::with_seed(seed);
    // What was observed is one of the choices.
    Box::new(
        (0..choices)
            .map(move |number| (0..rounds).map(|_| sign(number > 0 && random.bool())).collect()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(values: &[f64]) -> Vec<Option<f64>> {
        values.iter().copied().map(Some).collect()
    }

    #[test]
    fn rounds_allow_claims() {
        for (pairs, rounds) in [(0, 6), (1, 6), (3, 7), (6, 8), (10, 9), (21, 10)] {
            assert_eq!(rounds_needed(pairs), rounds, "{pairs} pairs");
        }
    }

    #[test]
    fn all_rounds_alike_are_as_unlikely_as_all_coins_alike() {
        for rounds in 2..12 {
            let values: Vec<f64> = (0..rounds).map(|round| 1.0 + f64::from(round) / 10.0).collect();
            let p = corrected_p(&[all(&values)], 0);
            assert_eq!(p, [2_f64.powi(1 - rounds)], "{rounds} rounds");
        }
    }

    #[test]
    fn a_strong_effect_is_not_weakened_by_questions_without_one() {
        let strong = all(&[1.8, 1.7, 1.9, 1.8, 1.75, 1.85, 1.8, 1.82]);
        let noise = all(&[0.1, -0.2, 0.05, -0.1, 0.15, 0.02, -0.1, 0.1]);
        let mut questions = vec![noise; 30];
        questions.push(strong);
        let p = corrected_p(&questions, 0);
        assert_eq!(p[30], 2_f64.powi(-7));
        assert!(p[..30].iter().all(|p| *p > 0.5));
    }

    #[test]
    fn questions_that_are_one_count_once() {
        let values = all(&[0.3, 0.1, 0.25, -0.05, 0.2, 0.15, 0.1, 0.3]);
        let once = corrected_p(std::slice::from_ref(&values), 0)[0];
        assert_eq!(corrected_p(&vec![values; 7], 0), [once; 7]);
    }

    #[test]
    fn rounds_without_a_value_say_nothing() {
        let mut some = all(&[0.3, 0.1, 0.25, 0.05, 0.2, 0.15]);
        let alone = corrected_p(std::slice::from_ref(&some), 0);
        some.extend([None, None]);
        let other = all(&[0.0; 8]);
        assert_eq!(corrected_p(&[some, other], 0), [alone[0], 1.0]);
    }

    #[test]
    fn many_rounds_are_judged_by_a_choice_that_the_seed_decides() {
        let values: Vec<f64> = (0..40).map(|at| f64::from(at % 7) - 2.5).collect();
        let [first, again, other] = [1, 1, 2].map(|seed| corrected_p(&[all(&values)], seed)[0]);
        assert_eq!(first, again);
        assert!(first != other && (first - other).abs() < 0.05, "{first} {other}");
    }
}
