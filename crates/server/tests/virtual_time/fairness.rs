// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tenants get of a disk that is too slow for all: judged by the disk's own time, which is
//! the same on every machine.

use crate::world::{Does, SECOND_NS, World, part_percent, tenant};

/// How long a disk is watched, in seconds: about as many requests of each.
fn seconds(disk: &str) -> u64 {
    match disk {
        "ssd-nvme" => 1,
        "ssd-sata" => 4,
        _ => 100,
    }
}

const READS: Does = Does::ReadsHereAndThere(4096);

#[test]
fn tenants_get_their_weights() {
    for (disk, does) in [
        ("ssd-sata", READS),
        ("ssd-sata", Does::ReadsOn(128 << 10)),
        ("ssd-nvme", READS),
        ("hdd-desktop", READS),
        ("hdd-desktop", Does::ReadsOn(128 << 10)),
    ] {
        let mut world = World::emulated(
            disk,
            "bfq:low_latency=0",
            &[tenant("small", 100), tenant("large", 300)],
        );
        for tenant in [0, 1] {
            world.client(tenant, does, 32);
        }
        let moved = world.measure(SECOND_NS, seconds(disk) * SECOND_NS);
        let part = part_percent(&moved);
        println!("{disk} {does:?}: {part:.2} % of {moved:?}");
        assert!((part - 25.0).abs() <= 1.0, "{disk}, {does:?}: {part:.2} %");
        world.disk.state.check();
    }
}

/// Random reads of a hard disk are shared by `tfq`, which shares time: `bfq` shares sectors, and
/// gives the victim 46 % beside 16 that seek as much.
#[test]
fn a_victim_keeps_its_half_beside_any_number_of_connections() {
    for (disk, scheduler, does) in [
        ("ssd-sata", "bfq:low_latency=0", READS),
        ("hdd-desktop", "bfq:low_latency=0", Does::ReadsOn(128 << 10)),
        ("hdd-desktop", "tfq", READS),
    ] {
        for aggressors in [1, 4, 16] {
            let tenants = [tenant("victim", 100), tenant("aggressor", 100)];
            let mut world = World::emulated(disk, scheduler, &tenants);
            world.client(0, does, 32);
            for _ in 0..aggressors {
                world.client(1, does, 32);
            }
            let moved = world.measure(SECOND_NS, seconds(disk) * SECOND_NS);
            let part = part_percent(&moved);
            println!("{disk}, {scheduler}, {does:?}, {aggressors} aggressors: {part:.2} %");
            assert!((part - 50.0).abs() <= 1.0, "{disk}, {does:?}, {aggressors}: {part:.2} %");
            world.disk.state.check();
        }
    }
}

#[test]
fn a_slow_request_is_explained_by_the_turns_of_others() {
    for scheduler in ["bfq:low_latency=0", "tfq"] {
        let tenants = [tenant("victim", 100), tenant("aggressor", 300)];
        let mut world = World::emulated("hdd-desktop", scheduler, &tenants);
        world.client(0, READS, 1);
        world.client(1, Does::ReadsOn(1 << 20), 8);
        world.run(5 * SECOND_NS);
        let slow = world.disk.state.explain(world.now_ns, "victim", 1).expect("a tenant");
        let reasons = slow[0].reasons.join("\n");
        println!("{scheduler}:\n{reasons}");
        assert!(reasons.contains("aggressor"), "{reasons}");
        let parts = slow[0].before_scheduler_ns + slow[0].in_scheduler_ns + slow[0].in_disk_ns;
        assert_eq!(parts, slow[0].latency_ns);
    }
}

#[test]
fn one_tenant_alone_gets_what_there_is() {
    for disk in ["ssd-sata", "ssd-nvme", "hdd-desktop"] {
        for does in [READS, Does::ReadsOn(128 << 10), Does::WritesOn(128 << 10)] {
            let alone = |scheduler| {
                let mut world = World::emulated(disk, scheduler, &[tenant("alone", 100)]);
                world.client(0, does, 32);
                world.measure(SECOND_NS, seconds(disk) * SECOND_NS)[0]
            };
            let (bfq, none) = (alone("bfq:low_latency=0"), alone("none"));
            let part = 100.0 * bfq as f64 / none as f64;
            println!("{disk} {does:?}: {part:.1} % of {none}");
            assert!(part >= 95.0, "{disk} {does:?}: {part:.1} %");
        }
    }
}
