// SPDX-License-Identifier: MIT OR Apache-2.0
//! The models against the published figures: each built-in profile is measured and held against
//! its own `[expect]`.

use device::measure::Measurement;
use device::{Profile, Tolerance};

/// What a profile has to say about its disk at least.
const NEEDED: [&str; 5] = [
    "sequential_read_outer",
    "sequential_read_inner",
    "random_read_depth_1",
    "random_read_depth_32",
    "random_read_latency",
];

/// Measures all that the profile expects; gives back a line for each figure that is off.
fn figures_off(name: &str) -> Vec<String> {
    let profile = Profile::builtin(name).unwrap_or_else(|| panic!("{name} is built in"));
    for needed in NEEDED {
        let expected = profile.expectations().iter().any(|figure| figure.row.name == needed);
        assert!(expected, "{name} says what to expect of {needed}");
    }
    let figures = profile.expectations().iter();
    let lines = figures.filter_map(|figure| {
        let measurement = Measurement::named(figure.row.name)?;
        let modelled = measurement.take(&profile);
        let percent = match figure.tolerance {
            Tolerance::Exact => 0,
            Tolerance::Percent(percent) => u64::from(percent),
        };
        let line = format!(
            "{name}: {} = {modelled}, expected {} within {percent} %",
            figure.row.name, figure.value
        );
        println!("{line}");
        (modelled.abs_diff(figure.value) * 100 > figure.value * percent).then_some(line)
    });
    lines.collect()
}

macro_rules! profile_tests {
    ($($test:ident: $name:literal;)*) => {
        $(
            #[test]
            fn $test() {
                assert_eq!(figures_off($name), Vec::<String>::new());
            }
        )*

        #[test]
        fn each_built_in_profile_has_a_test() {
            assert_eq!(Profile::builtin_names().collect::<Vec<_>>(), [$($name),*]);
        }
    };
}

profile_tests! {
    reference_flat: "reference-flat";
    reference_hdd: "reference-hdd";
    reference_ssd: "reference-ssd";
    hdd_desktop_2008: "hdd-desktop-2008";
    hdd_laptop_2007: "hdd-laptop-2007";
    hdd_desktop: "hdd-desktop";
    ssd_sata: "ssd-sata";
    ssd_nvme: "ssd-nvme";
}
