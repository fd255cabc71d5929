// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every scheduler behind the layer under random load, switched while it runs: each bio ends
//! exactly once, no request is passed over for ever, and all invariants hold after every step.

use base::{Class, IoprioValue, Op};
use std::collections::BTreeSet;

use blk::*;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Submit {
        process: Option<u32>,
        op: Op,
        sync: bool,
        sector: u64,
        sectors: u32,
    },
    /// A process exits, and another one begins, in its group and with its ioprio.
    Replace {
        process: u32,
    },
    Move {
        process: u32,
        group: u32,
    },
    Weigh {
        group: u32,
        weight: u32,
    },
    Renice {
        process: u32,
        class: usize,
        level: u8,
    },
    Batch {
        process: u32,
        open: bool,
    },
    Issue {
        commands: usize,
    },
    Complete {
        nth: usize,
    },
    Requeue {
        nth: usize,
    },
    Overdue {
        nth: usize,
    },
    Time {
        ms: u64,
    },
    Switch {
        scheduler: usize,
    },
    Resize {
        nr_requests: u32,
    },
}

/// Groups besides the root.
const GROUPS: u32 = 2;
const CLASSES: [Option<Class>; 4] =
    [Some(Class::RealTime), Some(Class::BestEffort), Some(Class::Idle), None];

/// All schedulers, in all generations.
fn all_schedulers() -> Vec<&'static str> {
    elevators::names().chain(["cfq:generation=2.6.35"]).collect()
}

/// One of them, for any number.
fn scheduler_named(number: usize) -> &'static str {
    let all = all_schedulers();
    all[number % all.len()]
}

fn step() -> impl Strategy<Value = Step> {
    let process = 0..CLASSES.len() as u32;
    let submitter = prop_oneof![9 => process.clone().prop_map(Some), 1 => Just(None)];
    let class = 0..CLASSES.len();
    let op = prop_oneof![5 => Just(Op::Read), 5 => Just(Op::Write), 1 => Just(Op::Discard), 1 => Just(Op::Flush)];
    prop_oneof![
        10 => (submitter, op, any::<bool>(), 0..60_u64, 1..6_u32).prop_map(
            |(process, op, sync, sector, sectors)| {
                Step::Submit { process, op, sync, sector: sector * 2, sectors: sectors * 2 }
            }
        ),
        2 => (process.clone(), any::<bool>())
            .prop_map(|(process, open)| Step::Batch { process, open }),
        1 => process.clone().prop_map(|process| Step::Replace { process }),
        1 => (process.clone(), 0..=GROUPS).prop_map(|(process, group)| Step::Move { process, group }),
        1 => (1..=GROUPS, 1..=1000_u32).prop_map(|(group, weight)| Step::Weigh { group, weight }),
        1 => (process, class, 0..8_u8)
            .prop_map(|(process, class, level)| Step::Renice { process, class, level }),
        5 => (1..8_usize).prop_map(|commands| Step::Issue { commands }),
        6 => (0..8_usize).prop_map(|nth| Step::Complete { nth }),
        1 => (0..8_usize).prop_map(|nth| Step::Requeue { nth }),
        1 => (0..8_usize).prop_map(|nth| Step::Overdue { nth }),
        2 => prop_oneof![0..20_u64, 0..20_000_u64].prop_map(|ms| Step::Time { ms }),
        1 => (0..8_usize).prop_map(|scheduler| Step::Switch { scheduler }),
        1 => (1..12_u32).prop_map(|nr_requests| Step::Resize { nr_requests }),
    ]
}

/// A host of four processes, at first one of each class.
struct Host {
    layer: BlockLayer,
    /// The present bearers of the processes' numbers.
    processes: Vec<ProcessId>,
    specs: Vec<ProcessSpec>,
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
        for number in 1..=GROUPS {
            let path = number.to_string();
            layer.add_group(0, GroupSpec { parent: None, weight: 100, path }).expect("group");
        }
        let spec = |class| {
            let ioprio = IoprioValue { class, level: 4 };
            ProcessSpec { group: GroupId::ROOT, ioprio, name: format!("{class:?}") }
        };
        let specs: Vec<ProcessSpec> = CLASSES.into_iter().map(spec).collect();
        let add = |spec: &ProcessSpec| layer.add_process(0, spec.clone()).expect("process");
        let processes = specs.iter().map(add).collect();
        Host {
            layer,
            processes,
            specs,
            now_ns: 0,
            asleep: BTreeSet::new(),
            on_device: Vec::new(),
            pending: BTreeSet::new(),
            next_token: 0,
        }
    }

    fn process(&self, number: u32) -> ProcessId {
        self.processes[number as usize]
    }

    fn take_from_device(&mut self, nth: usize) -> Option<Tag> {
        let count = self.on_device.len();
        (count > 0).then(|| self.on_device.remove(nth % count))
    }

    fn step(&mut self, step: &Step) {
        let now_ns = self.now_ns;
        match *step {
            Step::Submit { process, op, sync, sector, sectors } => {
                let process = process.map(|number| self.processes[number as usize]);
                if process.is_none_or(|process| !self.asleep.contains(&process)) {
                    let token = self.next_token;
                    self.next_token += 1;
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
            Step::Batch { process, open: true } => self.layer.plug(self.process(process)),
            Step::Batch { process, open: false } => {
                self.layer.unplug(now_ns, self.process(process))
            }
            Step::Replace { process } => {
                let old = self.process(process);
                self.layer.exit_process(now_ns, old).expect("it lives");
                self.asleep.remove(&old);
                let spec = self.specs[process as usize].clone();
                let new = self.layer.add_process(now_ns, spec).expect("a process");
                self.processes[process as usize] = new;
            }
            Step::Move { process, group } => {
                self.specs[process as usize].group = GroupId(group);
                let id = self.process(process);
                self.layer.move_process(now_ns, id, GroupId(group)).expect("both exist");
            }
            Step::Weigh { group, weight } => {
                self.layer.set_group_weight(now_ns, GroupId(group), weight).expect("in range");
            }
            Step::Renice { process, class, level } => {
                let ioprio = IoprioValue { class: CLASSES[class], level };
                self.specs[process as usize].ioprio = ioprio;
                self.layer.set_ioprio(now_ns, self.process(process), ioprio).expect("in range");
            }
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
            Step::Overdue { nth } if !self.on_device.is_empty() => {
                let tag = self.on_device[nth % self.on_device.len()];
                let was = self.layer.pool()[tag].state() == TagState::Overdue;
                assert_eq!(self.layer.set_overdue(now_ns, tag), !was);
            }
            Step::Overdue { .. } => {}
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
        prop_assert_eq!(host.layer.waiting() + host.layer.in_flight() + host.layer.overdue(), 0);
        prop_assert_eq!(host.layer.pool().in_use(), 0);
    }
}

/// Any scheduler takes over from any other what waits in it, is in a plug or sleeps, while some of
/// it is on the device.
#[test]
fn between_any_two_schedulers_nothing_is_lost() {
    let submit = |number: u32| Step::Submit {
        process: Some(number % 4),
        op: [Op::Read, Op::Write, Op::Discard, Op::Flush][number as usize / 4 % 4],
        sync: number.is_multiple_of(3),
        sector: u64::from(number) * 20,
        sectors: 2,
    };
    let all = all_schedulers();
    for (from, &name) in all.iter().enumerate() {
        for to in 0..all.len() {
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
