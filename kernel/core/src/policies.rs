// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The policies that the module has an elevator for: `BFQ_FOR_EACH_POLICY` of `glue/bfq_core.h`.
//!
//! There is one, so its scheduler is compiled for it alone. With several it is an `AnyRecordable`,
//! and nothing else here changes but the two lines that say so.

use crate::ring::Ring;
use bfq::{Config, PolicyName, Scheduler, Time};
use recording::Recorded;

/// What the module has, by the number that C knows it by.
const POLICIES: &[PolicyName] = &[PolicyName::Budget];

/// The scheduler of a device, recorded or not.
pub(crate) type Scheduled = Recorded<Ring>;

/// A scheduler that nobody records; none if there is no memory, or no such policy.
pub(crate) fn attach(policy: u32, now: Time, config: Config<'_>) -> Option<Scheduled> {
    POLICIES.get(policy as usize)?;
    Scheduler::attach(now, config, None).map(Scheduled::new).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_an_elevator_for_each_policy_of_the_module() {
        let header = include_str!("../../glue/bfq_core.h");
        let listed = header.lines().filter_map(|line| line.trim().strip_prefix("X(BFQ_POLICY_"));
        let names: Vec<&str> = listed
            .map(|row| row[row.find(", ").unwrap() + 2..].split(')').next().unwrap())
            .collect();
        let expected: Vec<&str> = POLICIES.iter().map(|policy| policy.name()).collect();
        assert_eq!(names, expected);
        let config = || Config::new(false, 8);
        for (number, name) in names.iter().enumerate() {
            let scheduler = attach(number as u32, Time::ZERO, config()).expect("memory");
            assert_eq!(scheduler.policy_name(), *name);
        }
        assert!(attach(names.len() as u32, Time::ZERO, config()).is_none());
    }
}
