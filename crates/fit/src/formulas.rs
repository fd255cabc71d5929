// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the search begins: what the figures say about the values by themselves.

use super::characterise::Characteristics;
use super::draft::Draft;
use super::knobs::{PAGE_GRAIN_BYTES, ROTATIONS, rounded};
use device::ModelKind;

const NS_PER_S: f64 = 1e9;
const SMALL_BYTES: f64 = 4096.0;
const LARGE_BYTES: f64 = 131_072.0;
/// A read of the next block that takes more than this share of a random one is none the faster.
const ALIKE: f64 = 0.9;
/// A flush that takes more than this many times the latency of a write has something to do.
const FLUSH_COSTS: f64 = 3.0;

/// Times and rates that the formulas use.
struct Known {
    /// Of one random read at a time, in nanoseconds.
    read_ns: f64,
    /// Bytes a second in a row.
    rate: f64,
    most_per_second: f64,
    /// Of one read in a row of small ones, one at a time, in nanoseconds.
    next_read_ns: Option<f64>,
    write_ns: Option<f64>,
    writes_per_second: Option<f64>,
    write_rate: Option<f64>,
    synced_ns: Option<f64>,
}

impl Known {
    fn of(measured: &Characteristics) -> Known {
        let value = |name: &str| measured.value(name);
        let time_ns = |name: &str| value(name).map(|per_second| NS_PER_S / per_second);
        let writes = ["random_write_depth_1", "random_write_depth_32", "random_write_depth_128"];
        Known {
            read_ns: time_ns("random_read_depth_1").unwrap_or(NS_PER_S),
            rate: value("sequential_read_outer").unwrap_or(1e6),
            most_per_second: measured.knee.most_per_second,
            next_read_ns: time_ns("sequential_read_small"),
            write_ns: time_ns("random_write_depth_1"),
            writes_per_second: writes.iter().filter_map(|name| value(name)).reduce(f64::max),
            write_rate: value("sequential_write_outer"),
            synced_ns: time_ns("synced_write_depth_1"),
        }
    }
}

/// What no figure tells by itself, so that each possibility is a beginning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assumed {
    /// Nothing: the figures tell all by themselves.
    Nothing,
    /// The speed of the spindle, in turns a minute.
    Rotation(u64),
    /// All reads pass the controller one after the other: more in flight help up to a point only.
    ControllerBound,
    /// Reads wait for dies while others have nothing to do: more in flight help ever less.
    DieBound,
}

impl Assumed {
    /// All possibilities of a model.
    pub fn all(kind: ModelKind) -> Vec<Assumed> {
        match kind {
            ModelKind::Simple => vec![Assumed::Nothing],
            ModelKind::Flash => vec![Assumed::ControllerBound, Assumed::DieBound],
            ModelKind::HardDisk => ROTATIONS.map(Assumed::Rotation).to_vec(),
        }
    }
}

/// Sets what can be computed.
pub(super) fn apply(
    draft: &mut Draft,
    kind: ModelKind,
    assumed: Assumed,
    measured: &Characteristics,
) {
    let known = Known::of(measured);
    if let Assumed::Rotation(turns_a_minute) = assumed {
        draft.set("rotation", turns_a_minute);
    }
    match kind {
        ModelKind::Simple => simple(draft, measured, &known),
        ModelKind::Flash => flash(draft, assumed, &known),
        ModelKind::HardDisk => hard_disk(draft, measured, &known),
    }
}

/// A random read is base + seek + transfer, one in a row base + transfer; servers bound the rest.
fn simple(draft: &mut Draft, measured: &Characteristics, known: &Known) {
    let transfer_ns = NS_PER_S * SMALL_BYTES / known.rate;
    let in_a_row_ns = NS_PER_S / measured.value("sequential_read_small").unwrap_or(1.0);
    let seek_ns = known.read_ns - in_a_row_ns;
    // Less than a tenth may be anything.
    let seek_ns = if seek_ns < known.read_ns / 10.0 { 0.0 } else { seek_ns };
    let base_ns = (known.read_ns - seek_ns - transfer_ns).max(0.0);
    let servers = (known.most_per_second * known.read_ns / NS_PER_S).round().max(1.0);
    // With few servers the rate is less than that of the bus.
    let bus = 1.0 / (1.0 / known.rate - base_ns / NS_PER_S / servers / LARGE_BYTES).max(1e-12);
    draft.set("base", rounded(base_ns));
    draft.set("seek", rounded(seek_ns));
    draft.set("servers", servers as u64);
    draft.set(
        "bus",
        rounded(if servers > 1.0 { known.rate.max(bus.min(2.0 * known.rate)) } else { bus }),
    );
}

