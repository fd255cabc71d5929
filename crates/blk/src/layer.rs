// SPDX-License-Identifier: MIT OR Apache-2.0
//! The block layer: its parts, its settings, its identities. What it does is in the modules below:
//! submitting, merging, running, completing, switching, and what the device does not give
//! back.

mod check;
mod complete;
mod dispatch;
mod merging;
mod overdue;
mod run;
mod submit;
mod switch;

use std::collections::VecDeque;

use crate::bio::{Bio, Command, Journey};
use crate::bios::Bios;
use crate::counters::{Counters, STATISTICS};
use crate::elevator::Elevator;
use crate::identity::{GroupSpec, Identities, IdentityError, ProcessSpec};
use crate::ids::{GroupId, ProcessId, Tag};
use crate::pool::Pool;
use crate::settings::{DeviceLimits, QueueSettings, SettingError};
use crate::sleepers::Sleepers;
use crate::statistic::{Statistic, StatisticSpec};
use crate::tunable::TunableError;
use base::{IoprioValue, Op, OutOfMemory};

use run::Run;

/// The block layer of one device. It does no I/O and reads no clock: its host tells it what happens
/// and when, and carries its commands to the device. See the [crate] for how.
pub struct BlockLayer {
    elevator: Box<dyn Elevator>,
    /// What [`Elevator::only_queues`] says of it.
    only_queues: bool,
    pool: Pool,
    bios: Bios,
    identities: Identities,
    settings: QueueSettings,
    limits: DeviceLimits,
    /// The largest request of each operation, by settings and device, sectors.
    max_sectors: [u32; Op::ALL.len()],
    /// The number of the present elevator, from 1; requests remember in which they were.
    epoch: u32,
    /// Counts insertions, to keep their order over a switch.
    sequence: u64,
    /// Submitters without a tag.
    sleepers: Sleepers,
    woken: VecDeque<ProcessId>,
    /// Served before anything in the elevator: the request the device refused, flushes.
    list: VecDeque<Tag>,
    /// The flush that is listed or issued.
    flush: Option<Tag>,
    /// The flush after that one.
    next_flush: Option<Tag>,
    run: Run,
    /// Commands for the device of runs that are over.
    issued_at_once: VecDeque<Command>,
    /// Requests in the elevator.
    waiting: u32,
    /// Requests on the device.
    issued: u32,
    /// Requests on the device whose places are given to others.
    overdue: u32,
    counters: Counters,
}

impl BlockLayer {
    /// A layer over a device, with an elevator attached at time 0.
    pub fn new(
        settings: QueueSettings,
        limits: DeviceLimits,
        mut elevator: Box<dyn Elevator>,
    ) -> BlockLayer {
        let nr_requests = settings.pool_size(&limits, elevator.uses_device_tags());
        let pool = Pool::new(nr_requests, settings.tag_search);
        elevator.pool_resized(0, nr_requests, pool.tags());
        let mut layer = BlockLayer {
            only_queues: elevator.only_queues(),
            elevator,
            pool,
            bios: Bios::new(),
            identities: Identities::new(),
            max_sectors: settings.max_sectors_by_op(&limits),
            settings,
            limits,
            epoch: 1,
            sequence: 0,
            sleepers: Sleepers::new(settings.tag_search),
            woken: VecDeque::new(),
            list: VecDeque::new(),
            flush: None,
            next_flush: None,
            run: Run::default(),
            issued_at_once: VecDeque::new(),
            waiting: 0,
            issued: 0,
            overdue: 0,
            counters: Counters::default(),
        };
        layer.tell_sleepers();
        layer
    }

    /// Tells the sleepers how many tags every process may have.
    fn tell_sleepers(&mut self) {
        let common = self.pool.common_tags(self.elevator.least_allowed_requests());
        self.sleepers.set_common_tags(common);
    }

    /// The elevator: its name, tunables and statistics.
    pub fn elevator(&self) -> &dyn Elevator {
        &*self.elevator
    }

    /// The settings as asked for.
    pub fn settings(&self) -> &QueueSettings {
        &self.settings
    }

    /// What the device allows.
    pub fn limits(&self) -> &DeviceLimits {
        &self.limits
    }

    /// The requests: how many there may be, and each by its tag.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The bios of a request in sector order. Of a bio that was split, the part that is in this
    /// request, under the token of the whole.
    pub fn bios(&self, tag: Tag) -> impl Iterator<Item = Bio> {
        self.bios.chain(self.pool[tag].first_bio).map(|(_, state)| state.bio)
    }

    /// How many these are.
    #[inline]
    pub fn bio_count(&self, tag: Tag) -> usize {
        let request = &self.pool[tag];
        match request.first_bio == request.last_bio {
            true => 1,
            false => self.bios.chain(request.first_bio).count(),
        }
    }

    /// The same bios, each with its times and the I/O that it is or belongs to.
    pub fn journeys(&self, tag: Tag) -> impl Iterator<Item = Journey> {
        self.bios.chain(self.pool[tag].first_bio).map(|(_, state)| self.bios.journey(state))
    }

    /// When the earliest submitted bio that is still on its way was submitted, of those that
    /// `matters` says matter, ns. Looks at all bios.
    pub fn oldest_submission_ns(&self, matters: impl Fn(&Bio) -> bool) -> Option<u64> {
        let on_their_way = self.bios.iter_in_use().filter(|state| matters(&state.bio));
        on_their_way.map(|state| state.submitted_ns).min()
    }

    /// How many requests wait in the elevator.
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// How many requests are on the device, apart from those that are
    /// [overdue](BlockLayer::overdue).
    pub fn in_flight(&self) -> u32 {
        self.issued
    }

    /// Whether no bio is on its way anywhere. (Ends not yet taken do not count.)
    pub fn idle(&self) -> bool {
        self.bios.in_use() == 0
    }

