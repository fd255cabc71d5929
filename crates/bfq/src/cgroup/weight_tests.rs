// SPDX-License-Identifier: MIT OR Apache-2.0
//! What users write as weights, and what they read: every row of spec 6.3.

use super::weight::{
    DeviceNumber, DeviceStatus, GroupWeights,
    WeightChange::{self, Default, Override, Remove},
    WeightFile::{self, Bfq, BfqPlain, Generic},
    WeightWriteError,
};
use crate::Weight;
use std::string::ToString;

const SDA: DeviceNumber = DeviceNumber { major: 8, minor: 0 };
const NVME: DeviceNumber = DeviceNumber { major: 259, minor: 0 };
const OF_KYBER: DeviceNumber = DeviceNumber { major: 8, minor: 16 };

fn status(device: DeviceNumber) -> DeviceStatus {
    match device {
        SDA | NVME => DeviceStatus::Scheduled,
        OF_KYBER => DeviceStatus::ScheduledByOther,
        _ => DeviceStatus::Missing,
    }
}

fn default(weight: u32) -> WeightChange {
    Default(Weight::of(weight))
}

fn own(device: DeviceNumber, weight: u32) -> WeightChange {
    Override(device, Weight::of(weight))
}

/// What was written: the change, or the name of the error code.
fn written(file: WeightFile, text: &str) -> Result<WeightChange, &'static str> {
    let mut weights = GroupWeights::new();
    let written = weights.write(file, text, status).map_err(|error| error.code());
    if written.is_err() {
        assert_eq!(weights.to_string(), "default 100\n", "{text:?} changed something");
    }
    written
}

#[test]
fn the_grammar_of_the_files_with_overrides() {
    for (text, expected) in [
        ("1", Ok(default(1))),
        ("1000", Ok(default(1000))),
        (" \t300 \n", Ok(default(300))),
        ("0x64", Ok(default(100))),
        ("0X64", Ok(default(100))),
        ("0144", Ok(default(100))),
        ("+7", Ok(default(7))),
        ("0", Err("ERANGE")),
        ("00", Err("ERANGE")),
        ("1001", Err("ERANGE")),
        ("0x3e9", Err("ERANGE")),
        ("18446744073709551616", Err("ERANGE")),
        ("", Err("ERANGE")),
        ("\n", Err("ERANGE")),
        ("-1", Err("EINVAL")),
        ("0x", Err("EINVAL")),
        ("08", Err("EINVAL")),
        ("100 200", Err("EINVAL")),
        ("100x", Err("EINVAL")),
        ("abc", Err("EINVAL")),
        ("default 300", Ok(default(300))),
        ("default\t0300", Ok(default(300))),
        ("default 300 and more", Ok(default(300))),
        ("default 300x", Ok(default(300))),
        ("default 0", Err("ERANGE")),
        ("default 0x64", Err("ERANGE")),
        ("default 1001", Err("ERANGE")),
        ("default", Err("EINVAL")),
        ("default x", Err("EINVAL")),
        ("default300", Err("EINVAL")),
        ("8:0 200", Ok(own(SDA, 200))),
        ("  8:0   200 \n", Ok(own(SDA, 200))),
        ("259:0 1", Ok(own(NVME, 1))),
        ("8:0 0200", Ok(own(SDA, 200))),
        ("8:0 200 and more", Ok(own(SDA, 200))),
        ("8:0 200x", Ok(own(SDA, 200))),
        ("8:0 1000", Ok(own(SDA, 1000))),
        ("8:0 1001", Err("ERANGE")),
        ("8:0 default", Ok(Remove(SDA))),
        ("8:0 default\n", Ok(Remove(SDA))),
        ("8:0 0", Ok(Remove(SDA))),
        ("8:0 0x64", Ok(Remove(SDA))),
        ("8:0", Err("EINVAL")),
        ("8:0 ", Err("EINVAL")),
        ("8:0 x", Err("EINVAL")),
        ("8:0 -1", Err("EINVAL")),
        ("8:0 defaults", Err("EINVAL")),
        ("8: 100", Err("EINVAL")),
        (":0 100", Err("EINVAL")),
        ("8:0x 100", Err("EINVAL")),
        ("8:+0 100", Err("EINVAL")),
        ("4294967296:0 100", Err("EINVAL")),
        ("8:1 100", Err("ENODEV")),
        ("8:1 default", Err("ENODEV")),
        ("8:16 100", Err("EOPNOTSUPP")),
        ("8:16 0", Err("EOPNOTSUPP")),
    ] {
        assert_eq!(written(Bfq, text), expected, "{text:?}");
    }
}

