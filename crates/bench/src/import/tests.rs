// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of fio: a real one, and those that are none.

use super::*;
use crate::model::Metric;
use crate::verdict::{Weights, judge};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// The output of fio 3.33 on a job that reads and one that writes and syncs.
const REAL: &str = include_str!("../../testdata/fio-3.33.json");

fn source(folder: &TempDir, name: &str, text: &str) -> ImportSource {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    ImportSource::named(&path).unwrap()
}

/// A small output, with that rate of reads.
fn made_up(iops: f64, options: Value) -> String {
    let read = json!({"iops": iops, "bw_bytes": (iops * 4096.0) as u64, "runtime": 2500,
                      "total_ios": (iops * 2.5) as u64,
                      "clat_ns": {"percentile": {"50.000000": 200_000, "99.000000": 900_000}}});
    let job = json!({"jobname": "reads", "job options": options, "read": read, "usr_cpu": 1.0,
                     "sys_cpu": 4.0, "job_runtime": 2500});
    json!({"fio version": "fio-3.40", "jobs": [job]}).to_string()
}

#[test]
fn a_real_output() {
    let folder = tempfile::tempdir().unwrap();
    let Imported { opening, measurements: measured, .. } =
        import(&[source(&folder, "bfq.json", REAL)], Some("writer")).unwrap();
    assert_eq!(opening.version, "fio-3.33");
    assert_eq!(opening.scenarios, ["reader, in the background", "writer"]);
    let whole: Value = serde_json::from_str(REAL.split_once('\n').unwrap().1).unwrap();
    let of = |job: usize, path: &str| whole["jobs"][job].pointer(path).unwrap().as_f64().unwrap();
    let near = |found: Option<&f64>, expected: f64| {
        let found = *found.unwrap();
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    };
    let reader = &measured[0].values;
    near(reader.get(&Metric::Throughput), of(0, "/read/bw_bytes") / 1e6);
    near(reader.get(&Metric::Iops), of(0, "/read/iops"));
    assert_eq!(reader.get(&Metric::LatencyTail), None, "no user waits for the background");
    let cpu_percent = of(0, "/usr_cpu") + of(0, "/sys_cpu");
    let cpu_us = cpu_percent / 100.0 * of(0, "/job_runtime") * 1e3;
    near(reader.get(&Metric::CpuPerIo), cpu_us / of(0, "/read/total_ios"));
    let writer = &measured[1].values;
    near(writer.get(&Metric::SyncTail), of(1, "/sync/lat_ns/percentile/95.000000") / 1e6);
    assert_eq!(writer.get(&Metric::Throughput), None, "one that syncs paces itself");
}

#[test]
fn a_job_is_judged_by_what_it_is_for() {
    let folder = tempfile::tempdir().unwrap();
    for (options, expected) in [
        (json!({}), 5),
        (json!({"thinktime": "5ms"}), 2),
        (json!({"thinktime": "0"}), 5),
        (json!({"number_ios": "500"}), 1),
    ] {
        let source = source(&folder, "none.json", &made_up(1000.0, options.clone()));
        let measured = import(&[source], None).unwrap().measurements;
        assert_eq!(measured[0].values.len(), expected, "{options}: {:?}", measured[0].values);
    }
    let starts = made_up(1000.0, json!({"read_iolog": "start.log"}));
    let measured = import(&[source(&folder, "none.json", &starts)], None).unwrap().measurements;
    assert_eq!(measured[0].values[&Metric::StartUp], 2.5);
}

