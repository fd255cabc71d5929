// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event loop: the runner's processes and scheduler against a device model.

use blk::{DeviceLimits, Elevator, IoError, QueueSettings, Tag};
use device::{Command, CommandError, Completion, Device, ModelKind, Profile, Stay};
use report::{DeviceInfo, OrderedMap};
use runner::{Config, Outcome, Runner, RunnerError, SimultaneousOrder, Task};
use std::ops::ControlFlow;
use workload::Job;
use workload::cache::CacheSettings;

/// What is to be simulated.
pub struct Setup<'a> {
    /// The jobs to simulate.
    pub jobs: &'a [Job],
    /// Weights of control groups by path, over those of the job files.
    pub group_weights: &'a [(String, u32)],
    /// Settings of the block layer.
    pub settings: QueueSettings,
    /// Settings of the page cache, which jobs with `direct=0` use.
    pub page_cache: CacheSettings,
    /// Profile of the device.
    pub profile: &'a Profile,
    /// The scheduler, not used before.
    pub elevator: Box<dyn Elevator>,
    /// Seed of every random choice, of processes and device.
    pub seed: u64,
    /// Who goes first of processes that could go on at the same instant.
    pub order: SimultaneousOrder,
}

/// Why a simulation failed.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The jobs don't fit the device, or groups are wrong.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// Processes wait, and nothing will ever happen: a request was lost.
    #[error(
        "{scheduler} stands still at {now_ns} ns with {waiting} requests waiting and \
         {in_flight} on the device; this is a bug"
    )]
    Stuck {
        /// Name of the scheduler.
        scheduler: String,
        /// The simulated time.
        now_ns: u64,
        /// Requests in the scheduler.
        waiting: u32,
        /// Requests on the device.
        in_flight: u32,
    },
    /// Processes pause until after the end of the simulated time.
    #[error(
        "the simulated time ends at 2^64 ns (584 years), and jobs still wait then, from {now_ns} \
         ns on; expected shorter pauses and delays, or higher rates"
    )]
    TimeIsUp {
        /// Since when nothing happens.
        now_ns: u64,
    },
}

impl SimError {
    /// Whether the user's input is to blame, not the run.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Runner(_) | Self::TimeIsUp { .. })
    }
}

/// A simulation that has ended.
#[derive(Debug)]
pub struct Simulated {
    /// What was measured.
    pub outcome: Outcome,
    /// The device, for the result.
    pub device: DeviceInfo,
    /// The device's figures.
    pub device_stats: OrderedMap<u64>,
    /// Commands that the device was given.
    pub commands: u64,
    /// Whether the observer stopped it.
    pub stopped: bool,
}

/// How many instants pass between two calls of the observer.
const OBSERVED_INSTANTS: u32 = 4096;

/// A scheduler that keeps all its requests from an idle device for so long keeps them for ever.
/// (mq-deadline makes low classes wait 10 s, the longest of all schedulers.)
const PATIENCE_NS: u64 = 60_000_000_000;

/// What a device model tells the block layer of itself.
pub fn limits(profile: &Profile) -> DeviceLimits {
    let limits = DeviceLimits::new(profile.depth(), profile.rotational());
    let takes_trims = profile.model() != ModelKind::HardDisk;
    DeviceLimits {
        capacity_sectors: profile.capacity_sectors(),
        max_discard_sectors: if takes_trims { limits.max_discard_sectors } else { 0 },
        ..limits
    }
}

/// Looks at a run from inside: it is told of each command that has ended, before all others.
pub trait Witness {
    /// Whether it wants to know what each command waits for in the device.
    #[inline]
    fn watches_device(&self) -> bool {
        false
    }

    /// What the request `tag` waited for in the device, which ends it now; told before
    /// [`Witness::ends`], if the witness watches the device.
    fn stayed(&mut self, _tag: Tag, _stay: Stay) {}

    /// The device ends the request `tag` now. `runner` does not know it yet.
    fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner);
}

/// Sees nothing, at no cost.
impl Witness for () {
    #[inline(always)]
    fn ends(&mut self, _: u64, _: Tag, _: Result<(), IoError>, _: &Runner) {}
}

/// All observers of the run.
impl<W: Witness> Witness for Option<W> {
    #[inline]
    fn watches_device(&self) -> bool {
        self.as_ref().is_some_and(Witness::watches_device)
    }

    fn stayed(&mut self, tag: Tag, stay: Stay) {
        if let Some(witness) = self {
            witness.stayed(tag, stay);
        }
    }

    #[inline]
    fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner) {
        if let Some(witness) = self {
            witness.ends(now_ns, tag, result, runner);
        }
    }
}

/// Runs the simulation. `observe` is told the virtual time and the planned end (both ns) now and
/// then, and may stop it.
///
/// # Errors
/// [`SimError::Runner`] before it begins; [`SimError::TimeIsUp`] if a job pauses for too long;
/// [`SimError::Stuck`] only if a scheduler is broken.
pub fn simulate(
    setup: Setup,
    observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<Simulated, SimError> {
    simulate_on_host(setup, SimulatedHost::default(), observe, &mut ())
}

/// As [`simulate`], before a witness.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_before(
    setup: Setup,
    observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    witness: &mut impl Witness,
) -> Result<Simulated, SimError> {
    simulate_on_host(setup, SimulatedHost::default(), observe, witness)
}

