// SPDX-License-Identifier: MIT OR Apache-2.0
//! A tenant whose commands hang: it alone waits for them, and the others share as ever.

use crate::faults::{MS, Odd, of_first};
use crate::world::{Does, SECOND_NS, World, part_percent, tenant};

/// What the second and third tenant move in twenty seconds, 100:300, on a disk that takes eight
/// commands of a millisecond; if it `hangs`, beside the first one, each of whose commands takes
/// five seconds.
fn others(scheduler: &str, hangs: bool) -> Vec<u64> {
    let tenants = [tenant("hangs", 100), tenant("light", 100), tenant("heavy", 300)];
    let odd = Odd::boxed(|command| (if of_first(command) { 5 * SECOND_NS } else { MS }, Ok(())));
    let mut world = World::of(odd, scheduler, &tenants);
    if hangs {
        world.client(0, Does::ReadsHereAndThere(4096), 32);
    }
    for other in [1, 2] {
        world.client(other, Does::ReadsHereAndThere(4096), 32);
    }
    let moved = world.measure(5 * SECOND_NS, 20 * SECOND_NS);
    world.disk.state.check();
    moved[1..].to_vec()
}

#[test]
fn the_others_keep_their_shares_and_half_of_their_speed_at_least() {
    for scheduler in ["bfq:low_latency=0", "tfq"] {
        let [alone, beside] = [false, true].map(|hangs| others(scheduler, hangs));
        let share = part_percent(&beside);
        println!("{scheduler}: {alone:?} bytes, {beside:?} beside one that hangs: {share:.1} %");
        assert!((24.0..=26.0).contains(&share), "{scheduler}: {beside:?}, {share:.1} %");
        let [alone, beside] = [alone, beside].map(|moved| moved.iter().sum::<u64>());
        assert!(2 * beside >= alone, "{scheduler}: {alone} bytes, {beside} beside one that hangs");
    }
}

#[test]
fn no_scheduler_lets_the_others_stand_still() {
    for scheduler in ["bfq", "kyber", "mq-deadline", "none"] {
        let beside = others(scheduler, true);
        println!("{scheduler}: {beside:?} bytes beside one that hangs");
        assert!(beside.iter().all(|&bytes| bytes > 1 << 20), "{scheduler}: {beside:?}");
    }
}
