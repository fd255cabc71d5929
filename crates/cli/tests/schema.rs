// SPDX-License-Identifier: MIT OR Apache-2.0
//! The published schemas of the command's JSON (`docs/schema`) are those of its types, and real
//! output is as they say. `BFQ_WRITE_DOCS=1 cargo test -p bfq-cli --test schema` writes them.

#[path = "../../doctor/tests/fixture/mod.rs"]
#[allow(dead_code, reason = "not every test uses all of it")]
mod fixture;
#[path = "../../top/tests/recorded/mod.rs"]
mod recorded;

use bench::model::METRICS;
use jsonschema::Validator;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// One of them: the name of its file, what it is of, and how it is made.
struct Published {
    name: &'static str,
    title: &'static str,
    made: fn() -> Value,
}

const SCHEMAS: [Published; 7] = [
    Published {
        name: "results",
        title: "Results of bfq sim, bfq run and bfq report as JSON",
        made: of::<report::Results>,
    },
    Published {
        name: "explanation",
        title: "What bfq explain says of a job, as JSON",
        made: of::<explain::Explanation>,
    },
    Published {
        name: "overview",
        title: "What bfq explain says of a recording without a job, as JSON",
        made: of::<explain::Overview>,
    },
    Published {
        name: "bench",
        title: "A line of the file that bfq bench --output makes",
        made: of::<bench::model::ResultLine>,
    },
    Published {
        name: "verdict",
        title: "What bfq bench says of a disk, as JSON",
        made: of::<bench::verdict::ProgramVerdict>,
    },
    Published {
        name: "diagnosis",
        title: "What bfq doctor says of a machine, as JSON",
        made: of::<doctor::Report>,
    },
    Published {
        name: "top",
        title: "A line of what bfq top --json says",
        made: of::<live::Snapshot>,
    },
];

/// The schema of what a type writes.
fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of that name, with its title.
fn schema(name: &str) -> Value {
    let published = SCHEMAS.iter().find(|published| published.name == name).unwrap();
    let mut schema = (published.made)();
    schema["title"] = published.title.into();
    if let Some(values) = schema.pointer_mut("/$defs/Measurement/properties/values") {
        let units = METRICS.iter().map(|metric| format!("{} ({})", metric.name, metric.unit));
        let units = units.collect::<Vec<_>>().join(", ");
        values["description"] = format!("The figures of the scenario: {units}.").into();
    }
    schema
}

/// As it is published, but that a key which it does not list is a mistake: readers have to be ready
/// for new ones, documents must have all.
fn closed(name: &str) -> Validator {
    fn close(schema: &mut Value) {
        match schema {
            Value::Object(object) => {
                object.values_mut().for_each(close);
                let lists_keys = object.get("properties").is_some_and(Value::is_object);
                if lists_keys && object.get("type").is_some_and(|kind| kind == "object") {
                    object.entry("additionalProperties").or_insert(Value::Bool(false));
                }
            }
            Value::Array(list) => list.iter_mut().for_each(close),
            _ => {}
        }
    }
    let mut schema = schema(name);
    close(&mut schema);
    jsonschema::validator_for(&schema).unwrap()
}

/// That a value is as a schema says, or where and how it is not.
fn assert_valid(validator: &Validator, value: &Value, what: &str) {
    let mistakes: Vec<_> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error:.300}", error.instance_path()))
        .collect();
    assert!(mistakes.is_empty(), "{what}: {mistakes:#?}");
}

#[test]
fn the_published_schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    for Published { name, .. } in SCHEMAS {
        let path = folder.join(format!("{name}.schema.json"));
        let expected = serde_json::to_string_pretty(&schema(name)).unwrap() + "\n";
        if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
            fs::write(&path, expected).unwrap();
            continue;
        }
        let there = fs::read_to_string(&path).unwrap_or_default();
        assert!(there == expected, "BFQ_WRITE_DOCS=1 cargo test -p bfq-cli --test schema");
    }
}

const JOB: &str = "\
[global]
direct=1
runtime=2
bs=64k

[reader]
rw=randread
size=64m
cgroup=a
cgroup_weight=300
percentile_list=50:99

[writer]
rw=write
size=64m
fsync=8
cgroup=b

[copy]
rw=read
direct=0
size=16m
startdelay=100ms
";

