// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values that are each in their range but don't go together.

use super::error::Mistake;
use super::parameters::Parameters;
use super::schema::{FlashParameters, HardDiskParameters};

/// The name of a value that doesn't fit, and what was expected.
type Check = Result<(), (&'static str, Mistake)>;

pub(super) fn parameters(parameters: &Parameters) -> Check {
    match parameters {
        Parameters::Simple(_) => Ok(()),
        Parameters::HardDisk(parameters) => hard_disk(parameters),
        Parameters::Flash(parameters) => flash(parameters),
    }
}

/// Passes if `fits`; else the value of `name` is at fault.
fn expect(fits: bool, name: &'static str, value: u64, unit: &str, expected: String) -> Check {
    match fits {
        true => Ok(()),
        false => Err((name, Mistake::new(format!("{name} = {value} {unit}"), expected))),
    }
}

fn hard_disk(p: &HardDiskParameters) -> Check {
    expect(
        p.media_rate_inner <= p.media_rate_outer,
        "media_rate_inner",
        p.media_rate_inner,
        "B/s",
        format!("at most media_rate_outer = {} B/s", p.media_rate_outer),
    )?;
    expect(
        p.read_segments == 0 || p.read_ahead <= p.read_segment,
        "read_ahead",
        p.read_ahead,
        "B",
        format!("at most read_segment = {} B", p.read_segment),
    )?;
    seeks(p)
}

/// The seek curve must go through the three seek times and never fall (see `hdd/seek.rs`): b ≥ 0
/// bounds the average from below, and b/2 + c ≥ 0 from above.
fn seeks(p: &HardDiskParameters) -> Check {
    expect(
        p.seek_track <= p.seek_full,
        "seek_full",
        p.seek_full,
        "ns",
        format!("at least seek_track = {} ns", p.seek_track),
    )?;
    let stroke_ns = p.seek_full - p.seek_track;
    let least_ns = p.seek_track + stroke_ns.div_ceil(3);
    let greatest_ns = p.seek_track + stroke_ns * 11 / 15;
    expect(
        (least_ns..=greatest_ns).contains(&p.seek_average),
        "seek_average",
        p.seek_average,
        "ns",
        format!("{least_ns} to {greatest_ns} ns, between seek_track and seek_full as arms move"),
    )
}

fn flash(p: &FlashParameters) -> Check {
    let pages = [("page", p.page), ("program_unit", p.program_unit), ("erase_unit", p.erase_unit)];
    for (name, value) in pages {
        expect(value % 4096 == 0, name, value, "B", "a multiple of 4096 B".to_owned())?;
    }
    expect(
        p.erase_unit >= p.program_unit,
        "erase_unit",
        p.erase_unit,
        "B",
        format!("at least program_unit = {} B", p.program_unit),
    )?;
    expect(
        p.write_cache >= p.program_unit,
        "write_cache",
        p.write_cache,
        "B",
        format!("at least program_unit = {} B", p.program_unit),
    )?;
    expect(
        p.program_time_fast <= p.program_time,
        "program_time_fast",
        p.program_time_fast,
        "ns",
        format!("at most program_time = {} ns", p.program_time),
    )
}
