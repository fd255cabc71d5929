// SPDX-License-Identifier: MIT OR Apache-2.0
//! Set-up of many processes, groups or requests: whether each costs the same however many there
//! are. The host is the block layer of the simulator, the scheduler any of those it knows.

use crate::error::CostError;
use base::{DEFAULT_GROUP_WEIGHT, IoprioValue, Op};
use blk::{
    Bio, BlockLayer, DeviceLimits, GroupId, GroupSpec, ProcessId, ProcessSpec, QueueSettings,
};
use cost::places::Places;

/// Requests in the device.
const DEVICE_DEPTH: u32 = 32;
/// How deep groups are nested.
const NESTING: u64 = 8;
/// Processes that the requests are of.
const SENDERS: u32 = 1000;
/// Time between two requests.
const STEP_NS: u64 = 1000;
/// Size of a read, sectors.
const SECTORS: u32 = 8;

/// What there may be much of.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub enum Grown {
    /// Processes in the root group
    Processes,
    /// Groups, eight deep
    Groups,
    /// Random reads of 1,000 processes, which all wait
    Requests,
}

impl Grown {
    /// All of them, with the number that is asked for.
    pub const ALL: [(Grown, &'static str, u64); 3] = [
        (Grown::Processes, "processes", 100_000),
        (Grown::Groups, "groups", 10_000),
        (Grown::Requests, "requests", 1_000_000),
    ];
}

/// Sets up `count` of them under the scheduler that `spec` names; returns how many there are.
///
/// # Errors
/// If there is no such scheduler, or no memory.
pub fn set_up(grown: Grown, spec: &str, count: u64) -> Result<u64, CostError> {
    let limits = DeviceLimits::new(DEVICE_DEPTH, false);
    let elevator = elevators::build(spec, 0, &limits)?;
    let pool = if let Grown::Requests = grown { count } else { u64::from(DEVICE_DEPTH) };
    let nr_requests = Some(u32::try_from(pool).unwrap_or(u32::MAX));
    let settings = QueueSettings { nr_requests, ..QueueSettings::default() };
    let mut layer = BlockLayer::new(settings, limits, elevator);
    match grown {
        Grown::Processes => add_processes(&mut layer, count)?,
        Grown::Groups => add_groups(&mut layer, count)?,
        Grown::Requests => {
            add_processes(&mut layer, u64::from(SENDERS))?;
            submit(&mut layer, count);
        }
    }
    Ok(count)
}

fn process_spec() -> ProcessSpec {
    ProcessSpec { group: GroupId::ROOT, ioprio: IoprioValue::default(), name: String::new() }
}

fn add_processes(layer: &mut BlockLayer, count: u64) -> Result<(), CostError> {
    for _ in 0..count {
        layer.add_process(0, process_spec())?;
    }
    Ok(())
}

/// Adds groups in chains: each below the one before, until a chain is as deep as it may be.
fn add_groups(layer: &mut BlockLayer, count: u64) -> Result<(), CostError> {
    let mut parent = None;
    for number in 0..count {
        if number % NESTING == 0 {
            parent = None;
        }
        let spec = GroupSpec { parent, weight: DEFAULT_GROUP_WEIGHT, path: String::new() };
        parent = Some(layer.add_group(0, spec)?);
    }
    Ok(())
}

fn submit(layer: &mut BlockLayer, count: u64) {
    let mut places = Places::new(SECTORS);
    let mut senders = (0..SENDERS).cycle();
    for token in 0..count {
        let bio = Bio {
            token,
            op: Op::Read,
            sync: true,
            metadata: false,
            read_ahead: false,
            sector: places.next_sector(),
            sectors: SECTORS,
            process: senders.next().map(ProcessId),
        };
        let _ = layer.submit(token * STEP_NS, bio);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn a_few_of_each_are_set_up_by_its_name() {
        for (grown, name, _) in Grown::ALL {
            let found = Grown::from_str(name, false).unwrap();
            assert_eq!(found, grown);
            for scheduler in ["bfq", "tfq", "none"] {
                assert_eq!(set_up(grown, scheduler, 20).unwrap(), 20);
            }
            assert!(set_up(grown, "nothing", 20).is_err());
        }
    }
}
