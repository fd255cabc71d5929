// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tenants get of a disk that is too slow for all: judged by the disk's own time, which is
//! the same on every machine.

use crate::world::{Does, SECOND_NS, World, export, part_percent, tenant};

/// How long a disk is watched, in seconds: about as many requests of each.
fn seconds(disk: &str) -> u64 {
    match disk {
        "ssd-nvme" => 1,
        "ssd-sata" => 4,
        _ => 100,
    }
}

pub const READS: Does = Does::ReadsHereAndThere(4096);

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

/// `bfq` whose slots are so short that seeking readers use half of them up: it charges the bytes of
/// all, where it charges slow ones for their time otherwise.
const BY_BYTES: &str = "bfq:low_latency=0,max_budget=1024";

#[test]
fn a_victim_keeps_its_half_beside_any_number_of_connections() {
    for (disk, scheduler, does) in [
        ("ssd-sata", "bfq:low_latency=0", READS),
        ("hdd-desktop", "bfq:low_latency=0", Does::ReadsOn(128 << 10)),
        ("hdd-desktop", BY_BYTES, READS),
        ("hdd-desktop", BY_BYTES, Does::ReadsOn(128 << 10)),
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

/// Who seeks has as much of the disk's time as who reads on, or as many bytes: the configuration
/// says which.
#[test]
fn a_seeking_tenant_gets_its_time_or_its_bytes() {
    for (scheduler, least, most) in [("bfq:low_latency=0", 5.0, 10.0), (BY_BYTES, 49.0, 51.0)] {
        let tenants = [tenant("seeks", 100), tenant("reads on", 100)];
        let mut world = World::emulated("hdd-desktop", scheduler, &tenants);
        world.client(0, READS, 32);
        world.client(1, Does::ReadsOn(128 << 10), 32);
        let moved = world.measure(SECOND_NS, 60 * SECOND_NS);
        let part = part_percent(&moved);
        println!("{scheduler}: {part:.2} % of {moved:?}");
        assert!((least..=most).contains(&part), "{scheduler}: {part:.2} %");
        world.disk.state.check();
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

/// A scheduler that is chosen later is told of the tenants that are there, and once those that are
/// gone were counted with them: the turns of one were said to be those of another.
#[test]
fn turns_have_their_tenants_after_one_is_gone_and_the_scheduler_is_another() {
    let tenants = [tenant("gone", 100), tenant("victim", 100), tenant("aggressor", 300)];
    let mut world = World::emulated("hdd-desktop", "none", &tenants);
    let state = &mut world.disk.state;
    let first = state.export_keys().next().expect("an export");
    state.remove_export(0, first);
    state.keep_tenants(0, &["victim".into(), "aggressor".into()]);
    assert!(state.status(world.now_ns).tenants.iter().all(|tenant| tenant.name != "gone"));
    state.set_scheduler(0, "bfq:low_latency=0").expect("a scheduler");
    world.client(0, READS, 1);
    world.client(1, Does::ReadsOn(1 << 20), 8);
    world.run(5 * SECOND_NS);
    let slow = world.disk.state.explain(world.now_ns, "victim", 1).expect("a tenant");
    let reasons = slow[0].reasons.join("\n");
    assert!(reasons.contains("aggressor") && !reasons.contains("gone"), "{reasons}");
}

/// It went with its last export while a reload opened another one for it, which then failed.
#[test]
fn a_tenant_that_was_leaving_stays_when_it_is_asked_for() {
    let spec = tenant("a", 100);
    let mut world = World::emulated("ssd-sata", "bfq", std::slice::from_ref(&spec));
    let key = world.disk.state.export_keys().next().expect("an export");
    world.disk.state.keep_tenants(0, &[]);
    assert!(world.disk.state.have_tenant(0, &spec).expect("a tenant"), "it is there");
    assert!(world.disk.state.remove_export(0, key));
    world.disk.add_export(&export("a", 1 << 20)).expect("its tenant is there");
    let key = world.disk.state.export_keys().next().expect("an export");
    world.disk.state.keep_tenants(0, &[]);
    assert!(world.disk.state.remove_export(0, key));
    assert_eq!(world.disk.state.status(0).tenants, [], "it goes if it is not kept");
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

/// A reader that thinks for 5 ms is waited for by the kernel's 8 ms of idling, which leaves a
/// writer almost nothing; one that answers within half a millisecond is waited for by either.
#[test]
fn a_reader_that_pauses_does_not_keep_flash_from_a_writer() {
    const KERNEL: &str = "bfq:low_latency=0";
    const OURS: &str = "bfq:low_latency=0,slice_idle_us=1000";
    for (disk, pause_us, scheduler, least, most) in [
        ("ssd-nvme", 5_000, KERNEL, 0, 100),
        ("ssd-nvme", 5_000, OURS, 3_000, 4_000),
        ("ssd-sata", 5_000, KERNEL, 0, 100),
        ("ssd-sata", 5_000, OURS, 500, 600),
        ("ssd-sata", 500, KERNEL, 0, 100),
        ("ssd-sata", 500, OURS, 0, 100),
    ] {
        let tenants = [tenant("reader", 100), tenant("writer", 100)];
        let mut world = World::emulated(disk, scheduler, &tenants);
        let reads = Does::ReadsNowAndThen { bytes: 4096, pause_ns: pause_us * 1_000 };
        world.client(0, reads, 1);
        world.client(1, Does::WritesOn(128 << 10), 128);
        let moved = world.measure(SECOND_NS, 2 * SECOND_NS);
        let (reads, rate) = (moved[0] / 4096 / 2, moved[1] / 2_000_000);
        let latency = world.disk.state.status(world.now_ns).tenants[0].latency;
        let [p99_us, worst_us] = [latency.p99_ns, latency.worst_ns].map(|ns| ns / 1_000);
        println!(
            "{disk}, {scheduler}, a pause of {pause_us} us: {reads} reads/s, 99 % {p99_us} us, \
             worst {worst_us} us; writer {rate} MB/s"
        );
        assert!((least..=most).contains(&rate), "{disk}, {scheduler}: {rate} MB/s");
        world.disk.state.check();
    }
}
