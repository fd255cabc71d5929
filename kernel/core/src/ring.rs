// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The ring of bytes that a recording goes to, shared with C.

use crate::testing;
use core::ptr::NonNull;
use recording::Sink;

/// `struct bfq_ring`: bytes that were written and not read yet, in memory of C.
#[repr(C)]
#[derive(Debug)]
pub struct RawRing {
    /// The first byte of the ring's memory, which belongs to C.
    pub bytes: *mut u8,
    /// How many there is room for.
    pub size: usize,
    /// Where the oldest byte is.
    pub first: usize,
    /// How many are to be read.
    pub used: usize,
}

/// The ring that a recorder writes to. What finds no room is lost: the beginning of a recording is
/// worth more than its end.
#[derive(Debug)]
pub struct Ring(NonNull<RawRing>);

impl Ring {
    /// A ring in memory of C.
    ///
    /// # Safety
    /// `ring` and its bytes are valid as long as this is there, and while it writes nothing else
    /// uses them: the device's lock is held then.
    pub unsafe fn new(ring: NonNull<RawRing>) -> Self {
        Ring(ring)
    }
}

impl Sink for Ring {
    fn write(&mut self, new: &[u8]) -> bool {
        testing::point();
        // SAFETY: by the contract of `new` the ring and its bytes are valid, and nothing else uses
        // them now.
        let ring = unsafe { self.0.as_mut() };
        // SAFETY: the same.
        let bytes = unsafe { core::slice::from_raw_parts_mut(ring.bytes, ring.size) };
        if ring.size - ring.used < new.len() {
            return false;
        }
        let mut place = ring.first + ring.used;
        for &byte in new {
            if place >= ring.size {
                place -= ring.size;
            }
            if let Some(room) = bytes.get_mut(place) {
                *room = byte;
            }
            place += 1;
        }
        ring.used += new.len();
        true
    }
}
