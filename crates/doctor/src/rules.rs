// SPDX-License-Identifier: MIT OR Apache-2.0
//! All rules, in the order of the manual.

mod beside;
mod device;
mod elevator;
mod elsewhere;
mod enabled;
mod layers;
mod level;
mod values;
mod version;
mod writes;

use crate::rule::Rule;

/// All that is looked for.
pub const RULES: [Rule; 23] = [
    elevator::IGNORES_WEIGHTS,
    values::UNREAD_FILE,
    values::NOT_ARRIVED,
    values::SQUEEZED,
    values::STARTUP_ONLY,
    elsewhere::ALONE_ON_ITS_LEVEL,
    elsewhere::NO_PROCESS,
    level::SIBLING_TREE,
    level::PROCESSES_BESIDE,
    enabled::NOT_ENABLED,
    beside::IO_COST,
    beside::IO_LATENCY,
    beside::WRITEBACK_THROTTLING,
    version::V1_BESIDE_V2,
    layers::ABOVE_THE_SCHEDULER,
    layers::TWO_SCHEDULERS,
    layers::NETWORK,
    writes::CHARGED_TO_ROOT,
    elevator::LOW_LATENCY,
    elevator::NONE_ON_SLOW_DISK,
    device::DEPTH_ONE,
    device::CACHE_OFF,
    device::COMPLETIONS,
];
