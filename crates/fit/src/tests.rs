// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulated disks measured as if they were real: the fit has to find a
//! disk that does what they do.

mod virtual_disk;

use super::characterise::steady;
use super::play::Limit;
use super::{Characteristics, Facts, FitError, Fitted, SimulatedDisk, characterise, fit};
use device::{ModelKind, Profile};
use std::cell::Cell;
use std::time::Duration;

const SPAN_BYTES: u64 = 4 << 30;
const OPERATIONS: u64 = 2_048;

fn measured(profile: &Profile, writes: bool) -> Characteristics {
    let mut disk = SimulatedDisk::new(profile, SPAN_BYTES, writes);
    let time = Duration::from_secs(1 << 30);
    characterise(&mut disk, false, time, OPERATIONS, &mut |_, _| ()).unwrap()
}

fn facts(profile: &Profile) -> Facts {
    Facts {
        description: "a disk under test".to_owned(),
        capacity_bytes: profile.capacity_sectors() * 512,
        depth: profile.depth(),
        depth_source: "by definition".to_owned(),
        rotational: profile.rotational(),
        date: "2026-11-22".to_owned(),
    }
}

/// Fits a disk that the fit does not know.
fn fitted(name: &str, writes: bool) -> Fitted {
    let profile = Profile::builtin(name).unwrap();
    let others: Vec<_> = Profile::builtin_names()
        .filter(|other| *other != name)
        .filter_map(Profile::builtin)
        .collect();
    let fitted = fit(&facts(&profile), &measured(&profile, writes), &others, &|| false).unwrap();
    println!("{name}\n{fitted}\n{}", fitted.text);
    fitted
}

fn worst(fitted: &Fitted) -> f64 {
    fitted.compared.iter().map(|row| (row.ratio() - 1.0).abs()).fold(0.0, f64::max)
}

macro_rules! recovered {
    ($($test:ident: $name:literal as $kind:ident;)*) => { $(
        #[test]
        fn $test() {
            let fitted = fitted($name, true);
            assert_eq!(fitted.model, ModelKind::$kind);
            assert!(worst(&fitted) < 0.1, "{fitted}");
            let read = Profile::parse(&fitted.text, "found.toml").unwrap();
            assert_eq!(read.rotational(), Profile::builtin($name).unwrap().rotational());
        }
    )* };
}

recovered! {
    reference_ssd: "reference-ssd" as Simple;
    reference_flat: "reference-flat" as Simple;
    reference_hdd: "reference-hdd" as Simple;
    ssd_sata: "ssd-sata" as Flash;
    ssd_nvme: "ssd-nvme" as Flash;
    hdd_desktop_2008: "hdd-desktop-2008" as HardDisk;
}

#[test]
fn a_disk_that_may_not_be_written_to_has_its_writing_assumed() {
    let fitted = fitted("reference-ssd", false);
    assert!(fitted.compared.iter().all(|row| !row.measured.trial.does.writes()));
    let read = Profile::parse(&fitted.text, "found.toml").unwrap();
    let expected: Vec<_> = read.expectations().iter().map(|figure| figure.row.name).collect();
    assert!(expected.contains(&"random_read_depth_32"), "{expected:?}");
    assert!(!expected.contains(&"random_write_depth_32"), "{expected:?}");
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let profile = Profile::builtin("reference-ssd").unwrap();
    let mut small = SimulatedDisk::new(&profile, 1 << 20, true);
    let error = characterise(&mut small, false, Duration::from_secs(1), 64, &mut |_, _| ());
    let error = error.unwrap_err().to_string();
    assert_eq!(
        error,
        "there are 1048576 bytes of the disk to measure on; expected at least 8388608"
    );
    let none = fit(&facts(&profile), &measured(&profile, false), &[], &|| false);
    assert!(matches!(none, Err(FitError::NoModel)), "{none:?}");
}