    /// The layer's own statistics; the elevator has its own.
    pub fn statistics(&self) -> Vec<Statistic> {
        StatisticSpec::read(STATISTICS, &self.counters)
    }

    /// Changes a setting of the layer, by the kernel's name. Requests on their way stay as they
    /// are; a smaller pool takes effect as its upper requests end.
    ///
    /// # Errors
    /// An unknown name, or a value that is no number or out of range; nothing is changed then.
    pub fn set_queue(&mut self, now_ns: u64, name: &str, value: &str) -> Result<(), SettingError> {
        self.settings.set(name, value)?;
        self.max_sectors = self.settings.max_sectors_by_op(&self.limits);
        self.fit_pool(now_ns);
        Ok(())
    }

    /// The size of the pool under that elevator. One that uses the device's tags has one more for
    /// each that is overdue: its place on the device is another one's.
    fn pool_size(&self, elevator: &dyn Elevator) -> u32 {
        let device_tags = elevator.uses_device_tags();
        let overdue = if device_tags { self.overdue } else { 0 };
        self.settings.pool_size(&self.limits, device_tags) + overdue
    }

    /// Gives the pool the size that it is to have now.
    fn fit_pool(&mut self, now_ns: u64) {
        let size = self.pool_size(&*self.elevator);
        if size != self.pool.nr_requests() {
            self.pool.resize(size);
            self.elevator.pool_resized(now_ns, size, self.pool.tags());
            self.tell_sleepers();
            self.sleepers.wake_all();
            self.let_woken_look(now_ns);
        }
    }

    /// Sets a tunable of the elevator.
    ///
    /// # Errors
    /// What [`Elevator::set_tunable_in_range`] says.
    pub fn set_tunable(
        &mut self,
        now_ns: u64,
        name: &str,
        value: &str,
    ) -> Result<(), TunableError> {
        let result = self.elevator.set_tunable_in_range(now_ns, name, value);
        self.look_for_kick();
        result
    }

    /// Adds a group.
    ///
    /// # Errors
    /// An unknown parent, a weight out of range, or no memory in the elevator.
    pub fn add_group(&mut self, now_ns: u64, spec: GroupSpec) -> Result<GroupId, IdentityError> {
        let pool = &self.pool;
        let taken = |group| pool.iter().any(|request| request.group == group);
        let group = self.identities.add_group(spec, taken)?;
        let spec = self.identities.group_spec(group);
        if let Err(OutOfMemory) = self.elevator.group_added(now_ns, group, spec) {
            self.identities.remove_group(group)?;
            return Err(IdentityError::OutOfMemory(OutOfMemory));
        }
        Ok(group)
    }

    /// Changes the weight of a group.
    ///
    /// # Errors
    /// An unknown group, the root, or a weight out of range.
    pub fn set_group_weight(
        &mut self,
        now_ns: u64,
        group: GroupId,
        weight: u32,
    ) -> Result<(), IdentityError> {
        self.identities.set_weight(group, weight)?;
        self.elevator.group_weight(now_ns, group, weight);
        self.look_for_kick();
        Ok(())
    }

    /// Removes a group. Requests of processes that were in it may still be on their way.
    ///
    /// # Errors
    /// An unknown group, the root, or one with processes or groups in it.
    pub fn remove_group(&mut self, now_ns: u64, group: GroupId) -> Result<(), IdentityError> {
        self.identities.remove_group(group)?;
        self.elevator.group_removed(now_ns, group);
        self.look_for_kick();
        Ok(())
    }

    /// Adds a process.
    ///
    /// # Errors
    /// An unknown group, or an ioprio level out of range.
    pub fn add_process(
        &mut self,
        now_ns: u64,
        spec: ProcessSpec,
    ) -> Result<ProcessId, IdentityError> {
        let process = self.identities.add_process(spec)?;
        self.elevator.process_added(now_ns, process, self.identities.process_spec(process));
        Ok(process)
    }

    /// Changes the ioprio of a process, for its bios from now on.
    ///
    /// # Errors
    /// An unknown process, or a level out of range.
    pub fn set_ioprio(
        &mut self,
        now_ns: u64,
        process: ProcessId,
        ioprio: IoprioValue,
    ) -> Result<(), IdentityError> {
        self.identities.set_ioprio(process, ioprio)?;
        self.elevator.process_ioprio(now_ns, process, ioprio);
        self.look_for_kick();
        Ok(())
    }

    /// Moves a process to another group, for its bios from now on.
    ///
    /// # Errors
    /// An unknown process or group.
    pub fn move_process(
        &mut self,
        now_ns: u64,
        process: ProcessId,
        group: GroupId,
    ) -> Result<(), IdentityError> {
        if self.identities.move_process(process, group)? {
            self.elevator.process_moved(now_ns, process, group);
            self.look_for_kick();
        }
        Ok(())
    }

    /// A process ends. Its plug is flushed; bios of it still on their way end normally, one that
    /// sleeps goes on without process.
    ///
    /// # Errors
    /// An unknown process.
    pub fn exit_process(&mut self, now_ns: u64, process: ProcessId) -> Result<(), IdentityError> {
        self.unplug(now_ns, process);
        self.identities.exit_process(process)?;
        self.elevator.process_exited(now_ns, process);
        self.look_for_kick();
        Ok(())
    }

    fn look_for_kick(&mut self) {
        if self.only_queues {
            debug_assert!(!self.elevator.take_kick(), "it only queues, and asks for a run");
        } else if self.elevator.take_kick() {
            self.run.due = true;
        }
    }

    /// The largest request of that operation, sectors.
    fn max_sectors(&self, op: Op) -> u32 {
        self.max_sectors[op as usize]
    }
}
