// SPDX-License-Identifier: MIT OR Apache-2.0
//! peers.md §5.2 and the tunables of §5.1: queues are made and freed with their processes; no
//! request is lost.

use blk::{Elevator, GroupId};

use super::line::*;
use base::{Class, Ioprio};

fn queues(line: &Line) -> usize {
    line.cfq.queues.iter().count()
}

#[test]
fn a_queue_lives_as_long_as_its_process_or_its_requests() {
    let mut line = Line::a(&[]);
    let process = line.process(best_effort(4));
    assert_eq!(queues(&line), 0);
    line.reads(process, &[0, 1000]);
    assert_eq!(line.next(), Some(0));
    line.cfq.process_ends(line.now_ticks(), process);
    assert_eq!(queues(&line), 1);
    assert_eq!(line.next(), Some(1000), "its requests are served");
    line.completes(0);
    line.completes(1000);
    assert_eq!(queues(&line), 0);

    let process = line.process(best_effort(4));
    line.read_for(process, 0, 4);
    line.pass(100);
    line.reads(process, &[0]);
    line.next();
    line.completes(0);
    assert_eq!(queues(&line), 1);
    line.cfq.process_ends(line.now_ticks(), process);
    assert_eq!((queues(&line), line.is_waiting_for_more()), (0, false));
}

