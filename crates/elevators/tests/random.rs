//! Every scheduler behind the layer under random load, switched while it runs: each bio ends exactly
//! once, no request is passed over for ever, and all invariants hold after every step.

use std::collections::BTreeSet;

use blk::*;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Submit { process: u32, op: Op, sync: bool, sector: u64, sectors: u32 },
    Batch { process: u32, open: bool },
    Issue { commands: usize },
    Complete { nth: usize },
    Requeue { nth: usize },
    Time { ms: u64 },
    Switch { scheduler: usize },
    Resize { nr_requests: u32 },
}

const CLASSES: [IoClass; 4] =
    [IoClass::RealTime, IoClass::BestEffort, IoClass::Idle, IoClass::None];

/// One of all schedulers, in all generations.
fn scheduler_named(number: usize) -> &'static str {
    let schedulers: Vec<&str> = elevators::names().chain(["cfq:generation=2.6.35"]).collect();
    schedulers[number % schedulers.len()]
}

fn step() -> impl Strategy<Value = Step> {
    let process = 0..CLASSES.len() as u32;
    let op = prop_oneof![5 => Just(Op::Read), 5 => Just(Op::Write), 1 => Just(Op::Discard), 1 => Just(Op::Flush)];
    prop_oneof![
        10 => (process.clone(), op, any::<bool>(), 0..60_u64, 1..6_u32).prop_map(
            |(process, op, sync, sector, sectors)| {
                Step::Submit { process, op, sync, sector: sector * 2, sectors: sectors * 2 }
            }
        ),
        2 => (process, any::<bool>()).prop_map(|(process, open)| Step::Batch { process, open }),
        5 => (1..8_usize).prop_map(|commands| Step::Issue { commands }),
        6 => (0..8_usize).prop_map(|nth| Step::Complete { nth }),
        1 => (0..8_usize).prop_map(|nth| Step::Requeue { nth }),
        2 => prop_oneof![0..20_u64, 0..20_000_u64].prop_map(|ms| Step::Time { ms }),
        1 => (0..8_usize).prop_map(|scheduler| Step::Switch { scheduler }),
        1 => (1..12_u32).prop_map(|nr_requests| Step::Resize { nr_requests }),
    ]
}

/// A host of four processes, one of each class.
struct Host {
    layer: BlockLayer,
    now_ns: u64,
    asleep: BTreeSet<ProcessId>,
    on_device: Vec<Tag>,
    pending: BTreeSet<u64>,
    next_token: u64,
}

impl Host {
    fn new(scheduler: &str) -> Host {
        let limits = DeviceLimits::new(4, true);
        let settings = QueueSettings::parse("max_sectors_kb=8").expect("settings");
        let elevator = elevators::build(scheduler, 0, &limits).expect("a known scheduler");
        let mut layer = BlockLayer::new(settings, limits, elevator);
        for class in CLASSES {
            let ioprio = Ioprio { class, level: 4 };
            let spec = ProcessSpec { group: GroupId::ROOT, ioprio, name: format!("{class:?}") };
            layer.add_process(0, spec).expect("process");
        }
        Host {
            layer,
            now_ns: 0,
            asleep: BTreeSet::new(),
            on_device: Vec::new(),
            pending: BTreeSet::new(),
            next_token: 0,
        }
    }

    fn take_from_device(&mut self, nth: usize) -> Option<Tag> {
        let count = self.on_device.len();
        (count > 0).then(|| self.on_device.remove(nth % count))
    }

