// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event loop with good and bad schedulers.

use super::*;
use blk::{DeviceLimits, Elevator, Pool, QueueSettings, Tag, TunableError};
use runner::SimultaneousOrder;

/// Takes everything and gives nothing.
struct Hoarder {
    has: bool,
}

impl Elevator for Hoarder {
    fn name(&self) -> &'static str {
        "hoarder"
    }

    fn set_tunable(&mut self, _: u64, name: &str, _: &str) -> Result<(), TunableError> {
        Err(TunableError::Unknown { elevator: "hoarder", name: name.into(), known: Vec::new() })
    }

    fn pool_resized(&mut self, _: u64, _: u32, _: u32) {}

    fn insert(&mut self, _: u64, _: Tag, _: bool, _: &Pool) {
        self.has = true;
    }

    fn has_work(&self) -> bool {
        self.has
    }

    fn dispatch(&mut self, _: u64, _: &Pool) -> Option<Tag> {
        None
    }

    fn completed(&mut self, _: u64, _: Tag, _: &Pool) {}

    fn requeued(&mut self, _: u64, _: Tag, _: &Pool) {}
}

const JOBS: &str = "[a]\nrw=randread\nsize=1g\nioengine=libaio\niodepth=8\nruntime=1\ntime_based\n";

fn setup<'a>(
    jobs: &'a [workload::Job],
    profile: &'a Profile,
    elevator: Box<dyn Elevator>,
    seed: u64,
) -> Setup<'a> {
    Setup {
        jobs,
        group_weights: &[],
        settings: QueueSettings::default(),
        page_cache: Default::default(),
        profile,
        elevator,
        seed,
        order: SimultaneousOrder::AsCreated,
    }
}

