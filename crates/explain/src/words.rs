// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words that several texts have in common.

use crate::record::PoolLimit;
use device::Phase;

/// `a, b and c`.
pub(crate) fn join(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// A phase in words, with the names of those who have older requests in the device.
pub(crate) fn phase_words(phase: Phase, older: &[String]) -> String {
    let words = crate::phases::row(phase).words;
    match older {
        [] => words.to_owned(),
        names if names.len() > 3 => {
            format!("{words}, with older requests of {} and others", names[..3].join(", "))
        }
        names => format!("{words}, with older requests of {}", join(names)),
    }
}

/// Why there is no request, in words.
pub(crate) fn pool_words(limit: PoolLimit) -> &'static str {
    match limit {
        PoolLimit::Whole => "all are in use",
        PoolLimit::Part => "the part that its kind may use is in use",
        PoolLimit::Share => "it or its group has its share of them",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let parts = ["a", "b", "c"].map(str::to_owned);
        assert_eq!((join(&parts[..1]), join(&parts)), ("a".into(), "a, b and c".into()));
    }
}
