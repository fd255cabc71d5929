// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tokens of a domain: a request holds one from dispatch to completion (peers.md §4.2).

/// A bound on the requests of a domain that are on their way.
#[derive(Debug)]
pub(super) struct Tokens {
    depth: u32,
    in_use: u32,
    /// A request found no token.
    awaited: bool,
}

impl Tokens {
    pub fn new(depth: u32) -> Tokens {
        Tokens { depth, in_use: 0, awaited: false }
    }

    /// How many may be held.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// How many are held: after the depth was lowered, perhaps more than it.
    pub fn in_use(&self) -> u32 {
        self.in_use
    }

    pub fn set_depth(&mut self, depth: u32) {
        self.depth = depth;
    }

    /// Takes a token; false, and remembered, if none is free.
    pub fn take(&mut self) -> bool {
        let free = self.in_use < self.depth;
        if free {
            self.in_use += 1;
        } else {
            self.awaited = true;
        }
        free
    }

    /// Gives a token back. Returns whether a request has waited for one and may have it now.
    pub fn give_back(&mut self) -> bool {
        self.in_use -= 1;
        self.in_use < self.depth && std::mem::take(&mut self.awaited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_found_no_token_hears_once_of_one_that_is_free() {
        let mut tokens = Tokens::new(2);
        assert!(tokens.take() && tokens.take());
        assert!(!tokens.give_back(), "no queue waits");
        assert!(tokens.take() && !tokens.take());
        assert!(tokens.give_back(), "now one does");
        assert!(!tokens.give_back(), "and has heard of it");
    }

    #[test]
    fn after_the_depth_was_lowered_tokens_must_come_back_first() {
        let mut tokens = Tokens::new(4);
        (0..4).for_each(|_| assert!(tokens.take()));
        tokens.set_depth(2);
        assert!(!tokens.take());
        assert_eq!(
            [tokens.give_back(), tokens.give_back(), tokens.give_back()],
            [false, false, true]
        );
        assert!(tokens.take());
        assert_eq!((tokens.in_use(), tokens.depth()), (2, 2));
    }
}
