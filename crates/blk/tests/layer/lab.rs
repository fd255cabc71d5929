// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scripted elevator and a small world around a layer, for the time-line tests.

use base::{IoprioValue, Op, OutOfMemory};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use blk::*;

/// What the scripted elevator does and has seen.
#[derive(Default)]
pub struct Script {
    /// Answer nothing to `dispatch` (though there is work).
    pub hold: bool,
    /// The answer to `allowed_requests` for writes; reads may have all.
    pub write_limit: Option<u32>,
    pub kick: bool,
    pub timer_ns: Option<u64>,
    pub no_memory: bool,
    /// Requests hold a tag of the device from the start.
    pub device_tags: bool,
    /// What the elevator was told, one line each.
    pub log: Vec<String>,
    pub waiting: VecDeque<Tag>,
    merges: MergeIndex,
}

impl Script {
    /// The log since the last call.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }
}

/// A FIFO that merges through [`MergeIndex`] and obeys its [`Script`].
pub struct Scripted(pub Rc<RefCell<Script>>);

impl Scripted {
    fn note(&self, line: String) {
        self.0.borrow_mut().log.push(line);
    }
}

impl Elevator for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn uses_device_tags(&self) -> bool {
        self.0.borrow().device_tags
    }

    fn set_tunable(&mut self, _: u64, name: &str, value: &str) -> Result<(), TunableError> {
        if name != "hold" {
            return Err(TunableError::unknown("scripted", name, ["hold"]));
        }
        let mut script = self.0.borrow_mut();
        script.hold = value == "1";
        script.kick = true;
        Ok(())
    }

    fn group_added(&mut self, _: u64, g: GroupId, spec: &GroupSpec) -> Result<(), OutOfMemory> {
        if self.0.borrow().no_memory {
            return Err(OutOfMemory);
        }
        self.note(format!("group {g} in {:?} weight {}", spec.parent.map(|p| p.0), spec.weight));
        Ok(())
    }

    fn group_weight(&mut self, _: u64, group: GroupId, weight: u32) {
        self.note(format!("group {group} weight {weight}"));
    }

    fn group_removed(&mut self, _: u64, group: GroupId) {
        self.note(format!("group {group} removed"));
    }

    fn process_added(&mut self, _: u64, process: ProcessId, spec: &ProcessSpec) {
        self.note(format!("process {process} in group {}", spec.group));
    }

    fn process_ioprio(&mut self, _: u64, process: ProcessId, ioprio: IoprioValue) {
        self.note(format!("process {process} {:?} {}", ioprio.class, ioprio.level));
    }

    fn process_moved(&mut self, _: u64, process: ProcessId, group: GroupId) {
        self.note(format!("process {process} to group {group}"));
    }

    fn process_exited(&mut self, _: u64, process: ProcessId) {
        self.note(format!("process {process} exited"));
    }

    fn pool_resized(&mut self, _: u64, nr_requests: u32, tags: u32) {
        self.0.borrow_mut().merges.resize(tags);
        self.note(format!("pool {nr_requests} of {tags}"));
    }

    fn allowed_requests(&mut self, _: u64, _: Option<ProcessId>, op: Op, _: bool) -> u32 {
        let limit = self.0.borrow().write_limit;
        if op == Op::Read { u32::MAX } else { limit.unwrap_or(u32::MAX) }
    }

    fn find_merge(&mut self, _: u64, bio: &Bio, rules: &MergeRules, pool: &Pool) -> Option<Merge> {
        let script = &mut *self.0.borrow_mut();
        let at = |waiting: &mut VecDeque<Tag>, sector| {
            waiting.iter().copied().find(|tag| pool[*tag].sector == sector)
        };
        script.merges.find(&mut script.waiting, bio, rules, pool, |_, _| true, at)
    }

    fn bio_merged(&mut self, _: u64, tag: Tag, kind: MergeKind, pool: &Pool) {
        self.0.borrow_mut().merges.grown(tag, pool);
        self.note(format!("grown {tag} {kind:?}"));
    }

    fn neighbour(&self, tag: Tag, kind: MergeKind, pool: &Pool) -> Option<Tag> {
        let script = self.0.borrow();
        let mut waiting: Vec<Tag> = script.waiting.iter().copied().collect();
        waiting.sort_by_key(|tag| pool[*tag].sector);
        let at = waiting.iter().position(|other| *other == tag)?;
        let at = if kind == MergeKind::Back { at + 1 } else { at.checked_sub(1)? };
        waiting.get(at).copied()
    }

    fn requests_merged(&mut self, _: u64, survivor: Tag, absorbed: Tag, pool: &Pool) {
        {
            let script = &mut *self.0.borrow_mut();
            script.waiting.retain(|tag| *tag != absorbed);
            script.merges.removed(absorbed);
            script.merges.grown(survivor, pool);
        }
        self.note(format!("{survivor} absorbs {absorbed}"));
    }

    fn find_insertion_merge(
        &mut self,
        _: u64,
        tag: Tag,
        rules: &MergeRules,
        pool: &Pool,
    ) -> Option<Tag> {
        self.0.borrow().merges.find_insertion_merge(tag, rules, pool)
    }

    fn insert(&mut self, _: u64, tag: Tag, at_head: bool, pool: &Pool) {
        {
            let script = &mut *self.0.borrow_mut();
            if at_head {
                script.waiting.push_front(tag);
            } else {
                script.waiting.push_back(tag);
            }
            script.merges.inserted(tag, pool);
        }
        self.note(format!("insert {tag}{}", if at_head { " at head" } else { "" }));
    }

    fn has_work(&self) -> bool {
        !self.0.borrow().waiting.is_empty()
    }

    fn dispatch(&mut self, _: u64, _: &Pool) -> Option<Tag> {
        let script = &mut *self.0.borrow_mut();
        let tag = if script.hold { None } else { script.waiting.pop_front() };
        script.log.push(match tag {
            Some(tag) => format!("dispatch {tag}"),
            None => "dispatch nothing".to_owned(),
        });
        if let Some(tag) = tag {
            script.merges.removed(tag);
        }
        tag
    }

    fn completed(&mut self, _: u64, tag: Tag, _: &Pool) {
        self.note(format!("completed {tag}"));
    }

    fn requeued(&mut self, _: u64, tag: Tag, _: &Pool) {
        self.note(format!("requeued {tag}"));
    }

    fn next_timer_ns(&self) -> Option<u64> {
        self.0.borrow().timer_ns
    }

    fn on_timer(&mut self, _: u64) {
        self.0.borrow_mut().timer_ns = None;
        self.note("timer".to_owned());
    }

    fn take_kick(&mut self) -> bool {
        std::mem::take(&mut self.0.borrow_mut().kick)
    }

    fn check(&self, pool: &Pool) {
        let script = self.0.borrow();
        let mut held: Vec<Tag> = script.waiting.iter().copied().collect();
        let hashed: Vec<Tag> = held.iter().copied().filter(|tag| pool[*tag].mergeable()).collect();
        script.merges.check(hashed, pool);
        held.sort();
        let waiting = pool.iter().filter(|request| request.state() == TagState::Waiting);
        assert_eq!(held, waiting.map(|request| request.tag).collect::<Vec<_>>());
    }
}

