// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks that fail, hang or are full: the client that asked is told, and no other notices.

use crate::world::{Does, MIB, SECOND_NS, World, export, tenant};
use base::{Op, SECTOR_BYTES};
use blk::{Command, DeviceLimits, IoError};
use server::backend::{Backend, Ended, Extent, Opened, Opener};
use server::disk::{DiskRequest, DiskState, ExportKey, Operation};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, Mutex};

/// How long a command takes, and how it ends.
type Answers = fn(Command) -> (u64, Result<(), IoError>);
type AnyAnswers = Box<dyn FnMut(Command) -> (u64, Result<(), IoError>) + Send>;

/// A disk whose commands take as long and end as the test says.
pub struct Odd {
    answers: AnyAnswers,
    size_bytes: u64,
    ends: Vec<(u64, Ended)>,
}

pub const MS: u64 = 1_000_000;

impl Odd {
    pub fn boxed(
        answers: impl FnMut(Command) -> (u64, Result<(), IoError>) + Send + 'static,
    ) -> Box<Odd> {
        Box::new(Odd { answers: Box::new(answers), size_bytes: 1 << 32, ends: Vec::new() })
    }
}

impl Backend for Odd {
    fn limits(&self) -> DeviceLimits {
        DeviceLimits::new(8, false)
    }
    fn spare(&self) -> u32 {
        16
    }
    fn description(&self) -> String {
        "a disk of a test".into()
    }
    fn opener(&self) -> Opener {
        let size_bytes = self.size_bytes;
        Box::new(move |_| Ok(Opened::new(size_bytes, 512)))
    }
    fn place(&mut self, _: ExportKey, _: u64, _: Opened) -> Result<(), String> {
        Ok(())
    }
    fn close(&mut self, _: ExportKey) {}
    fn submit(&mut self, now_ns: u64, command: Command, _: &mut DiskState) -> Result<(), IoError> {
        let (takes_ns, result) = (self.answers)(command);
        self.ends.push((now_ns + takes_ns, Ended { tag: command.tag, result }));
        Ok(())
    }
    fn collect(
        &mut self,
        now_ns: u64,
        _: &mut DiskState,
        ended: &mut Vec<Ended>,
    ) -> io::Result<()> {
        let due = self.ends.extract_if(.., |(end_ns, _)| *end_ns <= now_ns);
        ended.extend(due.map(|(_, end)| end));
        Ok(())
    }
    fn next_event_ns(&self) -> Option<u64> {
        self.ends.iter().map(|(end_ns, _)| *end_ns).min()
    }
    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        Vec::new()
    }
    fn extents(&self, _: ExportKey, _: u64, _: u64, _: usize) -> io::Result<Vec<Extent>> {
        Ok(Vec::new())
    }
}

/// Sectors of the first tenant's export.
pub fn of_first(command: Command) -> bool {
    command.sector < (1 << 32) / SECTOR_BYTES
}

fn two() -> [server::config::Tenant; 2] {
    [tenant("first", 100), tenant("second", 100)]
}

#[test]
fn who_meets_an_error_is_told_and_the_others_go_on() {
    // A function has no surroundings: each says its error itself.
    let odd: [(IoError, Answers); 3] = [
        (IoError::Io, |command| (MS, if of_first(command) { Err(IoError::Io) } else { Ok(()) })),
        (IoError::NoSpace, |command| {
            (MS, if of_first(command) { Err(IoError::NoSpace) } else { Ok(()) })
        }),
        (IoError::BeyondEnd, |command| {
            (MS, if of_first(command) { Err(IoError::BeyondEnd) } else { Ok(()) })
        }),
    ];
    for (error, answers) in odd {
        let mut world = World::of(Odd::boxed(answers), "bfq", &two());
        let unlucky = world.client(0, Does::WritesOn(4096), 4);
        world.client(1, Does::ReadsHereAndThere(4096), 4);
        world.run(SECOND_NS);
        assert!(world.failures.len() > 100, "{}", world.failures.len());
        assert!(
            world
                .failures
                .iter()
                .all(|(who, text)| { *who == unlucky && *text == error.to_string() })
        );
        let moved = world.moved();
        assert_eq!(moved[0], 0);
        assert!(moved[1] > MIB, "{moved:?}");
        world.disk.state.check();
    }
}

