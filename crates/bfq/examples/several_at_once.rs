// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fair queueing alone: no disk, no requests, and several clients served at once. Two groups of
//! weights 100 and 300, with four clients each, share a machine that does four jobs at a time.
//!
//! `cargo run -p bfq --example several_at_once`

use bfq::fair::{EntityId, Hierarchy, Limits, Owner, Rules, Several};
use bfq::{Class, OutOfMemory, Service, Span, Time, Weight};
use std::collections::VecDeque;
use std::error::Error;
use std::io::{self, Write};

const WEIGHTS: [u32; 2] = [100, 300];
const CLIENTS: usize = 4;
/// How many jobs the machine does at a time.
const PLACES: usize = 4;
const JOBS: usize = 10_000;

/// The most that a client may use in a turn, in the unit that is shared: here milliseconds.
const BUDGET: Service = Service::of(100);

/// What a job of a client takes. That is known when it is done.
fn length_ms(job: usize) -> u64 {
    60 + job as u64 * 7919 % 41
}

struct Machine {
    fair: Hierarchy<Several>,
    /// The clients whose jobs are under way, those first that end first.
    under_way: VecDeque<EntityId>,
}

/// Finish times, changes of weight and leaves that are forgotten do not matter to it.
impl Owner for Machine {
    type InService = Several;

    fn hierarchy(&mut self) -> &mut Hierarchy<Several> {
        &mut self.fair
    }
}

impl Machine {
    fn new(now: Time) -> Result<Machine, OutOfMemory> {
        let limits = Limits { idle_class_period: Span::from_ms(200) };
        let fair = Hierarchy::new(Rules::SEVERAL, limits, now)?;
        let mut machine = Machine { fair, under_way: VecDeque::new() };
        for (group, weight) in WEIGHTS.into_iter().enumerate() {
            machine.add_group(group, Weight::of(weight), now)?;
        }
        Ok(machine)
    }

    /// A group comes, and its clients, who want a place at once.
    fn add_group(&mut self, group: usize, weight: Weight, now: Time) -> Result<(), OutOfMemory> {
        let owner = group as u32;
        let (_, members) = self.fair.add_group(self.fair.root(), weight, owner)?;
        for _ in 0..CLIENTS {
            let class = Class::BestEffort;
            let client = self.fair.add_leaf(members, class, Weight::DEFAULT_GROUP, 0, owner)?;
            self.fair.set_budget(client, BUDGET);
            let changed = self.fair.activate(client, false, now);
            self.settle(changed);
        }
        Ok(())
    }

    /// The client whose turn it is gets a place; false if all that want one have one.
    fn begin(&mut self, now: Time) -> bool {
        let Some((client, forgotten)) = self.fair.choose_next(now) else { return false };
        self.under_way.push_back(client);
        self.free_forgotten(forgotten);
        true
    }

    /// The job that began first is done, and its client wants a place for another one. Returns the
    /// number of the client's group.
    fn end(&mut self, length: Service, now: Time) -> Option<usize> {
        let client = self.under_way.pop_front()?;
        let forgotten = self.fair.serve(client, length);
        self.free_forgotten(forgotten);
        let changed = self.fair.requeue_expired(client, now);
        self.fair.set_service(client, Service::ZERO);
        self.settle(changed);
        Some(self.fair.entity(client).owner() as usize)
    }
}

fn run(out: &mut impl Write) -> Result<[u64; 2], Box<dyn Error>> {
    let mut now = Time::ZERO;
    let mut machine = Machine::new(now)?;
    let mut got_ms = [0; 2];
    for job in 0..JOBS {
        while machine.under_way.len() < PLACES && machine.begin(now) {}
        let length_ms = length_ms(job);
        now = now + Span::from_ms(length_ms / PLACES as u64);
        let group = machine.end(Service::of(length_ms), now).ok_or("somebody has a place")?;
        got_ms[group] += length_ms;
    }
    machine.fair.check();
    let all: u64 = got_ms.iter().sum();
    for (weight, got_ms) in WEIGHTS.into_iter().zip(got_ms) {
        let share = 100.0 * got_ms as f64 / all as f64;
        writeln!(out, "weight {weight}: {:4} s, {share:.1} %", got_ms / 1000)?;
    }
    Ok(got_ms)
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout()).map(drop)
}

#[test]
fn shares_are_as_the_weights_say() {
    let mut out = Vec::new();
    let [light, heavy] = run(&mut out).unwrap();
    let told = String::from_utf8(out).unwrap();
    let share = light as f64 / (light + heavy) as f64;
    assert!((0.249..0.251).contains(&share), "{told}");
}
