// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq` and `tfq`: the core of `crates/bfq`, by any of its policies, behind the
//! layer's [`Elevator`] contract.
//!
//! Nothing is decided here. Requests have the same numbers on both sides; groups and
//! processes are translated.

#[cfg(test)]
mod tests;

use base::{IoprioValue, Op, Operation, OutOfMemory};
use bfq::{
    AnyScheduler, Behaviour, Calls, Config, NewRequest, Policy, PolicyName, ProcessAttributes,
    RequestId, Scheduler, Side, Time,
    cgroup::statistics::{GROUP_STATISTICS, GroupStatisticInfo},
    tunables::{self, ParseError, Tunables},
    why::Observer,
};
use blk::{
    Bio, DeviceLimits, Elevator, GroupId, GroupSpec, GroupStatistic, Merge, MergeKind, MergeRules,
    NumberSyntax, Pool, ProcessId, ProcessSpec, Request, Statistic, Tag, Tunable, TunableError,
    Values,
};

/// A tunable that the kernel's bfq has not: whose behaviour the scheduler has. It is given when the
/// scheduler is built.
pub(crate) const BEHAVIOUR: &str = "behaviour";
/// Its values, the default first.
const BEHAVIOURS: [Behaviour; 3] = [Behaviour::Improved, Behaviour::Linux6_1, Behaviour::Linux6_12];
const BEHAVIOUR_NAMES: [&str; 3] =
    [behaviour_name(BEHAVIOURS[0]), behaviour_name(BEHAVIOURS[1]), behaviour_name(BEHAVIOURS[2])];

const fn behaviour_name(behaviour: Behaviour) -> &'static str {
    match behaviour {
        Behaviour::Improved => "improved",
        Behaviour::Linux6_1 => "linux-6.1",
        Behaviour::Linux6_12 => "linux-6.12",
    }
}

/// Another one, there a setting of the kernel: whether the costly statistics of groups
/// are kept, too.
const DETAILED_STATISTICS: &str = "detailed_statistics";

/// A scheduler of the core, by one of its policies.
#[derive(Debug)]
pub struct Scheduled<T> {
    core: T,
    /// The core's names, by ours.
    groups: Vec<Option<bfq::GroupId>>,
    processes: Vec<Option<bfq::ProcessId>>,
}

/// The coarse clock of the simulated host.
const TICKS: tunables::Ticks = tunables::Ticks::of_hz(1000);

/// The behaviour of a name.
///
/// # Errors
/// There is none of that name.
pub(crate) fn behaviour(name: &str) -> Result<Behaviour, TunableError> {
    let known = BEHAVIOURS.into_iter().find(|known| behaviour_name(*known) == name);
    known.ok_or_else(|| wrong_behaviour(name))
}

fn wrong_behaviour(value: &str) -> TunableError {
    TunableError::NotAValue {
        name: BEHAVIOUR,
        value: value.to_owned(),
        expected: "improved, linux-6.1 or linux-6.12, before the scheduler is used",
    }
}

/// What the core has to know of a device; the pool is told later.
fn config(rotational: bool, behaviour: Behaviour) -> Config<'static> {
    Config { behaviour, ..Config::new(rotational, 1) }
}

impl<O: Observer, P: Policy> Scheduled<Scheduler<O, P>> {
    /// A scheduler by the policy `P`, whose decisions are observed.
    ///
    /// # Panics
    /// If there is no memory for its first few tables.
    pub fn attach(now_ns: u64, rotational: bool, behaviour: Behaviour, observer: O) -> Self {
        let config = config(rotational, behaviour);
        let core = Scheduler::attach(Time::from_ns(now_ns), config, observer);
        Scheduled::new(core.expect("a few kilobytes for an empty scheduler"))
    }
}

impl<O: Observer> Scheduled<AnyScheduler<O>> {
    /// A scheduler by a policy, whose decisions are observed.
    ///
    /// # Panics
    /// If there is no memory for its first few tables.
    pub fn of(
        policy: PolicyName,
        now_ns: u64,
        limits: &DeviceLimits,
        behaviour: Behaviour,
        observer: O,
    ) -> Self {
        let config = config(limits.rotational, behaviour);
        let core = AnyScheduler::attach(policy, Time::from_ns(now_ns), config, observer);
        Scheduled::new(core.expect("a few kilobytes for an empty scheduler"))
    }
}

impl<T: Calls> Scheduled<T> {
    /// A scheduler of the core to which nothing has come yet.
    pub fn new(core: T) -> Self {
        let groups = vec![Some(core.root_group())];
        Scheduled { core, groups, processes: Vec::new() }
    }

