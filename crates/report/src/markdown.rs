// SPDX-License-Identifier: MIT OR Apache-2.0
//! A report as Markdown: the overview, and a verdict and a table for each scenario and device.

use crate::alike::alike;
use crate::comparison::{ComparedMetric, Comparison};
use crate::results::Run;
use crate::study::{Column, Measure, Study, StudyStage};
use crate::summary::LatencySummary;
use base::text::{iops, megabytes, percent, time};
use std::fmt::Write;

/// The report as Markdown.
pub fn markdown(study: &Study) -> String {
    let mut text = String::from("# I/O schedulers compared\n");
    for (source, note) in &study.notes {
        let _ = writeln!(text, "\n> {}: {}", escaped(source), escaped(note));
    }
    study.comparisons.iter().for_each(|one| of_comparison(&mut text, one));
    if !study.chapters.is_empty() {
        overview(&mut text, study);
    }
    for chapter in &study.chapters {
        let _ = writeln!(text, "\n## {}", escaped(&chapter.heading));
        if let Some(scenario) = chapter.scenario {
            let files: Vec<_> = scenario.files.iter().map(|file| format!("`{file}`")).collect();
            let _ = writeln!(text, "\n{}", files.join(", "));
            for (name, note) in scenario.notes.iter() {
                let _ = writeln!(text, "\n*{}:* {}", escaped(name), escaped(note));
            }
        }
        for stage in &chapter.stages {
            of_device(&mut text, stage);
        }
        if !chapter.commands.is_empty() {
            let _ = writeln!(text, "\nTo repeat it:\n\n```\n{}\n```", chapter.commands.join("\n"));
        }
    }
    text
}

fn of_comparison(text: &mut String, comparison: &Comparison) {
    let list = |text: &mut String, sentences: &[String]| {
        text.push('\n');
        sentences.iter().for_each(|one| {
            let _ = writeln!(text, "- {}", escaped(one));
        });
    };
    let _ = writeln!(text, "\n## {}", escaped(&comparison.title));
    let _ = writeln!(text, "\n{}", escaped(&comparison.about.join(" ")));
    list(text, &comparison.advice);
    let _ = writeln!(text, "\n{}", escaped(&comparison.sureness));
    if !comparison.untested.is_empty() {
        let _ = writeln!(text, "\nNot tested:");
        list(text, &comparison.untested);
    }
    let reference = &comparison.candidates[comparison.reference];
    let _ = writeln!(
        text,
        "\nMedians with 95 % intervals in brackets, or least and greatest in parentheses; below, \
         how much better than under {}:",
        escaped(reference)
    );
    let mut head = vec!["Scenario".to_owned(), "Measured".to_owned()];
    head.extend(comparison.candidates.iter().map(|name| escaped(name)));
    let rows: Vec<Vec<String>> = comparison.metrics.iter().map(compared).collect();
    table(text, &head, 2, &rows);
}

fn compared(metric: &ComparedMetric) -> Vec<String> {
    let measured = format!("{}, {}", metric.metric, metric.unit);
    let mut row = vec![escaped(&metric.scenario), escaped(&measured)];
    for (value, effect) in metric.values.iter().zip(&metric.effects) {
        let Some(value) = value else {
            row.push("–".to_owned());
            continue;
        };
        let effect = effect
            .as_ref()
            .map(|effect| format!("<br>{}: {}", escaped(&effect.words), effect.shade.word()));
        row.push(escaped(value) + &effect.unwrap_or_default());
    }
    row
}

fn overview(text: &mut String, study: &Study) {
    let schedulers = study.schedulers();
    let mut rows = Vec::new();
    for (chapter, stage) in study.stages() {
        let Some(measure) = stage.measures.first() else { continue };
        let cell = |scheduler: &&str| {
            let columns = stage.columns.iter().enumerate();
            let of_scheduler = columns.filter(|(_, column)| column.run.scheduler == **scheduler);
            let values: Vec<String> =
                of_scheduler.filter_map(|(place, column)| shown(column, measure, place)).collect();
            if values.is_empty() { "–".to_owned() } else { values.join("<br>") }
        };
        let mut row =
            vec![escaped(&chapter.heading), escaped(&stage.device.label()), escaped(&measure.name)];
        row.extend(schedulers.iter().map(cell));
        rows.push(row);
    }
    let mut head = vec!["Scenario".to_owned(), "Device".to_owned(), "Measured".to_owned()];
    head.extend(schedulers.iter().map(|scheduler| escaped(scheduler)));
    table(text, &head, 3, &rows);
}

/// A value, with what tells the run from others under the same scheduler.
fn shown(column: &Column, measure: &Measure, place: usize) -> Option<String> {
    let mut text = measure.shown(place)?;
    if measure.tells_apart() && measure.values[place].is_some_and(|value| measure.is_best(value)) {
        text = format!("**{text}**");
    }
    Some(match column.variant() {
        "" => text,
        number if number.starts_with('(') => format!("{text} {}", escaped(number)),
        variant => format!("{text} ({})", escaped(variant)),
    })
}

