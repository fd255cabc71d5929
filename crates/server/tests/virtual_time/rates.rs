// SPDX-License-Identifier: MIT OR Apache-2.0
//! A fast disk that is held to a rate: its clients' requests wait in the scheduler, however many
//! the disk could take.

use crate::fairness::READS;
use crate::world::{Does, SECOND_NS, World, part_percent, tenant};
use device::Profile;
use server::backend::Emulated;
use server::config::Tenant;
use std::num::NonZeroU64;

/// As flash has it by default, but for the raised weight of clients that begin.
const ON_FLASH: &str = "bfq:low_latency=0,slice_idle_us=1000";

/// It shares the disk otherwise, and has to see that requests wait.
const TFQ: &str = "tfq:low_latency=0";

/// Commands that the disk takes at a time, more than each client has.
const DEPTH: u32 = 64;

/// The emulated disk at `rate` bytes a second.
fn held(scheduler: &str, tenants: &[Tenant], rate: u64) -> World {
    let profile = Profile::builtin("ssd-nvme").expect("a profile");
    let backend = Box::new(Emulated::new(&profile, Some(DEPTH)));
    World::held(backend, scheduler, tenants, NonZeroU64::new(rate))
}

/// How much of `rate` is used, from 0 to 1.
fn used(moved: &[u64], seconds: u64, rate: u64) -> f64 {
    moved.iter().sum::<u64>() as f64 / (rate * seconds) as f64
}

/// What is done, at which rate, and for how many seconds: long beside a slot, which may be an
/// eighth of one.
const LOADS: [(Does, u64, u64); 4] = [
    (READS, 40_000_000, 10),
    (Does::ReadsOn(128 << 10), 40_000_000, 40),
    (Does::ReadsOn(128 << 10), 400_000_000, 20),
    (Does::WritesOn(64 << 10), 40_000_000, 40),
];

#[test]
fn tenants_get_their_weights() {
    for (does, rate, seconds) in LOADS {
        for scheduler in ["bfq:low_latency=0", ON_FLASH] {
            let tenants = [tenant("small", 100), tenant("large", 300)];
            let mut world = held(scheduler, &tenants, rate);
            for tenant in [0, 1] {
                world.client(tenant, does, 32);
            }
            let moved = world.measure(SECOND_NS, seconds * SECOND_NS);
            let (part, used) = (part_percent(&moved), used(&moved, seconds, rate));
            println!("{does:?}, {rate} B/s, {scheduler}: {part:.2} %, {used:.3} of the rate");
            assert!((part - 25.0).abs() <= 1.0, "{does:?}, {rate}: {part:.2} %");
            assert!((used - 1.0).abs() < 0.01, "{does:?}, {rate}: {used}");
        }
    }
}

#[test]
fn a_victim_keeps_its_half_beside_any_number_of_connections() {
    for (does, rate, seconds) in LOADS {
        for (scheduler, aggressors) in [(ON_FLASH, 1), (ON_FLASH, 4), (ON_FLASH, 16), (TFQ, 16)] {
            let tenants = [tenant("victim", 100), tenant("aggressor", 100)];
            let mut world = held(scheduler, &tenants, rate);
            world.client(0, does, 32);
            for _ in 0..aggressors {
                world.client(1, does, 32);
            }
            let moved = world.measure(SECOND_NS, seconds * SECOND_NS);
            let part = part_percent(&moved);
            println!("{scheduler}, {does:?}, {rate} B/s, {aggressors} aggressors: {part:.2} %");
            assert!((part - 50.0).abs() <= 1.0, "{does:?}, {aggressors}: {part:.2} %");
            world.disk.state.check();
        }
    }
}

/// Under `tfq` connections that begin are served first, as programs that start are. Sixteen of one
/// tenant take a slow disk for some seconds so; then it is paid back, to the last per cent.
#[test]
fn what_connections_get_that_begin_is_paid_back() {
    for (does, rate, _) in LOADS {
        let tenants = [tenant("victim", 100), tenant("aggressor", 100)];
        let mut world = held("tfq", &tenants, rate);
        for client in 0..17 {
            world.client(client.min(1), does, 32);
        }
        let (mut all, mut part) = ([0, 0], 0.0);
        for until_s in [10, 20, 30, 40] {
            let moved = world.measure(0, 10 * SECOND_NS);
            all = [all[0] + moved[0], all[1] + moved[1]];
            part = part_percent(&all);
            println!("tfq, {does:?}, {rate} B/s: in the first {until_s} s {part:.2} %");
        }
        assert!((part - 50.0).abs() <= 1.0, "{does:?}, {rate}: {part:.2} %");
    }
}

/// The thread of the disk may have to wait for a processor, which costs no throughput.
#[test]
fn the_rate_is_kept_by_a_thread_that_wakes_up_late() {
    for (late_us, does) in [(50, READS), (500, READS), (3_000, Does::WritesOn(64 << 10))] {
        let rate = 100_000_000;
        let mut world = held(ON_FLASH, &[tenant("alone", 100)], rate);
        world.late_ns = late_us * 1_000;
        world.client(0, does, 256);
        let moved = world.measure(SECOND_NS, 5 * SECOND_NS);
        let used = used(&moved, 5, rate);
        println!("{late_us} us late, {does:?}: {used:.3} of the rate");
        assert!((used - 1.0).abs() < 0.01, "{late_us}, {does:?}: {used}");
    }
}

/// Who was not there when the disk was free gets no more of it later.
#[test]
fn a_client_that_pauses_is_not_paid_for_its_pauses() {
    let rate = 1_000_000;
    let mut world = held(ON_FLASH, &[tenant("alone", 100)], rate);
    world.client(0, Does::ReadsNowAndThen { bytes: 10 << 10, pause_ns: 5_000_000 }, 1);
    world.run(5 * SECOND_NS);
    let latency = world.disk.state.status(world.now_ns).tenants[0].latency;
    assert!(latency.median_ns >= 10_000_000, "{latency:?}");
}