fn run(
    elevator: Box<dyn Elevator>,
    device: &str,
    seed: u64,
    observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<Simulated, SimError> {
    let jobs = workload::parse(JOBS, "test.fio").unwrap();
    let profile = Profile::builtin(device).unwrap();
    simulate(setup(&jobs, &profile, elevator, seed), observe)
}

fn none() -> Box<dyn Elevator> {
    elevators::build("none", 0, &DeviceLimits::new(32, false)).unwrap()
}

#[test]
fn a_scheduler_that_keeps_its_requests_is_found_out() {
    let hoarder = Box::new(Hoarder { has: false });
    let error =
        run(hoarder, "reference-ssd", 1, &mut |_, _| ControlFlow::Continue(())).err().unwrap();
    assert!(!error.is_usage());
    let message = error.to_string();
    assert!(message.starts_with("hoarder stands still at "), "{message}");
    assert!(message.contains("with 8 requests waiting and 0 on the device"), "{message}");
}

#[test]
fn a_scheduler_that_was_told_to_wait_for_long_is_not_broken() {
    // The second process waits until the first, for which the scheduler keeps the device, is back.
    let text = "[global]\nrw=read\nbs=4k\nsize=1m\nnumber_ios=2\n[a]\nthinktime=90s\n\
                [b]\nstartdelay=1ms\n";
    let jobs = workload::parse(text, "test.fio").unwrap();
    let profile = Profile::builtin("reference-hdd").unwrap();
    for scheduler in ["bfq:slice_idle=200000", "cfq:slice_idle=200000"] {
        let elevator = elevators::build(scheduler, 0, &DeviceLimits::new(32, true)).unwrap();
        let setup = setup(&jobs, &profile, elevator, 1);
        let simulated = simulate(setup, &mut |_, _| ControlFlow::Continue(()));
        let simulated = simulated.unwrap_or_else(|error| panic!("{scheduler}: {error}"));
        assert!(simulated.outcome.elapsed_ns > 90_000_000_000, "{scheduler}");
        assert_eq!(simulated.commands, 4, "{scheduler}");
    }
}

#[test]
fn processes_that_issue_what_costs_nothing_come_to_an_end() {
    let text = "[a]\nrw=trim\nbs=4k\nsize=64k\nruntime=10us\ntime_based\n";
    let jobs = workload::parse(text, "test.fio").unwrap();
    let profile = Profile::builtin("reference-flat").unwrap();
    let setup = setup(&jobs, &profile, none(), 1);
    let simulated = simulate(setup, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert!((9_000..=10_001).contains(&simulated.commands), "{}", simulated.commands);
}

#[test]
fn a_simulation_follows_its_seed() {
    let json = |seed| {
        let simulated =
            run(none(), "hdd-desktop", seed, &mut |_, _| ControlFlow::Continue(())).unwrap();
        let run = simulated.outcome.into_run(simulated.device, simulated.device_stats);
        serde_json::to_string(&run).unwrap()
    };
    assert!(json(1) == json(1), "the same seed, another result");
    assert!(json(1) != json(2), "another seed, the same result");
}

#[test]
fn the_observer_sees_time_pass_and_can_stop_it() {
    let mut seen = Vec::new();
    let simulated = run(none(), "reference-ssd", 1, &mut |now_ns, planned_ns| {
        seen.push(now_ns);
        assert_eq!(planned_ns, Some(1_000_000_000));
        if seen.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    assert!(simulated.stopped);
    assert!(seen.is_sorted() && seen.len() == 3, "{seen:?}");
    assert_eq!(simulated.outcome.elapsed_ns, seen[2]);
    // The device takes 88.192 µs for 4 KiB, eight at a time.
    assert!(simulated.commands.abs_diff(8 * seen[2] / 88_192) <= 16);
}

#[test]
fn jobs_that_do_not_fit_are_the_users_mistake() {
    let jobs = workload::parse("[a]\nrw=read\nsize=1g\nnumjobs=300\n", "test.fio").unwrap();
    let profile = Profile::builtin("reference-ssd").unwrap();
    let run = simulate(setup(&jobs, &profile, none(), 1), &mut |_, _| ControlFlow::Continue(()));
    let error = run.err().unwrap();
    assert!(error.is_usage() && error.to_string().starts_with("test.fio:1"), "{error}");
}

#[test]
fn reading_back_what_was_written_with_verify_costs_what_reads_cost() {
    let text = "[a]\nrw=randwrite\nbs=16k\nsize=4m\nioengine=libaio\niodepth=8\n";
    let outcome = |options: &str| {
        let jobs = workload::parse(&format!("{text}{options}"), "test.fio").unwrap();
        let profile = Profile::builtin("reference-ssd").unwrap();
        let setup = setup(&jobs, &profile, none(), 1);
        let simulated = simulate(setup, &mut |_, _| ControlFlow::Continue(())).unwrap();
        let run = simulated.outcome.into_run(simulated.device, simulated.device_stats);
        let json = serde_json::to_value(&run).unwrap();
        let job = &json["fio"]["jobs"][0];
        let ios = |direction: &str| job[direction]["total_ios"].as_u64().unwrap();
        (ios("write"), ios("read"), simulated.commands)
    };
    let (writes, reads, commands) = outcome("");
    assert_eq!((writes, reads), (256, 0));
    let (written, read_back, all) = outcome("verify=crc32c\n");
    assert_eq!((written, read_back), (256, 256));
    assert!(all > commands, "{all} and {commands} commands");
    assert_eq!(outcome("verify=crc32c\ndo_verify=0\n"), (writes, reads, commands));
}

#[test]
fn who_stands_still_without_a_pause_is_no_mistake_of_the_user() {
    let jobs = workload::parse(JOBS, "test.fio").unwrap();
    let profile = Profile::builtin("reference-ssd").unwrap();
    let simulation = Simulation::new(setup(&jobs, &profile, none(), 1)).unwrap();
    // Nothing is in flight or waits yet, and no process sleeps.
    let error = crate::standstill::stuck(simulation.runner(), 0);
    assert!(!error.is_usage() && error.to_string().contains("this is a bug"), "{error}");
}

#[test]
fn pauses_beyond_the_end_of_time_are_told_as_such() {
    for option in ["thinktime=18000000000s", "rate=1\nbs=1g\nsize=32g"] {
        let text = format!("[a]\nrw=read\nsize=1m\nbs=4k\n{option}\n");
        let jobs = workload::parse(&text, "test.fio").unwrap();
        let profile = Profile::builtin("reference-ssd").unwrap();
        let simulated =
            simulate(setup(&jobs, &profile, none(), 1), &mut |_, _| ControlFlow::Continue(()));
        let error = simulated.err().unwrap();
        assert!(error.is_usage(), "{option}: {error}");
        let message = error.to_string();
        assert!(message.contains("584 years"), "{option}: {message}");
    }
}