fn of_device(text: &mut String, stage: &StudyStage) {
    let how = if stage.simulated { "simulated" } else { "real" };
    let _ = writeln!(text, "\n### {} ({how})", escaped(&stage.device.label()));
    let _ = writeln!(text, "\n{}", escaped(&stage.verdict.join(" ")));
    let labels: Vec<String> = stage.columns.iter().map(|column| column.label.clone()).collect();
    let runs: Vec<&Run> = stage.columns.iter().map(|column| column.run).collect();
    let distinct = alike(&runs);
    let same = distinct.iter().filter_map(|same| same.sentence(&labels));
    for sentence in stage.stopped.iter().cloned().chain(same) {
        let _ = writeln!(text, "\n{}", escaped(&sentence));
    }
    let mut rows = Vec::new();
    for part in &stage.parts {
        for same in &distinct {
            let run = runs[same.first()];
            let names = [escaped(&part.name), escaped(&same.label(&labels))];
            let rate: u64 = part.jobs.iter().map(|&job| run.summary.jobs[job].bw_bytes).sum();
            let share: f64 = part.jobs.iter().map(|&job| run.summary.jobs[job].share).sum();
            let distributions = part.distributions(run);
            let moving = distributions.iter().filter(|of| of.kind != "sync").count();
            let dash = || "–".to_owned();
            if distributions.is_empty() {
                let figures = [megabytes(rate), percent(share), dash(), dash()];
                let latencies = [dash(), dash(), dash(), dash()];
                rows.push(names.iter().cloned().chain(figures).chain(latencies).collect());
            }
            for of in &distributions {
                // Results of older versions have no rates of kinds.
                let own =
                    of.summary.bw_bytes.or((moving == 1 && of.kind != "sync").then_some(rate));
                let own_share = own.map(|own| share * own as f64 / rate.max(1) as f64);
                let figures = [
                    own.map_or_else(dash, megabytes),
                    own_share.map_or_else(dash, percent),
                    of.kind.to_owned(),
                    of.summary.iops.map_or_else(dash, iops),
                ];
                let latencies = latencies(&of.summary, of.approximate);
                rows.push(names.iter().cloned().chain(figures).chain(latencies).collect());
            }
        }
    }
    let head = [
        "Job",
        "Scheduler",
        "MB/s",
        "Share, %",
        "I/O",
        "IOPS",
        "Median",
        "99 %",
        "99.9 %",
        "Longest",
    ];
    table(text, &head.map(str::to_owned), 2, &rows);
    for (number, origin) in stage.origins.iter().enumerate() {
        let gap = if number == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}- {}: {}", escaped(&origin.labels), escaped(&origin.result));
    }
}

/// Median, 99 %, 99.9 %, longest.
fn latencies(latency: &LatencySummary, approximate: bool) -> [String; 4] {
    let about = if approximate { "≈ " } else { "" };
    let shown = |ns: Option<u64>| ns.map_or("–".to_owned(), |ns| format!("{about}{}", time(ns)));
    [shown(latency.at(50.0)), shown(latency.at(99.0)), shown(latency.at(99.9)), time(latency.max)]
}

/// A table whose columns after the first `names` are numbers.
pub(crate) fn table(text: &mut String, head: &[String], names: usize, rows: &[Vec<String>]) {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = (0..head.len()).map(|column| if column < names { "---" } else { "---:" }.to_owned());
    text.push('\n');
    text.push_str(&line(head));
    text.push_str(&line(&rule.collect::<Vec<_>>()));
    rows.iter().for_each(|row| text.push_str(&line(row)));
}

/// Text that Markdown takes as it is.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if "\\`*_[]<>|#".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(if letter == '\n' { ' ' } else { letter });
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::samples::{JobSample, run, source};

    #[test]
    fn whole() {
        let of = |scheduler, latency_us| {
            let click = JobSample::steady("a_click", &[("thinktime", "1s")], latency_us, 4096);
            run(scheduler, &[click], &[])
        };
        let sources = [source("clicks", vec![of("bfq", 1_000), of("none", 20_000)])];
        assert_eq!(
            markdown(&Study::of(&sources)),
            r"# I/O schedulers compared

| Scenario | Device | Measured | bfq | none |
| --- | --- | --- | ---: | ---: |
| About clicks | disk | latency of reads of a\_click, 99 % | **1.00 ms** | 20.0 ms |

## About clicks

`jobs/clicks.fio`

*Shows:* what it shows.

### disk (simulated)

99 of 100 reads of “a\_click” take at most 1.00 ms under bfq; 20.0 ms (20 ×) under none. Throughput is 0.00 MB/s under every scheduler.

| Job | Scheduler | MB/s | Share, % | I/O | IOPS | Median | 99 % | 99.9 % | Longest |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| a\_click | bfq | 0.00 | 100.0 | read | 1.00 | 1.00 ms | 1.00 ms | 1.00 ms | 1.00 ms |
| a\_click | none | 0.00 | 100.0 | read | 1.00 | 20.0 ms | 20.0 ms | 20.0 ms | 20.0 ms |

To repeat it:

```
bfq sim jobs/clicks.fio
```
"
        );
    }

    #[test]
    fn the_share_of_a_job_is_that_of_its_phase() {
        let jobs = ["first", "second"].map(|name| JobSample::steady(name, &[], 1_000, 4096));
        let mut run = run("bfq", &jobs, &[]);
        for (phase, job) in run.summary.jobs.iter_mut().enumerate() {
            (job.phase, job.share) = (phase as u32, 1.0);
        }
        let text = markdown(&Study::of(&[source("phases", vec![run])]));
        for job in ["first", "second"] {
            assert!(text.contains(&format!("| {job} | bfq | 0.00 | 100.0 |")), "{text}");
        }
    }
}
