// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every lesson is a setup that can be begun, and is listed by its title.

use playground::{Session, Setup};
use serde_json::Value;
use std::path::Path;

#[test]
fn every_lesson_is_listed_and_begins() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/lessons");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let order: Value = serde_json::from_str(&read("order.json")).unwrap();
    let listed = order.as_array().unwrap();
    for row in listed {
        let (name, title) = (row["name"].as_str().unwrap(), row["title"].as_str().unwrap());
        let text = read(&format!("{name}.fio"));
        assert_eq!(text.lines().next().unwrap(), format!("; {title}"), "{name}");
        let run = text.lines().find_map(|line| line.strip_prefix("; Run: ")).unwrap();
        let words: Vec<&str> = run.split(' ').collect();
        let ["--device", device, "--scheduler", schedulers] = words[..] else {
            panic!("{name}: {run}");
        };
        let session = Session::begin(Setup::new(device, schedulers, &text));
        let about = session.unwrap_or_else(|error| panic!("{name}: {error}")).about();
        assert!((2..=3).contains(&about.schedulers.len()), "{name}");
        assert!(about.notes.is_empty(), "{name}: {:?}", about.notes);
    }
    let job_files = std::fs::read_dir(&folder).unwrap().count() - 1;
    assert_eq!(listed.len(), job_files, "each lesson is in the list");
}
