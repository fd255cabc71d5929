// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simple disk: servers in front of one bus, serving in order of acceptance. It is the disk on
//! which the reference results were recorded, so its arithmetic is part of their definition.

use crate::command::{Command, Completion, DeviceFull};
use crate::pending::Pending;
use crate::profile::SimpleParameters;
use crate::statistics::{Statistic, Traffic};
use crate::time::{Rate, Resource, soonest_end_ns};
use crate::timing::{CommandTimings, Phase};
use crate::upcoming::Upcoming;
use base::{Op, SECTOR_BYTES};

/// A disk without cache, geometry or reordering.
///
/// A command takes the server that is free first. It spends there `base`, plus `seek` if it doesn't
/// begin where the one accepted before it ends; then it moves its bytes over the bus, first come,
/// first served. The server is busy until the transfer ends. A flush waits for all that was
/// accepted before it and then takes `base`; a discard moves no bytes.
#[derive(Clone, Debug)]
pub struct SimpleDisk {
    parameters: SimpleParameters,
    servers: Vec<Resource>,
    bus: Resource,
    /// End of the latest of all accepted commands.
    last_end_ns: u64,
    /// Sector after the command accepted last; none before the first, which always seeks.
    next_sector: Option<u64>,
    pending: Pending,
    now_ns: u64,
    traffic: Traffic,
    seeks: u64,
    pub(crate) timings: CommandTimings,
}

impl SimpleDisk {
    /// A disk that nothing has been asked of yet.
    pub fn new(parameters: SimpleParameters) -> Self {
        SimpleDisk {
            servers: vec![Resource::default(); parameters.servers as usize],
            bus: Resource::default(),
            last_end_ns: 0,
            next_sector: None,
            pending: Pending::new(parameters.depth as u32),
            now_ns: 0,
            traffic: Traffic::default(),
            seeks: 0,
            timings: CommandTimings::default(),
            parameters,
        }
    }

    pub(crate) fn depth(&self) -> u32 {
        self.parameters.depth as u32
    }

    pub(crate) fn rotational(&self) -> bool {
        self.parameters.rotational != 0
    }

    pub(crate) fn capacity_sectors(&self) -> u64 {
        self.parameters.capacity / SECTOR_BYTES
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.pending.len()
    }

    pub(crate) fn submit(&mut self, now_ns: u64, command: Command) -> Result<(), DeviceFull> {
        if self.in_flight() >= self.depth() {
            return Err(DeviceFull { depth: self.depth() });
        }
        let now_ns = self.catch_up(now_ns);
        self.traffic.accepted(&command);
        self.timings.begin(command.tag, now_ns);
        if let Err(error) = command.check(self.capacity_sectors()) {
            self.traffic.failed();
            self.pending.push(now_ns, command.tag, Err(error));
            return Ok(());
        }
        let end_ns = match command.op {
            Op::Flush => {
                let base_ns = self.parameters.base;
                soonest_end_ns(now_ns).max(now_ns.max(self.last_end_ns) + base_ns)
            }
            Op::Read | Op::Write | Op::Discard => self.serve(now_ns, &command),
        };
        if command.op == Op::Flush {
            self.timings.until(command.tag, Phase::Flush, end_ns);
        }
        self.last_end_ns = self.last_end_ns.max(end_ns);
        self.pending.push(end_ns, command.tag, Ok(()));
        Ok(())
    }

    /// Occupies a server and the bus; returns the end.
    fn serve(&mut self, now_ns: u64, command: &Command) -> u64 {
        let mut service_ns = self.parameters.base;
        if self.next_sector != Some(command.sector) {
            service_ns += self.parameters.seek;
            self.seeks += 1;
        }
        self.next_sector = Some(command.end_sector());
        let first_free = (0..self.servers.len()).min_by_key(|i| self.servers[*i].free_ns);
        let server = &mut self.servers[first_free.unwrap_or_default()];
        let start_ns = server.occupy(now_ns, service_ns);
        if let Some(timing) = self.timings.get(command.tag) {
            timing.until(Phase::Queue, start_ns - service_ns);
            timing.until(Phase::Controller, start_ns - service_ns + self.parameters.base);
            timing.until(Phase::Seek, start_ns);
        }
        if command.op == Op::Discard {
            let end_ns = start_ns.max(soonest_end_ns(now_ns));
            self.timings.until(command.tag, Phase::Controller, end_ns);
            return end_ns;
        }
        let bytes = u64::from(command.sectors) * SECTOR_BYTES;
        let bus_ns = Rate::new(self.parameters.bus).transfer_ns(bytes);
        let end_ns = self.bus.occupy(start_ns, bus_ns);
        self.timings.until(command.tag, Phase::InterfaceBusy, end_ns - bus_ns);
        self.timings.until(command.tag, Phase::Interface, end_ns);
        server.occupy(end_ns, 0);
        end_ns
    }

    pub(crate) fn upcoming(&self) -> Upcoming {
        Upcoming { step_ns: u64::MAX, end_ns: self.pending.next_ns() }
    }

    /// Lets time pass. Returns the time that it is: a host that goes back in time is taken
    /// to have stood still.
    pub(crate) fn catch_up(&mut self, now_ns: u64) -> u64 {
        self.now_ns = self.now_ns.max(now_ns);
        self.now_ns
    }

    pub(crate) fn take_completion(&mut self) -> Option<Completion> {
        self.pending.take(self.now_ns)
    }

    pub(crate) fn statistics(&self) -> Vec<Statistic> {
        let mut all = self.traffic.statistics();
        all.push(Statistic::new("seeks", "seeks", "commands that had to seek", self.seeks));
        all.push(Statistic::new(
            "bus_busy_ns",
            "ns",
            "time for which the bus moved bytes",
            self.bus.busy_ns,
        ));
        all
    }
}
