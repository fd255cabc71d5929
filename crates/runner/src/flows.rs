// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows: processes that do I/Os in proportion to their weights (`flow`).
//!
//! As under fio: a process is ahead if its part of the flow's I/Os is greater than its weight's
//! part of the weights of all that run; it then does none until the others have caught up. One of
//! them is always not ahead, so they cannot all wait for each other.

use std::collections::BTreeMap;
use workload::Flow;

/// The processes that share a `flow_id`: the sums of their weights and of the I/Os done.
#[derive(Debug, Default)]
struct Counts {
    weights: u64,
    ios: u64,
    /// Processes that wait until others have caught up.
    held: Vec<u32>,
}

/// All flows of a run.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    flows: BTreeMap<u64, Counts>,
    /// Processes that were held and may look again.
    released: Vec<u32>,
}

/// A process's place in its flow.
#[derive(Debug)]
pub(crate) struct Member {
    flow: Flow,
    has_joined: bool,
    ios: u64,
}

impl Member {
    pub(crate) fn new(flow: Flow) -> Member {
        Member { flow, has_joined: false, ios: 0 }
    }
}

impl Flows {
    /// Whether process `number` is ahead; the first question makes it a member. If so: how long it
    /// sleeps, ns, where 0 is until it is released.
    pub(crate) fn ahead(&mut self, member: &mut Member, number: u32) -> Option<u64> {
        let weight = u64::from(member.flow.weight);
        let counts = self.joined(member);
        let (own, all) = (u128::from(member.ios), u128::from(counts.ios));
        if own * u128::from(counts.weights) <= all * u128::from(weight) {
            return None;
        }
        if member.flow.sleep_ns == 0 && !counts.held.contains(&number) {
            counts.held.push(number);
        }
        Some(member.flow.sleep_ns)
    }

    /// A member does an I/O.
    pub(crate) fn issued(&mut self, member: &mut Member) {
        member.ios += 1;
        let counts = self.joined(member);
        counts.ios += 1;
        let held = std::mem::take(&mut counts.held);
        self.released.extend(held);
    }

    /// The flow of a process, which is a member from now on.
    fn joined(&mut self, member: &mut Member) -> &mut Counts {
        let counts = self.flows.entry(member.flow.id).or_default();
        if !std::mem::replace(&mut member.has_joined, true) {
            counts.weights += u64::from(member.flow.weight);
        }
        counts
    }

    /// A member has ended; what it did no longer counts.
    pub(crate) fn left(&mut self, member: &Member) {
        if let Some(counts) = self.flows.get_mut(&member.flow.id).filter(|_| member.has_joined) {
            counts.weights -= u64::from(member.flow.weight);
            counts.ios -= member.ios;
            self.released.append(&mut counts.held);
        }
    }

    /// A process that may look again whether it is ahead.
    pub(crate) fn take_released(&mut self) -> Option<u32> {
        self.released.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(weight: u32) -> Member {
        Member::new(Flow { id: 0, weight, sleep_ns: 0 })
    }

    #[test]
    fn ios_are_in_proportion_to_weights() {
        let mut flows = Flows::default();
        let mut members = [member(3), member(2), member(1)];
        let mut order = String::new();
        for _ in 0..8 {
            for (number, member) in members.iter_mut().enumerate() {
                if flows.ahead(member, number as u32).is_none() {
                    flows.issued(member);
                    order.push(['a', 'b', 'c'][number]);
                }
            }
        }
        let count = |letter| order.matches(letter).count();
        assert!(count('a').abs_diff(3 * count('c')) <= 3, "{order}");
        assert!(count('b').abs_diff(2 * count('c')) <= 2, "{order}");
    }

    #[test]
    fn who_is_ahead_is_released_by_the_ios_of_others_and_by_their_end() {
        let mut flows = Flows::default();
        let (mut a, mut b) = (member(1), member(1));
        assert_eq!((flows.ahead(&mut a, 0), flows.ahead(&mut b, 1)), (None, None));
        flows.issued(&mut a);
        assert_eq!(flows.ahead(&mut a, 0), Some(0));
        flows.issued(&mut b);
        assert_eq!((flows.take_released(), flows.take_released()), (Some(0), None));
        assert_eq!(flows.ahead(&mut a, 0), None);
        flows.issued(&mut a);
        assert_eq!(flows.ahead(&mut a, 0), Some(0));
        flows.left(&b);
        assert_eq!(flows.take_released(), Some(0));
        assert_eq!(flows.ahead(&mut a, 0), None);
    }
}