/// What one at a time costs is split as in the disk begun with; the most at a time bound the
/// controller or the dies; the rates bound interface, channels and programs.
fn flash(draft: &mut Draft, assumed: Assumed, known: &Known) {
    let interface = known.rate.max(known.write_rate.unwrap_or(0.0)) * 1.01;
    draft.set("interface_rate", rounded(interface));
    let needed = 1.2 * known.rate / draft.get("channels") as f64;
    if (draft.get("channel_rate") as f64) < needed {
        draft.set("channel_rate", rounded(needed));
    }
    let most_per_second = known.most_per_second.max(1.0);
    let occupancy_ns = if assumed == Assumed::DieBound { 0.0 } else { NS_PER_S / most_per_second };
    draft.set("read_occupancy", rounded(occupancy_ns));
    let is_next_alike = known.next_read_ns.is_some_and(|ns| ns > known.read_ns * ALIKE);
    draft.set("page_register", u64::from(!is_next_alike));
    let channel_rate = draft.get("channel_rate") as f64;
    let transfers_ns = NS_PER_S * SMALL_BYTES * (1.0 / interface + 1.0 / channel_rate);
    let left_ns = (known.read_ns - transfers_ns - occupancy_ns).max(100.0);
    let before_ns = (draft.get("read_time") + draft.get("read_latency")).max(1) as f64;
    for name in ["read_time", "read_latency"] {
        draft.set(name, rounded(draft.get(name) as f64 * left_ns / before_ns));
    }
    if assumed == Assumed::DieBound {
        bound_by_dies(draft, left_ns, most_per_second, known.rate);
    }
    flash_writes(draft, interface, known);
}

/// As many dies as do the most reads a second, and pages with which these read as much in a row.
fn bound_by_dies(draft: &mut Draft, left_ns: f64, most_per_second: f64, rate: f64) {
    let dies = (most_per_second * draft.get("read_time") as f64 / NS_PER_S).floor().max(1.0);
    let read_ns = dies * NS_PER_S / most_per_second;
    draft.set("channels", dies as u64);
    draft.set("dies", (dies as u64).div_ceil(draft.get("channels")));
    draft.set("read_time", rounded(read_ns));
    draft.set("read_latency", rounded((left_ns - read_ns).max(0.0)));
    let page = rate / most_per_second / PAGE_GRAIN_BYTES as f64;
    draft.set("page", (page.round() as u64).max(1) * PAGE_GRAIN_BYTES);
}

/// The most a second bound the controller, the rate the programs; a flush does what is left.
fn flash_writes(draft: &mut Draft, interface: f64, known: &Known) {
    if let (Some(write_ns), Some(most)) = (known.write_ns, known.writes_per_second) {
        let occupancy_ns = NS_PER_S / most.max(1.0);
        draft.set("write_occupancy", rounded(occupancy_ns));
        let transfer_ns = NS_PER_S * SMALL_BYTES / interface;
        draft.set("write_latency", rounded((write_ns - occupancy_ns - transfer_ns).max(0.0)));
    }
    let dies = (draft.get("channels") * draft.get("dies")) as f64;
    let unit_bytes = draft.get("program_unit") as f64;
    let unit_ns = NS_PER_S * unit_bytes / draft.get("channel_rate") as f64;
    if let Some(rate) = known.write_rate {
        let program_ns = (NS_PER_S * dies * unit_bytes / rate - unit_ns).max(100.0);
        draft.set("program_time_fast", rounded(program_ns));
        draft.set("program_time", draft.get("program_time").max(rounded(program_ns)));
    }
    if let (Some(write_ns), Some(synced_ns)) = (known.write_ns, known.synced_ns) {
        let protected = synced_ns < FLUSH_COSTS * write_ns;
        draft.set("power_loss_protection", u64::from(protected));
        let program_ns = draft.get("program_time_fast") as f64;
        let flush_ns = (synced_ns - write_ns - unit_ns - program_ns).max(1_000.0);
        draft.set("flush_time", rounded(flush_ns));
        // Programming alone must not take longer than all of it.
        if !protected && program_ns + unit_ns > synced_ns {
            draft.set("program_time_fast", rounded((synced_ns - unit_ns).max(100.0) / 2.0));
        }
    }
}

/// Rates as they are; seeks are what a read takes beyond half a turn and the controller.
fn hard_disk(draft: &mut Draft, measured: &Characteristics, known: &Known) {
    let share = draft.get("media_rate_inner") as f64 / draft.get("media_rate_outer").max(1) as f64;
    let inner = measured.value("sequential_read_inner").unwrap_or(known.rate * share);
    draft.set("media_rate_outer", rounded(known.rate));
    draft.set("media_rate_inner", rounded(inner.min(known.rate)));
    let half_turn_ns = 30.0 * NS_PER_S / draft.get("rotation").max(1) as f64;
    let seek_ns = known.read_ns - half_turn_ns - draft.get("command_overhead") as f64;
    let factor = seek_ns.max(1e5) / draft.get("seek_average").max(1) as f64;
    for name in ["seek_track", "seek_average", "seek_full"] {
        draft.set(name, rounded(draft.get(name) as f64 * factor));
    }
}
