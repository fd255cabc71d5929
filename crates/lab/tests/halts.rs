// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run that is halted again and again comes to the same result as one that is not.

use bfq::why::Observer;
use bfq::{Time, why::Decision};
use blk::{IoError, Tag};
use lab::{Files, SimulationOptions, Simulations, Work};
use runner::Runner;
use sim::RunObserver;
use std::ops::ControlFlow;

const MS: u64 = 1_000_000;

/// Looks at everything and keeps nothing.
#[derive(Clone)]
struct Silent;

impl Observer for Silent {
    fn decided(&mut self, _: Time, _: &Decision) {}
}

impl RunObserver for Silent {
    fn ends(&mut self, _: u64, _: Tag, _: Result<(), IoError>, _: &Runner) {}
}

fn plan(job_file: &str, devices: &str) -> Simulations {
    let work = Work { runtime_ns: Some(600 * MS), ..Work::of([job_file]) };
    let options = SimulationOptions {
        devices: vec![devices.into()],
        schedulers: "bfq,tfq,none,mq-deadline,kyber,cfq".into(),
        timeline: 100,
        ..SimulationOptions::default()
    };
    Simulations::plan(&work, options, &Files::plain()).unwrap()
}

#[test]
fn halts_change_nothing() {
    for job_file in ["@shared-disk", "@player-readers-writers", "@buffered-copy", "@nested-groups"]
    {
        let plan = plan(job_file, "hdd-desktop,ssd-sata");
        for cell in plan.cells() {
            let go_on = &mut |_, _| ControlFlow::Continue(());
            let at_once = plan.run(&cell, go_on).unwrap().run;
            // No multiple of what anything in the simulation takes, nor always the same.
            for (step_ns, growth_ns) in [(3 * MS + 17, 1_001), (250 * MS, 0), (MS / 2, 7)] {
                let mut running = plan.start(&cell, Some(Silent)).unwrap();
                let (mut until_ns, mut step_ns) = (0, step_ns);
                while !running.simulation().has_ended() {
                    running.go_on(until_ns, go_on).unwrap();
                    assert!(running.simulation().now_ns() <= until_ns);
                    (until_ns, step_ns) = (until_ns + step_ns, step_ns + growth_ns);
                }
                let halted = running.finish(None);
                assert!(!halted.stopped);
                let name = format!("{job_file}, {}, {}", cell.profile.name(), cell.choice.name());
                assert!(
                    plan.results(vec![halted.run]) == plan.results(vec![at_once.clone()]),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn a_weight_that_changes_changes_the_shares() {
    let plan = plan("@two-groups", "hdd-desktop");
    let cell = plan.cells().next().unwrap();
    let go_on = &mut |_, _| ControlFlow::Continue(());
    let mut shares = |weight: Option<u32>| {
        let mut running = plan.start(&cell, Some(Silent)).unwrap();
        running.go_on(10 * MS, go_on).unwrap();
        if let Some(weight) = weight {
            running.set_group_weight("/a", weight).unwrap();
        }
        running.go_on(u64::MAX, go_on).unwrap();
        let jobs = running.finish(None).run.fio.jobs;
        jobs[0].read.io_bytes as f64 / jobs[1].read.io_bytes as f64
    };
    assert!(shares(None) < 0.5, "100 to 300");
    assert!(shares(Some(900)) > 2.0, "900 to 300");
    let mut running = plan.start(&cell, Some(Silent)).unwrap();
    let unknown = running.set_group_weight("/c", 100).unwrap_err().to_string();
    assert!(unknown.contains("/a") && unknown.contains("/b"), "{unknown}");
    assert!(running.set_group_weight("/a", 0).is_err());
    assert!(running.set_group_weight("/", 100).is_err());
}