/// A layer with a scripted elevator, whose every step is checked.
pub struct Lab {
    pub layer: BlockLayer,
    pub script: Rc<RefCell<Script>>,
    next_token: u64,
}

impl Lab {
    pub fn new(depth: u32, settings: &str) -> Lab {
        Lab::with_limits(DeviceLimits::new(depth, false), settings)
    }

    pub fn with_limits(limits: DeviceLimits, settings: &str) -> Lab {
        let script = Rc::new(RefCell::new(Script::default()));
        let settings = QueueSettings::parse(settings).expect("settings");
        let elevator = Box::new(Scripted(Rc::clone(&script)));
        let layer = BlockLayer::new(settings, limits, elevator);
        script.borrow_mut().take_log();
        Lab { layer, script, next_token: 1 }
    }

    pub fn process(&mut self) -> ProcessId {
        let spec = ProcessSpec {
            group: GroupId::ROOT,
            ioprio: IoprioValue::default(),
            name: "process".to_owned(),
        };
        let process = self.layer.add_process(0, spec).expect("process");
        self.script.borrow_mut().take_log();
        process
    }

    /// Submits a bio (tokens count from 1); whether its submitter may go on.
    pub fn submit(
        &mut self,
        now_ns: u64,
        process: Option<ProcessId>,
        op: Op,
        sector: u64,
        sectors: u32,
    ) -> bool {
        let token = self.next_token;
        self.next_token += 1;
        let sync = op == Op::Read;
        let bio =
            Bio { token, op, sync, metadata: false, read_ahead: false, sector, sectors, process };
        let submission = self.layer.submit(now_ns, bio);
        self.layer.check();
        submission == Submission::Queued
    }

    pub fn read(&mut self, now_ns: u64, process: ProcessId, sector: u64, sectors: u32) -> bool {
        self.submit(now_ns, Some(process), Op::Read, sector, sectors)
    }

    pub fn write(&mut self, now_ns: u64, process: ProcessId, sector: u64, sectors: u32) -> bool {
        self.submit(now_ns, Some(process), Op::Write, sector, sectors)
    }

    pub fn flush(&mut self, now_ns: u64) -> bool {
        self.submit(now_ns, None, Op::Flush, 0, 0)
    }

    /// Lets the dispatch loop run; what went to the device as "tag: sector+sectors".
    pub fn issue(&mut self, now_ns: u64) -> Vec<String> {
        let mut commands = Vec::new();
        while let Some(command) = self.layer.next_command(now_ns) {
            self.layer.check();
            commands.push(match command.op {
                Op::Flush => format!("{}: flush", command.tag),
                _ => format!("{}: {}+{}", command.tag, command.sector, command.sectors),
            });
        }
        self.layer.check();
        commands
    }

    pub fn complete(&mut self, now_ns: u64, tag: u32) {
        self.layer.complete(now_ns, Tag(tag), Ok(()));
        self.layer.check();
    }

    /// The tokens of the bios that have ended.
    pub fn done(&mut self) -> Vec<u64> {
        std::iter::from_fn(|| self.layer.take_completed()).map(|done| done.token).collect()
    }

    pub fn woken(&mut self) -> Vec<ProcessId> {
        std::iter::from_fn(|| self.layer.take_woken()).collect()
    }

    /// What the elevator was told since the last call.
    pub fn log(&mut self) -> Vec<String> {
        self.script.borrow_mut().take_log()
    }

    pub fn statistic(&self, name: &str) -> u64 {
        let all = self.layer.statistics();
        all.iter().find(|statistic| statistic.name == name).expect("statistic").value
    }
}

pub const MS: u64 = 1_000_000;