/// What `bfq` prints as JSON, in a folder with a job file and a recording.
fn json(arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("job.fio"), JOB).unwrap();
    fs::write(folder.path().join("real.fio"), JOB.split("[copy]").next().unwrap()).unwrap();
    fs::write(folder.path().join("sda.rec"), recorded::recording()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bfq"))
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn simulated_results_are_as_the_schema_says() {
    let validator = closed("results");
    for scheduler in ["bfq", "bfq:detailed_statistics=1,none", "all"] {
        let arguments = ["sim", "job.fio", "--device", "hdd-desktop,ssd-sata:depth=4"];
        let rest = ["--scheduler", scheduler, "--timeline", "100", "--output-format", "json"];
        let results = json(&[&arguments[..], &rest].concat());
        assert!(results["runs"][0]["plots"]["timeline"].is_object(), "{scheduler}");
        assert_valid(&validator, &results, scheduler);
    }
}

#[test]
fn judged_results_are_as_the_schema_says() {
    let arguments = ["sim", "real.fio", "--fair", "--scheduler", "bfq,none"];
    let results = json(&[&arguments[..], &["--output-format", "json"]].concat());
    assert!(results["runs"][1]["fairness"]["worst"].is_number());
    assert_valid(&closed("results"), &results, "sim --fair");
}

#[test]
fn real_results_are_as_the_schema_says() {
    let validator = closed("results");
    let arguments = ["run", "real.fio", "--target", "scratch", "--size", "128m"];
    let rest = ["--scheduler", "bfq,none", "--output-format", "json"];
    let results = json(&[&arguments[..], &rest].concat());
    assert_eq!(results["mode"], "run");
    assert_valid(&validator, &results, "run");
}

#[test]
fn explanations_are_as_the_schema_says() {
    let explained = json(&[
        "explain",
        "job.fio",
        "--job",
        "reader",
        "--slowest",
        "3",
        "--output-format",
        "json",
    ]);
    assert!(explained["slowest"].as_array().is_some_and(|list| list.len() == 3));
    assert_valid(&closed("explanation"), &explained, "explain");
    let of_recording = ["explain", "--recording", "sda.rec", "--output-format", "json"];
    let overview = json(&of_recording);
    assert_valid(&closed("overview"), &overview, "explain --recording");
    let of_job = json(&[&of_recording[..], &["--job", "reader"]].concat());
    assert_valid(&closed("explanation"), &of_job, "explain --recording --job");
}

#[test]
fn lines_of_bench_are_as_the_schema_says() {
    let validator = closed("bench");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/testdata/runs");
    let mut lines = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let value = serde_json::from_str(line).unwrap();
            assert_valid(&validator, &value, &format!("{}: {line:.80}", path.display()));
            lines += 1;
        }
    }
    assert!(lines > 100, "{lines}");
}

#[test]
fn verdicts_of_bench_are_as_the_schema_says() {
    let validator = closed("verdict");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/testdata/runs");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.to_str().unwrap();
        let verdict = json(&["bench", "--import", file, "--goal", "desktop", "--json"]);
        assert_eq!(verdict["goals"][0]["goal"], "desktop");
        assert!(verdict["comparisons"][0]["effect"].is_number(), "{file}");
        assert!(verdict["figures"][0]["median"].is_number(), "{file}");
        assert_valid(&validator, &verdict, file);
    }
}

#[test]
fn diagnoses_are_as_the_schema_says() {
    let validator = closed("diagnosis");
    for case in &fixture::cases::CASES {
        let machine = (case.machine)();
        let report = doctor::Report::of(&doctor::Machine::read(&machine.host(), &[]).unwrap());
        assert_valid(&validator, &serde_json::from_str(&report.to_json()).unwrap(), case.rule);
    }
    let output =
        Command::new(env!("CARGO_BIN_EXE_bfq")).args(["doctor", "--json"]).output().unwrap();
    if String::from_utf8_lossy(&output.stderr).contains("this machine has no disk") {
        eprintln!("skipped: this machine has no disk");
        return;
    }
    assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
    let said = serde_json::from_slice(&output.stdout).unwrap();
    assert_valid(&validator, &said, "this machine");
}

#[test]
fn lines_of_top_are_as_the_schema_says() {
    let run = explain::RecordedRun::read(recorded::recording()).unwrap();
    let with_reasons = live::DiskFigures {
        activity: Some(run.activity(8, "test")),
        processes: vec![live::ProcessFigures::default()],
        groups: vec![live::GroupFigures::default()],
        ..live::DiskFigures::default()
    };
    let without = live::DiskFigures {
        no_reasons: Some("its scheduler is none".to_owned()),
        ..live::DiskFigures::default()
    };
    let snapshot =
        live::Snapshot { disks: vec![with_reasons, without], ..live::Snapshot::default() };
    let line: Value = serde_json::from_str(&snapshot.to_json()).unwrap();
    let activity = &line["disks"][0]["activity"];
    assert_eq!(activity["holders"][0]["who"], "reader");
    assert!(activity["programs"][0]["causes"][0]["ns"].is_number(), "{activity}");
    assert_valid(&closed("top"), &line, "top");
}

/// A schema that everything fits would say nothing.
#[test]
fn what_is_wrong_does_not_fit() {
    let validator = closed("results");
    let arguments = ["sim", "job.fio", "--scheduler", "none", "--output-format", "json"];
    let results = json(&arguments);
    assert_valid(&validator, &results, "as it is");
    let spoilt: [(&str, Value); 5] = [
        ("/mode", json!("guess")),
        ("/seed", json!(-1)),
        ("/runs/0/scheduler", Value::Null),
        ("/runs/0/fio/jobs/0/read/clat_ns/max", json!("long")),
        ("/runs/0/summary/jobs", json!({})),
    ];
    for (place, value) in spoilt {
        let mut wrong = results.clone();
        *wrong.pointer_mut(place).unwrap_or_else(|| panic!("{place}")) = value;
        assert!(!validator.is_valid(&wrong), "{place}");
    }
    let mut lacking = results.clone();
    lacking["runs"][0].as_object_mut().unwrap().remove("device").unwrap();
    assert!(!validator.is_valid(&lacking));
    let mut more = results;
    more["runs"][0]["nobody_documents_this"] = json!(1);
    assert!(!validator.is_valid(&more));
}