#[test]
fn the_generic_file_goes_to_ten_thousand() {
    for (text, expected) in [
        ("10000", Ok(default(10_000))),
        ("10001", Err("ERANGE")),
        ("0", Err("ERANGE")),
        ("default 10000", Ok(default(10_000))),
        ("8:0 10000", Ok(own(SDA, 10_000))),
        ("8:0 10001", Err("ERANGE")),
        ("8:0 default", Ok(Remove(SDA))),
        ("8:16 100", Err("EOPNOTSUPP")),
    ] {
        assert_eq!(written(Generic, text), expected, "{text:?}");
    }
}

#[test]
fn the_plain_file_takes_a_number() {
    for (text, expected) in [
        ("500\n", Ok(default(500))),
        ("0x10", Ok(default(16))),
        ("0", Err("ERANGE")),
        ("1001", Err("ERANGE")),
        ("", Err("EINVAL")),
        ("default 500", Err("EINVAL")),
        ("8:0 500", Err("EINVAL")),
    ] {
        assert_eq!(written(BfqPlain, text), expected, "{text:?}");
    }
}

#[test]
fn a_weight_as_it_is_written_and_read() {
    let mut weights = GroupWeights::new();
    // File, what is written, what is read then, and what holds on the two disks.
    for (file, text, read, effective) in [
        (Bfq, "200", "default 200\n", [200, 200]),
        (Bfq, "259:0 50", "default 200\n259:0 50\n", [200, 50]),
        (Bfq, "8:0 70", "default 200\n8:0 70\n259:0 50\n", [70, 50]),
        // Overrides stay (spec 10.2, row 9).
        (Bfq, "default 300", "default 300\n8:0 70\n259:0 50\n", [70, 50]),
        (Bfq, "8:0 80", "default 300\n8:0 80\n259:0 50\n", [80, 50]),
        // And when they go, the default counts again, at once.
        (Bfq, "8:0 default", "default 300\n259:0 50\n", [300, 50]),
        (Bfq, "8:0 0", "default 300\n259:0 50\n", [300, 50]),
        (BfqPlain, "400", "default 400\n259:0 50\n", [400, 50]),
        (Generic, "259:0 10000", "default 400\n259:0 10000\n", [400, 10_000]),
        (Generic, "5000", "default 5000\n259:0 10000\n", [5000, 10_000]),
        (Bfq, "259:0 0", "default 5000\n", [5000, 5000]),
        // Devices are shown in their order, whichever came first.
        (Bfq, "8:0 90", "default 5000\n8:0 90\n", [90, 5000]),
        (Bfq, "259:0 60", "default 5000\n8:0 90\n259:0 60\n", [90, 60]),
        (Generic, "259:0 default", "default 5000\n8:0 90\n", [90, 5000]),
    ] {
        weights.write(file, text, status).expect(text);
        assert_eq!(weights.to_string(), read, "after {text:?}");
        assert_eq!([SDA, NVME].map(|disk| weights.effective(disk)), effective, "after {text:?}");
    }
    weights.write(Bfq, "8:0 70", status).expect("a disk of ours");
    weights.remove_override(SDA);
    weights.remove_override(OF_KYBER);
    assert_eq!(weights.to_string(), "default 5000\n", "the disk has gone");
}

#[test]
fn errors_say_what_was_expected() {
    for (text, message) in [
        ("8:0 2000", "weight 2000 is out of range: expected 1 to 1000"),
        ("8:1 20", "there is no disk 8:1"),
        ("8:16 20", "the disk 8:16 is not scheduled by bfq"),
    ] {
        let error: WeightWriteError = GroupWeights::new().write(Bfq, text, status).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
