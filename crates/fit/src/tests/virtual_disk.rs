// SPDX-License-Identifier: MIT OR Apache-2.0
//! A real disk to test the fit on: the figures of a virtual disk that were measured once.
//!
//! They are those of `bfq bench --fit my.toml --time 60s` on 2026-11-22, Linux 6.18: a file of 4.3
//! GB on a fast virtual NVMe disk behind a loop device (`losetup --direct-io=on`), in a virtual
//! machine with two processors that had nothing else to do. Nine rounds over the first 1.1 GB.

use crate::{Characteristics, Facts, Fitted, Knee, Measured, Steady, Trial, fit};
use device::{Profile, Quantity};

/// The trial, its median in MB/s or I/Os a second, half of what lies between the rounds in percent
/// of that, and the times of an operation that half of them and 99 of 100 do
/// not take, in microseconds.
#[rustfmt::skip]
const FIGURES: [(&str, f64, f64, f64, f64); 16] = [
    ("sequential_read_outer",    1390.1,  4.4, 2988.2, 4215.7),
    ("sequential_read_small",   10255.0,  9.8,   87.5,  351.0),
    ("random_read_depth_1",     10234.0,  9.0,   88.4,  217.9),
    ("random_read_depth_2",     18600.0,  5.2,  102.0,  349.3),
    ("random_read_depth_4",     31917.0,  6.3,  118.3,  394.4),
    ("random_read_depth_8",     51212.0, 10.6,  151.1,  264.7),
    ("random_read_depth_16",    71228.0,  6.0,  207.8,  422.9),
    ("random_read_depth_32",    88636.0, 10.4,  329.7,  730.5),
    ("random_read_depth_64",   100873.0,  8.2,  583.4, 1417.4),
    ("random_read_depth_128",  107195.0, 10.0, 1190.2, 3667.4),
    ("mixed_depth_32",          64518.0,  0.6,  480.4,  866.2),
    ("random_write_depth_1",    10262.0,  5.9,   83.7,  264.5),
    ("random_write_depth_32",   57861.0,  2.7,  545.2,  820.5),
    ("random_write_depth_128",  78118.0,  2.0, 1728.8, 2635.7),
    ("synced_write_depth_1",     3103.0,  5.5,  313.6,  900.0),
    ("sequential_write_outer",   2502.0,  0.5, 1669.8, 2147.1),
];

fn characteristics() -> Characteristics {
    let figures = FIGURES.iter().map(|(name, value, spread_percent, half_us, most_us)| {
        let trial = Trial::named(name).unwrap();
        let unit = if trial.quantity() == Quantity::Rate { 1e6 } else { 1.0 };
        let ns = |us: f64| (us * 1e3) as u64;
        Measured {
            trial,
            value: value * unit,
            low: value * unit * (1.0 - spread_percent / 100.0),
            high: value * unit * (1.0 + spread_percent / 100.0),
            latency_ns: ns(*half_us),
            latency_99_ns: ns(*most_us),
        }
    });
    Characteristics {
        span_bytes: 1 << 30,
        rounds: 9,
        figures: figures.collect(),
        knee: Knee { depth: 64, most_per_second: 107_195.0 },
        steady: Some(Steady {
            bytes: 29_220_000_000,
            first: 2.454e9,
            last: 2.43e9,
            fell_after_bytes: None,
        }),
    }
}

fn fitted() -> Fitted {
    let facts = Facts {
        description: "a virtual disk behind a loop device".to_owned(),
        capacity_bytes: 4 << 30,
        depth: 128,
        depth_source: "requests that the kernel has for a queue of it".to_owned(),
        rotational: true,
        date: "2026-11-22".to_owned(),
    };
    let known: Vec<_> = Profile::builtin_names().filter_map(Profile::builtin).collect();
    fit(&facts, &characteristics(), &known, &|| false).unwrap()
}

#[test]
fn a_virtual_disk_is_met_as_well_as_the_documentation_says() {
    let fitted = fitted();
    println!("{fitted}\n{}", fitted.text);
    let off = fitted.compared.iter().filter(|row| (row.ratio() - 1.0).abs() > 0.1).count();
    assert!(fitted.error() < 0.065 && off <= 2, "{fitted}");
}