/// Each row: the question at which the search is told to end, and how many it may ask in all.
#[test]
fn a_search_that_is_ended_gives_the_nearest_profile_until_then() {
    let profile = Profile::builtin("ssd-sata").unwrap();
    let known: Vec<_> = Profile::builtin_names().filter_map(Profile::builtin).collect();
    let known: Vec<_> = known.into_iter().filter(|other| other.name() != "ssd-sata").collect();
    let measured = measured(&profile, true);
    let mut last = f64::INFINITY;
    for (end_at, still_asks) in [(1, 60), (400, 460), (u32::MAX, u32::MAX)] {
        let asked = Cell::new(0);
        let interrupted = || {
            asked.set(asked.get() + 1);
            asked.get() >= end_at
        };
        let fitted = fit(&facts(&profile), &measured, &known, &interrupted).unwrap();
        assert!(asked.get() <= still_asks, "{} of {end_at}", asked.get());
        assert_eq!(fitted.ended_early, end_at < u32::MAX);
        assert!(Profile::parse(&fitted.text, "found.toml").is_ok(), "{}", fitted.text);
        assert!(fitted.error() <= last, "{end_at}: {} after {last}", fitted.error());
        last = fitted.error();
    }
    assert!(last < 0.1, "{last}");
}

#[test]
fn the_knee_is_where_all_servers_are_busy() {
    let knee = measured(&Profile::builtin("reference-ssd").unwrap(), false).knee;
    assert_eq!(knee.depth, 8);
    assert!((knee.most_per_second / 90_711.0 - 1.0).abs() < 0.02, "{knee:?}");
}

#[test]
fn a_figure_that_is_known_badly_does_not_pull() {
    let profile = Profile::builtin("reference-ssd").unwrap();
    let known = [Profile::builtin("reference-flat").unwrap(), profile.clone()];
    let others_are_off_by = |spread: f64| {
        let mut measured = measured(&profile, true);
        let wrong = &mut measured.figures[3];
        wrong.value /= 5.0;
        (wrong.low, wrong.high) = (wrong.value * (1.0 - spread), wrong.value * (1.0 + spread));
        let fitted = fit(&facts(&profile), &measured, &known, &|| false).unwrap();
        let mut others = fitted.compared;
        others.remove(3);
        others.iter().map(|row| row.ratio().ln().abs()).fold(0.0, f64::max)
    };
    let (unsure, sure) = (others_are_off_by(0.5), others_are_off_by(0.01));
    assert!(unsure < 0.1 && sure > 2.0 * unsure, "{unsure:.3} and {sure:.3}");
}

#[test]
fn rounds_that_differ_raise_a_doubt() {
    let mut measured = measured(&Profile::builtin("reference-ssd").unwrap(), false);
    assert_eq!(measured.doubt(), None);
    for figure in &mut measured.figures {
        (figure.low, figure.high) = (figure.value * 0.7, figure.value * 1.3);
    }
    let doubt = measured.doubt().unwrap();
    assert!(doubt.contains("differ by 30 %") && doubt.contains("--time"), "{doubt}");
}

/// Writes in a row for two seconds to a disk that takes 550 MB/s as long as there is room in its
/// fast cache or its 67 MB of memory. Behind these 16 dies program 96 KiB each in 10 ms: 157 MB/s.
fn written_in_a_row(fast_cache: &str) -> super::Steady {
    let mut profile = Profile::builtin("ssd-sata").unwrap();
    profile.set("fast_cache", fast_cache).unwrap();
    profile.set("program_time", "10ms").unwrap();
    let mut disk = SimulatedDisk::new(&profile, SPAN_BYTES, true);
    let limit = Limit { time: Duration::from_secs(2), operations: u64::MAX };
    steady(&mut disk, limit).unwrap()
}

#[test]
fn the_end_of_a_write_cache_is_found() {
    let endless = written_in_a_row("42GB");
    assert_eq!(endless.fell_after_bytes, None, "{endless:?}");
    assert!((endless.last / endless.first - 1.0).abs() < 0.05, "{endless:?}");
    for fast_mb in [300.0, 600.0] {
        let found = written_in_a_row(&format!("{fast_mb}MB"));
        assert!((found.first / 550e6 - 1.0).abs() < 0.02, "{found:?}");
        assert!((found.last / 157.3e6 - 1.0).abs() < 0.02, "{found:?}");
        // The memory fills while it is emptied. The pace is told for a
        // twentieth of the time: 55 MB.
        let fall_mb = fast_mb + 67.0 * 550.0 / (550.0 - 157.3);
        let found_mb = found.fell_after_bytes.unwrap() as f64 / 1e6;
        assert!((found_mb - fall_mb).abs() < 55.0, "{found_mb} for {fall_mb}: {found:?}");
    }
}
