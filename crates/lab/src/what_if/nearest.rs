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
/// the recorded disk, which has all bytes before `end_bytes`, get its size.
///
/// # Errors
/// If the trace does not say how long anything took, or no disk can be as large.
pub(super) fn nearest(
    name: &str,
    times: Vec<Traced>,
    end_bytes: u64,
) -> Result<Nearest, WhatIfError> {
    let builtin = Profile::builtin_names().filter_map(Profile::builtin);
    let of_real_ones = builtin.filter(|profile| profile.model() != ModelKind::Simple);
    let large_enough = of_real_ones.map(|profile| enlarged(name, profile, end_bytes));
    let found = by_likeness(large_enough.collect::<Result<_, _>>()?, times);
    let Some((first, others)) = found.split_first() else {
        return Err(WhatIfError::NoTimes { name: name.to_owned() });
    };
    let values = first.profile.overrides().iter().map(|(value, text)| format!(":{value}={text}"));
    let device = std::iter::once(first.profile.name().to_owned()).chain(values).collect();
    Ok(Nearest { device, reason: reason(name, first, others) })
}

/// A disk that has all bytes before `end_bytes`: with a larger capacity, if it can have that.
fn enlarged(name: &str, mut profile: Profile, end_bytes: u64) -> Result<Profile, WhatIfError> {
    check_largest(name, &profile, end_bytes)?;
    if capacity_bytes(&profile) < end_bytes {
        let mebibytes = end_bytes.div_ceil(1 << 20);
        let set = profile.set("capacity", &format!("{mebibytes}MiB"));
        debug_assert!(set.is_ok(), "a capacity goes with all other values: {set:?}");
    }
    Ok(profile)
}

/// Whether a trace that ends at `end_bytes` fits all these disks.
///
/// # Errors
/// With one that it does not fit.
pub(super) fn check_fits(
    name: &str,
    profiles: &[Profile],
    end_bytes: u64,
) -> Result<(), WhatIfError> {
    profiles.iter().try_for_each(|profile| {
        check_largest(name, profile, end_bytes)?;
        let capacity_bytes = capacity_bytes(profile);
        if end_bytes <= capacity_bytes {
            return Ok(());
        }
        Err(WhatIfError::BeyondDevice {
            name: name.to_owned(),
            needed_bytes: end_bytes,
            device: profile.name().to_owned(),
            capacity_bytes,
        })
    })
}

/// Whether a disk of that model can have all bytes before `end_bytes`.
fn check_largest(name: &str, profile: &Profile, end_bytes: u64) -> Result<(), WhatIfError> {
    let capacity = profile.model().rows().iter().find(|row| row.name == "capacity");
    match capacity.map(|row| row.greatest) {
        Some(largest_bytes) if end_bytes > largest_bytes => Err(WhatIfError::LargerThanAnyDisk {
            name: name.to_owned(),
            needed_bytes: end_bytes,
            largest_bytes,
        }),
        _ => Ok(()),
    }
}

fn capacity_bytes(profile: &Profile) -> u64 {
    profile.capacity_sectors().saturating_mul(SECTOR_BYTES)
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
        let times: Vec<Traced> = (0..60).map(|number| read(number, 12_000_000)).collect();
        let found = nearest("x.trace", times.clone(), 1 << 30).unwrap();
        assert!(found.device.starts_with("hdd-"), "{found:?}");
        let beginning = format!("x.trace: no --device is named; nearest is {},", found.device);
        assert!(found.reason.starts_with(&beginning), "{found:?}");
        for (end_bytes, expected) in
            [((1 << 42) + 4096, ":capacity=4194305MiB"), (1 << 50, ":capacity=1073741824MiB")]
        {
            let found = nearest("x.trace", times.clone(), end_bytes).unwrap();
            assert!(found.device.ends_with(expected), "{found:?}");
        }
        let error = nearest("x.trace", times, (1 << 50) + 512).unwrap_err();
        assert!(error.is_usage(), "{error}");
        let expected = "x.trace: it needs a disk of 1125899906843136 bytes; expected at most \
                        1125899906842624, the capacity of the largest disk that can be modelled";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_trace_has_to_fit_the_disks_that_are_named() {
        let disks = ["hdd-desktop", "ssd-sata"].map(|name| Profile::builtin(name).unwrap());
        let smallest_bytes = disks.iter().map(capacity_bytes).min().unwrap();
        assert!(check_fits("x.trace", &disks, smallest_bytes).is_ok());
        let error = check_fits("x.trace", &disks, smallest_bytes + 512).unwrap_err();
        assert!(error.is_usage(), "{error}");
        let expected = "x.trace: it needs a disk of 1000204886528 bytes, and ssd-sata has \
                        1000204886016; expected a larger one, as with \
                        capacity=1000204886528B in --device";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn without_times_there_is_no_nearest_disk() {
        let error = nearest("x.trace", Vec::new(), 0).unwrap_err();
        assert!(error.is_usage() && error.to_string().contains("does not say how long"), "{error}");
    }
}
