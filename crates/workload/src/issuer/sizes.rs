// SPDX-License-Identifier: MIT OR Apache-2.0
//! How large each I/O is: `bs`, `bsrange`, `bssplit`.

use crate::job::BlockSizes;
use base::random::Random;

/// Draws the sizes of one direction.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    sizes: BlockSizes,
    min_bytes: u32,
    /// All I/Os have the same size, as nearly always.
    is_fixed: bool,
}

impl Sizes {
    pub(super) fn new(sizes: BlockSizes) -> Sizes {
        let min_bytes = sizes.min_bytes();
        let is_fixed = matches!(sizes, BlockSizes::Fixed(_));
        Sizes { sizes, min_bytes, is_fixed }
    }

    pub(super) fn min_bytes(&self) -> u32 {
        self.min_bytes
    }

    /// The size of the next I/O where `room_bytes` are left; none if no size fits.
    #[inline(always)]
    pub(super) fn draw(&self, random: &mut Random, room_bytes: u64) -> Option<u32> {
        if room_bytes < u64::from(self.min_bytes) {
            return None;
        }
        if self.is_fixed {
            return Some(self.min_bytes);
        }
        Some(self.draw_any(random, room_bytes))
    }

    /// The same where sizes differ.
    #[inline(never)]
    fn draw_any(&self, random: &mut Random, room_bytes: u64) -> u32 {
        match &self.sizes {
            BlockSizes::Fixed(bytes) => *bytes,
            BlockSizes::Range(min, max) => {
                // As fio does: any number of bytes up to the maximum is equally likely, and is
                // rounded up to a multiple of the minimum.
                let steps = (random.below(u64::from(*max)) as u32) / min + 1;
                let drawn = steps.saturating_mul(*min).min(*max);
                match u32::try_from(room_bytes) {
                    Ok(room_bytes) if room_bytes < drawn => room_bytes / min * min,
                    _ => drawn,
                }
            }
            BlockSizes::Split(parts) => {
                let drawn = split_at(parts, random.below(100) as u32);
                if u64::from(drawn) <= room_bytes { drawn } else { largest_in(parts, room_bytes) }
            }
        }
    }
}

/// The size that the `percent`-th of a hundred I/Os has.
fn split_at(parts: &[(u32, u8)], percent: u32) -> u32 {
    let mut end = 0;
    for &(bytes, share) in parts {
        end += u32::from(share);
        if percent < end {
            return bytes;
        }
    }
    parts.last().map_or(0, |part| part.0)
}

fn largest_in(parts: &[(u32, u8)], room_bytes: u64) -> u32 {
    let fitting = parts.iter().map(|part| part.0).filter(|&bytes| u64::from(bytes) <= room_bytes);
    fitting.max().unwrap_or(0)
}