/// As [`simulate`], but the first process of the job at that place has the device to itself.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_alone(
    setup: Setup,
    job: usize,
    observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<Simulated, SimError> {
    run(setup, Some(job), SimulatedHost::default(), observe, &mut ())
}

/// What else a simulated computer is like.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimulatedHost {
    /// What its single CPU needs, if that counts; the jobs are simulated in the order
    /// [`SimultaneousOrder::Linux6_1`] then.
    pub cpu: Option<CpuTimes>,
    /// The run ends when its time is up, which begins when the first process has woken; what is
    /// under way then does not count.
    pub stops_on_time: bool,
}

/// What a CPU needs, ns. The device works on meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct CpuTimes {
    /// From the moment when a process can go on and has the CPU until it has submitted.
    pub process_ns: u64,
    /// To begin a run of the dispatch loop if the CPU did nothing before.
    pub run_ns: u64,
    /// To issue a command.
    pub issue_ns: u64,
}

/// As [`simulate_before`], on that computer.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_on_host(
    setup: Setup,
    host: SimulatedHost,
    observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    witness: &mut impl Witness,
) -> Result<Simulated, SimError> {
    run(setup, None, host, observe, witness)
}

/// `alone`: the job whose first process is the only one.
fn run(
    setup: Setup,
    alone: Option<usize>,
    host: SimulatedHost,
    observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    witness: &mut impl Witness,
) -> Result<Simulated, SimError> {
    let config = Config {
        jobs: setup.jobs,
        group_weights: setup.group_weights,
        settings: setup.settings,
        page_cache: Some(setup.page_cache),
        limits: limits(setup.profile),
        seed: setup.seed,
        order: setup.order,
    };
    let mut machine = Machine {
        runner: match alone {
            Some(job) => Runner::alone(&config, setup.elevator, job)?,
            None => Runner::new(&config, setup.elevator)?,
        },
        device: Device::from_profile(setup.profile, setup.seed),
        completions: Vec::with_capacity(setup.profile.depth() as usize),
        commands: 0,
        host,
        active_ns: 0,
    };
    if witness.watches_device() {
        machine.device.watch();
    }
    let mut instants = 0_u32;
    let mut now_ns = 0;
    let mut watch = Watch::default();
    let stopped = loop {
        now_ns = machine.instant(now_ns, witness);
        let Machine { runner, device, commands, active_ns, .. } = &mut machine;
        if runner.finished() {
            break false;
        }
        instants = instants.wrapping_add(1);
        if instants.is_multiple_of(OBSERVED_INSTANTS) {
            if observe(now_ns, runner.planned_ns()).is_break() {
                break true;
            }
            if watch.sees_standstill(now_ns, *commands, runner) {
                return Err(stuck(runner, now_ns));
            }
        }
        let late_ns = host.cpu.map_or(0, |times| runner::TIMER_SLACK_NS + times.process_ns);
        let end_ns = runner.planned_ns().filter(|_| host.stops_on_time).map(|ns| ns + late_ns);
        let wake_ns = runner.next_wake_ns();
        // A CPU's clock ticks, and a command that was refused is tried again, whatever the device
        // does. Otherwise what it does within itself is no instant for the others.
        let undisturbed = host.cpu.is_none() && !runner.layer().run_is_due();
        let work_until_ns = wake_ns.into_iter().chain(end_ns).min().unwrap_or(u64::MAX);
        let event_ns = device.work(if undisturbed { work_until_ns } else { 0 });
        let mut next_ns = match (wake_ns, event_ns) {
            (Some(one_ns), Some(other_ns)) => one_ns.min(other_ns),
            (None, None) => return Err(stuck(runner, now_ns)),
            (one_ns, other_ns) => one_ns.or(other_ns).unwrap_or(now_ns),
        };
        // The CPU's clock goes on ticking as long as anything has run since the last tick.
        let ticks_until_ns = active_ns.saturating_add(runner::TICK_NS);
        if let Some(tick_ns) = runner.waking_tick_ns(ticks_until_ns)
            && host.cpu.is_some()
            && tick_ns > now_ns
        {
            next_ns = next_ns.min(tick_ns);
        }
        if let Some(end_ns) = end_ns
            && next_ns > end_ns
        {
            now_ns = end_ns;
            break true;
        }
        now_ns = next_ns.max(now_ns);
    };
    Ok(Simulated {
        device_stats: machine.device.statistics().iter().map(|row| (row.name, row.value)).collect(),
        outcome: machine.runner.into_outcome(now_ns),
        device: device_info(setup.profile),
        commands: machine.commands,
        stopped,
    })
}

/// The simulated computer.
struct Machine {
    runner: Runner,
    device: Device,
    completions: Vec<Completion>,
    commands: u64,
    host: SimulatedHost,
    /// When the CPU last did something.
    active_ns: u64,
}

