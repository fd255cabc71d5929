// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine: processes on one side, the dispatch loop on the other.

#[path = "contents.rs"]
mod contents;
mod going_on;
mod planning;
mod weights;

use crate::buffered::Buffered;
use crate::config::Config;
use crate::cpu::{Cpu, TICK_NS, Task};
use crate::error::RunnerError;
use crate::flows::Flows;
use crate::groups::GroupTree;
use crate::kernel::Kernel;
use crate::order::{Arranger, SimultaneousOrder};
use crate::outcome::RunOutcome;
use crate::process::{Follow, JobProcess};
use crate::token::token_parts;
use crate::traffic::Traffic;
use crate::verify::Verifier;
use crate::wakes::Wakes;
use base::SECTOR_BYTES;
use blk::{Bio, BlockLayer, Command, Elevator, GroupId, IoError, ProcessId, Tag};
use planning::{job_info, kernel, log_settings, planned_ns, process_spec};
use report::{GroupInfo, JobInfo, Recorder};
use std::ops::Range;
use workload::cache::Woken;
use workload::{Engine, ExitScope, Issuer, ProcessPlan};

/// Under [`SimultaneousOrder::Linux6_1`] a process is woken so long after its time, ns, if nothing
/// else happens before: the slack of the kernel's timers.
pub const TIMER_SLACK_NS: u64 = 50_000;

/// A run in progress; see the [crate's](crate) documentation for the order of calls.
pub struct Runner {
    layer: BlockLayer,
    processes: Vec<JobProcess>,
    /// The page cache and its threads; none: all I/O is direct.
    kernel: Option<Kernel>,
    /// The process or thread behind each of the layer's process ids.
    owners: Owners,
    /// Processes that go on in the next `advance`.
    due: Vec<u32>,
    wakes: Wakes,
    flows: Flows,
    /// Processes that wait for another one, and what for.
    followers: Vec<(u32, Follow)>,
    arranger: Arranger,
    /// Under [`SimultaneousOrder::Linux6_1`]: who goes on first.
    cpu: Option<Cpu>,
    /// Ranges of processes that run one after another (`stonewall`).
    phases: Vec<Range<usize>>,
    phase: usize,
    /// Processes of the present phase that have not ended.
    running: usize,
    interrupted: bool,
    /// Of runs with `verify`.
    verifier: Option<Verifier>,
    /// A block was wrong that ends the run (`verify_fatal`).
    is_spoilt: bool,
    traffic: Traffic,
    jobs: Vec<JobInfo>,
    /// Who ends when a process of a job does.
    exits: Vec<Option<ExitScope>>,
    groups: Vec<(GroupId, GroupInfo)>,
    global_options: Vec<(String, String)>,
    planned_ns: Option<u64>,
}

impl Runner {
    /// Lays the jobs out on the target and makes their groups and processes. Nothing happens
    /// before the first [`advance`](Self::advance).
    ///
    /// # Errors
    /// If the jobs don't fit on the target, or groups or weights are wrong.
    pub fn new(config: &Config, elevator: Box<dyn Elevator>) -> Result<Self, RunnerError> {
        Self::with(config, elevator, |_| true)
    }

