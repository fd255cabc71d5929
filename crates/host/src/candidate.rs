// SPDX-License-Identifier: MIT OR Apache-2.0
//! A candidate: a scheduler of the kernel with values for some of its tunables.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A scheduler of the kernel, and what is written to its tunables when it is chosen. Written
/// `bfq`, or `bfq:low_latency=0,slice_idle=0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct Candidate {
    /// Its name in `/sys/block/DISK/queue/scheduler`.
    pub scheduler: String,
    /// Names and values below `queue/iosched/`, in the order in which they are written.
    pub tunables: Vec<(String, String)>,
}

/// A candidate was not written as it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no scheduler with tunables: expected `name` or `name:tunable=value,…`")]
pub struct CandidateError {
    text: String,
}

impl Candidate {
    /// A scheduler with its defaults.
    pub fn plain(scheduler: &str) -> Self {
        Candidate { scheduler: scheduler.to_owned(), tunables: Vec::new() }
    }
}

/// Whether a word may be a name in sysfs: nothing that could lead out of its directory.
fn is_name(word: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !word.is_empty() && word.chars().all(allowed)
}

impl FromStr for Candidate {
    type Err = CandidateError;

    fn from_str(text: &str) -> Result<Self, CandidateError> {
        let wrong = || CandidateError { text: text.to_owned() };
        let (scheduler, tunables) = match text.split_once(':') {
            Some((scheduler, tunables)) => (scheduler, Some(tunables)),
            None => (text, None),
        };
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=')?;
            let may_be = |letter: char| letter != '=' && !letter.is_control();
            let good = is_name(name) && !value.is_empty() && value.chars().all(may_be);
            good.then(|| (name.to_owned(), value.to_owned()))
        };
        let pairs: Option<Vec<_>> =
            tunables.iter().flat_map(|all| all.split(',')).map(pair).collect();
        let tunables = pairs.ok_or_else(wrong)?;
        if !is_name(scheduler) {
            return Err(wrong());
        }
        Ok(Candidate { scheduler: scheduler.to_owned(), tunables })
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.scheduler)?;
        for (at, (name, value)) in self.tunables.iter().enumerate() {
            write!(f, "{}{name}={value}", if at == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl TryFrom<String> for Candidate {
    type Error = CandidateError;
    fn try_from(text: String) -> Result<Self, CandidateError> {
        text.parse()
    }
}

impl From<Candidate> for String {
    fn from(candidate: Candidate) -> String {
        candidate.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_read_as_they_are_written() {
        for text in ["none", "mq-deadline", "bfq:low_latency=0,slice_idle=0"] {
            assert_eq!(text.parse::<Candidate>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_candidate_is_refused() {
        for text in [
            "",
            ":",
            "bfq:",
            "bfq:low_latency",
            "bfq:=1",
            "bfq:a=",
            "../x",
            "bfq:../a=1",
            "bfq:a=\x1b",
        ] {
            let error = text.parse::<Candidate>().unwrap_err();
            assert!(error.to_string().contains("name:tunable=value"), "{text}: {error}");
        }
    }
}
