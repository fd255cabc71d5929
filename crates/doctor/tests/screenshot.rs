// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture of `docs/doctor.md`: what is said of a made-up machine, as SVG.
//! `BFQ_WRITE_DOCS=1 cargo test -p bfq-doctor --test screenshot` draws it.

#[allow(dead_code, reason = "not every test uses all of it")]
mod fixture;
#[path = "../../live/tests/svg/mod.rs"]
mod svg;

use doctor::{Machine, Report};
use fixture::machine::Fixture;
use svg::{Look, assert_is_the_picture, svg};

/// A database whose weight is lost twice: on the way to bfq's file, and beside the sessions.
fn machine() -> Fixture {
    let machine = Fixture::healthy();
    machine.group("system.slice/batch.service", 100);
    for group in ["system.slice/batch.service", "user.slice"] {
        machine.uses(group, "8:0");
    }
    let unit = "[Service]\nExecStart=/usr/bin/db\nIOWeight=800\n";
    machine.file("etc/systemd/system/db.service", unit);
    machine.group_file("system.slice/db.service", "io.weight", "default 800");
    machine
}

#[test]
fn the_picture_in_the_documentation_is_what_the_doctor_says() {
    let report = Report::of(&Machine::read(&machine().host(), &["sda".into()]).unwrap());
    let bold = |line: &str| line.starts_with("$ ") || line.starts_with("1.");
    let line = |line: &str| -> Vec<(String, Look)> {
        let look = Look { is_bold: bold(line), ..Look::default() };
        line.chars().map(|letter| (letter.to_string(), look)).collect()
    };
    let text = format!("$ bfq doctor sda\n{report}");
    let lines: Vec<_> = text.lines().map(line).collect();
    let how = "cargo test -p bfq-doctor --test screenshot";
    assert_is_the_picture("doctor.svg", &svg(&lines), how);
}
