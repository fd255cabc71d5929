// SPDX-License-Identifier: MIT OR Apache-2.0
//! What others did while something was measured.

use serde::{Deserialize, Serialize};

/// The part that others had in what the machine did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Others {
    /// Of the bytes that the disk moved, in percent.
    pub io_percent: u32,
    /// Of the time of all processors, in percent.
    pub processors_percent: u32,
}

impl Others {
    /// More than this disturbs, in percent.
    const DISTURBS_PERCENT: f64 = 5.0;

    /// What is worth a word; none if both are little.
    pub fn noteworthy(io_percent: f64, processors_percent: f64) -> Option<Self> {
        let most = io_percent.max(processors_percent);
        (most > Self::DISTURBS_PERCENT).then(|| Others {
            io_percent: io_percent.round() as u32,
            processors_percent: processors_percent.round() as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_little_is_not_worth_a_word() {
        assert_eq!(Others::noteworthy(5.0, 4.9), None);
        let found = Others::noteworthy(5.4, 0.0);
        assert_eq!(found, Some(Others { io_percent: 5, processors_percent: 0 }));
    }
}