    /// Whose behaviour it has, if its policy has several.
    fn behaviour(&self) -> Option<Tunable> {
        let behaviour = self.core.chosen_behaviour()?;
        let name = behaviour_name(behaviour);
        Some(Tunable {
            name: BEHAVIOUR,
            unit: "kind",
            doc: "Whose behaviour: improved (docs/decisions.md says how), or that of a kernel's bfq; \
                  to be chosen before the scheduler is used.",
            value: name.to_owned(),
            default: BEHAVIOUR_NAMES[0].to_owned(),
            values: Values::Words(&BEHAVIOUR_NAMES),
        })
    }

    fn detailed_statistics(&self) -> Tunable {
        Tunable {
            name: DETAILED_STATISTICS,
            unit: "bool",
            doc: "Keep those statistics of groups, too, that cost time at each request.",
            value: u8::from(self.core.has_detailed_statistics()).to_string(),
            default: "0".to_owned(),
            values: Values::Numbers { range: 0..=1, syntax: NumberSyntax::Unsigned },
        }
    }

    fn set_detailed_statistics(&mut self, now_ns: u64, value: &str) -> Result<(), TunableError> {
        let on = match value {
            "0" => false,
            "1" => true,
            _ => {
                return Err(TunableError::NotAValue {
                    name: DETAILED_STATISTICS,
                    value: value.to_owned(),
                    expected: "0 or 1",
                });
            }
        };
        self.core.set_detailed_statistics(Time::from_ns(now_ns), on);
        Ok(())
    }

    fn group(&self, group: GroupId) -> bfq::GroupId {
        self.groups.get(group.0 as usize).copied().flatten().unwrap_or(self.core.root_group())
    }

    fn process(&self, process: Option<ProcessId>) -> Option<bfq::ProcessId> {
        self.processes.get(process?.0 as usize).copied().flatten()
    }

    fn of_bio(&self, bio: &Bio) -> NewRequest {
        NewRequest {
            operation: operation(bio.op),
            sync: bio.sync,
            metadata: bio.metadata,
            sector: bio.sector,
            sectors: bio.sectors,
            process: self.process(bio.process),
            allocated_at: Time::ZERO,
            asked_at: Time::ZERO,
        }
    }

    fn of_request(&self, request: &Request) -> NewRequest {
        NewRequest {
            operation: operation(request.op),
            sync: request.sync,
            metadata: request.metadata,
            sector: request.sector,
            sectors: request.sectors,
            process: self.process(request.process),
            allocated_at: Time::from_ns(request.allocated_ns),
            asked_at: Time::from_ns(request.asked_ns),
        }
    }
}

fn operation(op: Op) -> Operation {
    match op {
        Op::Read => Operation::Read,
        Op::Write | Op::Flush => Operation::Write,
        Op::Discard => Operation::Discard,
    }
}

fn attributes(ioprio: IoprioValue) -> ProcessAttributes {
    match ioprio.class {
        None => ProcessAttributes::default(),
        Some(_) => ProcessAttributes::with_ioprio(ioprio.effective()),
    }
}

fn id(tag: Tag) -> RequestId {
    RequestId::from_index(tag.0 as usize)
}

fn tag(id: RequestId) -> Tag {
    Tag(id.index() as u32)
}

fn side(kind: MergeKind) -> Side {
    match kind {
        MergeKind::Back => Side::Back,
        MergeKind::Front => Side::Front,
    }
}

/// Puts `value` at `index`, growing the table as needed.
fn put<T: Copy>(table: &mut Vec<Option<T>>, index: u32, value: Option<T>) {
    let index = index as usize;
    if table.len() <= index {
        table.resize(index + 1, None);
    }
    table[index] = value;
}

