// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine on real files, by io_uring (where the system lets us) and by threads.

mod memory;

use super::*;
use crate::pattern::pattern_at;
use proptest::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::fs::OpenOptions;

use std::os::unix::fs::FileExt;
use std::sync::LazyLock;
use std::time::Instant;

const BLOCK: u64 = 4096;
const FILE_BLOCKS: u64 = 256;
const WAIT: Duration = Duration::from_secs(10);

/// Every way of doing I/O that this system allows: kind, and with O_DIRECT or not.
fn ways() -> Vec<(EngineKind, bool)> {
    static IO_URING: LazyLock<bool> = LazyLock::new(|| {
        let ring = Ring::new(Arc::new(tempfile::tempfile().unwrap()), 1, 4096);
        ring.inspect_err(|error| eprintln!("skipped: io_uring is refused here: {error}")).is_ok()
    });
    let mut kinds = vec![EngineKind::Threads, EngineKind::Inline];
    kinds.extend(IO_URING.then_some(EngineKind::IoUring));
    kinds.into_iter().flat_map(|kind| [(kind, false), (kind, true)]).collect()
}

/// A file of `FILE_BLOCKS` blocks made of `fill`.
fn file(fill: impl Fn(u64) -> u8, direct: bool) -> Arc<File> {
    let file = tempfile::tempfile().unwrap();
    let bytes: Vec<u8> = (0..FILE_BLOCKS * BLOCK).map(fill).collect();
    file.write_all_at(&bytes, 0).unwrap();
    file.sync_all().unwrap();
    if direct && let Err(error) = fcntl_setfl(&file, fcntl_getfl(&file).unwrap() | OFlags::DIRECT) {
        eprintln!("O_DIRECT is refused here ({error}): tested without");
    }
    Arc::new(file)
}

fn engine(file: &Arc<File>, kind: EngineKind, depth: u32) -> Engine {
    let geometry =
        Geometry { capacity_bytes: FILE_BLOCKS * BLOCK, block_bytes: BLOCK as u32, direct: true };
    let settings = EngineSettings { depth, longest_bytes: 64 << 10, kind: Some(kind) };
    let engine = Engine::new(Arc::clone(file), geometry, settings).unwrap();
    assert_eq!(engine.kind(), kind);
    engine
}

fn io(op: Op, block: u64, blocks: u64) -> Io {
    Io { op, offset_bytes: block * BLOCK, length_bytes: (blocks * BLOCK) as u32 }
}

/// Runs one request, alone.
fn one(engine: &mut Engine, io: Io) -> Completion {
    engine.submit(7, io).unwrap();
    let mut completions = Vec::new();
    while completions.is_empty() {
        engine.wait(WAIT, &mut completions).unwrap();
    }
    assert_eq!((completions.len(), completions[0].tag, completions[0].io), (1, 7, io));
    assert_eq!(engine.in_flight(), 0);
    completions[0]
}

/// Runs one write of the caller's own data, waiting for the descriptor.
fn one_of_own_data(engine: &mut Engine, io: Io, byte: u8) {
    engine.submit_data(7, io, |data| data.fill(byte)).unwrap();
    let mut completions = Vec::new();
    engine.wait(Duration::ZERO, &mut completions).unwrap();
    if completions.is_empty() {
        let descriptor = engine.descriptor().expect("it has not ended at once");
        let mut polled = [PollFd::new(&descriptor, PollFlags::IN)];
        let timeout = Timespec { tv_sec: WAIT.as_secs() as i64, tv_nsec: 0 };
        assert_eq!(poll(&mut polled, Some(&timeout)).unwrap(), 1, "it is told");
        engine.wait(Duration::ZERO, &mut completions).unwrap();
    }
    assert_eq!((completions.len(), completions[0].result), (1, Ok(())));
}

#[test]
fn data_of_the_callers_own_are_written_and_the_descriptor_tells() {
    for (kind, direct) in ways() {
        let file = file(|_| 0, direct);
        let mut engine = engine(&file, kind, 2);
        for round in 1..50 {
            one_of_own_data(&mut engine, io(Op::Write, u64::from(round), 1), round);
        }
        let bytes = contents(&file);
        for round in 1..50_u8 {
            assert_eq!(bytes[usize::from(round) * BLOCK as usize], round, "{kind:?}");
        }
    }
}

