// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random operations: each bio ends exactly once, and every invariant holds after every step.

use base::{Class, IoprioValue, Op};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use blk::*;
use proptest::prelude::*;

use crate::lab::{MS, Script, Scripted};

#[derive(Debug, Clone)]
enum Step {
    Submit { process: usize, op: Op, sector: u64, sectors: u32 },
    Plug(usize),
    Unplug(usize),
    Issue,
    Complete { nth: usize, fails: bool },
    Requeue { nth: usize },
    Overdue { nth: usize },
    Time { ns: u64 },
    Hold(bool),
    WriteLimit(u32),
    Switch,
    Setting(&'static str, u32),
    Move { process: usize, to_child: bool },
    Ioprio { process: usize, level: u8 },
    Exit(usize),
}

const PROCESSES: usize = 4;

fn step() -> impl Strategy<Value = Step> {
    let process = 0..=PROCESSES;
    let op = prop_oneof![
        6 => Just(Op::Read),
        6 => Just(Op::Write),
        1 => Just(Op::Discard),
        1 => Just(Op::Flush),
    ];
    prop_oneof![
        12 => (process.clone(), op, 0..24_u64, 0..30_u32).prop_map(
            |(process, op, sector, sectors)| Step::Submit { process, op, sector: sector * 4, sectors }
        ),
        2 => process.clone().prop_map(Step::Plug),
        2 => process.clone().prop_map(Step::Unplug),
        6 => Just(Step::Issue),
        8 => (0..8_usize, any::<bool>()).prop_map(|(nth, fails)| Step::Complete { nth, fails }),
        1 => (0..8_usize).prop_map(|nth| Step::Requeue { nth }),
        2 => (0..8_usize).prop_map(|nth| Step::Overdue { nth }),
        3 => (0..6 * MS).prop_map(|ns| Step::Time { ns }),
        1 => any::<bool>().prop_map(Step::Hold),
        1 => (0..6_u32).prop_map(Step::WriteLimit),
        1 => Just(Step::Switch),
        1 => (1..9_u32).prop_map(|value| Step::Setting("nr_requests", value)),
        1 => (0..3_u32).prop_map(|value| Step::Setting("nomerges", value)),
        1 => (4..9_u32).prop_map(|value| Step::Setting("max_sectors_kb", value)),
        1 => (process.clone(), any::<bool>())
            .prop_map(|(process, to_child)| Step::Move { process, to_child }),
        1 => (process.clone(), 3..5_u8).prop_map(|(process, level)| Step::Ioprio { process, level }),
        1 => process.prop_map(Step::Exit),
    ]
}

/// A host that keeps its side of the contract, and counts.
struct Host {
    layer: BlockLayer,
    script: Rc<RefCell<Script>>,
    now_ns: u64,
    /// The process after the last one stands for "no process".
    processes: Vec<ProcessId>,
    asleep: Vec<ProcessId>,
    child: GroupId,
    on_device: Vec<Tag>,
    /// By token: what was submitted and has not ended.
    pending: BTreeMap<u64, Bio>,
    next_token: u64,
}

impl Host {
    fn new() -> Host {
        let script = Rc::new(RefCell::new(Script::default()));
        let limits = DeviceLimits { capacity_sectors: 112, ..DeviceLimits::new(3, false) };
        let elevator = Box::new(Scripted(Rc::clone(&script)));
        let settings = QueueSettings::parse("nr_requests=5,max_sectors_kb=8").expect("settings");
        let mut layer = BlockLayer::new(settings, limits, elevator);
        let spec = GroupSpec { parent: None, weight: 100, path: "child".to_owned() };
        let child = layer.add_group(0, spec).expect("group");
        let mut host = Host {
            layer,
            script,
            now_ns: 0,
            processes: Vec::new(),
            asleep: Vec::new(),
            child,
            on_device: Vec::new(),
            pending: BTreeMap::new(),
            next_token: 0,
        };
        host.processes = (0..PROCESSES).map(|_| host.new_process()).collect();
        host
    }

    fn new_process(&mut self) -> ProcessId {
        let spec = ProcessSpec {
            group: GroupId::ROOT,
            ioprio: IoprioValue::default(),
            name: "process".to_owned(),
        };
        self.layer.add_process(self.now_ns, spec).expect("process")
    }