impl<T: Calls> Elevator for Scheduled<T> {
    fn name(&self) -> &'static str {
        self.core.policy_name()
    }

    fn tunables(&self) -> Vec<Tunable> {
        let row = |info: &tunables::TunableInfo| Tunable {
            name: info.name,
            unit: info.unit,
            doc: info.doc_under(self.name()),
            value: self.core.tunables().get(info.tunable).to_string(),
            default: Tunables::default_of(info.tunable, TICKS).to_string(),
            values: Values::Numbers {
                range: info.min.into()..=info.max.into(),
                syntax: NumberSyntax::Unsigned,
            },
        };
        let own = self.core.heeded_tunables().iter().map(|tunable| row(tunable.info()));
        own.chain(self.behaviour()).chain([self.detailed_statistics()]).collect()
    }

    fn set_tunable(&mut self, now_ns: u64, name: &str, value: &str) -> Result<(), TunableError> {
        match name {
            BEHAVIOUR if self.behaviour().is_some() => return Err(wrong_behaviour(value)),
            DETAILED_STATISTICS => return self.set_detailed_statistics(now_ns, value),
            _ => {}
        }
        let tunable = tunables::Tunable::from_name(name);
        let heeded = self.core.heeded_tunables();
        let Some(tunable) = tunable.filter(|tunable| heeded.contains(tunable)) else {
            let known = heeded.iter().map(|tunable| tunable.info().name);
            let known = known.chain(self.behaviour().map(|tunable| tunable.name));
            let known = known.chain([DETAILED_STATISTICS]);
            return Err(TunableError::unknown(self.name(), name, known));
        };
        let info = tunable.info();
        let written = self.core.write_tunable(Time::from_ns(now_ns), tunable, value);
        written.map_err(|error| match error {
            ParseError::NotANumber => TunableError::NotAValue {
                name: info.name,
                value: value.to_owned(),
                expected: "an unsigned decimal number",
            },
            ParseError::TooLarge => TunableError::TooLarge {
                name: info.name,
                value: value.to_owned(),
                min: i128::from(info.min),
                max: i128::from(info.max),
            },
        })
    }

    fn statistics(&self) -> Vec<Statistic> {
        let row = |(info, value): (&bfq::statistics::StatisticInfo, u64)| Statistic {
            name: info.name,
            unit: info.unit,
            doc: info.doc,
            value,
        };
        self.core.statistics().map(row).collect()
    }

    fn group_statistics(&self, group: GroupId) -> Vec<GroupStatistic> {
        let group = self.group(group);
        let known =
            (self.core.group_statistics(group), self.core.recursive_group_statistics(group));
        let (Ok(own), Ok(subtree)) = known else { return Vec::new() };
        let shown =
            |info: &&GroupStatisticInfo| !info.detailed || self.core.has_detailed_statistics();
        let rows = GROUP_STATISTICS.iter().filter(shown).flat_map(|info| {
            let of_subtree = info.recursive(&subtree);
            let recursive = of_subtree.map(|figure| (format!("{}_recursive", info.name), figure));
            [Some((info.name.to_owned(), info.own(&own))), recursive]
        });
        rows.flatten().map(|(name, figure)| GroupStatistic { name, figure }).collect()
    }

    fn group_added(
        &mut self,
        now_ns: u64,
        group: GroupId,
        spec: &GroupSpec,
    ) -> Result<(), OutOfMemory> {
        let now = Time::from_ns(now_ns);
        let parent = self.group(spec.parent.unwrap_or(GroupId::ROOT));
        let added = self.core.add_group(now, parent).map_err(|_| OutOfMemory)?;
        // The layer has checked the weight already.
        let _ = self.core.set_group_weight(now, added, spec.weight);
        put(&mut self.groups, group.0, Some(added));
        Ok(())
    }

    fn group_weight(&mut self, now_ns: u64, group: GroupId, weight: u32) {
        // The layer has checked both already.
        let _ = self.core.set_group_weight(Time::from_ns(now_ns), self.group(group), weight);
    }

    fn group_removed(&mut self, now_ns: u64, group: GroupId) {
        if let Some(known) = self.groups.get_mut(group.0 as usize).and_then(Option::take) {
            // It exists, and the root is never removed.
            let _ = self.core.remove_group(Time::from_ns(now_ns), known);
        }
    }

    /// A process for which there is no memory goes on without one of its own: its requests go
    /// to the shared queue (with a kernel's behaviour: before all others).
    fn process_added(&mut self, now_ns: u64, process: ProcessId, spec: &ProcessSpec) {
        let group = self.group(spec.group);
        let added = self.core.add_process(Time::from_ns(now_ns), group, attributes(spec.ioprio));
        put(&mut self.processes, process.0, added.ok());
    }

    fn process_ioprio(&mut self, _: u64, process: ProcessId, ioprio: IoprioValue) {
        if let Some(process) = self.process(Some(process)) {
            // It exists.
            let _ = self.core.set_attributes(process, attributes(ioprio));
        }
    }

    fn process_moved(&mut self, _: u64, process: ProcessId, group: GroupId) {
        let group = self.group(group);
        if let Some(process) = self.process(Some(process)) {
            // Both exist.
            let _ = self.core.move_process(process, group);
        }
    }

    fn process_exited(&mut self, now_ns: u64, process: ProcessId) {
        if let Some(known) = self.processes.get_mut(process.0 as usize).and_then(Option::take) {
            // It exists.
            let _ = self.core.exit_process(Time::from_ns(now_ns), known);
        }
    }

    fn pool_resized(&mut self, now_ns: u64, nr_requests: u32, tags: u32) {
        let now = Time::from_ns(now_ns);
        // The table must hold every tag; the limits refer to the size of the pool.
        let grown = self.core.set_nr_requests(now, tags.max(nr_requests));
        let sized = grown.and_then(|()| self.core.set_nr_requests(now, nr_requests));
        sized.expect("memory for the table of requests");
    }

    fn allowed_requests(
        &mut self,
        now_ns: u64,
        process: Option<ProcessId>,
        op: Op,
        sync: bool,
    ) -> u32 {
        let process = self.process(process);
        let now = Time::from_ns(now_ns);
        self.core.allowed_requests(now, process, operation(op), sync).requests
    }

    fn least_allowed_requests(&self) -> u32 {
        1
    }

    fn find_merge(
        &mut self,
        now_ns: u64,
        bio: &Bio,
        rules: &MergeRules,
        pool: &Pool,
    ) -> Option<Merge> {
        let new = self.of_bio(bio);
        let candidates = self.core.merge_candidates(Time::from_ns(now_ns), &new);
        let attempts = if rules.one_hit_only { 1 } else { 2 };
        candidates.into_iter().take(attempts).flatten().find_map(|candidate| {
            let tag = tag(candidate.request);
            let kind = match candidate.side {
                Side::Back => MergeKind::Back,
                Side::Front => MergeKind::Front,
            };
            let request = &pool[tag];
            (rules.admits(bio, request) && rules.fits(bio, request)).then_some(Merge { tag, kind })
        })
    }

    fn bio_merged(&mut self, now_ns: u64, tag: Tag, kind: MergeKind, pool: &Pool) {
        let request = &pool[tag];
        let now = Time::from_ns(now_ns);
        let merged = self.core.merged(now, id(tag), side(kind), request.sector, request.sectors);
        debug_assert!(merged.is_ok(), "{merged:?}");
    }

    fn neighbour(&self, of: Tag, kind: MergeKind, _: &Pool) -> Option<Tag> {
        self.core.neighbour(id(of), side(kind)).map(tag)
    }

    fn requests_merged(&mut self, now_ns: u64, survivor: Tag, absorbed: Tag, pool: &Pool) {
        let now = Time::from_ns(now_ns);
        let sectors = pool[survivor].sectors;
        let coalesced = self.core.coalesced(now, id(survivor), id(absorbed), sectors);
        if coalesced.is_err() {
            // The absorbed request was never inserted.
            let sector = pool[survivor].sector;
            let merged = self.core.merged(now, id(survivor), Side::Back, sector, sectors);
            debug_assert!(merged.is_ok(), "{merged:?}");
        }
    }

    fn find_insertion_merge(
        &mut self,
        _: u64,
        of: Tag,
        rules: &MergeRules,
        pool: &Pool,
    ) -> Option<Tag> {
        let request = &pool[of];
        let found = tag(self.core.insertion_merge_candidate(&self.of_request(request))?);
        let survivor = &pool[found];
        (rules.admits_request(survivor, request) && rules.fits_request(survivor, request))
            .then_some(found)
    }

    fn insert(&mut self, now_ns: u64, tag: Tag, at_head: bool, pool: &Pool) {
        let new = self.of_request(&pool[tag]);
        let inserted = self.core.insert(Time::from_ns(now_ns), id(tag), &new, at_head);
        debug_assert!(inserted.is_ok(), "{inserted:?}");
    }

    fn has_work(&self) -> bool {
        self.core.has_work()
    }

    fn dispatch(&mut self, now_ns: u64, _: &Pool) -> Option<Tag> {
        self.core.dispatch(Time::from_ns(now_ns)).map(tag)
    }

    fn completed(&mut self, now_ns: u64, tag: Tag, _: &Pool) {
        let completed = self.core.complete(Time::from_ns(now_ns), id(tag));
        debug_assert!(completed.is_ok(), "{completed:?}");
    }

    fn requeued(&mut self, now_ns: u64, tag: Tag, _: &Pool) {
        let requeued = self.core.requeue(Time::from_ns(now_ns), id(tag));
        debug_assert!(requeued.is_ok(), "{requeued:?}");
    }

    fn next_timer_ns(&self) -> Option<u64> {
        self.core.next_timer().map(Time::as_ns)
    }

    fn on_timer(&mut self, now_ns: u64) {
        self.core.on_timer(Time::from_ns(now_ns));
    }

    fn take_kick(&mut self) -> bool {
        self.core.take_kick()
    }

    fn check(&self, _: &Pool) {
        self.core.check();
    }
}
