// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fairly schedulers shared the time of devices in many scenarios: a summary of each scheduler
//! on each device, and a row for each scenario; in Markdown.

use crate::fairness::Fairness;
use crate::fairness_rows::figure;
use crate::markdown::{escaped, table};
use crate::results::DeviceInfo;
use crate::study::{Chapter, Study, StudyStage};
use std::fmt::Write;

/// A scenario counts as fair if no process in it has less of its share than this.
const FAIR: f64 = 0.9;

/// What was judged on a device: each scenario, with what came out under each label.
struct OnDevice<'a> {
    device: &'a DeviceInfo,
    scenarios: Vec<(&'a Chapter<'a>, Vec<Option<&'a Fairness>>)>,
}

/// The summary, then a table for each device with the worst R and the useful time of each scenario
/// under each scheduler. Nothing if no run was judged.
pub fn fairness_table(study: &Study) -> String {
    let labels = labels(study);
    let devices = devices(study, &labels);
    let mut text = String::new();
    if devices.is_empty() {
        return text;
    }
    text.push_str(
        "Mean of the worst R of a process, above 1 counted as 1 · scenarios in which it is at \
         least 0.9 · sum of U:\n",
    );
    summary(&mut text, &devices, &labels);
    text.push_str("\nBelow, in each cell: worst R of a process · U.\n");
    for device in &devices {
        let _ = writeln!(text, "\n## {}", escaped(&device.device.label()));
        of_device(&mut text, device, &labels);
    }
    text
}

/// The labels of the judged runs, each once.
fn labels<'a>(study: &'a Study) -> Vec<&'a str> {
    let mut labels: Vec<&str> = Vec::new();
    for column in study.stages().flat_map(|(_, stage)| &stage.columns) {
        if column.run.fairness.is_some() && !labels.contains(&column.label.as_str()) {
            labels.push(&column.label);
        }
    }
    labels
}

fn devices<'a>(study: &'a Study, labels: &[&str]) -> Vec<OnDevice<'a>> {
    let mut devices: Vec<OnDevice> = Vec::new();
    for (chapter, stage) in study.stages() {
        let judged: Vec<_> = labels.iter().map(|label| judged(stage, label)).collect();
        if judged.iter().all(Option::is_none) {
            continue;
        }
        let row = (chapter, judged);
        match devices.iter_mut().find(|known| known.device == stage.device) {
            Some(known) => known.scenarios.push(row),
            None => devices.push(OnDevice { device: stage.device, scenarios: vec![row] }),
        }
    }
    devices
}

fn judged<'a>(stage: &'a StudyStage, label: &str) -> Option<&'a Fairness> {
    let column = stage.columns.iter().find(|column| column.label == label)?;
    column.run.fairness.as_ref()
}

/// A row for each scheduler, a column for each device.
fn summary(text: &mut String, devices: &[OnDevice], labels: &[&str]) {
    let names = devices.iter().map(|on| escaped(&on.device.label()));
    let head: Vec<String> = std::iter::once("Scheduler".to_owned()).chain(names).collect();
    let row = |(place, label): (usize, &&str)| {
        let cells = devices
            .iter()
            .map(|on| summed(on.scenarios.iter().filter_map(|(_, judged)| judged[place])));
        std::iter::once(escaped(label)).chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = labels.iter().enumerate().map(row).collect();
    table(text, &head, 1, &rows);
}

fn summed<'a>(judged: impl Iterator<Item = &'a Fairness>) -> String {
    let (mut worst, mut useful) = (Vec::new(), 0.0);
    for one in judged {
        worst.extend(one.worst.map(|r| r.min(1.0)));
        useful += one.useful;
    }
    if worst.is_empty() {
        return "-".to_owned();
    }
    let mean = worst.iter().sum::<f64>() / worst.len() as f64;
    let fair = worst.iter().filter(|r| **r >= FAIR).count();
    format!("**{mean:.3}** · {fair} of {} · {useful:.1}", worst.len())
}

/// A row for each scenario, a column for each scheduler.
fn of_device(text: &mut String, on: &OnDevice, labels: &[&str]) {
    let row = |(chapter, judged): &(&Chapter, Vec<Option<&Fairness>>)| {
        let title = if chapter.title() == chapter.name { "" } else { chapter.title() };
        let cells = judged.iter().map(|found| {
            found.map_or("-".into(), |of| format!("{} · {:.2}", figure(of.worst), of.useful))
        });
        [escaped(&chapter.name), escaped(title)].into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = on.scenarios.iter().map(row).collect();
    let head = ["Name", "Scenario"].map(str::to_owned).into_iter();
    let head: Vec<String> = head.chain(labels.iter().map(|label| escaped(label))).collect();
    table(text, &head, 2, &rows);
}