#[test]
fn a_job_that_was_starved_did_nothing_in_a_second_and_is_judged_by_that() {
    let folder = tempfile::tempdir().unwrap();
    let mut sources = Vec::new();
    for round in 0..8 {
        for (name, iops) in [("none", 0.0), ("bfq", 100.0 + f64::from(round))] {
            let text = made_up(iops, json!({}));
            sources.push(source(&folder, &format!("{name}-{round}.json"), &text));
        }
    }
    let Imported { opening, measurements, .. } = import(&sources, None).unwrap();
    let starved = measurements.iter().find(|one| one.candidate.scheduler == "none").unwrap();
    assert_eq!(starved.values[&Metric::Throughput], 0.0);
    assert_eq!(starved.values[&Metric::Iops], 0.0);
    assert_eq!(starved.values.get(&Metric::CpuPerIo), None, "what an I/O costs is not known");
    let verdict = judge(&opening, &measurements, &["throughput".parse().unwrap()]);
    assert_eq!(verdict.recommended().map(ToString::to_string).as_deref(), Some("bfq"), "{verdict}");
}

/// An output with jobs of these options, each with the latencies of [`made_up`] times its place.
fn beside_each_other(jobs: &[(&str, Value)]) -> String {
    let one = |place: usize, (name, options): &(&str, Value)| {
        let read = json!({"iops": 100.0, "bw_bytes": 409_600, "total_ios": 250, "clat_ns":
            {"percentile": {"50.000000": 200_000 * (place + 1), "99.000000": 900_000}}});
        json!({"jobname": name, "job options": options, "read": read, "usr_cpu": 1.0,
               "sys_cpu": 4.0, "job_runtime": 2500})
    };
    let jobs: Vec<Value> = jobs.iter().enumerate().map(|(place, job)| one(place, job)).collect();
    json!({"fio version": "fio-3.40", "jobs": jobs}).to_string()
}

#[test]
fn the_foreground_is_named_or_guessed_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let deep = || json!({"iodepth": "32"});
    let plain = || json!({});
    for (client, load, named, foreground, said) in [
        (json!({"thinktime": "5ms"}), plain(), None, Some("client"), "alone has thinktime"),
        (json!({"rate_iops": "50"}), deep(), None, Some("client"), "alone has rate_iops"),
        (plain(), deep(), None, Some("client"), "alone has 1 I/O in flight beside deeper"),
        (plain(), json!({"numjobs": "8"}), None, Some("client"), "alone has 1 I/O in flight"),
        (deep(), json!({"fsync": "1"}), None, Some("load"), "alone has fsync"),
        (plain(), plain(), None, None, "which of the jobs client, load is the foreground cannot"),
        (plain(), plain(), Some("load"), Some("load"), ""),
        (json!({"thinktime": "5ms"}), plain(), Some("load"), Some("load"), ""),
    ] {
        let text = beside_each_other(&[("client", client.clone()), ("load", load.clone())]);
        let imported = import(&[source(&folder, "none.json", &text)], named).unwrap();
        let case = format!("{client} {load} {named:?}: {imported:?}");
        let is_background = |name: &&str| {
            let of_fio = if *name == "client" { " of fio" } else { "" };
            imported.opening.scenarios.contains(&format!("{name}{of_fio}, in the background"))
        };
        let background: Vec<&str> = ["client", "load"].into_iter().filter(is_background).collect();
        let expected: Vec<&str> = ["client", "load"]
            .into_iter()
            .filter(|name| foreground.is_some_and(|foreground| foreground != *name))
            .collect();
        assert_eq!(background, expected, "{case}");
        match said {
            "" => assert!(imported.notes.is_empty(), "{case}"),
            said => {
                assert!(imported.notes[0].contains(said), "{case}");
                assert!(imported.measurements[0].remarks[0].contains(said), "{case}");
            }
        }
    }
    let text = beside_each_other(&[("client", plain()), ("load", deep())]);
    let error = import(&[source(&folder, "none.json", &text)], Some("reader")).unwrap_err();
    let told = "expected the job `reader` of --foreground; its jobs are client, load";
    assert!(error.to_string().ends_with(told), "{error}");
}

