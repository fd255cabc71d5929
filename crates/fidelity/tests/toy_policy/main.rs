// SPDX-License-Identifier: MIT OR Apache-2.0
//! A second policy needs nothing but itself: it runs in the simulator, is recorded and replayed.

mod policy;

use bfq::{
    Behaviour, Budget, Config, NewRequest, ProcessAttributes, RequestId, Scheduler, Span, Time,
    why::Silent,
};
use elevators::Scheduled;
use policy::Toy;
use recording::{DeviceName, Recorded, Sink};
use std::ops::ControlFlow;
use std::{cell::RefCell, rc::Rc};

/// Two groups of weights 100 and 300, on a disk that always has something to choose from.
const JOBS: &str = "
[global]
ioengine=libaio
direct=1
rw=randread
bs=4k
size=100m
iodepth=16
runtime=5
time_based=1

[light]
cgroup=light
cgroup_weight=100

[heavy]
cgroup=heavy
cgroup_weight=300
";

fn elevator() -> Scheduled<Scheduler<Silent, Toy>> {
    Scheduled::attach(0, false, Behaviour::Improved, Silent)
}

#[test]
fn it_shares_by_weight_in_the_simulator() {
    let jobs = workload::parse(JOBS, "jobs").expect("a job file");
    let profile = device::Profile::parse_argument("reference-flat:depth=1").expect("built in");
    let setup = sim::Setup {
        jobs: &jobs,
        group_weights: &[],
        settings: blk::QueueSettings::parse("nr_requests=256").expect("settings"),
        page_cache: Default::default(),
        profile: &profile,
        elevator: Box::new(elevator()),
        seed: 1,
        order: Default::default(),
    };
    let simulated = sim::simulate(setup, &mut |_, _| ControlFlow::Continue(())).expect("it runs");
    let run = simulated.outcome.into_run(simulated.device, simulated.device_stats);
    let bytes = |name: &str| {
        run.fio.jobs.iter().find(|job| job.jobname == name).expect("it ran").read.io_bytes as f64
    };
    let ratio = bytes("heavy") / bytes("light");
    assert!((2.99..3.01).contains(&ratio), "1 : {ratio}");
}

/// Everything that is written, for whoever has a clone.
#[derive(Clone, Default)]
struct Bytes(Rc<RefCell<Vec<u8>>>);

impl Sink for Bytes {
    fn write(&mut self, bytes: &[u8]) -> bool {
        self.0.borrow_mut().extend_from_slice(bytes);
        true
    }
}

fn us(us: u64) -> Time {
    Time::from_ns(us * 1000)
}

/// What two groups do that keep eight requests each waiting or in the device; each fourth request
/// is withdrawn, a group is removed in the end.
fn recorded() -> Vec<u8> {
    let bytes = Bytes::default();
    let config = Config::new(false, 16);
    let device = DeviceName::new(b"disk");
    let attached = Recorded::<_, Toy>::attach(us(0), config, device, bytes.clone());
    let mut s = attached.expect("memory");
    let mut groups = Vec::new();
    for weight in [100, 300] {
        let group = s.add_group(us(0), s.root_group()).expect("memory");
        s.set_group_weight(us(0), group, weight).expect("in range");
        groups.push(group);
    }
    let of_group = |s: &mut Recorded<Bytes, Toy>, group| {
        s.add_process(us(0), group, ProcessAttributes::default()).expect("memory")
    };
    let processes = [of_group(&mut s, groups[0]), of_group(&mut s, groups[1])];
    for round in 0..100 {
        let now = us(100 * round);
        for tag in 0..16 {
            let read = NewRequest::read(processes[tag % 2], 1000 * tag as u64, 8, now);
            s.insert(now, RequestId::from_index(tag), &read, false).expect("it is free");
        }
        for tag in (0..16).step_by(4) {
            s.remove(now, RequestId::from_index(tag)).expect("it waits");
        }
        while let Some(id) = s.dispatch(now) {
            s.complete(now + Span::from_us(10), id).expect("in the device");
        }
        s.check();
    }
    s.remove_group(us(10_001), groups[1]).expect("it is there");
    s.check();
    bytes.0.take()
}

#[test]
fn it_is_recorded_and_replayed() {
    let recording = recorded();
    let outcome = fidelity::decisions::replay_by::<Toy>("toy", &recording).expect("a recording");
    assert!(outcome.decisions > 1000, "{outcome:?}");
    assert_eq!(outcome.differ, 0, "{outcome:?}");
    // It is this policy's: another one decides otherwise, and the core has none of that name.
    let other = fidelity::decisions::replay_by::<Budget>("toy", &recording).expect("a recording");
    assert!(other.differ > 0);
    let error = fidelity::decisions::replay_recording("it", &recording).expect_err("unknown");
    assert_eq!(
        error.to_string(),
        "it: this recording was made under the policy `toy`, which is unknown; expected bfq or tfq"
    );
}

#[test]
fn the_group_with_less_for_its_weight_goes_first() {
    let mut s = Scheduler::<Silent, Toy>::attach(us(0), Config::new(false, 8), Silent).unwrap();
    let mut add = |weight| {
        let group = s.add_group(us(0), s.root_group()).expect("memory");
        s.set_group_weight(us(0), group, weight).expect("in range");
        s.add_process(us(0), group, ProcessAttributes::default()).expect("memory")
    };
    let processes = [add(100), add(200)];
    for tag in 0..8 {
        let read = NewRequest::read(processes[tag / 4], 1000 * tag as u64, 8, us(1));
        s.insert(us(1), RequestId::from_index(tag), &read, false).expect("it is free");
    }
    let order: Vec<usize> =
        core::iter::from_fn(|| s.dispatch(us(2))).map(|id| id.index()).collect();
    assert_eq!(order, [0, 4, 5, 1, 6, 7, 2, 3]);
}
