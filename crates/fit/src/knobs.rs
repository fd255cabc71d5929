// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which values of each model are fitted, and which figures tell about them.

use super::characterise::Characteristics;
use super::draft::Draft;
use super::trials::{Does, Trial};
use device::ModelKind;

/// Which trials a value can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touches {
    Reading,
    Writing,
    Mixed,
    Synced,
    All,
}

/// Values that are turned together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knob {
    /// Their names in the profile.
    pub values: &'static [&'static str],
    /// Which trials change with them.
    pub touches: Touches,
    /// The trial that tells most about them. Without it they stay as they are.
    pub told_by: &'static str,
}

const fn knob(values: &'static [&'static str], touches: Touches, told_by: &'static str) -> Knob {
    Knob { values, touches, told_by }
}

use Touches::{All, Mixed, Reading, Synced, Writing};

const SIMPLE: &[Knob] = &[
    knob(&["servers"], All, "random_read_depth_128"),
    knob(&["base"], All, "random_read_depth_1"),
    knob(&["seek"], All, "random_read_depth_1"),
    knob(&["bus"], All, "sequential_read_outer"),
];

const FLASH: &[Knob] = &[
    knob(&["interface_rate"], All, "sequential_read_outer"),
    knob(&["read_occupancy"], Reading, "random_read_depth_128"),
    // As many reads a second in all, each of them sooner or later.
    knob(&["channels", "read_time"], All, "random_read_depth_32"),
    knob(&["read_time"], Reading, "random_read_depth_1"),
    knob(&["read_latency"], Reading, "random_read_depth_1"),
    knob(&["dies"], All, "random_read_depth_32"),
    knob(&["channels"], All, "random_read_depth_32"),
    knob(&["read_time_spread"], Reading, "random_read_depth_8"),
    knob(&["page"], Reading, "sequential_read_outer"),
    knob(&["page_register"], Reading, "sequential_read_small"),
    knob(&["turnaround_time"], Mixed, "mixed_depth_32"),
    knob(&["channel_rate"], All, "sequential_read_outer"),
    knob(&["write_occupancy"], Writing, "random_write_depth_128"),
    knob(&["write_latency"], Writing, "random_write_depth_1"),
    knob(&["program_time_fast"], Writing, "sequential_write_outer"),
    knob(&["flush_time"], Synced, "synced_write_depth_1"),
];

const HARD_DISK: &[Knob] = &[
    knob(&["media_rate_outer", "media_rate_inner"], All, "sequential_read_outer"),
    knob(&["media_rate_inner"], All, "sequential_read_inner"),
    knob(&["seek_track", "seek_average", "seek_full"], All, "random_read_depth_1"),
    knob(&["rotation"], All, "random_read_depth_1"),
    knob(&["command_overhead"], All, "sequential_read_small"),
    knob(&["queue_window"], All, "random_read_depth_32"),
    knob(&["write_settle"], Writing, "random_write_depth_128"),
    knob(&["write_cache", "write_segments"], Writing, "random_write_depth_32"),
];

/// What a page is a multiple of.
pub(super) const PAGE_GRAIN_BYTES: u64 = 4096;

/// The speeds that disks are made for, in turns a minute.
pub(super) const ROTATIONS: [u64; 5] = [4_200, 5_400, 7_200, 10_000, 15_000];

/// The knobs of a model about which something is known.
pub(super) fn knobs(kind: ModelKind, known: &Characteristics) -> Vec<&'static Knob> {
    let all = match kind {
        ModelKind::Simple => SIMPLE,
        ModelKind::Flash => FLASH,
        ModelKind::HardDisk => HARD_DISK,
    };
    all.iter().filter(|knob| known.figure(knob.told_by).is_some()).collect()
}

impl Knob {
    /// Whether the figure of a trial can change with it.
    pub fn touches(&self, trial: &Trial) -> bool {
        match self.touches {
            Touches::All => true,
            Touches::Reading => trial.does.reads(),
            Touches::Writing => trial.does.writes(),
            Touches::Mixed => trial.does == Does::Mixed,
            Touches::Synced => trial.does == Does::SyncedWrite,
        }
    }

    /// Turns it: each value times `factor`, by at least one; a spindle has the next speed there is.
    pub fn turn(&self, draft: &mut Draft, factor: f64) {
        for name in self.values {
            let value = draft.get(name);
            let grain = if *name == "page" { PAGE_GRAIN_BYTES } else { 1 };
            let turned = match rounded(value as f64 / grain as f64 * factor) * grain {
                _ if *name == "rotation" => other_speed(value, factor > 1.0),
                _ if value == 0 && factor > 1.0 => from_zero(name),
                turned if turned != value => turned,
                _ if factor > 1.0 => value + grain,
                _ => value.saturating_sub(grain),
            };
            draft.set(name, turned);
        }
        // The lasting mode is never the faster one.
        if draft.get("program_time") < draft.get("program_time_fast") {
            draft.set("program_time", draft.get("program_time_fast"));
        }
    }
}

/// What a value of nothing is turned up to: a microsecond, or a fifth.
fn from_zero(name: &str) -> u64 {
    match name {
        "read_time_spread" => 200_000,
        _ => 1_000,
    }
}

/// The next higher or lower speed, or the same if there is none.
fn other_speed(rotation: u64, higher: bool) -> u64 {
    let mut speeds = ROTATIONS.into_iter();
    let found = match higher {
        true => speeds.find(|speed| *speed > rotation),
        false => speeds.rfind(|speed| *speed < rotation),
    };
    found.unwrap_or(rotation)
}

/// To three digits: nothing here is known better.
pub(super) fn rounded(value: f64) -> u64 {
    let value = value.max(0.0);
    let digits = value.max(1.0).log10().floor() as i32 + 1;
    let grain = 10f64.powi((digits - 3).max(0));
    ((value / grain).round() * grain) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::Profile;

    #[test]
    fn a_turn_always_turns_and_leaves_a_profile() {
        for (name, value, factor, turned) in [
            ("page", 16 << 10, 1.02, 20 << 10),
            ("page", 16 << 10, 0.7, 12 << 10),
            ("channels", 8, 1.02, 9),
            ("read_time", 45_000, 1.02, 45_900),
            ("turnaround_time", 0, 1.02, 1_000),
            ("read_time_spread", 0, 2.0, 200_000),
            ("page_register", 1, 0.5, 0),
            ("page_register", 0, 1.02, 1),
        ] {
            let mut draft = Draft::like(&Profile::builtin("ssd-sata").unwrap());
            draft.set(name, value);
            let knob = FLASH.iter().find(|knob| knob.values == [name]).unwrap();
            knob.turn(&mut draft, factor);
            assert_eq!(draft.get(name), turned, "{name} = {value} times {factor}");
            draft.profile("turned.toml").unwrap();
        }
    }
}
