//! Simulated disks measured as if they were real: the fit has to find a disk that does what they do.

use super::{Characteristics, Facts, FitError, Fitted, SimulatedDisk, characterise, fit};
use device::{ModelKind, Profile};
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

/// Fits a disk of which the fit has never heard.
fn fitted(name: &str, writes: bool) -> Fitted {
    let profile = Profile::builtin(name).unwrap();
    let others: Vec<_> = Profile::builtin_names()
        .filter(|other| *other != name)
        .filter_map(Profile::builtin)
        .collect();
    let fitted = fit(&facts(&profile), &measured(&profile, writes), &others).unwrap();
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
    let none = fit(&facts(&profile), &measured(&profile, false), &[]);
    assert!(matches!(none, Err(FitError::NoModel)), "{none:?}");
}

#[test]
fn the_knee_is_where_all_servers_are_busy() {
    let knee = measured(&Profile::builtin("reference-ssd").unwrap(), false).knee;
    assert_eq!(knee.depth, 8);
    assert!((knee.most_per_second / 90_711.0 - 1.0).abs() < 0.02, "{knee:?}");
}
