// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who takes part: what the kernel offers, with the tunables that are worth the time.

use crate::model::Level;
use base::suggest::meant_or_all;
use host::{Candidate, CandidateError};

/// Variants of bfq, each from a level on: what its documentation advises for one goal or another.
const VARIANTS: [(Level, &str); 3] = [
    (Level::Normal, "bfq:low_latency=0"),
    (Level::Thorough, "bfq:slice_idle=0,low_latency=0"),
    (Level::Thorough, "bfq:strict_guarantees=1"),
];

/// A list of candidates is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineupError {
    /// It cannot be read.
    #[error(transparent)]
    Malformed(#[from] CandidateError),
    /// One is named twice.
    #[error("{0} is named twice")]
    Twice(Candidate),
    /// The kernel does not have one.
    #[error(
        "the kernel does not offer {scheduler} for this disk{}",
        meant_or_all(scheduler, offered)
    )]
    NotOffered {
        /// Name of the scheduler.
        scheduler: String,
        /// The schedulers that the kernel offers for the disk.
        offered: Vec<String>,
    },
}

/// The candidates for a disk that offers these schedulers.
pub fn usual(level: Level, offered: &[String]) -> Vec<Candidate> {
    let variants = VARIANTS.iter().filter(|(from, _)| *from <= level);
    let variants = variants.map(|(_, text)| text.parse().expect("the table is well-formed"));
    let is_offered = |candidate: &Candidate| offered.contains(&candidate.scheduler);
    let plain = offered.iter().map(|name| Candidate::plain(name));
    plain.chain(variants.filter(is_offered)).collect()
}

/// The candidates of a list such as `none,bfq:low_latency=0,slice_idle=0`: a part with a `=` and
/// without a `:` belongs to the candidate before it.
///
/// # Errors
/// [`LineupError`].
pub fn listed(text: &str, offered: &[String]) -> Result<Vec<Candidate>, LineupError> {
    let mut specs: Vec<String> = Vec::new();
    for part in text.split(',') {
        match specs.last_mut() {
            Some(last) if part.contains('=') && !part.contains(':') => {
                last.push(',');
                last.push_str(part);
            }
            _ => specs.push(part.to_owned()),
        }
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for spec in specs {
        let candidate: Candidate = spec.trim().parse()?;
        if !offered.contains(&candidate.scheduler) {
            let (scheduler, offered) = (candidate.scheduler, offered.to_vec());
            return Err(LineupError::NotOffered { scheduler, offered });
        }
        if candidates.contains(&candidate) {
            return Err(LineupError::Twice(candidate));
        }
        candidates.push(candidate);
    }
    Ok(candidates)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(candidates: &[Candidate]) -> Vec<String> {
        candidates.iter().map(ToString::to_string).collect()
    }

    fn offered() -> Vec<String> {
        ["none", "kyber", "bfq"].map(str::to_owned).to_vec()
    }

    #[test]
    fn more_time_more_variants() {
        assert_eq!(names(&usual(Level::Quick, &offered())), ["none", "kyber", "bfq"]);
        assert_eq!(usual(Level::Normal, &offered()).len(), 4);
        assert_eq!(usual(Level::Thorough, &offered()).len(), 6);
        assert_eq!(names(&usual(Level::Thorough, &offered()[..2])), ["none", "kyber"]);
        let with_tfq = ["none", "tfq"].map(str::to_owned);
        assert_eq!(names(&usual(Level::Quick, &with_tfq)), ["none", "tfq"]);
    }

    #[test]
    fn lists_are_read_as_everywhere() {
        let list = "bfq:low_latency=0,slice_idle=0,none,bfq";
        let candidates = listed(list, &offered()).unwrap();
        assert_eq!(names(&candidates), ["bfq:low_latency=0,slice_idle=0", "none", "bfq"]);
    }

    #[test]
    fn wrong_lists_are_refused() {
        for (list, told) in [
            ("", "expected `name`"),
            ("none,", "expected `name`"),
            ("none,none", "none is named twice"),
            ("none,noop", "does not offer noop for this disk; did you mean `none`?"),
            ("none,deadline", "does not offer deadline for this disk; there are: none, kyber, bfq"),
        ] {
            let error = listed(list, &offered()).unwrap_err().to_string();
            assert!(error.contains(told), "{list}: {error}");
        }
    }
}
