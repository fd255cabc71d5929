// SPDX-License-Identifier: MIT OR Apache-2.0
//! Zeros that are written one by one, for a client that stays and for one that goes.

use crate::world::{MIB, World, tenant};
use blk::ProcessId;
use server::disk::{Answer, DiskRequest, Operation};

const ALL_BYTES: u64 = 64 * MIB;

/// What lies behind what is written of the zeros when their client goes.
const AT: u64 = 32 * MIB;

fn ask(world: &mut World, client: ProcessId, operation: Operation, range: (u64, u64)) {
    let (offset_bytes, length_bytes) = range;
    let charge = world.disk.state.admit(client, length_bytes).expect("room");
    let request = DiskRequest { cookie: 0, operation, offset_bytes, length_bytes, durable: false };
    world.disk.state.submit(world.now_ns, client, request, charge);
}

fn answer(world: &mut World) -> Option<u8> {
    loop {
        if let Some(Answer { result, charge, .. }) = world.disk.state.take_answer() {
            world.disk.state.release(charge);
            return result.expect("it ends well").map(|data| data[0]);
        }
        world.disk.step(world.now_ns).expect("the disk works");
        world.now_ns = world.disk.next_event_ns().unwrap_or(world.now_ns);
    }
}

fn write(world: &mut World, client: ProcessId) {
    let mut data = world.disk.state.buffer(512);
    data.fill(7);
    ask(world, client, Operation::Write(data), (AT, 512));
    answer(world);
}

/// They were once one command of up to 1 TiB, which went on when the client was gone: what others
/// wrote and were answered meanwhile was overwritten.
#[test]
fn zeros_of_a_client_that_is_gone_are_not_written_on() {
    for goes in [true, false] {
        let mut world = World::emulated("ssd-sata", "bfq", &[tenant("a", 100)]);
        let export = world.disk.state.export_keys().next().expect("an export");
        let [client, other] =
            [(); 2].map(|()| world.disk.state.connect(0, export).expect("a client"));
        write(&mut world, other);
        let zeros = Operation::Zero { may_punch: false, only_fast: false };
        ask(&mut world, client, zeros, (0, ALL_BYTES));
        world.disk.step(world.now_ns).expect("the disk works");
        if goes {
            world.disk.state.disconnect(world.now_ns, client);
            while !world.disk.state.is_idle() {
                world.disk.step(world.now_ns).expect("the disk works");
                world.now_ns = world.disk.next_event_ns().unwrap_or(world.now_ns);
            }
            world.disk.state.check();
        } else {
            assert_eq!(answer(&mut world), None, "all of it is written");
            let slow = world.disk.state.explain(world.now_ns, "a", 1).expect("a tenant").remove(0);
            assert_eq!((slow.length_bytes, slow.before_scheduler_ns), (ALL_BYTES, 0), "{slow:?}");
            assert!(slow.in_disk_ns > slow.latency_ns / 2, "the disk was its own: {slow:?}");
            assert_eq!(slow.in_scheduler_ns + slow.in_disk_ns, slow.latency_ns);
        }
        ask(&mut world, other, Operation::Read, (AT, 512));
        assert_eq!(answer(&mut world), Some(if goes { 7 } else { 0 }));
    }
}
