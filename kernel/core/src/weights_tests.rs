// SPDX-License-Identifier: GPL-2.0 OR MIT
//! Weights as the C side handles them; the grammar has its own tests in the scheduler's crate.

use super::*;

const BFQ: u32 = 0;
const PLAIN: u32 = 1;
const GENERIC: u32 = 2;

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
            // SAFETY: the weights are ours.
            0 => bfq_weights_apply(unsafe { &mut *self.0 }, &change),
            error => error,
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
        // SAFETY: nobody else has them.
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