/// Buffers of these numbers of blocks, made of `byte`.
fn buffers(blocks: &[u64], byte: u8) -> Vec<Buffer> {
    let buffer = |&blocks: &u64| {
        // Longer than it has to be: what counts is the length that it is given.
        let mut buffer = Buffer::zeroed((blocks * BLOCK) as usize + 100);
        buffer.set_length((blocks * BLOCK) as usize);
        buffer.fill(byte);
        buffer
    };
    blocks.iter().map(buffer).collect()
}

/// Runs one request with buffers that are lent, alone; they come back.
fn one_with_lent(engine: &mut Engine, io: Io, mut lent: Vec<Buffer>) -> Vec<Buffer> {
    let (count, places): (usize, Vec<_>) = (lent.len(), lent.iter().map(|b| b.as_ptr()).collect());
    engine.submit_lent(7, io, &mut lent).unwrap();
    assert!(lent.is_empty());
    let mut completions = Vec::new();
    while completions.is_empty() {
        engine.wait(WAIT, &mut completions).unwrap();
    }
    assert_eq!((completions.len(), completions[0].result), (1, Ok(())));
    engine.take_back(&completions[0], &mut lent);
    assert_eq!(lent.len(), count);
    assert!(lent.iter().zip(places).all(|(buffer, place)| buffer.as_ptr() == place));
    lent
}

#[test]
fn lent_buffers_are_read_into_and_written_from_in_their_order() {
    for (kind, direct) in ways() {
        let file = file(|at| (at / BLOCK) as u8, direct);
        let mut engine = engine(&file, kind, 2);
        for blocks in [&[1][..], &[2, 1, 3], &[4, 4]] {
            let all: u64 = blocks.iter().sum();
            let read = one_with_lent(&mut engine, io(Op::Read, 30, all), buffers(blocks, 0xff));
            let bytes: Vec<u8> = read.iter().flat_map(|buffer| buffer.iter().copied()).collect();
            let belongs = (30 * BLOCK..(30 + all) * BLOCK).map(|at| (at / BLOCK) as u8);
            assert!(bytes.into_iter().eq(belongs), "{kind:?} {blocks:?}");
        }
        let mut written = buffers(&[1, 2], 0xaa);
        written[1].fill(0xbb);
        one_with_lent(&mut engine, io(Op::Write, 50, 3), written);
        let bytes = contents(&file);
        for (block, byte) in [(49, 49), (50, 0xaa), (51, 0xbb), (52, 0xbb), (53, 53)] {
            let range = block * BLOCK as usize..(block + 1) * BLOCK as usize;
            assert!(bytes[range].iter().all(|&b| b == byte), "{kind:?} {block}");
        }
        // The slot's own buffer is used again by who lends none.
        let completion = one(&mut engine, io(Op::Read, 51, 1));
        assert!(engine.data(&completion).iter().all(|&byte| byte == 0xbb), "{kind:?}");
    }
}

#[test]
fn a_request_with_lent_buffers_goes_on_in_the_middle_of_one() {
    let mut memory = Memory::new(4096);
    memory.lend(&mut buffers(&[2, 1, 1], 0));
    let lengths = |memory: &mut Memory, done: u64| -> Vec<u64> {
        let io = io(Op::Read, 0, 4);
        let piece = Piece {
            op: io.op,
            offset_bytes: done,
            length_bytes: io.length_bytes - done as u32,
            buffer_start: done as usize,
            source: Source::Lent,
        };
        memory.parts(piece).map(|part| part.len() as u64).collect()
    };
    let table = [
        (0, vec![2 * BLOCK, BLOCK, BLOCK]),
        (512, vec![2 * BLOCK - 512, BLOCK, BLOCK]),
        (2 * BLOCK, vec![BLOCK, BLOCK]),
        (3 * BLOCK + 1024, vec![BLOCK - 1024]),
    ];
    for (done, left) in table {
        assert_eq!(lengths(&mut memory, done), left, "{done}");
    }
}

#[test]
fn buffers_of_a_refused_request_stay_with_the_caller() {
    for (kind, direct) in ways() {
        let mut engine = engine(&file(|_| 1, direct), kind, 1);
        let mut lent = buffers(&[1, 1], 0);
        let beyond = engine.submit_lent(7, io(Op::Read, FILE_BLOCKS - 1, 2), &mut lent);
        assert!(matches!(beyond, Err(SubmitError::BeyondEnd { .. })));
        assert_eq!(lent.len(), 2);
    }
}

