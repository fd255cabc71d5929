// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario of `jobs/`, run as its own header says: its `Run:` lines hold
//! queue settings and weights.

use crate::measure::{Environment, Measured, measure_in};
use blk::QueueSettings;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use workload::Header;

/// A job file, and the runs of it that were asked for.
pub struct Scenario {
    file: String,
    environment: Environment,
    options: String,
    runs: RefCell<BTreeMap<(String, String), Rc<Measured>>>,
}

impl Scenario {
    /// Reads the header of `jobs/FILE`.
    pub fn new(file: impl Into<String>) -> Scenario {
        let file = file.into();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jobs").join(&file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let header = Header::parse(&text);
        let run = header.notes.iter().find(|(name, _)| name == "Run");
        let (_, run) = run.unwrap_or_else(|| panic!("{file}: its header has no \"Run:\""));
        let mut environment = Environment::default();
        let mut options = String::new();
        let mut words = run.split_whitespace();
        while let Some(option) = words.next() {
            let value = words.next().unwrap_or_else(|| panic!("{file}: {option} has no value"));
            match option {
                "--queue" => environment.settings = QueueSettings::parse(value).unwrap(),
                "--group" => {
                    let (path, weight) = value.split_once('=').unwrap();
                    environment.groups.push((path.to_owned(), weight.parse().unwrap()));
                }
                "--device" | "--scheduler" => continue,
                _ => panic!("{file}: its \"Run:\" has {option}, which this test does not know"),
            }
            options += &format!(" {option} {value}");
        }
        Scenario { file, environment, options, runs: RefCell::default() }
    }

    /// What came of it on a device under a scheduler; each is simulated once.
    pub fn run(&self, device: &str, scheduler: &str) -> Rc<Measured> {
        let key = (device.to_owned(), scheduler.to_owned());
        if let Some(run) = self.runs.borrow().get(&key) {
            return Rc::clone(run);
        }
        let run = Rc::new(measure_in(&self.environment, &self.file, device, scheduler));
        self.runs.borrow_mut().insert(key, Rc::clone(&run));
        run
    }

    /// The command that shows these runs.
    pub fn command(&self, device: &str, schedulers: &[&str]) -> String {
        let (file, options) = (&self.file, &self.options);
        let schedulers = schedulers.join(",");
        format!("bfq sim jobs/{file} --device {device}{options} --scheduler {schedulers}")
    }
}
