// SPDX-License-Identifier: MIT OR Apache-2.0
//! A slower disk than the one at hand: requests are served one after the other at a set rate.
//!
//! On a disk faster than the jobs no queue builds, and a scheduler with nothing queued has nothing
//! to decide. The throttle holds completions back until a disk of the set rate, serving requests
//! in the order it got them, would have ended them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU64;

/// Completions held back to a rate.
#[derive(Debug)]
pub struct Throttle<T> {
    rate_bytes_per_s: NonZeroU64,
    /// When the disk of the set rate will have served all it was given.
    free_at_ns: u64,
    /// When it begins with the last of that.
    last_begins_ns: u64,
    /// Ended on the real disk, not yet on the slower one. Earliest first.
    held: BinaryHeap<Reverse<Held<T>>>,
}

#[derive(Debug)]
struct Held<T> {
    release_ns: u64,
    item: T,
}

impl<T> PartialEq for Held<T> {
    fn eq(&self, other: &Self) -> bool {
        self.release_ns == other.release_ns
    }
}

impl<T> Eq for Held<T> {}

impl<T> PartialOrd for Held<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Held<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.release_ns.cmp(&other.release_ns)
    }
}

impl<T> Throttle<T> {
    /// A disk that moves `rate_bytes_per_s` bytes a second, idle at time 0.
    pub fn new(rate_bytes_per_s: NonZeroU64) -> Throttle<T> {
        Throttle { rate_bytes_per_s, free_at_ns: 0, last_begins_ns: 0, held: BinaryHeap::new() }
    }

    /// When the disk of the set rate begins with the last request that it was given.
    pub fn last_begins_ns(&self) -> u64 {
        self.last_begins_ns
    }

    /// A request of `length_bytes` is handed to the disk now; the answer is when it may
    /// end, in nanoseconds.
    pub fn start(&mut self, now_ns: u64, length_bytes: u64) -> u64 {
        let rate = u128::from(self.rate_bytes_per_s.get());
        let service_ns = (u128::from(length_bytes) * 1_000_000_000).div_ceil(rate);
        let begin_ns = self.free_at_ns.max(now_ns);
        self.last_begins_ns = begin_ns;
        self.free_at_ns = begin_ns.saturating_add(u64::try_from(service_ns).unwrap_or(u64::MAX));
        self.free_at_ns
    }

    /// The real disk has ended a request that may end at `release_ns`, not before.
    pub fn hold(&mut self, release_ns: u64, item: T) {
        self.held.push(Reverse(Held { release_ns, item }));
    }

    /// When the next completion is due, if any is held.
    pub fn next_release_ns(&self) -> Option<u64> {
        self.held.peek().map(|Reverse(held)| held.release_ns)
    }

    /// The next completion that is due at `now_ns`, in order of their times.
    pub fn release(&mut self, now_ns: u64) -> Option<T> {
        if self.next_release_ns()? > now_ns {
            return None;
        }
        self.held.pop().map(|Reverse(held)| held.item)
    }

    /// How many completions are held.
    pub fn held(&self) -> usize {
        self.held.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn mebibyte_per_ms() -> Throttle<char> {
        Throttle::new(NonZeroU64::new((1 << 20) * 1000).unwrap())
    }

    #[test]
    fn requests_are_served_one_after_the_other() {
        let mut disk = mebibyte_per_ms();
        let a = disk.start(0, 1 << 20);
        let b = disk.start(0, 2 << 20);
        let c = disk.start(MS, 1 << 19);
        assert_eq!((a, b, c), (MS, 3 * MS, 3 * MS + MS / 2));
        // Idle from 3.5 ms on: the next one starts when it comes.
        assert_eq!(disk.start(10 * MS, 1 << 20), 11 * MS);
    }

    #[test]
    fn completions_come_at_their_time_and_in_its_order() {
        let mut disk = mebibyte_per_ms();
        let (a, b) = (disk.start(0, 1 << 20), disk.start(0, 1 << 20));
        disk.hold(b, 'b');
        disk.hold(a, 'a');
        assert_eq!(disk.next_release_ns(), Some(MS));
        assert_eq!(disk.release(MS - 1), None);
        assert_eq!(disk.release(MS), Some('a'));
        assert_eq!(disk.release(MS), None);
        assert_eq!(disk.held(), 1);
        assert_eq!(disk.release(5 * MS), Some('b'));
        assert_eq!(disk.next_release_ns(), None);
    }

    #[test]
    fn the_slowest_disk_does_not_overflow() {
        let mut disk: Throttle<()> = Throttle::new(NonZeroU64::MIN);
        assert_eq!(disk.start(u64::MAX - 5, u64::MAX), u64::MAX);
        assert_eq!(disk.start(0, 0), u64::MAX);
    }
}