#[test]
fn an_exit_lets_the_others_go_on() {
    let mut line = Line::a(&[]);
    let (process, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
    line.reads(process, &[0]);
    line.reads(other, &[1 << 30]);
    line.next();
    line.completes(0);
    assert!(line.is_waiting_for_more());
    line.cfq.take_kick();
    line.cfq.process_ends(line.now_ticks(), process);
    assert!(line.cfq.take_kick());
    assert_eq!(line.next(), Some(1 << 30));
}

#[test]
fn requests_without_process_are_served_and_not_waited_for() {
    for generation in ["2.6.32", "2.6.35"] {
        let mut line = Line::on(true, generation, &[]);
        let gone = blk::ProcessId(77);
        line.arrives(None, true, 0);
        line.arrives(Some(gone), true, 1000);
        line.arrives(None, false, 1 << 30);
        assert_eq!(line.all(), [0, 1000], "{generation}");
        line.completes(0);
        line.completes(1000);
        assert!(!line.is_waiting_for_more());
        assert_eq!(line.next(), Some(1 << 30));
    }
}

#[test]
fn asynchronous_queues_are_shared_by_ioprio() {
    let mut line = Line::a(&[]);
    for (ioprio, count) in [
        (best_effort(4), 1),
        (best_effort(4), 1),
        (base::IoprioValue::default(), 1),
        (best_effort(5), 2),
        (real_time(4), 3),
        (idle(), 4),
        (base::IoprioValue { class: Some(Class::Idle), level: 3 }, 4),
    ] {
        let process = line.process(ioprio);
        line.arrives(Some(process), false, 8 * u64::from(process.0));
        assert_eq!(queues(&line), count, "{ioprio:?}");
    }
}

#[test]
fn a_new_ioprio_holds_from_the_next_request_on() {
    let mut line = Line::a(&[]);
    let process = line.process(best_effort(4));
    line.reads(process, &[0]);
    for (ioprio, priority, window) in [
        (best_effort(0), Ioprio::new(Class::BestEffort, 0), true),
        (idle(), Ioprio::new(Class::Idle, 7), false),
        (real_time(2), Ioprio::new(Class::RealTime, 2), true),
    ] {
        let before = line.queue(process).priority;
        line.cfq.process_ioprio(0, process, ioprio);
        assert_eq!(line.queue(process).priority, before);
        line.reads(process, &[1000 + 100 * u64::from(priority.level())]);
        let queue = line.queue(process);
        assert_eq!((queue.priority, queue.idle_window), (priority, window), "{ioprio:?}");
    }
}

#[test]
fn a_process_that_moves_has_a_new_queue_in_its_new_group() {
    for (generation, same) in [("2.6.32", true), ("2.6.35", false)] {
        let mut line = Line::on(true, generation, &[]);
        let group = line.group(100);
        let process = line.process(best_effort(4));
        line.reads(process, &[0, 1000]);
        let old = line.queue_id(process);
        assert_eq!(line.next(), Some(0));
        line.cfq.process_moves(line.now_ticks(), process, group);
        line.reads(process, &[2000]);
        assert_eq!(line.queue_id(process) == old, same, "{generation}");
        let place = if same { GroupId::ROOT } else { group };
        assert_eq!(line.queue(process).location.map(|at| at.group), Some(place));
        line.completes(0);
        let mut served = Vec::new();
        for _ in 0..2 {
            line.pass(8);
            served.extend(line.next());
            line.completes(served[served.len() - 1]);
        }
        served.sort();
        assert_eq!(served, [1000, 2000], "what waited is served, too");
        assert_eq!(queues(&line), 1);
    }
}

#[test]
fn a_number_given_again_is_another_process() {
    let mut line = Line::b(&[]);
    let process = line.process(best_effort(4));
    for _ in 0..9 {
        line.pass(100);
        line.read_for(process, 0, 4);
    }
    line.cfq.process_ends(line.now_ticks(), process);
    let spec =
        blk::ProcessSpec { group: GroupId::ROOT, ioprio: best_effort(1), name: String::new() };
    line.cfq.process_added(line.now_ms as u64 * 1_000_000, process, &spec);
    line.reads(process, &[0]);
    let queue = line.queue(process);
    assert!(queue.idle_window && queue.priority.level() == 1, "nothing is held against it");
}

#[test]
fn asynchronous_requests_take_half_of_the_pool_at_most() {
    let mut line = Line::a(&[]);
    for (nr_requests, limit) in [(256, 128), (64, 32), (3, 2), (1, 1)] {
        line.cfq.pool_resized(0, nr_requests, 4096);
        let mut allowed = |op, sync| line.cfq.allowed_requests(0, None, op, sync);
        assert_eq!(allowed(base::Op::Write, false), limit, "{nr_requests}");
        assert_eq!(allowed(base::Op::Write, true), u32::MAX);
        assert_eq!(allowed(base::Op::Read, false), u32::MAX, "a process always waits for a read");
    }
}

#[test]
fn tunables_and_their_limits() {
    let value = |generation, name: &str, value: &str| {
        let mut line = Line::on(true, generation, &[]);
        line.cfq.set_tunable(0, name, value).map_err(|error| error.to_string())?;
        let all = line.cfq.tunables();
        let row = all.into_iter().find(|tunable| tunable.name == name).expect("it was set");
        Ok::<String, String>(row.value)
    };
    for (name, written, read) in [
        ("quantum", "0", "1"),
        ("quantum", "16", "16"),
        ("fifo_expire_sync", "0", "1"),
        ("fifo_expire_async", "99999999999", "2147483647"),
        ("back_seek_max", "0", "0"),
        ("back_seek_penalty", "0", "1"),
        ("slice_sync", "0", "1"),
        ("slice_async", "+7\n", "7"),
        ("slice_async_rq", "0", "1"),
        ("slice_idle", "0", "0"),
        ("low_latency", "2", "1"),
        ("group_isolation", "5", "1"),
    ] {
        assert_eq!(value("2.6.35", name, written).as_deref(), Ok(read), "{name}={written}");
    }
    for (generation, name, written, error) in [
        ("2.6.32", "slice_idle", "-1", "slice_idle=-1: expected a decimal number"),
        ("2.6.32", "quantum", "0x10", "quantum=0x10: expected a decimal number"),
        (
            "2.6.32",
            "group_isolation",
            "1",
            "cfq of generation 2.6.32 has no tunable `group_isolation`; there are: quantum, \
             fifo_expire_sync, fifo_expire_async, back_seek_max, back_seek_penalty, slice_sync, \
             slice_async, slice_async_rq, slice_idle, low_latency",
        ),
        (
            "2.6.32",
            "slice_asynk",
            "1",
            "cfq of generation 2.6.32 has no tunable `slice_asynk`; did you mean `slice_async`?",
        ),
        (
            "2.6.32",
            "generation",
            "2.6.33",
            "generation=2.6.33: expected 2.6.32 or 2.6.35, before the scheduler is used",
        ),
    ] {
        assert_eq!(value(generation, name, written), Err(error.to_owned()));
    }
}

#[test]
fn a_generation_has_its_defaults_whatever_the_order_of_settings() {
    for (settings, quantum) in [
        (&[][..], "4"),
        (&[("generation", "2.6.35")], "8"),
        (&[("quantum", "6"), ("generation", "2.6.35")], "6"),
        (&[("generation", "2.6.35"), ("generation", "2.6.32")], "4"),
    ] {
        let mut cfq = crate::Cfq::new(&blk::DeviceLimits::new(32, true));
        for (name, value) in settings {
            cfq.set_tunable(0, name, value).expect(name);
        }
        let tunables = cfq.tunables();
        assert_eq!((tunables[1].name, &*tunables[1].value), ("quantum", quantum), "{settings:?}");
        let generation = settings.iter().rfind(|(name, _)| *name == "generation");
        let expected = generation.map_or("2.6.32", |(_, value)| value);
        assert_eq!((tunables[0].name, &*tunables[0].value), ("generation", expected));
    }
    let mut line = Line::a(&[]);
    let process = line.process(best_effort(4));
    line.reads(process, &[0]);
    assert!(line.cfq.set_tunable(0, "generation", "2.6.35").is_err(), "too late");
}