/// Others wait for a second; then the command is overdue, and only who asked for it waits.
#[test]
fn a_command_that_hangs_for_five_seconds_is_answered_afterwards() {
    let hangs = |command: Command| {
        let takes_ns = if command.sector == 0 { 5 * SECOND_NS } else { MS };
        (takes_ns, Ok(()))
    };
    let mut world = World::of(Odd::boxed(hangs), "bfq", &two());
    world.client(0, Does::ReadsOn(4096), 1);
    world.client(1, Does::ReadsHereAndThere(4096), 4);
    world.run(5 * SECOND_NS - 1);
    let [first, second] = world.moved()[..] else { panic!("two tenants") };
    assert_eq!(first, 0, "its only request is the one that hangs");
    assert!(second > MIB, "{second}: the other one went on");
    world.run(4 * SECOND_NS);
    assert!(world.moved().iter().all(|&bytes| bytes > MIB), "{:?}", world.moved());
    let slow = world.disk.state.explain(world.now_ns, "first", 1).expect("a tenant");
    assert!(slow[0].latency_ns >= 5 * SECOND_NS, "{slow:?}");
    assert!(slow[0].reasons[0].contains("in the disk"), "{slow:?}");
    world.disk.state.check();
}

#[test]
fn what_cannot_be_is_refused_before_the_disk_sees_it() {
    let mut world = World::of(Odd::boxed(|_| (MS, Ok(()))), "bfq", &two());
    let mut read_only = export("first", 0);
    read_only.read_only = true;
    let key = world.disk.add_export(&read_only).expect("an export");
    let state = &mut world.disk.state;
    let client = state.connect(0, key).expect("a connection");
    let mut ask = |operation, offset_bytes, length_bytes| {
        let charge = state.admit(client, length_bytes).expect("room");
        let request =
            DiskRequest { cookie: 7, operation, offset_bytes, length_bytes, durable: false };
        state.submit(0, client, request, charge);
        let answer = state.take_answer().expect("an answer at once");
        assert_eq!(answer.cookie, 7);
        state.release(answer.charge);
        answer.result.expect_err("a refusal").to_string()
    };
    let end = 1 << 32;
    assert_eq!(ask(Operation::Read, end - 512, 1024), "beyond the end of the export");
    assert_eq!(ask(Operation::Read, u64::MAX, 1024), "beyond the end of the export");
    assert_eq!(ask(Operation::Read, 1, 512), "not whole blocks");
    assert_eq!(ask(Operation::Read, 0, 0), "not whole blocks");
    assert_eq!(ask(Operation::Trim, 0, 512), "the export is read-only");
    world.disk.state.check();
}

#[test]
fn a_durable_write_is_flushed_before_it_is_answered() {
    let mut world = World::of(Odd::boxed(|_| (MS, Ok(()))), "bfq", &two());
    let keys: Vec<ExportKey> = world.disk.state.export_keys().collect();
    let client = world.disk.state.connect(0, keys[0]).expect("a connection");
    let charge = world.disk.state.admit(client, 4096).expect("room");
    let data = world.disk.state.buffer(4096);
    let request = DiskRequest {
        cookie: 1,
        operation: Operation::Write(data),
        offset_bytes: 0,
        length_bytes: 4096,
        durable: true,
    };
    world.disk.state.submit(0, client, request, charge);
    world.disk.step(0).expect("the backend works");
    world.disk.step(MS).expect("the backend works");
    assert!(world.disk.state.take_answer().is_none(), "the flush is still to come");
    assert_eq!(world.disk.next_event_ns(), Some(2 * MS));
    world.disk.step(2 * MS).expect("the backend works");
    let answer = world.disk.state.take_answer().expect("an answer");
    assert!(answer.result.is_ok());
    world.disk.state.release(answer.charge);
    world.disk.state.check();
}

