// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/generated/devices.md has the values that profiles have. With `BFQ_WRITE_DOCS=1` in the
//! environment the test writes that page.

use device::measure::Measurement;
use device::{ModelKind, ParameterRow, Profile, Quantity};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Values of devices

Made from the models' own tables by `BFQ_WRITE_DOCS=1 cargo test -p bfq-device --test documented`.

`bfq sim --device` takes a built-in profile (`bfq list devices`) or a TOML file. Behind a colon,
values may be put in place of its own: `--device ssd-sata:depth=1,spare=20%` or
`--device my-disk.toml:depth=1`; a number alone has the unit of the profile. `bfq list devices
PROFILE` prints each value of a profile with its source and tolerance.

## A profile

`bfq bench --fit my-disk.toml` writes one for a disk. This is one written by hand:

";

const EXAMPLE: &str = "\
model = \"simple\"                            # or hard-disk, or flash
description = \"One server at 80 MB/s\"

[values]                                    # all of its model; a default may be left out
depth = { value = 32, unit = \"commands\", source = \"data sheet\", tolerance = \"exact\" }
rotational = { value = 0, unit = \"flag\", source = \"assumed\", tolerance = \"exact\" }
capacity = { value = 64, unit = \"GB\", source = \"data sheet\", tolerance = \"exact\" }
servers = { value = 1, unit = \"servers\", source = \"assumed\", tolerance = \"exact\" }
base = { value = 0.12, unit = \"ms\", source = \"measured\", tolerance = \"10 %\" }
seek = { value = 0, unit = \"ms\", source = \"assumed\", tolerance = \"exact\" }
bus = { value = 80, unit = \"MB/s\", source = \"measured\", tolerance = \"5 %\" }

[expect]                                    # may be left out
sequential_read_outer = { value = 74.5, unit = \"MB/s\", source = \"review\", tolerance = \"5 %\" }
";

const EXPECT: &str = "
## What may be expected

What was measured of the real disk; tests compare the model with it.

| Figure | |
|---|---|
";

/// What there is to know of profiles, as Markdown.
fn documented() -> String {
    let mut text = format!("{HEAD}```toml\n{EXAMPLE}```\n\n");
    text.push_str(
        "Every figure has these four keys. `source` says where it is from; `tolerance`, ",
    );
    text.push_str("by how much\nreal disks may differ: `exact` or a percentage. Units:\n\n");
    for (what, quantity) in [
        ("times", Quantity::Time),
        ("sizes", Quantity::Size),
        ("rates", Quantity::Rate),
        ("the spindle", Quantity::Rotation),
        ("shares", Quantity::Share),
        ("0 or 1", Quantity::Flag),
        ("operations a second", Quantity::Frequency),
    ] {
        let _ = writeln!(text, "* {what}: {}", quantity.unit_names().replace('"', "`"));
    }
    text.push_str("* numbers of things: the things, such as `dies`\n");
    for model in ModelKind::ALL {
        let _ = write!(text, "\n## Values of model `{}`\n\n", model.name());
        text.push_str("| Value | May be | Default | |\n|---|---|---|---|\n");
        model.rows().iter().for_each(|row| text.push_str(&value(row)));
    }
    text.push_str(EXPECT);
    for row in Measurement::ALL.iter().map(Measurement::row) {
        let _ = writeln!(text, "| `{}` | {} |", row.name, row.doc());
    }
    text
}

fn value(row: &ParameterRow) -> String {
    let default = row.default.map(|value| row.quantity.written(value));
    let default = default.map_or_else(String::new, |(number, unit)| format!("{number} {unit}"));
    format!("| `{}` | {} | {default} | {} |\n", row.name, row.range(), row.doc())
}

#[test]
fn the_values_in_the_documentation_are_those_of_the_models() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/devices.md");
    if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
        std::fs::write(&path, documented()).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(there == documented(), "BFQ_WRITE_DOCS=1 cargo test -p bfq-device --test documented");
}

#[test]
fn the_profile_in_the_documentation_is_one() {
    let profile = Profile::parse(EXAMPLE, "my-disk.toml").unwrap();
    assert_eq!(profile.name(), "my-disk");
}