/// The file's bytes, past the page cache or through it: the kernel keeps both the same.
fn contents(file: &File) -> Vec<u8> {
    let plain = OpenOptions::new()
        .read(true)
        .open(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file)))
        .unwrap();
    let mut bytes = vec![0; plain.metadata().unwrap().len() as usize];
    plain.read_exact_at(&mut bytes, 0).unwrap();
    bytes
}

#[test]
fn reads_return_what_is_in_the_file() {
    for (kind, direct) in ways() {
        let file = file(|at| (at / 100) as u8, direct);
        let mut engine = engine(&file, kind, 4);
        for (block, blocks) in [(0, 1), (17, 16), (FILE_BLOCKS - 3, 3)] {
            let completion = one(&mut engine, io(Op::Read, block, blocks));
            assert_eq!(completion.result, Ok(()));
            let data = engine.data(&completion);
            assert_eq!(data.len() as u64, blocks * BLOCK);
            let belongs = (block * BLOCK..).map(|at| (at / 100) as u8);
            assert!(data.iter().copied().eq(belongs.take(data.len())), "{kind:?} {block}");
        }
    }
}

#[test]
fn writes_land_where_they_belong_and_nowhere_else() {
    for (kind, direct) in ways() {
        let file = file(|_| 0xff, direct);
        let mut engine = engine(&file, kind, 8);
        // Every other block, eight at a time, in an order that is not that of the file.
        let blocks: Vec<u64> = (0..FILE_BLOCKS / 2).map(|i| (i * 37 % 128) * 2).collect();
        let (mut next, mut ended) = (0, Vec::new());
        while ended.len() < blocks.len() {
            while next < blocks.len() && engine.in_flight() < 8 {
                engine.submit(next as u32, io(Op::Write, blocks[next], 1)).unwrap();
                next += 1;
            }
            engine.wait(WAIT, &mut ended).unwrap();
        }
        assert!(ended.iter().all(|completion| completion.result == Ok(())));
        let mut tags: Vec<u32> = ended.iter().map(|completion| completion.tag).collect();
        tags.sort_unstable();
        assert!(tags.into_iter().eq(0..blocks.len() as u32), "each tag ends once");
        for (at, &byte) in contents(&file).iter().enumerate() {
            let at = at as u64;
            let belongs = if (at / BLOCK).is_multiple_of(2) { pattern_at(at) } else { 0xff };
            assert_eq!(byte, belongs, "{kind:?} direct {direct} at {at}");
        }
    }
}

#[test]
fn a_write_of_other_data_lands_as_it_was_filled_and_a_refused_one_is_not_filled() {
    for (kind, direct) in ways() {
        let file = file(|_| 0xff, direct);
        let mut engine = engine(&file, kind, 1);
        let fill = |data: &mut [u8]| data[..100].fill(0x11);
        engine.submit_filled(0, io(Op::Write, 3, 2), fill).unwrap();
        let refused = engine.submit_filled(1, io(Op::Write, 3, 2), |_| panic!("it is refused"));
        assert_eq!(refused, Err(SubmitError::Full { depth: 1 }));
        let mut ended = Vec::new();
        while ended.is_empty() {
            engine.wait(WAIT, &mut ended).unwrap();
        }
        assert_eq!(ended[0].result, Ok(()));
        // The next write is from the pattern again.
        assert_eq!(one(&mut engine, io(Op::Write, 5, 1)).result, Ok(()));
        for (at, &byte) in contents(&file).iter().enumerate() {
            let at = at as u64;
            let belongs = match at {
                _ if !(3 * BLOCK..6 * BLOCK).contains(&at) => 0xff,
                _ if at < 3 * BLOCK + 100 => 0x11,
                _ => pattern_at(at),
            };
            assert_eq!(byte, belongs, "{kind:?} direct {direct} at {at}");
        }
    }
}

#[test]
fn a_discarded_range_reads_as_zeros() {
    for (kind, direct) in ways() {
        let file = file(|_| 0xff, direct);
        let mut engine = engine(&file, kind, 2);
        match one(&mut engine, io(Op::Discard, 10, 20)).result {
            Ok(()) => {}
            Err(IoError::Unsupported) => {
                eprintln!("skipped: this file system cannot punch holes");
                continue;
            }
            Err(error) => panic!("{kind:?}: {error}"),
        }
        let bytes = contents(&file);
        let holes = |at: usize| (10..30).contains(&(at as u64 / BLOCK));
        assert!(bytes.iter().enumerate().all(|(at, &b)| b == if holes(at) { 0 } else { 0xff }));
    }
}