#[test]
fn percentiles_that_fio_did_not_write_are_missed() {
    let folder = tempfile::tempdir().unwrap();
    let text = beside_each_other(&[("client", json!({"thinktime": "5ms"})), ("load", json!({}))]);
    let imported = |written: [&str; 2]| {
        let [median, tail] = written.map(|percentage| format!("\"{percentage}.000000\""));
        let text = text.replace("\"50.000000\"", &median).replace("\"99.000000\"", &tail);
        import(&[source(&folder, "none.json", &text)], None)
    };
    assert_eq!(imported(["50", "99"]).unwrap().notes.len(), 1, "what is the foreground");
    let notes = imported(["50", "98"]).unwrap().notes;
    assert!(notes[1].starts_with("the percentile 99 of the job `client` is not"), "{notes:?}");
    let error = imported(["90", "98"]).unwrap_err().to_string();
    assert!(error.contains("expected the percentiles 50, 99 of the job `client`"), "{error}");
    assert!(error.contains("percentile_list"), "{error}");
    // One that was starved has none, and is judged by that.
    let starved = text.replace("\"total_ios\":250", "\"total_ios\":0");
    let starved = starved.replace("\"percentile\"", "\"other\"");
    assert!(import(&[source(&folder, "none.json", &starved)], None).is_ok());
}

/// A client that waits 9 ms under none and 2 ms under bfq beside a load that moves the same.
#[test]
fn the_usual_latency_of_the_foreground_counts() {
    let folder = tempfile::tempdir().unwrap();
    let mut sources = Vec::new();
    for round in 1..=6 {
        for (name, usual_ns) in [("none", 9_000_000), ("bfq", 2_000_000)] {
            let text = beside_each_other(&[
                ("client", json!({"thinktime": "5ms"})),
                ("load", json!({"iodepth": "32"})),
            ]);
            let text = text.replacen("200000", &(usual_ns + 1000 * round).to_string(), 1);
            sources.push(source(&folder, &format!("{name}-{round}.json"), &text));
        }
    }
    let Imported { opening, measurements, .. } = import(&sources, None).unwrap();
    for goal in ["desktop", "database"] {
        let verdict = judge(&opening, &measurements, &[goal.parse::<Weights>().unwrap()]);
        let text = verdict.to_string();
        assert!(
            text.contains(": bfq; answers 4.5 [4.4–4.5] times faster (client of fio)"),
            "{text}"
        );
    }
}

#[test]
fn runs_of_two_schedulers_are_judged_like_our_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut sources = Vec::new();
    for round in 1..=6 {
        for (name, iops) in [("bfq", 900.0), ("none", 1500.0)] {
            let text = made_up(iops + f64::from(round * round), json!({}));
            sources.push(source(&folder, &format!("{name}-{round}.json"), &text));
        }
    }
    let Imported { opening, measurements: measured, .. } = import(&sources, None).unwrap();
    assert_eq!((opening.rounds, opening.candidates.len()), (6, 2));
    let verdict = judge(&opening, &measured, &["throughput".parse::<Weights>().unwrap()]);
    let text = verdict.to_string();
    assert!(text.starts_with("For pure throughput: none; moves 66 % ["), "{text}");
    assert!(text.contains("imported; whether the schedulers took turns is not known"), "{text}");
    assert!(!text.contains("start-idle"), "our scenarios are not missed: {text}");
}

/// The rounds of files of these names, each with a job of that name, and the notes.
fn rounds_of(files: &[(&str, &str)]) -> (Vec<u32>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let one = |(name, job): &(&str, &str)| {
        source(&folder, name, &made_up(900.0, json!({})).replace("reads", job))
    };
    let sources: Vec<ImportSource> = files.iter().map(one).collect();
    let imported = import(&sources, None).unwrap();
    (imported.measurements.iter().map(|one| one.round).collect(), imported.notes)
}

