// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any sequence of operations on the scheduler: the random scenarios of `crates/bfq/tests/random`,
//! with the fuzzer's bytes in the place of a seed. Each input is played under both policies, and
//! every invariant is checked as there.
//!
//! ```text
//! cargo +nightly fuzz run operations                          looks for a crash
//! cargo +nightly fuzz run operations artifacts/operations/…   replays one
//! ```
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/bfq/tests/random/dice.rs"]
mod dice;
#[path = "../../crates/bfq/tests/random/events.rs"]
mod events;
#[path = "../../crates/bfq/tests/random/host.rs"]
mod host;
#[path = "../../crates/bfq/tests/random/io.rs"]
mod io;
#[path = "../../crates/bfq/tests/random/memory.rs"]
mod memory;
#[path = "../../crates/bfq/tests/random/model.rs"]
mod model;
#[path = "../../crates/bfq/tests/random/options.rs"]
mod options;
#[path = "../../crates/bfq/tests/random/played.rs"]
mod played;
#[path = "../../crates/bfq/tests/random/workers.rs"]
mod workers;

#[global_allocator]
static ALLOCATOR: memory::Watched = memory::Watched;

fuzz_target!(|bytes: &[u8]| {
    host::Host::<bfq::Budget>::new(dice::Dice::of_bytes(bytes)).play();
    host::Host::<bfq::TimeFair>::new(dice::Dice::of_bytes(bytes)).play();
});