#[test]
fn a_flush_ends_well() {
    for (kind, direct) in ways() {
        let mut engine = engine(&file(|_| 1, direct), kind, 1);
        assert_eq!(one(&mut engine, io(Op::Write, 0, 1)).result, Ok(()));
        assert_eq!(one(&mut engine, io(Op::Flush, 0, 0)).result, Ok(()));
    }
}

#[test]
fn requests_that_do_not_fit_are_refused_and_leave_the_engine_usable() {
    let refused = |offset_bytes, length_bytes| Io { op: Op::Read, offset_bytes, length_bytes };
    let end = FILE_BLOCKS * BLOCK;
    for (kind, direct) in ways() {
        let mut engine = engine(&file(|_| 1, direct), kind, 2);
        let table = [
            (refused(512, 4096), "offset 512 and length 4096 must be multiples"),
            (refused(0, 4097), "must be multiples of the target's block of 4096 bytes"),
            (refused(0, 0), "0 bytes"),
            (refused(0, 68 << 10), "buffers hold 65536"),
            (refused(end, 4096), "the target has 1048576 bytes"),
            (refused(end - 4096, 8192), "the target has 1048576 bytes"),
            (refused(u64::MAX - 4095, 4096), "the target has 1048576 bytes"),
        ];
        for (io, message) in table {
            let error = engine.submit(1, io).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        engine.submit(1, io(Op::Read, 0, 1)).unwrap();
        engine.submit(2, io(Op::Read, 1, 1)).unwrap();
        assert_eq!(engine.submit(3, io(Op::Read, 2, 1)), Err(SubmitError::Full { depth: 2 }));
        let mut ended = Vec::new();
        while ended.len() < 2 {
            engine.wait(WAIT, &mut ended).unwrap();
        }
        assert_eq!(one(&mut engine, io(Op::Read, 2, 1)).result, Ok(()));
    }
}

#[test]
fn a_full_disk_is_told_as_such() {
    let full = OpenOptions::new().read(true).write(true).open("/dev/full").unwrap();
    let full = Arc::new(full);
    for (kind, _) in ways() {
        let mut engine = engine(&full, kind, 1);
        assert_eq!(one(&mut engine, io(Op::Write, 3, 1)).result, Err(IoError::NoSpace));
    }
}

#[test]
fn a_file_cut_short_during_the_run_is_told_as_such() {
    for (kind, direct) in ways() {
        let file = file(|_| 1, direct);
        let mut engine = engine(&file, kind, 1);
        file.set_len(10 * BLOCK).unwrap();
        assert_eq!(one(&mut engine, io(Op::Read, 0, 10)).result, Ok(()));
        assert_eq!(one(&mut engine, io(Op::Read, 8, 4)).result, Err(IoError::UnexpectedEnd));
        assert_eq!(one(&mut engine, io(Op::Read, 20, 1)).result, Err(IoError::UnexpectedEnd));
    }
}

#[test]
fn nothing_is_written_through_a_descriptor_for_reading() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, vec![1; (FILE_BLOCKS * BLOCK) as usize]).unwrap();
    for (kind, _) in ways() {
        let file = Arc::new(File::open(&path).unwrap());
        let mut engine = engine(&file, kind, 1);
        assert_eq!(one(&mut engine, io(Op::Write, 0, 1)).result, Err(IoError::NotPermitted));
        assert!(std::fs::read(&path).unwrap().iter().all(|&byte| byte == 1));
    }
}

#[test]
fn waiting_ends_when_the_time_is_over() {
    for (kind, direct) in ways() {
        let mut engine = engine(&file(|_| 1, direct), kind, 1);
        let mut completions = Vec::new();
        let began = Instant::now();
        engine.wait(Duration::from_millis(1), &mut completions).unwrap();
        assert!(began.elapsed() >= Duration::from_millis(1));
        engine.wait(Duration::ZERO, &mut completions).unwrap();
        assert!(completions.is_empty());
    }
}

#[test]
fn an_engine_dropped_with_requests_in_flight_waits_for_them() {
    for (kind, direct) in ways() {
        let file = file(|_| 0xff, direct);
        let mut dropped = engine(&file, kind, 16);
        (0..16).for_each(|i| dropped.submit(i, io(Op::Read, u64::from(i) * 16, 16)).unwrap());
        dropped.wait(Duration::ZERO, &mut Vec::new()).unwrap();
        (0..dropped.slots.len() - dropped.in_flight())
            .for_each(|_| dropped.submit(99, io(Op::Write, 0, 16)).unwrap());
        drop(dropped);
        assert_eq!(Arc::strong_count(&file), 1, "the file is not used any more");
    }
}

