// SPDX-License-Identifier: MIT OR Apache-2.0
//! The modelled disk on which a trace is replayed if none is named: the one in which the trace's
//! requests take nearest to the time that they took.

use super::error::WhatIfError;
use base::SECTOR_BYTES;
use device::{ModelKind, Profile};
use fit::{Likeness, Traced, by_likeness};
use std::fmt::Write;

/// From this factor on, the nearest disk is not near.
const FAR: f64 = 2.0;

/// The modelled disk that is nearest to a recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The disk, as [`devices`](crate::devices) names it.
    pub device: String,
    /// Why it is taken, in a sentence.
    pub reason: String,
}

/// The nearest of the built-in disks that are modelled after real ones. Those that are smaller than
/// the recorded disk get its size.
///
/// # Errors
/// If the trace does not say how long anything took.
pub(super) fn nearest(name: &str, times: Vec<Traced>) -> Result<Nearest, WhatIfError> {
    let ends = times.iter().map(|request| request.sector.saturating_add(request.sectors.into()));
    let end_sector = ends.max().unwrap_or(0);
    let builtin = Profile::builtin_names().filter_map(Profile::builtin);
    let of_real_ones = builtin.filter(|profile| profile.model() != ModelKind::Simple);
    let large_enough = of_real_ones.map(|profile| enlarged(profile, end_sector)).collect();
    let found = by_likeness(large_enough, times);
    let Some((first, others)) = found.split_first() else {
        return Err(WhatIfError::NoTimes { name: name.to_owned() });
    };
    let values = first.profile.overrides().iter().map(|(value, text)| format!(":{value}={text}"));
    let device = std::iter::once(first.profile.name().to_owned()).chain(values).collect();
    Ok(Nearest { device, reason: reason(name, first, others) })
}

/// A disk that has all sectors before `end_sector`: with a larger capacity, if it can have that.
fn enlarged(mut profile: Profile, end_sector: u64) -> Profile {
    if profile.capacity_sectors() < end_sector {
        let mebibytes = end_sector.div_ceil((1 << 20) / SECTOR_BYTES);
        // What it cannot have stands in the error of the replay.
        let _ = profile.set("capacity", &format!("{mebibytes}MiB"));
    }
    profile
}

/// Says how near the nearest disk is, beside the others.
fn reason(name: &str, first: &Likeness, others: &[Likeness]) -> String {
    let disk = first.profile.name();
    let mut text = format!(
        "{name}: no --device is named; nearest is {disk}, on which {} requests take their recorded \
         time to within a factor of {}",
        first.compared,
        times(first)
    );
    for (place, other) in others.iter().enumerate() {
        let before = if place == 0 { " (" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{before}{} {}", other.profile.name(), times(other));
    }
    text.push_str(if others.is_empty() { "" } else { ")" });
    if first.times >= FAR {
        text.push_str("; that is not near: bfq bench --fit makes a model of your disk");
    }
    text
}

/// How many times, to two digits that count.
fn times(likeness: &Likeness) -> String {
    match likeness.times {
        times if times < 10.0 => format!("{times:.1}"),
        times => format!("{times:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Op;

    /// A read of 4 KiB that had the disk for itself and took `took_ns`.
    fn read(number: u64, took_ns: u64) -> Traced {
        let sector = number * 37 % 60 * 8_000_000;
        Traced { came_ns: number * 1_000_000_000, took_ns, op: Op::Read, sector, sectors: 8 }
    }

    #[test]
    fn slow_reads_are_those_of_a_hard_disk_which_is_as_large_as_the_recorded_one() {
        let mut times: Vec<Traced> = (0..60).map(|number| read(number, 12_000_000)).collect();
        let found = nearest("x.trace", times.clone()).unwrap();
        assert!(found.device.starts_with("hdd-"), "{found:?}");
        let beginning = format!("x.trace: no --device is named; nearest is {},", found.device);
        assert!(found.reason.starts_with(&beginning), "{found:?}");
        times.push(Traced { sector: 1 << 33, ..read(60, 12_000_000) });
        let found = nearest("x.trace", times).unwrap();
        assert!(found.device.ends_with(":capacity=4194305MiB"), "{found:?}");
    }

    #[test]
    fn without_times_there_is_no_nearest_disk() {
        let error = nearest("x.trace", Vec::new()).unwrap_err();
        assert!(error.is_usage() && error.to_string().contains("does not say how long"), "{error}");
    }
}
