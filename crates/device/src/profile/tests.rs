// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is read from a profile, and what each mistake in one is answered with.

use super::*;

/// A whole profile of the simple disk; the mistakes are made in it.
const GOOD: &str = r#"model = "simple"
description = "A disk"

[values]
depth = { value = 4, unit = "commands", source = "assumed", tolerance = "exact" }
rotational = { value = true, unit = "flag", source = "assumed", tolerance = "exact" }
capacity = { value = 1.5, unit = "GiB", source = "data sheet", tolerance = "0 %" }
servers = { value = 1, unit = "servers", source = "assumed", tolerance = "exact" }
base = { value = 0.25, unit = "ms", source = "assumed", tolerance = "20 %" }
seek = { value = 8, unit = "ms", source = "assumed", tolerance = "20 %" }
bus = { value = 100, unit = "MB/s", source = "assumed", tolerance = "20 %" }

[expect]
random_read_latency = { value = 8.29, unit = "ms", source = "computed", tolerance = "1 %" }
"#;

fn parse(text: &str) -> Result<Profile, ProfileError> {
    Profile::parse(text, "folder/my.toml")
}

#[test]
fn a_profile_keeps_what_it_was_told() {
    let profile = parse(GOOD).expect("a good profile");
    assert_eq!((profile.name(), profile.file()), ("my", "folder/my.toml"));
    assert_eq!((profile.description(), profile.model()), ("A disk", ModelKind::Simple));
    assert_eq!((profile.depth(), profile.rotational()), (4, true));
    assert_eq!(profile.capacity_sectors(), 3 << 20);
    let base = &profile.values()[4];
    assert_eq!((base.row.name, base.value), ("base", 250_000));
    assert_eq!((base.text.as_str(), base.unit.as_str()), ("0.25", "ms"));
    assert_eq!((base.source.as_str(), base.tolerance), ("assumed", Tolerance::Percent(20)));
    let [latency] = profile.expectations() else { panic!("one expectation") };
    assert_eq!((latency.row.name, latency.value), ("random_read_latency", 8_290_000));
    let Parameters::Simple(parameters) = profile.parameters() else { panic!("a simple disk") };
    assert_eq!((parameters.seek, parameters.bus), (8_000_000, 100_000_000));
}

#[test]
fn what_a_profile_need_not_give_has_its_default() {
    let register = |profile: &Profile| {
        let figure = profile.values().iter().find(|figure| figure.row.name == "page_register");
        figure.map(|figure| (figure.value, figure.source.clone())).expect("a flash disk has one")
    };
    let mut profile = Profile::builtin("ssd-sata").expect("a built-in profile");
    assert_eq!(register(&profile), (1, "not given; as it is by default".to_owned()));
    profile.set("page_register", "0").expect("a value like others");
    assert_eq!(register(&profile), (0, "override".to_owned()));
}

