// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/generated/device-profiles.md has the values that the models have. With `BFQ_WRITE_DOCS=1`
//! in the environment the test writes that page.

use super::BUILTIN;
use super::parameters::ModelKind;
use super::schema::ParameterRow;
use super::units::Quantity;
use crate::measure::table::Measurement;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Profiles of devices

What a file for `--device FILE` says: a TOML file of a model's values. Made from the tables of the
code by `BFQ_WRITE_DOCS=1 cargo test -p bfq-device documented`.

`bfq bench --fit FILE` writes one from measurements of a disk. The built-in ones are in
[crates/device/profiles](../../crates/device/profiles); `bfq list devices NAME` prints the values of
one, or of a file, for people. Copy one to begin your own; or change a few values where it is named,
as in `--device hdd-desktop:depth=1,seek_average=9ms`.

| Key | |
|---|---|
| `model` | `simple`, `hard-disk` or `flash` |
| `description` | which disk it is, in a sentence |
| `[values]` | each of the model's values, below |
| `[expect]` | what has been measured of the disk, if anything was: `cargo test -p bfq-device` compares the built-in profiles with that |

Each value, and each expectation, is a table of four keys: `value`, a number; `unit`, one of those
that are listed; `source`, a text that says where the number comes from; `tolerance`, `\"exact\"` or
`\"10 %\"`. What has a default may be left out.
";

fn documented() -> String {
    let mut text = HEAD.to_owned();
    let (name, example) = BUILTIN[2];
    let example = example.split_once("model =").map_or(example, |(_, rest)| rest);
    let _ = write!(text, "\n`{name}`:\n\n```toml\nmodel ={example}```\n");
    for model in ModelKind::ALL {
        let _ = write!(text, "\n## The values of `{}`\n\n", model.name());
        text.push_str(
            "| Name | Unit | Least | Greatest | Default | |\n|---|---|---|---|---|---|\n",
        );
        model.rows().iter().for_each(|row| text.push_str(&value(row)));
    }
    text.push_str("\n## Expectations\n\n| Name | Unit | |\n|---|---|---|\n");
    for row in Measurement::ALL.iter().map(Measurement::row) {
        let _ = writeln!(text, "| `{}` | {} | {} |", row.name, units(row.quantity), row.doc());
    }
    text
}

fn value(row: &ParameterRow) -> String {
    let written = |value| {
        let (number, unit) = row.quantity.written(value);
        match row.quantity {
            Quantity::Flag | Quantity::Count(_) => number,
            _ => format!("{number} {unit}"),
        }
    };
    let [least, greatest] = [row.least, row.greatest].map(written);
    let default = row.default.map_or_else(String::new, written);
    let (name, units, doc) = (row.name, units(row.quantity), row.doc());
    format!("| `{name}` | {units} | {least} | {greatest} | {default} | {doc} |\n")
}

fn units(quantity: Quantity) -> String {
    quantity.unit_names().replace('"', "`")
}

#[test]
fn the_values_in_the_documentation_are_those_of_the_models() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/device-profiles.md");
    if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
        std::fs::write(&path, documented()).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(there == documented(), "BFQ_WRITE_DOCS=1 cargo test -p bfq-device documented");
}
