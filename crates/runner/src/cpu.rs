// SPDX-License-Identifier: MIT OR Apache-2.0
//! A single CPU under Linux 6.1's fair scheduler: who goes on first of tasks that can go on at the
//! same instant, as recordings show it (docs/fidelity.md, "The recording host").
//!
//! Each task has a virtual run time, which grows while it runs, but only by whole ticks: a task is
//! charged for a tick that finds it running. The task with the least goes first, of equals the one
//! that woke first. A task that slept is at most half a period behind.

use base::random::Random;

/// The kernel's target period, ns.
const PERIOD_NS: u64 = 6_000_000;
/// As many tasks share it; of more, each has its own minimum.
const PERIOD_TASKS: u64 = 8;
/// How far a task that slept may be behind, ns.
const BONUS_NS: u64 = PERIOD_NS / 2;
/// How long a tick of the CPU's clock is, ns.
pub const TICK_NS: u64 = 1_000_000;
/// What a tick counts for the worker that runs the dispatch loop, ns: it has the
/// highest nice value.
const WORKER_TICK_NS: u64 = TICK_NS * 1024 / 88_761;
/// Where the worker stands at first, ns: where the first process does. That one goes first in the
/// log `t1` until a tick has found it running; the sixth one of `start5` until a second tick has.
const WORKER_START_NS: u64 = PERIOD_NS / 2;

/// A process, by its number, or the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A process goes on.
    Process(u32),
    /// The dispatch loop runs.
    Worker,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Its virtual run time.
    ran_ns: u64,
    /// It can go on; of all wakings, in their order, the number of its own.
    woken: Option<u64>,
}

/// The tasks of the CPU.
#[derive(Debug)]
pub(crate) struct Cpu {
    /// The processes, then the worker.
    tasks: Vec<State>,
    /// The least virtual run time of those that could go on; never less than before.
    least_ns: u64,
    wakings: u64,
}

impl Cpu {
    /// A CPU on which `processes` were made, one after another, by a task that never slept in
    /// between. With a seed other than 0 they have run since for an unknown time.
    pub(crate) fn new(processes: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut start_ns = |earlier: u64| match seed {
            0 => PERIOD_NS / (earlier + 2).min(PERIOD_TASKS),
            _ => random.below(BONUS_NS),
        };
        let task = |ran_ns| State { ran_ns, woken: None };
        let mut tasks: Vec<State> =
            (0..processes as u64).map(|earlier| task(start_ns(earlier))).collect();
        tasks.push(task(WORKER_START_NS));
        Self { tasks, least_ns: 0, wakings: 0 }
    }

    fn index(&self, task: Task) -> usize {
        match task {
            Task::Process(number) => number as usize,
            Task::Worker => self.tasks.len() - 1,
        }
    }

    /// A task can go on.
    pub(crate) fn wake(&mut self, task: Task) {
        let index = self.index(task);
        let state = &mut self.tasks[index];
        if state.woken.is_none() {
            self.wakings += 1;
            state.woken = Some(self.wakings);
            state.ran_ns = state.ran_ns.max(self.least_ns.saturating_sub(BONUS_NS));
        }
    }

    fn first(&self) -> Option<usize> {
        let woken = self.tasks.iter().enumerate().filter(|(_, state)| state.woken.is_some());
        woken.min_by_key(|(_, state)| (state.ran_ns, state.woken)).map(|(index, _)| index)
    }

    /// The task that goes on now; it sleeps afterwards, unless it is woken.
    pub(crate) fn take_first(&mut self) -> Option<Task> {
        let index = self.first()?;
        self.tasks[index].woken = None;
        self.least_ns = self.least_ns.max(self.tasks[index].ran_ns);
        Some(match index + 1 == self.tasks.len() {
            true => Task::Worker,
            false => Task::Process(index as u32),
        })
    }

    /// A task has run from one time to another.
    pub(crate) fn has_run(&mut self, task: Task, from_ns: u64, to_ns: u64) {
        let ticks = to_ns / TICK_NS - from_ns / TICK_NS;
        let index = self.index(task);
        self.tasks[index].ran_ns +=
            ticks * if task == Task::Worker { WORKER_TICK_NS } else { TICK_NS };
    }

    /// Whether any task can go on.
    pub(crate) fn is_busy(&self) -> bool {
        self.tasks.iter().any(|state| state.woken.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(cpu: &mut Cpu) -> Vec<Task> {
        std::iter::from_fn(|| cpu.take_first()).collect()
    }

    #[test]
    fn the_last_ones_made_go_first_and_the_worker_last() {
        let mut cpu = Cpu::new(10, 0);
        (0..10).for_each(|number| cpu.wake(Task::Process(number)));
        cpu.wake(Task::Worker);
        let mut expected: Vec<Task> = [6, 7, 8, 9, 5, 4, 3, 2, 1, 0].map(Task::Process).into();
        expected.push(Task::Worker);
        assert_eq!(order(&mut cpu), expected, "as in the recordings of ten readers");
    }

    #[test]
    fn the_worker_goes_before_a_process_that_a_tick_found_running() {
        let mut cpu = Cpu::new(1, 0);
        for (from_ns, to_ns, expected) in [
            (100, 1600, [Task::Process(0), Task::Worker]),
            (999_999, 1_000_001, [Task::Worker, Task::Process(0)]),
        ] {
            cpu.has_run(Task::Process(0), from_ns, to_ns);
            cpu.wake(Task::Process(0));
            cpu.wake(Task::Worker);
            assert_eq!(order(&mut cpu), expected);
        }
    }

    #[test]
    fn a_task_that_slept_is_half_a_period_behind_at_most() {
        let mut cpu = Cpu::new(2, 0);
        cpu.has_run(Task::Process(0), 0, 20 * TICK_NS);
        cpu.wake(Task::Process(0));
        order(&mut cpu);
        cpu.wake(Task::Process(1));
        cpu.wake(Task::Worker);
        assert_eq!(order(&mut cpu), [Task::Process(1), Task::Worker], "equals: as they woke");
        cpu.has_run(Task::Process(1), 0, 4 * TICK_NS);
        cpu.wake(Task::Process(1));
        cpu.wake(Task::Process(0));
        assert_eq!(order(&mut cpu), [Task::Process(0), Task::Process(1)]);
    }
}