impl Machine {
    /// All that happens at `now_ns`, in the order of bfq.md §0.4, and when it is over.
    fn instant(&mut self, now_ns: u64, witness: &mut impl Witness) -> u64 {
        if let Some(times) = self.host.cpu {
            return self.turns(now_ns, times, witness);
        }
        self.take_completions(now_ns, witness);
        self.runner.advance(now_ns);
        while let Some(command) = self.runner.next_command(now_ns) {
            if !self.issue(now_ns, command) {
                break;
            }
        }
        now_ns
    }

    /// The same on a CPU that needs time, one task after another.
    fn turns(&mut self, mut now_ns: u64, times: CpuTimes, witness: &mut impl Witness) -> u64 {
        self.take_completions(now_ns, witness);
        self.runner.interrupted(now_ns);
        let began_ns = now_ns;
        while let Some(task) = self.runner.take_turn() {
            let since_ns = now_ns;
            now_ns += match task {
                Task::Process(_) => times.process_ns,
                Task::Worker if since_ns == began_ns => times.run_ns,
                Task::Worker => 0,
            };
            self.interrupts(now_ns, witness);
            match task {
                Task::Process(process) => {
                    for command in self.runner.go_on_with(now_ns, process) {
                        now_ns += times.issue_ns;
                        self.issue(now_ns, command);
                    }
                }
                Task::Worker => {
                    while let Some(command) = self.runner.next_command(now_ns) {
                        now_ns += times.issue_ns;
                        if !self.issue(now_ns, command) {
                            break;
                        }
                    }
                }
            }
            self.interrupts(now_ns, witness);
            self.runner.turn_ends(task, since_ns, now_ns);
            self.active_ns = now_ns;
        }
        now_ns
    }

    /// What has happened up to `now_ns` while the CPU was at work.
    fn interrupts(&mut self, now_ns: u64, witness: &mut impl Witness) {
        let is_timer = self.runner.next_timer_ns().is_some_and(|time_ns| time_ns <= now_ns);
        if self.take_completions(now_ns, witness) || is_timer {
            self.runner.interrupted(now_ns);
        }
    }

    /// Tells the runner of the commands that have ended, if any.
    #[inline(always)]
    fn take_completions(&mut self, now_ns: u64, witness: &mut impl Witness) -> bool {
        self.completions.clear();
        self.device.advance(now_ns, &mut self.completions);
        for completion in &self.completions {
            let (tag, result) = (Tag(completion.tag), completion.result.map_err(io_error));
            if witness.watches_device()
                && let Some(stay) = self.device.take_stay(completion)
            {
                witness.stayed(tag, stay);
            }
            witness.ends(completion.at_ns, tag, result, &self.runner);
            self.runner.complete(completion.at_ns, tag, result);
        }
        !self.completions.is_empty()
    }

    /// Gives a command to the device; false if that refuses it.
    #[inline(always)]
    fn issue(&mut self, now_ns: u64, command: blk::Command) -> bool {
        self.commands += 1;
        let accepted = self.device.submit(
            now_ns,
            Command {
                tag: command.tag.0,
                op: command.op,
                sector: command.sector,
                sectors: command.sectors,
            },
        );
        if accepted.is_err() {
            self.runner.requeue(now_ns, command.tag);
        }
        accepted.is_ok()
    }
}

fn io_error(error: CommandError) -> IoError {
    match error {
        CommandError::OutOfRange => IoError::BeyondEnd,
        CommandError::Unsupported => IoError::NotSupported,
        CommandError::Empty => IoError::Io,
    }
}

fn device_info(profile: &Profile) -> DeviceInfo {
    DeviceInfo {
        profile: Some(profile.name().to_owned()),
        path: None,
        depth: profile.depth(),
        rotational: profile.rotational(),
        capacity_bytes: profile.capacity_sectors() * base::SECTOR_BYTES,
        overrides: profile.overrides().iter().cloned().collect(),
    }
}

/// Notices a scheduler that never gives its requests out, though it is asked again and again.
#[derive(Default)]
struct Watch {
    commands: u64,
    since_ns: u64,
}

impl Watch {
    fn sees_standstill(&mut self, now_ns: u64, commands: u64, runner: &Runner) -> bool {
        let layer = runner.layer();
        if commands != self.commands || layer.in_flight() > 0 || layer.waiting() == 0 {
            self.commands = commands;
            self.since_ns = now_ns;
        }
        now_ns - self.since_ns > PATIENCE_NS
    }
}

fn stuck(runner: &Runner, now_ns: u64) -> SimError {
    let layer = runner.layer();
    // A process that waits for no request sleeps, and wakes only after the last instant there is.
    if layer.waiting() == 0 && layer.in_flight() == 0 {
        return SimError::TimeIsUp { now_ns };
    }
    SimError::Stuck {
        scheduler: layer.elevator().name().to_owned(),
        now_ns,
        waiting: layer.waiting(),
        in_flight: layer.in_flight(),
    }
}

#[cfg(test)]
#[path = "simulation_tests.rs"]
mod tests;