#[test]
fn each_mistake_has_its_line_and_what_was_expected() {
    let meant = "no value \"serves\"; did you mean `servers`?";
    let cases = [
        ("depth = {", "depth = [", 5, "", ""),
        ("model = \"simple\"\n", "", 1, "\"model\" is missing", "one of \"simple\", \"hard-disk\""),
        (
            "\"simple\"",
            "\"tape\"",
            1,
            "unknown model",
            "one of \"simple\", \"hard-disk\", \"flash\"",
        ),
        ("\"A disk\"", "7", 2, "bad \"description\"", "text between quotes"),
        ("[expect]", "[expects]", 13, "unknown key \"expects\"", "model, description, [values]"),
        ("[values]", "[[values]]", 4, "\"values\" is not a table", "the table [values]"),
        ("servers = { value = 1", "serves = { value = 1", 8, meant, ""),
        ("seek = { value = 8, unit = \"ms\"", "#", 4, "\"seek\" is missing", "{ value, unit"),
        ("unit = \"flag\", ", "", 6, "rotational has no \"unit\"", "{ value, unit, source"),
        ("20 %\" }\nseek", "20 %\", sauce = 1 }\nseek", 9, "key \"sauce\" of base", "value, unit"),
        (
            "0.25, unit = \"ms\"",
            "0.25, unit = \"MB\"",
            9,
            "\"MB\" of base",
            "\"ns\", \"us\", \"ms\"",
        ),
        ("unit = \"servers\"", "unit = \"heads\"", 8, "\"heads\" of servers", "\"servers\""),
        ("0.25,", "-0.25,", 9, "value -0.25 ms", "a multiple of 1 ns"),
        ("0.25,", "0.0000001,", 9, "value 0.0000001 ms", "a multiple of 1 ns"),
        ("0.25,", "\"0.25\",", 9, "value of base is a string", "a decimal number"),
        ("0.25,", "20000,", 9, "base = 20000 ms is out of range", "0 to 10000 ms"),
        (
            "value = 4,",
            "value = 0,",
            5,
            "depth = 0 commands is out of range",
            "1 to 65536 commands",
        ),
        ("value = true", "value = 2", 6, "value 2", "0 or 1"),
        ("\"0 %\"", "\"some\"", 7, "bad tolerance", "\"exact\" or \"N %\""),
        ("\"data sheet\"", "\"\"", 7, "bad \"source\"", "text between quotes"),
        ("random_read_latency", "latency", 14, "expectation \"latency\"", "sequential_read_outer"),
        ("8.29, unit = \"ms\"", "8.29, unit = \"IOPS\"", 14, "\"IOPS\" of random", "\"ns\""),
    ];
    for (right, wrong, line, what, expected) in cases {
        assert_eq!(GOOD.matches(right).count(), 1, "{right} is in the profile once");
        let error = parse(&GOOD.replace(right, wrong)).expect_err(wrong);
        assert_eq!(error.line, Some(line), "{wrong}: {error}");
        assert!(error.what.contains(what), "{wrong}: {error}");
        assert!(error.expected.contains(expected), "{wrong}: {error}");
    }
    let error = parse(&GOOD.replace("0.25,", "-0.25,")).expect_err("negative");
    assert_eq!(
        error.to_string(),
        "folder/my.toml:9: value -0.25 ms; expected a plain decimal number, a multiple of 1 ns"
    );
}

#[test]
fn ranges_are_told_in_the_unit_of_the_value() {
    for (argument, expected) in [
        ("ssd-sata:spare=0.5", "1 to 1000 %"),
        ("ssd-sata:write_cache=0.001953125", "0.00390625 to 1048576 MiB"),
        ("ssd-sata:write_cache=16B", "4096 to 1099511627776 B"),
        ("ssd-sata:read_time=0.05us", "0.1 to 10000000 us"),
        ("ssd-sata:depth=0", "1 to 65536 commands"),
    ] {
        let error = Profile::parse_argument(argument).expect_err(argument);
        assert_eq!(error.expected, expected, "{error}");
    }
}

#[test]
fn values_have_to_go_together() {
    for (name, setting, what, expected) in [
        ("hdd-desktop", "seek_average=14ms", "seek_average = 14 ms", "5.153334 ms to 11.061333 ms"),
        ("hdd-desktop", "seek_full=0.1ms", "seek_full = 100 us", "at least seek_track"),
        ("hdd-desktop", "media_rate_inner=300", "media_rate_inner", "at most media_rate_outer"),
        ("hdd-desktop", "read_ahead=3MiB", "read_ahead = 3 MiB", "at most read_segment"),
        ("hdd-desktop", "depth=2,seek_full=40", "seek_average = 7.4 ms", "13.486667 ms to"),
        ("ssd-nvme", "page=5000B", "page = 5 kB", "a multiple of 4 KiB"),
        ("ssd-nvme", "write_cache=4KiB", "write_cache = 4 KiB", "at least program_unit"),
        ("ssd-nvme", "erase_unit=4KiB", "erase_unit = 4 KiB", "at least program_unit"),
        ("ssd-nvme", "program_time_fast=2ms", "program_time_fast", "at most program_time"),
    ] {
        let argument = format!("{name}:{setting}");
        let error = Profile::parse_argument(&argument).expect_err(&argument);
        assert_eq!((error.file.as_str(), error.line), (argument.as_str(), None));
        assert!(error.what.contains(what), "{error}");
        assert!(error.expected.contains(expected), "{error}");
    }
    // In a file such a mistake has the line of the value at fault.
    let text = include_str!("../../profiles/hdd-desktop.toml");
    let error = parse(&text.replace("value = 15, unit = \"ms\"", "value = 0.1, unit = \"ms\""));
    let error = error.expect_err("a full stroke shorter than a track");
    let line = text.lines().position(|line| line.starts_with("seek_full")).expect("it has one");
    assert_eq!(error.line, Some(line as u32 + 1));
}