    fn step(&mut self, step: Step) {
        let now_ns = self.now_ns;
        match step {
            Step::Submit { process, op, sector, sectors } => {
                let process = self.processes.get(process).copied();
                if process.is_some_and(|process| self.asleep.contains(&process)) {
                    return;
                }
                let token = self.next_token;
                self.next_token += 1;
                let sync = op == Op::Read;
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
                self.pending.insert(token, bio);
                if self.layer.submit(now_ns, bio) == Submission::Sleeping {
                    self.asleep.extend(process);
                }
            }
            Step::Plug(process) => {
                self.processes.get(process).into_iter().for_each(|p| self.layer.plug(*p));
            }
            Step::Unplug(process) => {
                if let Some(process) = self.processes.get(process) {
                    self.layer.unplug(now_ns, *process);
                }
            }
            Step::Issue => {
                while let Some(command) = self.layer.next_command(now_ns) {
                    self.on_device.push(command.tag);
                    self.layer.check();
                }
            }
            Step::Complete { nth, fails } if !self.on_device.is_empty() => {
                let tag = self.on_device.remove(nth % self.on_device.len());
                let result = if fails { Err(IoError::Io) } else { Ok(()) };
                self.layer.complete(now_ns, tag, result);
            }
            Step::Requeue { nth } if !self.on_device.is_empty() => {
                let tag = self.on_device.remove(nth % self.on_device.len());
                self.layer.requeue(now_ns, tag);
            }
            Step::Overdue { nth } if !self.on_device.is_empty() => {
                let tag = self.on_device[nth % self.on_device.len()];
                let was = self.layer.pool()[tag].state() == TagState::Overdue;
                assert_eq!(self.layer.set_overdue(now_ns, tag), !was);
            }
            Step::Complete { .. } | Step::Requeue { .. } | Step::Overdue { .. } => {}
            Step::Time { ns } => {
                self.now_ns += ns;
                self.layer.on_timer(self.now_ns);
            }
            Step::Hold(hold) => self.script.borrow_mut().hold = hold,
            Step::WriteLimit(limit) => self.script.borrow_mut().write_limit = Some(limit),
            Step::Switch => {
                self.script = Rc::new(RefCell::new(Script::default()));
                let elevator = Box::new(Scripted(Rc::clone(&self.script)));
                self.layer.switch_elevator(now_ns, elevator).expect("memory");
            }
            Step::Setting(name, value) => {
                self.layer.set_queue(now_ns, name, &value.to_string()).expect("in range");
            }
            Step::Move { process, to_child } => {
                let group = if to_child { self.child } else { GroupId::ROOT };
                if let Some(&process) = self.processes.get(process) {
                    self.layer.move_process(now_ns, process, group).expect("both exist");
                }
            }
            Step::Ioprio { process, level } => {
                let ioprio = IoprioValue { class: Some(Class::BestEffort), level };
                if let Some(&process) = self.processes.get(process) {
                    self.layer.set_ioprio(now_ns, process, ioprio).expect("it lives");
                }
            }
            Step::Exit(index) => {
                if let Some(&process) = self.processes.get(index) {
                    self.layer.exit_process(now_ns, process).expect("it lives");
                    self.asleep.retain(|sleeper| *sleeper != process);
                    self.processes[index] = self.new_process();
                }
            }
        }
        self.layer.check();
        self.collect();
    }

    fn collect(&mut self) {
        while let Some(process) = self.layer.take_woken() {
            let sleeper = self.asleep.iter().position(|p| *p == process).expect("it slept");
            self.asleep.remove(sleeper);
        }
        while let Some(done) = self.layer.take_completed() {
            let bio = self.pending.remove(&done.token).expect("a bio ends once");
            assert_eq!((done.process, done.op), (bio.process, bio.op));
            assert_eq!((done.sector, done.sectors), (bio.sector, bio.sectors));
            assert!(done.submitted_ns <= done.queued_ns && done.queued_ns <= done.completed_ns);
        }
        assert_eq!(self.layer.idle(), self.pending.is_empty());
    }

    /// Lets everything end.
    fn drain(&mut self) {
        self.script.borrow_mut().hold = false;
        for index in 0..PROCESSES {
            self.step(Step::Unplug(index));
        }
        for _ in 0..10_000 {
            if self.pending.is_empty() {
                return;
            }
            self.step(Step::Issue);
            self.step(Step::Complete { nth: 0, fails: false });
            for index in 0..PROCESSES {
                self.step(Step::Unplug(index));
            }
            if self.on_device.is_empty() {
                self.step(Step::Time { ns: 4 * MS });
            }
        }
        panic!("bios that never end: {:?}", self.pending);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_bio_ends_exactly_once(steps in prop::collection::vec(step(), 1..160)) {
        let mut host = Host::new();
        for step in steps {
            host.step(step);
        }
        host.drain();
        prop_assert_eq!(host.layer.waiting() + host.layer.in_flight() + host.layer.overdue(), 0);
        prop_assert_eq!(host.layer.pool().in_use(), 0);
        prop_assert!(host.asleep.is_empty());
    }
}