#[test]
fn without_direct_io_threads_are_chosen() {
    let geometry = Geometry { capacity_bytes: 4096, block_bytes: 512, direct: false };
    let settings = EngineSettings { depth: 1, longest_bytes: 4096, kind: None };
    let engine = Engine::new(file(|_| 1, false), geometry, settings).unwrap();
    assert_eq!(engine.kind(), EngineKind::Threads);
    assert!(engine.io_uring_refused().is_none());
}

/// One step of a random history: operation, first block, blocks.
fn step() -> impl Strategy<Value = (Op, u64, u64)> {
    let op = prop_oneof![3 => Just(Op::Read), 3 => Just(Op::Write), 1 => Just(Op::Discard)];
    (op, 0..FILE_BLOCKS - 16, 1..=16u64)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Any history of requests that do not overlap in flight leaves the file, and reads what it
    /// reads, as if they had been done one by one.
    #[test]
    fn the_engine_does_what_a_plain_array_does(
        steps in prop::collection::vec(step(), 1..80),
        depth in 1..12u32,
    ) {
        for (kind, direct) in ways() {
            let file = file(|at| at as u8, direct);
            let mut engine = engine(&file, kind, depth);
            let mut model: Vec<u8> = (0..FILE_BLOCKS * BLOCK).map(|at| at as u8).collect();
            let mut flights: Vec<Io> = Vec::new();
            let mut ended = Vec::new();
            for (tag, &(op, block, blocks)) in steps.iter().enumerate() {
                let next = io(op, block, blocks);
                while flights.len() == depth as usize
                    || flights.iter().any(|flight| overlap(flight, &next))
                {
                    settle(&mut engine, &mut flights, &mut ended, &mut model);
                }
                engine.submit(tag as u32, next).unwrap();
                flights.push(next);
            }
            while !flights.is_empty() {
                settle(&mut engine, &mut flights, &mut ended, &mut model);
            }
            prop_assert!(contents(&file) == model, "{:?} direct {}", kind, direct);
        }
    }
}

fn overlap(a: &Io, b: &Io) -> bool {
    let end = |io: &Io| io.offset_bytes + u64::from(io.length_bytes);
    a.offset_bytes < end(b) && b.offset_bytes < end(a)
}

/// Takes what has ended, compares what was read, and does to the model what was done to the file.
fn settle(
    engine: &mut Engine,
    flights: &mut Vec<Io>,
    ended: &mut Vec<Completion>,
    model: &mut [u8],
) {
    engine.wait(WAIT, ended).unwrap();
    for completion in ended.drain(..) {
        let Io { op, offset_bytes, length_bytes } = completion.io;
        let place = flights.iter().position(|flight| *flight == completion.io);
        flights.swap_remove(place.expect("only what is in flight ends"));
        if completion.result == Err(IoError::Unsupported) && op == Op::Discard {
            continue;
        }
        assert_eq!(completion.result, Ok(()));
        let range = offset_bytes as usize..offset_bytes as usize + length_bytes as usize;
        match op {
            Op::Read => assert!(engine.data(&completion) == &model[range]),
            Op::Write => {
                model[range].iter_mut().zip(offset_bytes..).for_each(|(b, at)| *b = pattern_at(at))
            }
            Op::Discard => model[range].fill(0),
            Op::Flush => {}
        }
    }
}

/// The memory of a burst was once kept for as long as the engine.
#[test]
fn memory_that_is_not_used_any_more_is_given_back() {
    for (kind, direct) in ways() {
        let mut engine = engine(&file(|place| place as u8, direct), kind, 8);
        assert_eq!(engine.used_bytes(), 0);
        one(&mut engine, io(Op::Read, 0, 1));
        assert_eq!(engine.used_bytes(), 64 << 10);
        for used_bytes in [64 << 10, 0] {
            engine.give_back_unused(0, 64 << 10);
            assert_eq!(engine.used_bytes(), used_bytes, "what was used lately is kept");
        }
        let read = one(&mut engine, io(Op::Read, 3, 1));
        let expected: Vec<u8> = (3 * BLOCK..4 * BLOCK).map(|place| place as u8).collect();
        assert_eq!(engine.data(&read), expected, "what was made anew can be read into");
    }
}
