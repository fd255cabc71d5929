// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event loop: the runner's processes and scheduler against a device model.

use crate::machine::Machine;
use crate::observer::RunObserver;
use crate::setup::{Setup, SimulatedHost};
use crate::standstill::{SimError, Watch};
use device::Profile;
use report::{DeviceInfo, OrderedMap};
use runner::{RunOutcome, Runner};
use std::ops::ControlFlow;

/// A simulation that has ended.
#[derive(Debug)]
pub struct Simulated {
    /// What the jobs did, and what the scheduler counted.
    pub outcome: RunOutcome,
    /// The device, for the result.
    pub device: DeviceInfo,
    /// What the device counted, by name.
    pub device_stats: OrderedMap<u64>,
    /// Commands that the device was given.
    pub commands: u64,
    /// Whether the observer stopped it.
    pub stopped: bool,
}

/// How many instants pass between two calls of the observer.
const OBSERVED_INSTANTS: u32 = 4096;

/// Runs the simulation. `observe` is told the virtual time and the planned end (both ns) now and
/// then, and may stop it.
///
/// # Errors
/// [`SimError::Runner`] before it begins; [`SimError::TimeIsUp`] if a job pauses for too long;
/// [`SimError::Stuck`] and [`SimError::NoTimePasses`] only if a scheduler or device is broken.
pub fn simulate(
    setup: Setup,
    observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<Simulated, SimError> {
    simulate_on_host(setup, SimulatedHost::default(), observe, &mut ())
}

/// As [`simulate`], with an observer of the run.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_before(
    setup: Setup,
    observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    observer: &mut impl RunObserver,
) -> Result<Simulated, SimError> {
    simulate_on_host(setup, SimulatedHost::default(), observe, observer)
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

/// As [`simulate_before`], on that computer.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_on_host(
    setup: Setup,
    host: SimulatedHost,
    observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    observer: &mut impl RunObserver,
) -> Result<Simulated, SimError> {
    run(setup, None, host, observe, observer)
}

/// `alone`: the job whose first process is the only one.
fn run(
    setup: Setup,
    alone: Option<usize>,
    host: SimulatedHost,
    observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    observer: &mut impl RunObserver,
) -> Result<Simulated, SimError> {
    let mut simulation = Simulation::of(setup, alone, host)?;
    simulation.go_on(u64::MAX, observe, observer)?;
    Ok(simulation.into_simulated())
}

/// A simulation under way, which can be halted at any time, looked at and continued. Halts change
/// nothing of its course.
pub struct Simulation {
    machine: Machine,
    info: DeviceInfo,
    now_ns: u64,
    instants: u32,
    watch: Watch,
    /// Whether it has begun: its first instant is over.
    begun: bool,
    ended: Option<End>,
}

/// Why a simulation goes on no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The jobs have nothing left to do.
    Finished,
    /// Its time is up, or the observer stopped it.
    Stopped,
}

impl Simulation {
    /// A simulation that begins with the first call of [`go_on`](Self::go_on).
    ///
    /// # Errors
    /// The jobs don't fit the device, or groups are wrong.
    pub fn new(setup: Setup) -> Result<Simulation, SimError> {
        Self::of(setup, None, SimulatedHost::default())
    }

    fn of(setup: Setup, alone: Option<usize>, host: SimulatedHost) -> Result<Simulation, SimError> {
        let info = device_info(setup.profile);
        Ok(Simulation {
            machine: Machine::new(setup, alone, host)?,
            info,
            now_ns: 0,
            instants: 0,
            watch: Watch::default(),
            begun: false,
            ended: None,
        })
    }

    /// Whether it goes on no more.
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// The time to which it has come, ns.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// The processes, and the block layer with the scheduler.
    pub fn runner(&self) -> &Runner {
        &self.machine.runner
    }

    /// Changes the weight of a control group at the present time.
    ///
    /// # Errors
    /// There is no such group, or the weight is out of range.
    pub fn set_group_weight(&mut self, path: &str, weight: u32) -> Result<(), SimError> {
        Ok(self.machine.runner.set_group_weight(self.now_ns, path, weight)?)
    }

    /// Simulates all that happens up to `until_ns`, that instant included, or to the end.
    /// `observe` is as for [`simulate`]; the observer has to be the same in all calls.
    ///
    /// # Errors
    /// [`SimError::TimeIsUp`], [`SimError::Stuck`] and [`SimError::NoTimePasses`], as for
    /// [`simulate`].
    pub fn go_on(
        &mut self,
        until_ns: u64,
        observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
        observer: &mut impl RunObserver,
    ) -> Result<(), SimError> {
        if !self.begun {
            self.begun = true;
            if observer.watches_device() {
                self.machine.device.watch();
            }
            self.now_ns = self.machine.instant(0, observer);
        }
        let end_ns = self.machine.end_ns();
        while self.ended.is_none() {
            let now_ns = self.now_ns;
            if self.machine.runner.finished() {
                self.ended = Some(End::Finished);
                break;
            }
            self.instants = self.instants.wrapping_add(1);
            if self.instants.is_multiple_of(OBSERVED_INSTANTS) {
                let Machine { runner, commands, .. } = &self.machine;
                if observe(now_ns, runner.planned_ns()).is_break() {
                    self.ended = Some(End::Stopped);
                    break;
                }
                self.watch.look(now_ns, *commands, runner)?;
            }
            let next_ns = self.machine.next_instant(now_ns, end_ns, until_ns)?;
            if let Some(end_ns) = end_ns.filter(|&end_ns| next_ns > end_ns && end_ns <= until_ns) {
                self.now_ns = end_ns;
                self.ended = Some(End::Stopped);
            } else if next_ns > until_ns {
                self.now_ns = until_ns.max(now_ns);
                break;
            } else {
                self.now_ns = self.machine.instant(next_ns, observer);
            }
        }
        Ok(())
    }

    /// The results. What has not ended counts up to now.
    pub fn into_simulated(self) -> Simulated {
        let Simulation { machine, info, now_ns, ended, .. } = self;
        let statistics = machine.device.statistics();
        Simulated {
            device_stats: statistics.iter().map(|row| (row.name, row.value)).collect(),
            outcome: machine.runner.into_outcome(now_ns),
            device: info,
            commands: machine.commands,
            stopped: ended != Some(End::Finished),
        }
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

#[cfg(test)]
#[path = "simulation_tests.rs"]
mod tests;