/// Keys of exports were once only their places, and who still had one of an export that was removed
/// reached the next one in that place.
#[test]
fn the_key_of_an_export_that_was_removed_is_not_that_of_the_next_one() {
    let mut world = World::of(Odd::boxed(|_| (MS, Ok(()))), "bfq", &two());
    let state = &mut world.disk.state;
    let removed = state.export_keys().next().expect("an export");
    assert!(state.remove_export(0, removed));
    let next = state.add_export(&export("first", MIB), MIB, 512).expect("room");
    assert_ne!(removed, next);

    assert!(state.connect(0, removed).is_err(), "it is not there any more");
    state.set_draining(removed, true);
    state.connect(0, next).expect("the next one is not drained");
    assert_eq!((state.clients_of(removed).count(), state.clients_of(next).count()), (0, 1));
    assert!(!state.remove_export(0, removed));
    assert_eq!(state.start_sector(next), 0, "it is served still");
}

#[test]
fn zeros_are_written_where_space_cannot_be_given_back() {
    let no_discards = |command: Command| {
        let known = command.op != Op::Discard;
        (MS, if known { Ok(()) } else { Err(IoError::NotSupported) })
    };
    let mut world = World::of(Odd::boxed(no_discards), "bfq", &two());
    let keys: Vec<ExportKey> = world.disk.state.export_keys().collect();
    let client = world.disk.state.connect(0, keys[0]).expect("a connection");
    for (may_punch, only_fast, refused) in [
        (true, false, None),
        (true, true, Some("zeros cannot be written fast here")),
        (false, false, None),
        (false, true, Some("zeros cannot be written fast here")),
    ] {
        let charge = world.disk.state.admit(client, 0).expect("room");
        let operation = Operation::Zero { may_punch, only_fast };
        let request = DiskRequest {
            cookie: 1,
            operation,
            offset_bytes: 0,
            length_bytes: 64 * MIB,
            durable: false,
        };
        world.disk.state.submit(world.now_ns, client, request, charge);
        let failure = world.answer().err().map(|failure| failure.to_string());
        assert_eq!(failure.as_deref(), refused, "{may_punch} {only_fast}");
    }
    let tenant = &world.disk.state.status(world.now_ns).tenants[0];
    assert_eq!((tenant.done.written_bytes, tenant.done.discards), (128 * MIB, 0));
    assert_eq!(tenant.errors, 0, "who asks whether it is fast has met no error");
    world.disk.state.check();
}

/// They once counted as bytes that were written.
#[test]
fn zeros_that_give_space_back_move_no_bytes() {
    let mut world = World::of(Odd::boxed(|_| (MS, Ok(()))), "bfq", &two());
    let keys: Vec<ExportKey> = world.disk.state.export_keys().collect();
    let client = world.disk.state.connect(0, keys[0]).expect("a connection");
    let charge = world.disk.state.admit(client, 0).expect("room");
    let request = DiskRequest {
        cookie: 1,
        operation: Operation::Zero { may_punch: true, only_fast: false },
        offset_bytes: 0,
        length_bytes: 64 * MIB,
        durable: true,
    };
    world.disk.state.submit(world.now_ns, client, request, charge);
    world.answer().expect("done");
    let tenant = &world.disk.state.status(world.now_ns).tenants[0];
    let done = (tenant.done.writes, tenant.done.written_bytes, tenant.done.discards);
    assert_eq!((done, tenant.share), ((0, 0, 1), 0.0));
}

const TIB: u64 = 1 << 40;

