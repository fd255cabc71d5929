// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values that are each in their range but don't go together.

use super::error::Mistake;
use super::parameters::Parameters;
use super::schema::{FlashParameters, HardDiskParameters};
use super::units::Quantity;

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
fn expect(fits: bool, name: &'static str, value: &str, expected: String) -> Check {
    match fits {
        true => Ok(()),
        false => Err((name, Mistake::new(format!("{name} = {value}"), expected))),
    }
}

fn hard_disk(p: &HardDiskParameters) -> Check {
    let (rate, size) = (|value| Quantity::Rate.told(value), |value| Quantity::Size.told(value));
    expect(
        p.media_rate_inner <= p.media_rate_outer,
        "media_rate_inner",
        &rate(p.media_rate_inner),
        format!("at most media_rate_outer = {}", rate(p.media_rate_outer)),
    )?;
    expect(
        p.read_segments == 0 || p.read_ahead <= p.read_segment,
        "read_ahead",
        &size(p.read_ahead),
        format!("at most read_segment = {}", size(p.read_segment)),
    )?;
    seeks(p)
}

/// The seek curve must go through the three seek times and never fall (see `hdd/seek.rs`): b ≥ 0
/// bounds the average from below, and b/2 + c ≥ 0 from above.
fn seeks(p: &HardDiskParameters) -> Check {
    let time = |ns| Quantity::Time.told(ns);
    expect(
        p.seek_track <= p.seek_full,
        "seek_full",
        &time(p.seek_full),
        format!("at least seek_track = {}", time(p.seek_track)),
    )?;
    let stroke_ns = p.seek_full - p.seek_track;
    let least_ns = p.seek_track + stroke_ns.div_ceil(3);
    let greatest_ns = p.seek_track + stroke_ns * 11 / 15;
    let (least, greatest) = (time(least_ns), time(greatest_ns));
    expect(
        (least_ns..=greatest_ns).contains(&p.seek_average),
        "seek_average",
        &time(p.seek_average),
        format!("{least} to {greatest}, between seek_track and seek_full as arms move"),
    )
}

fn flash(p: &FlashParameters) -> Check {
    let size = |value| Quantity::Size.told(value);
    let time = |ns| Quantity::Time.told(ns);
    let pages = [("page", p.page), ("program_unit", p.program_unit), ("erase_unit", p.erase_unit)];
    for (name, value) in pages {
        expect(value % 4096 == 0, name, &size(value), "a multiple of 4 KiB".to_owned())?;
    }
    expect(
        p.erase_unit >= p.program_unit,
        "erase_unit",
        &size(p.erase_unit),
        format!("at least program_unit = {}", size(p.program_unit)),
    )?;
    expect(
        p.write_cache >= p.program_unit,
        "write_cache",
        &size(p.write_cache),
        format!("at least program_unit = {}", size(p.program_unit)),
    )?;
    expect(
        p.program_time_fast <= p.program_time,
        "program_time_fast",
        &time(p.program_time_fast),
        format!("at most program_time = {}", time(p.program_time)),
    )
}
