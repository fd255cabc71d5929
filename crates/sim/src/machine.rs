// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulated computer: what happens in an instant, and when the next one is.

use crate::observer::RunObserver;
use crate::setup::{CpuTimes, Setup, SimulatedHost, limits};
use crate::standstill::{SimError, stuck};
use blk::{IoError, Tag};
use device::{Command, CommandError, Device};
use runner::{Config, Runner, RunnerError, Task};

/// The simulated computer: the runner with its processes, and the device below.
pub(crate) struct Machine {
    pub(crate) runner: Runner,
    pub(crate) device: Device,
    /// Those that the device was given.
    pub(crate) commands: u64,
    host: SimulatedHost,
    /// When the CPU last did something.
    active_ns: u64,
}

impl Machine {
    /// A computer at whose processes nothing has happened yet. `alone`: the job whose first
    /// process is the only one.
    pub(crate) fn new(
        setup: Setup,
        alone: Option<usize>,
        host: SimulatedHost,
    ) -> Result<Machine, RunnerError> {
        let config = Config {
            jobs: setup.jobs,
            group_weights: setup.group_weights,
            settings: setup.settings,
            page_cache: Some(setup.page_cache),
            limits: limits(setup.profile),
            seed: setup.seed,
            order: setup.order,
        };
        Ok(Machine {
            runner: match alone {
                Some(job) => Runner::alone(&config, setup.elevator, job)?,
                None => Runner::new(&config, setup.elevator)?,
            },
            device: Device::from_profile(setup.profile, setup.seed),
            commands: 0,
            host,
            active_ns: 0,
        })
    }

    /// When the run's time is up, if it ends then.
    pub(crate) fn end_ns(&self) -> Option<u64> {
        let planned_ns = if self.host.stops_on_time { self.runner.planned_ns() } else { None };
        Some(planned_ns? + self.late_ns())
    }

    /// How much later than planned a process has submitted on a CPU that needs time.
    fn late_ns(&self) -> u64 {
        self.host.cpu.map_or(0, |times| runner::TIMER_SLACK_NS + times.process_ns)
    }

    /// When something happens next, not before `now_ns`. After `until_ns` the device itself may
    /// have to do something before.
    #[inline(always)]
    pub(crate) fn next_instant(
        &mut self,
        now_ns: u64,
        end_ns: Option<u64>,
        until_ns: u64,
    ) -> Result<u64, SimError> {
        let Machine { runner, device, active_ns, host, .. } = self;
        let wake_ns = runner.next_wake_ns();
        // A CPU's clock ticks, and a command that was refused is tried again, whatever the device
        // does. Otherwise what it does within itself is no instant for the others.
        let undisturbed = host.cpu.is_none() && !runner.layer().run_is_due();
        let work_until_ns =
            until_ns.min(wake_ns.unwrap_or(u64::MAX)).min(end_ns.unwrap_or(u64::MAX));
        let event_ns = device.work(if undisturbed { work_until_ns } else { 0 });
        let mut next_ns = match (wake_ns, event_ns) {
            (Some(one_ns), Some(other_ns)) => one_ns.min(other_ns),
            (None, None) => return Err(stuck(runner, now_ns)),
            (one_ns, other_ns) => one_ns.or(other_ns).unwrap_or(now_ns),
        };
        // The CPU's clock goes on ticking as long as anything has run since the last tick.
        let ticks_until_ns = active_ns.saturating_add(runner::TICK_NS);
        if host.cpu.is_some()
            && let Some(tick_ns) = runner.waking_tick_ns(ticks_until_ns)
            && tick_ns > now_ns
        {
            next_ns = next_ns.min(tick_ns);
        }
        Ok(next_ns.max(now_ns))
    }

    /// All that happens at `now_ns`, in the order of bfq.md §0.4, and when it is over.
    pub(crate) fn instant(&mut self, now_ns: u64, observer: &mut impl RunObserver) -> u64 {
        if let Some(times) = self.host.cpu {
            return self.turns(now_ns, times, observer);
        }
        self.take_completions(now_ns, observer);
        self.runner.advance(now_ns);
        while let Some(command) = self.runner.next_command(now_ns) {
            if !self.issue(now_ns, command) {
                break;
            }
        }
        now_ns
    }

    /// The same on a CPU that needs time, one task after another.
    fn turns(&mut self, mut now_ns: u64, times: CpuTimes, observer: &mut impl RunObserver) -> u64 {
        self.take_completions(now_ns, observer);
        self.runner.interrupted(now_ns);
        let began_ns = now_ns;
        while let Some(task) = self.runner.take_turn() {
            let since_ns = now_ns;
            now_ns += match task {
                Task::Process(_) => times.process_ns,
                Task::Worker if since_ns == began_ns => times.run_ns,
                Task::Worker => 0,
            };
            self.interrupts(now_ns, observer);
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
            self.interrupts(now_ns, observer);
            self.runner.turn_ends(task, since_ns, now_ns);
            self.active_ns = now_ns;
        }
        now_ns
    }

    /// What has happened up to `now_ns` while the CPU was at work.
    fn interrupts(&mut self, now_ns: u64, observer: &mut impl RunObserver) {
        let is_timer = self.runner.next_timer_ns().is_some_and(|time_ns| time_ns <= now_ns);
        if self.take_completions(now_ns, observer) || is_timer {
            self.runner.interrupted(now_ns);
        }
    }

    /// Tells the runner of the commands that have ended, if any.
    #[inline(always)]
    fn take_completions(&mut self, now_ns: u64, observer: &mut impl RunObserver) -> bool {
        let mut any = false;
        self.device.catch_up(now_ns);
        while let Some(completion) = self.device.take_completion() {
            any = true;
            let (tag, result) = (Tag(completion.tag), completion.result.map_err(io_error));
            if observer.watches_device()
                && let Some(timing) = self.device.take_timing(&completion)
            {
                observer.timed(tag, timing);
            }
            observer.ends(completion.at_ns, tag, result, &self.runner);
            self.runner.complete(completion.at_ns, tag, result);
        }
        any
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

#[cold]
#[inline(never)]
fn io_error(error: CommandError) -> IoError {
    match error {
        CommandError::OutOfRange => IoError::BeyondEnd,
        CommandError::Unsupported => IoError::NotSupported,
        CommandError::Empty => IoError::Io,
    }
}