    /// The same with one process only, the first of the job at that place. It works where it works
    /// among all, on the same random numbers.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn alone(
        config: &Config,
        elevator: Box<dyn Elevator>,
        job: usize,
    ) -> Result<Self, RunnerError> {
        Self::with(config, elevator, |plan| (plan.job, plan.clone) == (job, 0))
    }

    fn with(
        config: &Config,
        elevator: Box<dyn Elevator>,
        takes_part: impl Fn(&ProcessPlan) -> bool,
    ) -> Result<Self, RunnerError> {
        let jobs = config.jobs;
        if let Some(job) = jobs.iter().find(|job| job.trace.is_none() && job.rw.trims())
            && config.limits.max_discard_sectors == 0
        {
            let (file, line, rw) = (job.file.to_string(), job.line, job.rw.name());
            return Err(RunnerError::Trims { file, line, job: job.name.clone(), rw });
        }
        let capacity_bytes = config.limits.capacity_sectors.saturating_mul(SECTOR_BYTES);
        let mut plans = workload::lay_out(jobs, capacity_bytes)?;
        plans.retain(takes_part);
        let phases = workload::phases(jobs, &plans);
        let tree = GroupTree::new(jobs, config.group_weights)?;

        let mut layer = BlockLayer::new(config.settings, config.limits, elevator);
        let groups = tree.create(&mut layer, jobs)?;
        let mut processes = Vec::with_capacity(plans.len());
        let mut owners = Owners::default();
        for (number, plan) in plans.iter().enumerate() {
            let job = &jobs[plan.job];
            let id =
                layer.add_process(0, process_spec(job, plan.clone, groups.of_jobs[plan.job]))?;
            owners.put(id, number as u32);
            let issuer = Issuer::on_files(job, plan.clone, &plan.regions(), config.seed);
            let recorder = Recorder::new(!job.engine.is_synchronous(), log_settings(job));
            let place = (plan.job, plan.clone);
            let mut process = JobProcess::new(number as u32, id, place, job, issuer, recorder);
            process.buffered = job.buffered.then(|| {
                Buffered::new(job.invalidate.then_some(plan.region), job.engine == Engine::Libaio)
            });
            processes.push(process);
        }
        let kernel = kernel(config, &plans, &mut layer)?;
        for (id, number) in kernel.iter().flat_map(Kernel::ids) {
            owners.put(id, number);
        }

        let mut phase_of = vec![0; jobs.len()];
        for (phase, range) in phases.iter().enumerate() {
            plans[range.clone()].iter().for_each(|plan| phase_of[plan.job] = phase as u32);
        }
        let intervals_bytes: Vec<u32> =
            jobs.iter().filter_map(|job| Some(job.verify?.interval_bytes)).collect();
        let infos = jobs.iter().zip(phase_of).map(|(job, phase)| job_info(job, phase));
        let (cpu, slack_ns) = match config.order {
            SimultaneousOrder::Linux6_1 { seed } => {
                (Some(Cpu::new(processes.len() + Kernel::THREADS, seed)), TIMER_SLACK_NS)
            }
            _ => (None, 0),
        };
        let mut runner = Self {
            layer,
            kernel,
            owners,
            due: Vec::with_capacity(processes.len()),
            wakes: Wakes::new(processes.len() + Kernel::THREADS, slack_ns),
            cpu,
            flows: Flows::default(),
            followers: Vec::new(),
            processes,
            arranger: Arranger::new(config.order),
            phase: 0,
            running: 0,
            interrupted: false,
            verifier: (!intervals_bytes.is_empty()).then(|| Verifier::new(intervals_bytes)),
            is_spoilt: false,
            traffic: Traffic::default(),
            jobs: infos.collect(),
            exits: jobs.iter().map(|job| job.exit_all).collect(),
            groups: groups.all.into_iter().zip(tree.infos()).collect(),
            global_options: jobs.first().map_or(Vec::new(), |job| job.global_options.clone()),
            planned_ns: planned_ns(jobs, &phases, &plans.iter().map(|p| p.job).collect::<Vec<_>>()),
            phases,
        };
        if let Some((time_ns, number)) = runner.kernel.as_ref().and_then(Kernel::first_wake) {
            runner.wakes.set(number, time_ns);
        }
        runner.begin_phase();
        Ok(runner)
    }

    /// A command has ended.
    #[inline(always)]
    pub fn complete(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>) {
        self.traffic.left(now_ns);
        let bios = self.layer.bio_count(tag) as u64;
        self.traffic.ended(now_ns, &self.layer.pool()[tag], bios);
        self.layer.complete(now_ns, tag, result);
        if std::mem::take(&mut self.is_spoilt) {
            self.interrupt(now_ns);
        }
    }

    /// The device gave a command back undone; it will be handed out again, before all others.
    pub fn requeue(&mut self, now_ns: u64, tag: Tag) {
        self.traffic.left(now_ns);
        self.layer.requeue(now_ns, tag);
    }

    /// The scheduler's timer fires if it is time, and those processes can go on whose
    /// time has come.
    #[inline]
    fn wake_up(&mut self, now_ns: u64) {
        if self.layer.next_timer_ns().is_some_and(|time_ns| time_ns <= now_ns) {
            self.layer.on_timer(now_ns);
        }
        while let Some(process) = self.wakes.take_due(now_ns) {
            self.make_due(process);
        }
    }

    /// Under [`SimultaneousOrder::Linux6_1`], instead of [`advance`](Self::advance), for drivers
    /// whose CPU needs time: something has happened, a command's end or a timer. To be followed by
    /// [`take_turn`](Self::take_turn).
    pub fn interrupted(&mut self, now_ns: u64) {
        self.collect(now_ns);
        self.wake_up(now_ns);
    }

    /// The task that has the CPU next; none: no task can go on. A process goes on with
    /// [`go_on_with`](Self::go_on_with), the worker with [`next_command`](Self::next_command); at
    /// the end of the turn [`turn_ends`](Self::turn_ends) is told.
    pub fn take_turn(&mut self) -> Option<Task> {
        let cpu = self.cpu.as_mut()?;
        if self.layer.run_is_due() {
            cpu.wake(Task::Worker);
        }
        cpu.take_first()
    }

    /// A process goes on. Returns the commands of runs of the dispatch loop that it made itself.
    pub fn go_on_with(&mut self, now_ns: u64, process: u32) -> Vec<Command> {
        self.go_on(now_ns, process);
        self.collect(now_ns);
        let commands: Vec<Command> =
            std::iter::from_fn(|| self.layer.take_issued_at_once()).collect();
        commands.iter().for_each(|_| self.traffic.issued(now_ns));
        commands
    }

    /// A task has run from one time to another.
    pub fn turn_ends(&mut self, task: Task, from_ns: u64, to_ns: u64) {
        if let Some(cpu) = &mut self.cpu {
            cpu.has_run(task, from_ns, to_ns);
        }
    }

    /// When a tick of the clock, which goes on until `until_ns`, would wake a process up.
    pub fn waking_tick_ns(&self, until_ns: u64) -> Option<u64> {
        let tick_ns = self.wakes.earliest_ns()?.next_multiple_of(TICK_NS);
        (tick_ns <= until_ns).then_some(tick_ns)
    }

    /// The scheduler's timer fires if it is time, and all processes that can go on do so.
    #[inline]
    pub fn advance(&mut self, now_ns: u64) {
        self.wake_up(now_ns);
        while self.cpu.is_some() {
            self.collect(now_ns);
            match self.cpu.as_mut().and_then(Cpu::take_first) {
                Some(Task::Process(process)) => self.go_on(now_ns, process),
                Some(Task::Worker) => {}
                None => return,
            }
        }
        // Those before this one have gone on; who becomes due meanwhile comes behind the others.
        let mut gone_on = 0;
        loop {
            self.collect(now_ns);
            let due = self.due.len();
            if gone_on == due {
                break;
            }
            self.arranger.arrange(&mut self.due[gone_on..]);
            while gone_on < due {
                let process = self.due[gone_on];
                gone_on += 1;
                self.go_on(now_ns, process);
            }
        }
        self.due.clear();
    }

    /// What the layer and the page cache have to tell the processes.
    #[inline]
    fn collect(&mut self, now_ns: u64) {
        if self.layer.has_news() || self.kernel.is_some() {
            self.collect_news(now_ns);
        }
    }

    fn collect_news(&mut self, now_ns: u64) {
        while let Some(done) = self.layer.take_completed() {
            let (process, io) = token_parts(done.token);
            if let Some(kernel) = &mut self.kernel
                && kernel.ended(now_ns, io, done.result)
            {
                continue;
            }
            let entry = &mut self.processes[process];
            entry.bio_ended(now_ns, &done);
            if self.cpu.is_none() || !entry.asleep {
                let is_new = entry.becomes_due();
                self.enqueue(process as u32, is_new);
            }
            if !self.followers.is_empty() {
                self.release_followers();
            }
        }
        while let Some(id) = self.layer.take_roused(now_ns) {
            self.make_due(self.owners.of(id));
        }
        while let Some(id) = self.layer.take_woken() {
            let process = self.owners.of(id);
            match (self.processes.get_mut(process as usize), &mut self.kernel) {
                (Some(entry), _) => entry.asleep = false,
                (None, Some(kernel)) => kernel.awaken(process),
                (None, None) => {}
            }
            self.make_due(process);
        }
        while let Some((process, woken)) = self.kernel.as_mut().and_then(Kernel::take_woken) {
            if let Woken::Process(_, operation) = woken
                && let Some(entry) = self.processes.get_mut(process as usize)
                && let Some(buffered) = &mut entry.buffered
            {
                buffered.woken(operation);
            }
            self.make_due(process);
        }
    }

    /// Processes that wait for another one go on if that has come so far.
    fn release_followers(&mut self) {
        for index in (0..self.followers.len()).rev() {
            let (process, follow) = self.followers[index];
            if self.processes[follow.process as usize].has_come_to(follow.completed_ios) {
                self.followers.remove(index);
                self.processes[process as usize].release();
                self.make_due(process);
            }
        }
    }

    #[inline]
    fn make_due(&mut self, process: u32) {
        let is_new = match (self.processes.get_mut(process as usize), &mut self.kernel) {
            (Some(entry), _) => entry.becomes_due(),
            (None, Some(kernel)) => kernel.make_due(process),
            (None, None) => false,
        };
        self.enqueue(process, is_new);
    }

    /// A process that is due gets its place among those. `is_new`: it was not due before.
    #[inline]
    fn enqueue(&mut self, process: u32, is_new: bool) {
        match &mut self.cpu {
            Some(cpu) => cpu.wake(Task::Process(process)),
            None if is_new => self.due.push(process),
            None => {}
        }
    }

    /// The next command for the device.
    #[inline(always)]
    pub fn next_command(&mut self, now_ns: u64) -> Option<Command> {
        let command = self.layer.next_command(now_ns)?;
        self.traffic.issued(now_ns);
        Some(command)
    }

    /// When to call [`advance`](Self::advance) next if no command ends before; it may lie in the
    /// past, which means at once. `None`: only the end of a command can change anything.
    #[inline]
    pub fn next_wake_ns(&self) -> Option<u64> {
        if !self.due.is_empty() || self.cpu.as_ref().is_some_and(Cpu::is_busy) {
            return Some(0);
        }
        self.next_timer_ns()
    }

    /// When the next timer fires, of the processes or the layer.
    #[inline]
    pub fn next_timer_ns(&self) -> Option<u64> {
        match (self.wakes.next_ns(), self.layer.next_timer_ns()) {
            (Some(one_ns), Some(other_ns)) => Some(one_ns.min(other_ns)),
            (one_ns, other_ns) => one_ns.or(other_ns),
        }
    }

    /// Whether all processes have ended and nothing is under way.
    pub fn finished(&self) -> bool {
        self.running == 0
            && (self.interrupted || self.phase >= self.phases.len())
            && self.layer.idle()
    }

    /// Ends the run early: no process begins another I/O. What is under way ends and counts, so
    /// the driver goes on until [`finished`](Self::finished).
    pub fn interrupt(&mut self, now_ns: u64) {
        self.interrupted = true;
        let Some(range) = self.phases.get(self.phase).cloned() else { return };
        for process in range {
            self.processes[process].stop(now_ns);
            self.make_due(process as u32);
        }
    }

    /// The bios of a request, in sector order; [`token_parts`] tells whose.
    pub fn bios(&self, tag: Tag) -> impl Iterator<Item = Bio> {
        self.layer.bios(tag)
    }

    /// The block layer with the scheduler.
    pub fn layer(&self) -> &BlockLayer {
        &self.layer
    }

    /// The number of a process of the block layer among those of the run, in the order of
    /// jobs and clones.
    pub fn process_number(&self, id: ProcessId) -> usize {
        self.owners.of(id) as usize
    }

    /// How many processes the run has.
    pub fn process_count(&self) -> usize {
        self.processes.len()
    }

    /// How long the run will take, ns, if the job files say it.
    pub fn planned_ns(&self) -> Option<u64> {
        self.planned_ns
    }

    /// The results. Processes that have not ended count up to `now_ns`.
    pub fn into_outcome(mut self, now_ns: u64) -> RunOutcome {
        for process in &mut self.processes {
            process.recorder.set_depth(process.issuer.depth());
            if process.issuer.has_work_left() {
                process.recorder.leave_work();
            }
            process.recorder.finish(now_ns);
        }
        let started_ns = self.processes.iter().map(|process| process.issuer.started_ns()).collect();
        let records = self
            .processes
            .into_iter()
            .map(|process| report::ProcessRecord { job: process.job, recorder: process.recorder });
        let mut outcome = RunOutcome::new(
            self.jobs,
            self.groups,
            records.collect(),
            self.global_options,
            &self.layer,
            self.traffic,
            now_ns,
        );
        outcome.started_ns = started_ns;
        if let Some(kernel) = &self.kernel {
            outcome.cache_stats = kernel.cache.statistics();
        }
        outcome
    }
}

/// The process or thread behind each of the layer's process ids.
#[derive(Debug, Default)]
struct Owners(Vec<u32>);

impl Owners {
    fn put(&mut self, id: ProcessId, number: u32) {
        if self.0.len() <= id.index() {
            self.0.resize(id.index() + 1, 0);
        }
        self.0[id.index()] = number;
    }

    fn of(&self, id: ProcessId) -> u32 {
        self.0[id.index()]
    }
}

#[cfg(test)]
#[path = "buffered_tests.rs"]
mod buffered_tests;
#[cfg(test)]
#[path = "options_tests.rs"]
mod options_tests;
#[cfg(test)]
#[path = "runner_property_tests.rs"]
mod property_tests;
#[cfg(test)]
#[path = "runner_tests.rs"]
mod tests;
