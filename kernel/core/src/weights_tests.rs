// SPDX-License-Identifier: GPL-2.0 OR MIT
//! Weights as the C side handles them; the grammar has its own tests in the scheduler's crate.

use super::*;
use crate::abi::weight_file::{BFQ, BFQ_PLAIN as PLAIN, GENERIC};

struct Weights(*mut GroupWeights);

impl Weights {
    fn new() -> Weights {
        Weights(bfq_weights_new())
    }

    /// What a write gives: 0, or the code of an error.
    fn write(&mut self, file: u32, text: &str) -> i32 {
        let mut change = Change::default();
        // SAFETY: the text is valid for its length.
        match unsafe { bfq_weights_parse(file, text.as_ptr(), text.len(), &mut change) } {
            0 => self.apply(&change, self.room_for(&change)),
            error => error,
        }
    }

    fn room_for(&self, change: &Change) -> u32 {
        // SAFETY: the weights are ours.
        bfq_weights_room_for(unsafe { &*self.0 }, change)
    }

    /// What a change gives with room for `count` overrides.
    fn apply(&mut self, change: &Change, count: u32) -> i32 {
        let room = bfq_override_room_new(count);
        // SAFETY: the weights and the room are ours.
        unsafe {
            let answer = bfq_weights_apply(&mut *self.0, change, &mut *room);
            bfq_override_room_free(room);
            answer
        }
    }

    /// What a read gives in a buffer of `size` bytes: its length, and the text.
    fn read(&self, file: u32, size: usize) -> (usize, String) {
        let mut buffer = vec![b'.'; size];
        // SAFETY: the weights are ours, and the buffer is of that size.
        let len = unsafe { bfq_weights_show(&*self.0, file, buffer.as_mut_ptr(), size) };
        (len, String::from_utf8(buffer[..len].to_vec()).unwrap())
    }

    fn on(&self, major: u32, minor: u32) -> u32 {
        // SAFETY: the weights are ours.
        bfq_weights_effective(unsafe { &*self.0 }, major, minor)
    }
}

impl Drop for Weights {
    fn drop(&mut self) {
        // SAFETY: nothing else has them.
        unsafe { bfq_weights_free(self.0) };
    }
}

#[test]
fn what_is_written_is_answered_with_the_kernels_codes() {
    for (file, text, answer) in [
        (BFQ, "300\n", 0),
        (BFQ, "default 300", 0),
        (BFQ, "8:0 300", 0),
        (BFQ, "8:0 default", 0),
        (BFQ, "1001", -errno::ERANGE),
        (BFQ, "8:0 1001", -errno::ERANGE),
        (BFQ, "\n", -errno::ERANGE),
        (BFQ, "weight", -errno::EINVAL),
        (BFQ, "8:0", -errno::EINVAL),
        (PLAIN, "1000", 0),
        (PLAIN, "1001", -errno::ERANGE),
        (PLAIN, "8:0 300", -errno::EINVAL),
        (GENERIC, "10000", 0),
        (GENERIC, "8:0 10000", 0),
        (GENERIC, "10001", -errno::ERANGE),
    ] {
        assert_eq!(Weights::new().write(file, text), answer, "{text:?} to file {file}");
    }
}

#[test]
fn text_that_is_no_text_is_malformed() {
    let bytes = [b'1', 0xff, b'0'];
    let mut change = Change::default();
    // SAFETY: the bytes are valid for their length.
    let answer = unsafe { bfq_weights_parse(BFQ, bytes.as_ptr(), bytes.len(), &mut change) };
    assert_eq!((answer, change), (-errno::EINVAL, Change::default()));
}

#[test]
fn a_change_for_a_device_says_for_which_one() {
    let understood = |text: &str| {
        let mut change = Change::default();
        // SAFETY: the text is valid for its length.
        unsafe { bfq_weights_parse(BFQ, text.as_ptr(), text.len(), &mut change) };
        (change.kind, change.major, change.minor, change.weight)
    };
    assert_eq!(understood("200"), (0, 0, 0, 200));
    assert_eq!(understood("259:3 200"), (1, 259, 3, 200));
    assert_eq!(understood("259:3 default"), (2, 259, 3, 0));
    assert_eq!(understood("259:3 0"), (2, 259, 3, 0));
}

#[test]
fn a_device_that_has_gone_leaves_nothing_to_the_next_one_of_its_number() {
    let mut weights = Weights::new();
    assert_eq!(weights.on(8, 0), 100);
    weights.write(BFQ, "200");
    weights.write(GENERIC, "8:0 7000");
    weights.write(BFQ, "8:16 50");
    assert_eq!((weights.on(8, 0), weights.on(8, 16), weights.on(8, 32)), (7000, 50, 200));
    // SAFETY: the weights are ours.
    bfq_weights_forget(unsafe { &mut *weights.0 }, 8, 0);
    assert_eq!((weights.on(8, 0), weights.on(8, 16)), (200, 50));
}

#[test]
fn an_override_needs_room_that_was_made_before() {
    let mut weights = Weights::new();
    let override_of = |minor| Change { kind: Change::OVERRIDE, major: 8, minor, weight: 300 };
    assert_eq!(weights.apply(&override_of(0), 0), -errno::ENOMEM);
    assert_eq!(weights.on(8, 0), 100, "nothing has changed");
    let first_room = weights.room_for(&override_of(0));
    assert_eq!(weights.apply(&override_of(0), first_room), 0);
    for minor in 1..first_room {
        assert_eq!(weights.room_for(&override_of(minor)), 0);
        assert_eq!(weights.apply(&override_of(minor), 0), 0);
    }
    let next_room = weights.room_for(&override_of(first_room));
    assert!(next_room > first_room);
    assert_eq!(weights.apply(&override_of(first_room), 0), -errno::ENOMEM);
    assert_eq!(weights.apply(&override_of(first_room), first_room), -errno::ENOMEM);
    assert_eq!(weights.apply(&override_of(first_room), next_room), 0);
    assert_eq!((0..=first_room).map(|minor| weights.on(8, minor)).max(), Some(300));
    let default = Change { kind: 0, weight: 70, ..Change::default() };
    assert_eq!((weights.room_for(&default), weights.apply(&default, 0)), (0, 0));
}

#[test]
fn what_is_read_fits_or_fills_the_buffer() {
    let mut weights = Weights::new();
    weights.write(BFQ, "8:0 300");
    let shown = "default 100\n8:0 300\n";
    assert_eq!(weights.read(BFQ, 100), (shown.len(), shown.into()));
    assert_eq!(weights.read(GENERIC, 100), (shown.len(), shown.into()));
    assert_eq!(weights.read(PLAIN, 100), (4, "100\n".into()));
    for size in 1..shown.len() {
        assert_eq!(weights.read(BFQ, size).0, size, "a larger buffer is asked for");
    }
}