#[test]
fn values_that_go_together_are_overridden_in_any_order() {
    for (one, other) in [
        ("seek_full=40", "seek_average=20"),
        ("read_segment=64KiB", "read_ahead=32KiB"),
        ("media_rate_outer=20", "media_rate_inner=10"),
    ] {
        for overrides in [format!("{one},{other}"), format!("{other},{one}")] {
            let profile = Profile::parse_argument(&format!("hdd-desktop:{overrides}"));
            let profile = profile.unwrap_or_else(|error| panic!("{error}"));
            let set: Vec<_> = profile.overrides().iter().map(|(n, v)| format!("{n}={v}")).collect();
            assert_eq!(set.join(","), overrides);
        }
    }
}

#[test]
fn overrides_take_the_unit_of_the_profile_or_their_own() {
    let profile = Profile::parse_argument("reference-hdd:depth=1, seek=4,base=50us,rotational=0");
    let profile = profile.expect("good overrides");
    let Parameters::Simple(parameters) = profile.parameters() else { panic!("a simple disk") };
    assert_eq!((parameters.depth, parameters.rotational), (1, 0));
    assert_eq!((parameters.seek, parameters.base), (4_000_000, 50_000));
    let overrides: Vec<_> =
        profile.overrides().iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(overrides, ["depth=1", "seek=4", "base=50us", "rotational=0"]);
    assert_eq!(profile.values()[0].source, "override");
}

#[test]
fn a_bad_override_says_what_is_known_and_changes_nothing() {
    for (argument, message) in [
        (
            "reference-ssd:detph=3",
            "reference-ssd:detph=3: a simple disk has no value \"detph\"; did you mean `depth`?",
        ),
        (
            "reference-ssd:x=3",
            "reference-ssd:x=3: a simple disk has no value \"x\"; there are: depth, \
             rotational, capacity, servers, base, seek, bus",
        ),
        (
            "reference-ssd:seek=3MB",
            "reference-ssd:seek=3MB: unit \"MB\"; expected \"ns\", \"us\", \"ms\", \"s\", \"m\", \
             \"h\"",
        ),
        (
            "reference-ssd:seek=fast",
            "reference-ssd:seek=fast: value \"fast\"; expected a number that is not negative, \
             alone or with a unit: \"ns\", \"us\", \"ms\", \"s\", \"m\", \"h\"",
        ),
        (
            "reference-ssd:depth=-1",
            "reference-ssd:depth=-1: value \"-1\"; expected a number that is not negative, \
             alone or with a unit: \"commands\"",
        ),
        (
            "reference-ssd:rotational=yes",
            "reference-ssd:rotational=yes: value yes; expected 0 or 1",
        ),
        ("reference-ssd:depth", "reference-ssd:depth: \"depth\"; expected NAME=VALUE"),
        ("reference-ssd:depth=1,seek", "reference-ssd:depth=1,seek: \"seek\"; expected NAME=VALUE"),
        (
            "ssd-stata",
            "ssd-stata: no such device profile, and no file NAME.toml; did you mean `ssd-sata`?",
        ),
        (
            "tape",
            "tape: no such device profile, and no file NAME.toml; there are: \
             reference-flat, reference-hdd, reference-ssd, hdd-desktop-2008, hdd-laptop-2007, \
             hdd-desktop, ssd-sata, ssd-nvme",
        ),
    ] {
        let error = Profile::parse_argument(argument).expect_err(argument);
        assert_eq!(error.to_string(), message);
    }
    let mut profile = Profile::builtin("hdd-desktop").expect("built in");
    let before = profile.clone();
    assert!(profile.set("seek_average", "14ms").is_err());
    assert!(profile.set_all("depth=3,seek_average=14ms").is_err());
    assert!(profile.set_all("depth=3,seek_average").is_err());
    assert_eq!(profile, before);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let error = Profile::parse_argument("no/such/disk.toml:depth=3").expect_err("no such file");
    assert_eq!((error.file.as_str(), error.line), ("no/such/disk.toml", None));
    assert!(error.what.starts_with("cannot be read: "), "{error}");
}

#[test]
fn built_in_profiles_are_good_and_say_where_their_numbers_come_from() {
    for (name, text) in BUILTIN {
        let profile = Profile::parse(text, &format!("{name}.toml"));
        let profile = profile.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(profile.name(), *name);
        for figure in profile.values().iter().chain(profile.expectations()) {
            let Figure { row, source, .. } = figure;
            assert!(source.len() > 5, "{name}: {} from \"{source}\"", row.name);
            assert!(!row.doc().is_empty() && !row.doc().starts_with(' '));
        }
    }
}
