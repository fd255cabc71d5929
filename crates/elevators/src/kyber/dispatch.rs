// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which request goes next (peers.md §4.3).

use blk::Tag;

use super::Kyber;
use super::domain::Domain;

impl Kyber {
    /// The next of the current domain's batch, or else the first of the next domain that has one.
    pub(super) fn dispatch_one(&mut self) -> Option<Tag> {
        if self.batch < self.current.batch()
            && let Some(tag) = self.dispatch_from(self.current)
        {
            return Some(tag);
        }
        self.batch = 0;
        for _ in Domain::ALL {
            self.current = self.current.next();
            if let Some(tag) = self.dispatch_from(self.current) {
                self.counters.batches += 1;
                return Some(tag);
            }
        }
        None
    }

    /// The oldest request of a domain, if there is one and a token for it.
    fn dispatch_from(&mut self, domain: Domain) -> Option<Tag> {
        let queue = &mut self.queues[domain as usize];
        if queue.is_empty() {
            return None;
        }
        if !queue.tokens.take() {
            self.counters.token_waits += 1;
            return None;
        }
        if queue.staged.is_empty() {
            std::mem::swap(&mut queue.staged, &mut queue.arrived);
        }
        self.batch += 1;
        queue.staged.pop_front()
    }
}