#[test]
fn a_file_that_is_missing_shifts_no_other() {
    let reads = |names: &[&'static str]| {
        rounds_of(&names.iter().map(|name| (*name, "reads")).collect::<Vec<_>>())
    };
    let (rounds, notes) =
        reads(&["none-1.json", "none-2.json", "none-3.json", "bfq-3.json", "bfq-1.json"]);
    assert_eq!(rounds, [0, 1, 2, 2, 0]);
    assert_eq!(notes, ["bfq has no file of number 2: nothing is compared there"]);
    // Numbered one after the other, or not at all: by order.
    let (rounds, notes) = reads(&["none-1.json", "bfq-2.json", "none-3.json", "bfq-4.json"]);
    assert_eq!((rounds, notes.len()), (vec![0, 0, 1, 1], 0));
    let (rounds, notes) = reads(&["none-1.json", "none-2.json", "bfq.json"]);
    assert_eq!(rounds, [0, 1, 0]);
    assert!(notes[0].starts_with("there are 1 of bfq, 2 of none; "), "{notes:?}");
    // A job that one file lacks is missing in that round.
    let (rounds, _) = rounds_of(&[("none.json", "a"), ("none_1.json", "b"), ("none_2.json", "a")]);
    assert_eq!(rounds, [0, 1, 2]);
}

#[test]
fn any_depth_is_a_depth() {
    let folder = tempfile::tempdir().unwrap();
    let deep = json!({"iodepth": u64::MAX.to_string(), "numjobs": "2"});
    let text = beside_each_other(&[("client", json!({})), ("load", deep)]);
    let imported = import(&[source(&folder, "none.json", &text)], None).unwrap();
    assert!(imported.notes[0].contains("1 I/O in flight beside deeper"), "{:?}", imported.notes);
}

#[test]
fn names_tell_schedulers() {
    for (name, expected) in [
        ("bfq.json", "bfq"),
        ("mq-deadline.json", "mq-deadline"),
        ("mq-deadline-12.json", "mq-deadline"),
        ("kyber_2.json", "kyber"),
        ("bfq:low_latency=0.json", "bfq:low_latency=0"),
    ] {
        let found = ImportSource::named(Path::new(name)).map(|source| source.candidate.to_string());
        assert_eq!(found.ok().as_deref(), Some(expected), "{name}");
    }
    let error = ImportSource::named(Path::new("run of today.json")).unwrap_err().to_string();
    assert!(error.contains("--as NAME=FILE"), "{error}");
}

#[test]
fn what_is_not_from_fio_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (text, told) in [
        ("", "there is no `{`"),
        ("read: IOPS=900\n", "there is no `{`"),
        ("{\"jobs\": []}\n", "fio version"),
        ("{\"fio version\": \"fio-3.1\", \"jobs\": []}\n", "no jobs"),
        ("{\"fio version\": \"fio-3.1\", \"jobs\": [{}]}\n", "without a name"),
        (
            "{\"fio version\": \"fio-2.16\", \"jobs\": [{\"jobname\": \"a\", \
             \"read\": {\"total_ios\": 5, \"clat\": {\"min\": 1}}}]}\n",
            "this is from fio-2.16",
        ),
        ("{\"fio version\": \"fio-3.1\", \"jobs\": [{\"jobname\": \"a\"", "EOF"),
    ] {
        let error = import(&[source(&folder, "bfq.json", text)], None).unwrap_err().to_string();
        assert!(error.contains("bfq.json: expected what fio 3 writes"), "{error}");
        assert!(error.contains(told), "{text}: {error}");
    }
    let missing = ImportSource::named(&folder.path().join("none.json")).unwrap();
    assert!(matches!(import(&[missing], None), Err(ImportError::Io { .. })));
}

#[test]
fn a_file_of_something_else_is_told_from_a_missing_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bfq.json");
    let error = || import(&[ImportSource::named(&path).unwrap()], None).unwrap_err().to_string();
    let missing = error();
    std::fs::write(&path, [0xff, 0xfe, 0]).unwrap();
    assert!(error().ends_with("with --output-format=json: it is no text"), "{}", error());
    assert_ne!(missing, error());
}
