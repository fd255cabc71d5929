// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario is like. Each seed draws a device, a host, and, in the manner of swarm
//! testing, which kinds of events exist in it at all: a thing left out lets others happen that
//! it would prevent.

use crate::dice::Dice;
use bfq::Behaviour;

/// What can happen to the scheduler besides I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    AddGroup,
    RemoveGroup,
    WeighGroup,
    AddProcess,
    Burst,
    ExitProcess,
    Renice,
    MoveProcess,
    Repattern,
    WriteTunable,
    /// Detailed statistics are turned on or off.
    Detail,
    Switch,
    Resize,
    SpuriousTimer,
    SpuriousRun,
    Misuse,
    Cancel,
    Pause,
    Orphan,
    AtHead,
    Probe,
    BackInTime,
}

pub const EVENTS: [Event; 22] = [
    Event::AddGroup,
    Event::RemoveGroup,
    Event::WeighGroup,
    Event::AddProcess,
    Event::Burst,
    Event::ExitProcess,
    Event::Renice,
    Event::MoveProcess,
    Event::Repattern,
    Event::WriteTunable,
    Event::Detail,
    Event::Switch,
    Event::Resize,
    Event::SpuriousTimer,
    Event::SpuriousRun,
    Event::Misuse,
    Event::Cancel,
    Event::Pause,
    Event::Orphan,
    Event::AtHead,
    Event::Probe,
    Event::BackInTime,
];

/// How each process does its I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One request behind the other.
    Sequential,
    /// One request before the other, so that they merge at the front.
    Backwards,
    Random,
    /// Every n-th piece of a range that others read the rest of.
    Interleaved {
        base: u64,
        of: u64,
        part: u64,
    },
    /// A few small sequential requests each period, like a player.
    Periodic {
        period_ns: u64,
        requests: u64,
    },
    /// One request each time another process's request completes.
    Woken {
        by: usize,
        after_ns: u64,
    },
    /// Close to one place.
    Near {
        base: u64,
    },
}

#[derive(Debug)]
pub struct Options {
    // Device and host.
    pub rotational: bool,
    pub nr_requests: u32,
    pub hz: u32,
    pub actuator_ends: Vec<u64>,
    pub behaviour: Behaviour,
    pub capacity_sectors: u64,
    pub device_depth: usize,
    pub latency_ns: (u64, u64),
    /// The device serves one request after the other.
    pub serial: bool,
    /// The host runs dispatching after every event, not only when asked to.
    pub eager: bool,
    pub merges: bool,
    pub max_sectors: u64,
    // Faults, in thousandths.
    pub errors: u64,
    pub requeues: u64,
    pub late_timers: u64,
    pub out_of_memory: u64,
    /// Sizes and positions at the limits of their types.
    pub extreme: bool,
    // Load.
    pub steps: u64,
    pub processes: u64,
    pub max_processes: usize,
    pub outstanding: u64,
    pub think_ns: (u64, u64),
    pub patterns: Vec<u64>,
    pub async_writes: u64,
    pub sync_writes: u64,
    pub discards: u64,
    pub metadata: u64,
    pub classes: [u64; 3],
    /// All processes have the default priority, so that they can be raised.
    pub default_priority: bool,
    pub groups: u64,
    /// Only priorities differ, and nothing is raised: waiting is bounded.
    pub calm: bool,
    // Disturbances.
    pub rates: Vec<u64>,
    pub disturbance_ns: u64,
}

/// Kinds of patterns, in the order of [`Options::patterns`].
pub const PATTERNS: usize = 7;

impl Options {
    pub fn draw(dice: &mut Dice) -> Options {
        let rotational = dice.half();
        let capacity_sectors = dice.scale(1 << 20, 1 << 34);
        let actuators = if dice.per_mille(250) { dice.between(2, 8) } else { 1 };
        let nr_requests = if dice.per_mille(100) { 1 } else { dice.scale(1, 1024) };
        let fastest_ns = dice.scale(10_000, 5_000_000);
        let fastest_think_ns = dice.scale(1000, 4_000_000);
        let calm = dice.per_mille(150);
        let swarm = |dice: &mut Dice| if dice.half() { 0 } else { dice.scale(1, 16) };
        let mut options = Options {
            rotational,
            nr_requests: nr_requests as u32,
            hz: dice.pick(&[1000, 1000, 250, 100, 300, 1]),
            actuator_ends: (1..=actuators).map(|n| capacity_sectors / actuators * n).collect(),
            behaviour: dice.pick(&[
                Behaviour::Improved,
                Behaviour::Improved,
                Behaviour::Linux6_1,
                Behaviour::Linux6_12,
            ]),
            capacity_sectors,
            device_depth: dice.scale(1, 64) as usize,
            latency_ns: (fastest_ns, fastest_ns * dice.between(1, 8)),
            serial: dice.half(),
            eager: dice.half(),
            merges: dice.per_mille(700),
            max_sectors: dice.pick(&[16, 256, 2560, 65536]),
            errors: if dice.half() { 0 } else { dice.scale(1, 100) },
            requeues: if dice.half() { 0 } else { dice.scale(1, 100) },
            late_timers: if dice.half() { 0 } else { dice.scale(1, 500) },
            out_of_memory: if dice.per_mille(700) { 0 } else { dice.scale(1, 300) },
            extreme: dice.per_mille(50),
            steps: dice.scale(50, 2000),
            processes: dice.scale(1, 16),
            max_processes: dice.scale(4, 48) as usize,
            outstanding: dice.scale(1, 16),
            think_ns: (fastest_think_ns, fastest_think_ns * dice.between(1, 20)),
            patterns: (0..PATTERNS).map(|_| swarm(dice)).collect(),
            async_writes: if dice.half() { 0 } else { dice.between(1, 1000) },
            sync_writes: if dice.half() { 0 } else { dice.between(1, 500) },
            discards: if dice.per_mille(800) { 0 } else { dice.between(1, 200) },
            metadata: if dice.half() { 0 } else { dice.between(1, 300) },
            classes: [swarm(dice), 8, swarm(dice)],
            default_priority: dice.half(),
            groups: if dice.half() { 0 } else { dice.between(1, 6) },
            calm,
            rates: EVENTS.iter().map(|_| swarm(dice)).collect(),
            disturbance_ns: dice.scale(100_000, 1_000_000_000),
        };
        options.patterns[0] += 1;
        if calm {
            options.calm_down();
        }
        options
    }

    /// Leaves out all that unbounds waiting: higher classes, raises, settings, faults.
    fn calm_down(&mut self) {
        self.classes = [0, 2, 1];
        self.groups = 0;
        self.extreme = false;
        self.out_of_memory = 0;
        self.hz = 1000;
        self.actuator_ends.truncate(1);
        self.max_sectors = 256;
        self.processes = self.processes.min(6);
        self.outstanding = self.outstanding.min(3);
        self.async_writes = 0;
        let kept = [Event::Repattern, Event::SpuriousRun, Event::SpuriousTimer, Event::Probe];
        for (event, rate) in EVENTS.iter().zip(&mut self.rates) {
            if !kept.contains(event) {
                *rate = 0;
            }
        }
    }
}
