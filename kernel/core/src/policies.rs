// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The policies that the module has an elevator for: `BFQ_FOR_EACH_POLICY` of `glue/bfq_core.h`.
//!
//! The scheduler of a device is one of several types by its policy, chosen when it is attached: a
//! call compares a number, and no pointer to a function is followed on the way of a request.

use crate::ring::Ring;
use bfq::{AnyScheduler, Config, PolicyName, Time};
use recording::AnyRecordable;

/// What the module has, by the number that C knows it by.
pub const POLICIES: &[PolicyName] = &[PolicyName::Budget, PolicyName::TimeFair];

/// The scheduler of a device, recorded or not.
pub(crate) type Scheduled = AnyRecordable<Ring>;

/// A scheduler without recorder; none if there is no memory, or no such policy.
pub(crate) fn attach(policy: u32, now: Time, config: Config<'_>) -> Option<Scheduled> {
    let policy = *POLICIES.get(policy as usize)?;
    AnyScheduler::attach(policy, now, config, None).map(Scheduled::new).ok()
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