/// What a disk is asked in place of 5 TiB of zeros or of a trim, and how the request ends; the disk
/// fails where the command has the sector `bad`.
fn far(operation: Operation, durable: bool, bad: u64) -> (Vec<(Op, u64, u64)>, Option<String>) {
    let asked: Arc<Mutex<Vec<(Op, u64, u64)>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let mut odd = Odd::boxed(move |command| {
        let (first, sectors) = (command.sector, u64::from(command.sectors));
        seen.lock().expect("no panic").push((command.op, first, sectors));
        let is_bad = (first..first + sectors).contains(&bad);
        (MS, if is_bad { Err(IoError::Io) } else { Ok(()) })
    });
    odd.size_bytes = 8 * TIB;
    let mut world = World::of(odd, "bfq", &[tenant("far", 100)]);
    let key = world.disk.state.export_keys().next().expect("an export");
    let client = world.disk.state.connect(0, key).expect("a connection");
    let charge = world.disk.state.admit(client, 0).expect("room");
    let (offset_bytes, length_bytes) = (TIB, 5 * TIB);
    let request = DiskRequest { cookie: 1, operation, offset_bytes, length_bytes, durable };
    world.disk.state.submit(world.now_ns, client, request, charge);
    let failure = world.answer().err().map(|failure| failure.to_string());
    world.disk.state.check();
    drop(world);
    (Arc::into_inner(asked).expect("the only one").into_inner().expect("no panic"), failure)
}

/// A bio has at most 2^32 - 1 sectors: 512 bytes less than 2 TiB.
#[test]
fn what_is_longer_than_a_bio_is_done_to_its_end_before_it_is_answered() {
    let zeros = || Operation::Zero { may_punch: true, only_fast: true };
    for (operation, durable) in [(zeros(), false), (zeros(), true), (Operation::Trim, true)] {
        let (mut asked, failure) = far(operation, durable, u64::MAX);
        assert_eq!(failure, None);
        if durable {
            assert_eq!(asked.pop().map(|(op, ..)| op), Some(Op::Flush));
        }
        assert!(asked.iter().all(|(op, ..)| *op == Op::Discard), "{asked:?}");
        asked.sort_by_key(|&(_, first, _)| first);
        let mut next = TIB / SECTOR_BYTES;
        for &(_, first, sectors) in &asked {
            assert_eq!(first, next);
            next += sectors;
        }
        assert_eq!(next, 6 * TIB / SECTOR_BYTES);
        let (_, failure) = far(zeros(), durable, 6 * TIB / SECTOR_BYTES - 1);
        assert_eq!(failure, Some(IoError::Io.to_string()), "its last sector fails");
    }
}

#[test]
fn a_client_that_vanishes_leaves_nothing_behind() {
    let mut world = World::of(Odd::boxed(|_| (MS, Ok(()))), "bfq", &two());
    let keys: Vec<ExportKey> = world.disk.state.export_keys().collect();
    for _ in 0..50 {
        let client = world.disk.state.connect(world.now_ns, keys[0]).expect("a connection");
        // More than the scheduler has places for, so that it vanishes while it sleeps.
        let mut count = 0;
        while count < 2000
            && let Some(charge) = world.disk.state.admit(client, 4096)
        {
            let request = DiskRequest {
                cookie: count,
                operation: Operation::Read,
                offset_bytes: count * 8192,
                length_bytes: 4096,
                durable: false,
            };
            world.disk.state.submit(world.now_ns, client, request, charge);
            count += 1;
        }
        assert!(count > 500, "{count}");
        world.disk.step(world.now_ns).expect("the backend works");
        world.disk.state.disconnect(world.now_ns, client);
        world.run(SECOND_NS);
        assert!(!world.disk.state.is_busy(keys[0]));
        assert!(world.disk.state.take_answer().is_none());
        let status = world.disk.state.status(world.now_ns);
        let first = &status.tenants[0];
        assert_eq!(
            (first.memory_bytes, first.waiting, first.in_flight, first.connections),
            (0, 0, 0, 0)
        );
        world.disk.state.check();
    }
}
