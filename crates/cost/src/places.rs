// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the requests go: anywhere, and no two of them touch, so that nothing is merged.

/// Knuth's MMIX generator. Not the generator of the other crates: the figures of earlier versions
/// were taken with these places, and are to be compared.
pub struct Places {
    state: u64,
    /// Length of a request.
    sectors: u32,
}

impl Places {
    /// The first place of requests of this length.
    pub const fn new(sectors: u32) -> Places {
        Places { state: 0x9E37_79B9_7F4A_7C15, sectors }
    }

    /// The first sector of the next request: one of 2²⁸ places, each with a gap behind it.
    pub const fn next_sector(&mut self) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 36) * self.sectors as u64 * 2
    }
}
