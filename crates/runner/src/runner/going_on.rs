// SPDX-License-Identifier: MIT OR Apache-2.0
//! A process has the CPU: what it submits, where it waits, and when it and its phase end.

use super::Runner;
use crate::process::Next;
use workload::ExitScope;

impl Runner {
    /// Whether a process sleeps until after the last instant that there is, 2^64 ns: no event will
    /// wake it, and that is no fault of the run.
    pub fn has_endless_sleeper(&self) -> bool {
        self.processes.iter().any(|process| process.never_wakes && !process.has_ended())
    }

    /// A process that is due goes on until it has to wait.
    pub(super) fn go_on(&mut self, now_ns: u64, process: u32) {
        let Some(entry) = self.processes.get_mut(process as usize) else {
            return self.kernel_goes_on(now_ns, process);
        };
        entry.due = false;
        if entry.has_ended() {
            return;
        }
        let cache = self.kernel.as_mut().map(|kernel| &mut kernel.cache);
        let next = entry.go_on(now_ns, &mut self.layer, cache, &mut self.flows);
        match next {
            Next::At(time_ns) => self.wakes.set(process, time_ns),
            Next::Event => self.wakes.cancel(process),
            Next::Follow(follow) => {
                self.wakes.cancel(process);
                self.followers.retain(|(follower, _)| *follower != process);
                self.followers.push((process, follow));
                self.release_followers();
            }
            Next::Ended => {
                self.wakes.cancel(process);
                self.end_process(now_ns, process);
            }
        }
        while let Some(released) = self.flows.take_released() {
            self.make_due(released);
        }
    }

    /// A process has ended, and perhaps its phase.
    #[inline(never)]
    fn end_process(&mut self, now_ns: u64, process: u32) {
        let entry = &self.processes[process as usize];
        let exited = self.layer.exit_process(now_ns, entry.id);
        debug_assert_eq!(exited, Ok(()), "a process exits once");
        if let Some(member) = &entry.member {
            self.flows.left(member);
        }
        self.running -= 1;
        let job = entry.job;
        self.release_followers();
        self.exit_with(now_ns, job);
        if self.running == 0 && !self.interrupted {
            self.phase += 1;
            self.begin_phase();
        }
    }

    /// A process of a job has ended; who ends with it (`exitall`) is stopped.
    fn exit_with(&mut self, now_ns: u64, job: usize) {
        let Some(scope) = self.exits[job] else { return };
        if scope == ExitScope::All {
            return self.interrupt(now_ns);
        }
        let Some(range) = self.phases.get(self.phase).cloned() else { return };
        for process in range {
            let entry = &mut self.processes[process];
            let is_meant = scope == ExitScope::Running
                || self.jobs[entry.job].groupid == self.jobs[job].groupid;
            if is_meant && !entry.has_ended() {
                entry.stop(now_ns);
                self.make_due(process as u32);
            }
        }
    }

    /// A thread of the kernel goes on, as long as there are processes: what they leave
    /// dirty stays so.
    fn kernel_goes_on(&mut self, now_ns: u64, number: u32) {
        let Some(kernel) = &mut self.kernel else { return };
        let time_ns = match self.running {
            0 => None,
            _ => kernel.go_on(now_ns, number, &mut self.layer),
        };
        match time_ns {
            Some(time_ns) => self.wakes.set(number, time_ns),
            None => self.wakes.cancel(number),
        }
    }

    /// The processes of the present phase begin.
    pub(super) fn begin_phase(&mut self) {
        let Some(range) = self.phases.get(self.phase).cloned() else { return };
        self.running = range.len();
        for process in range {
            self.make_due(process as u32);
        }
    }
}