    fn step(&mut self, step: &Step) {
        let now_ns = self.now_ns;
        match *step {
            Step::Submit { process, op, sync, sector, sectors } => {
                let process = ProcessId(process);
                if !self.asleep.contains(&process) {
                    let token = self.next_token;
                    self.next_token += 1;
                    let process = Some(process);
                    let bio = Bio {
                        token,
                        op,
                        sync,
                        metadata: false,
                        read_ahead: false,
                        sector,
                        sectors,
                        process,
                    };
                    self.pending.insert(token);
                    if self.layer.submit(now_ns, bio) == Submission::Sleeping {
                        self.asleep.extend(process);
                    }
                }
            }
            Step::Batch { process, open: true } => self.layer.plug(ProcessId(process)),
            Step::Batch { process, open: false } => self.layer.unplug(now_ns, ProcessId(process)),
            Step::Issue { commands } => {
                for _ in 0..commands {
                    let command = self.layer.next_command(now_ns);
                    self.on_device.extend(command.map(|command| command.tag));
                }
            }
            Step::Complete { nth } => {
                if let Some(tag) = self.take_from_device(nth) {
                    self.layer.complete(now_ns, tag, Ok(()));
                }
            }
            Step::Requeue { nth } => {
                if let Some(tag) = self.take_from_device(nth) {
                    self.layer.requeue(now_ns, tag);
                }
            }
            Step::Time { ms } => {
                self.now_ns += ms * 1_000_000;
                self.layer.on_timer(self.now_ns);
            }
            Step::Switch { scheduler } => {
                let name = scheduler_named(scheduler);
                let elevator = elevators::build(name, now_ns, self.layer.limits()).expect(name);
                self.layer.switch_elevator(now_ns, elevator).expect("memory");
            }
            Step::Resize { nr_requests } => {
                let value = nr_requests.to_string();
                self.layer.set_queue(now_ns, "nr_requests", &value).expect("in range");
            }
        }
        self.layer.check();
        while let Some(process) = self.layer.take_woken() {
            assert!(self.asleep.remove(&process), "it slept");
        }
        while let Some(done) = self.layer.take_completed() {
            assert!(self.pending.remove(&done.token), "a bio ends once");
        }
        assert_eq!(self.layer.idle(), self.pending.is_empty());
    }

    fn drain(&mut self) {
        for _ in 0..10_000 {
            for process in 0..CLASSES.len() as u32 {
                self.step(&Step::Batch { process, open: false });
            }
            if self.pending.is_empty() {
                return;
            }
            self.step(&Step::Issue { commands: 16 });
            self.step(&Step::Complete { nth: 0 });
            self.step(&Step::Time { ms: 4 });
        }
        panic!("{} bios that never end", self.pending.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_bio_ends_exactly_once(
        scheduler in 0..8_usize,
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mut host = Host::new(scheduler_named(scheduler));
        for step in &steps {
            host.step(step);
        }
        host.drain();
        prop_assert_eq!(host.layer.waiting() + host.layer.in_flight(), 0);
        prop_assert_eq!(host.layer.pool().in_use(), 0);
    }
}

/// Any scheduler takes over from any other what waits in it, is in a plug or sleeps, while some of
/// it is on the device.
#[test]
fn between_any_two_schedulers_nothing_is_lost() {
    let submit = |number: u32| Step::Submit {
        process: number % 4,
        op: [Op::Read, Op::Write, Op::Discard, Op::Flush][number as usize / 4 % 4],
        sync: number.is_multiple_of(3),
        sector: u64::from(number) * 20,
        sectors: 2,
    };
    let count = elevators::names().count();
    for (from, name) in elevators::names().enumerate() {
        for to in 0..count {
            let mut host = Host::new(name);
            (0..4).for_each(|number| host.step(&submit(number)));
            host.step(&Step::Issue { commands: 3 });
            host.step(&Step::Batch { process: 0, open: true });
            (4..24).for_each(|number| host.step(&submit(number)));
            assert!(
                host.layer.waiting() > 0 && host.layer.in_flight() > 0 && !host.asleep.is_empty()
            );
            host.step(&Step::Switch { scheduler: to });
            host.step(&Step::Issue { commands: 8 });
            host.step(&Step::Complete { nth: 1 });
            (24..40).for_each(|number| host.step(&submit(number)));
            host.step(&Step::Switch { scheduler: from });
            host.drain();
            assert_eq!(host.layer.pool().in_use(), 0, "{name}");
        }
    }
}
