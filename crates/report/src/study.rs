// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results put in order for readers: scenario by scenario, in each device by device, with the
//! schedulers side by side and a verdict in words. What the page, Markdown and CSV have in common.

mod chapter;
mod column;
mod identity;
mod jobs;
mod kind;
mod latency;
mod measure;
mod named;
mod options;
mod origin;
mod parts;
mod role;
mod shares;
mod stage;
mod standing;
mod stopped;
mod verdict;
mod wanted;

pub use chapter::Chapter;
pub use column::Column;
pub use jobs::{NoSuchJob, check_job};
pub use kind::MeasureKind;
pub use latency::Distribution;
pub(crate) use latency::kinds_by_interest;
pub use measure::Measure;
pub use named::NamedResults;
pub use origin::Origin;
pub use parts::Participant;
pub(crate) use shares::{entitled, got};
pub use stage::StudyStage;
pub use standing::{Lead, Standing, StandingOutcome};
pub(crate) use verdict::{listed, ratio, subject};
pub use wanted::{Wanted, WrongMeasure};

use crate::comparison::Comparison;
use crate::results::{Mode, Run};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Everything that is reported.
#[derive(Debug)]
pub struct Study<'a> {
    /// The scenarios, today's first, then those of former years, the latest first; of one time in
    /// the order of the sources.
    pub chapters: Vec<Chapter<'a>>,
    /// Comparisons of the kernel's schedulers on real disks.
    pub comparisons: Vec<Comparison>,
    /// What has to be said of results, each with the name of its source.
    pub notes: Vec<(&'a str, &'a str)>,
}

impl<'a> Study<'a> {
    /// Puts results in order.
    pub fn of(sources: &'a [NamedResults]) -> Self {
        let mut chapters: Vec<Chapter> = Vec::new();
        let mut runs: Vec<Vec<Sourced>> = Vec::new();
        for source in sources {
            for run in &source.results.runs {
                let name = identity::name(source, run);
                let of_it = |(chapter, runs): (&Chapter, &Vec<Sourced>)| {
                    identity::same_name(&chapter.name, &name)
                        && identity::same_scenario(runs[0].run, run)
                };
                let place = chapters.iter().zip(&runs).position(of_it).unwrap_or_else(|| {
                    chapters.push(Chapter::new(name.clone(), run.scenario.as_ref()));
                    runs.push(Vec::new());
                    chapters.len() - 1
                });
                chapters[place].add_command(run);
                runs[place].push(Sourced::of(source, run));
            }
        }
        identity::tell_apart(&mut chapters);
        let mut ids = Ids::default();
        for (chapter, runs) in chapters.iter_mut().zip(runs) {
            chapter.stages = stages(&chapter.name, runs, &mut ids);
        }
        chapters.sort_by_key(|chapter| chapter.year.map(Reverse));
        let notes = sources
            .iter()
            .filter_map(|source| Some((source.name.as_str(), source.results.note.as_deref()?)));
        Self { chapters, comparisons: Vec::new(), notes: notes.collect() }
    }

    /// The same with comparisons.
    pub fn with(self, comparisons: Vec<Comparison>) -> Self {
        Self { comparisons, ..self }
    }

    /// All schedulers, bfq first and the others in the order in which they occur first.
    pub fn schedulers(&self) -> Vec<&str> {
        let mut schedulers: Vec<&str> = Vec::new();
        for column in self.stages().flat_map(|(_, stage)| &stage.columns) {
            if !schedulers.contains(&column.run.scheduler.as_str()) {
                schedulers.push(&column.run.scheduler);
            }
        }
        schedulers.sort_by_key(|scheduler| *scheduler != "bfq");
        schedulers
    }

    /// All scenarios on all devices.
    pub fn stages(&self) -> impl Iterator<Item = (&Chapter<'a>, &StudyStage<'a>)> {
        self.chapters
            .iter()
            .flat_map(|chapter| chapter.stages.iter().map(move |stage| (chapter, stage)))
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.stages().map(|(_, stage)| stage.columns.len()).sum()
    }
}

/// A run, and what is known of it by the result that it is in.
struct Sourced<'a> {
    run: &'a Run,
    source: &'a str,
    seed: u64,
    simulated: bool,
}

impl<'a> Sourced<'a> {
    fn of(source: &'a NamedResults, run: &'a Run) -> Self {
        let seed = run.seed.unwrap_or(source.results.seed);
        let simulated = simulated(source.results.mode, run);
        Self { run, source: &source.name, seed, simulated }
    }
}

fn simulated(mode: Mode, run: &Run) -> bool {
    match mode {
        Mode::Sim => true,
        Mode::Run | Mode::Bench => false,
        Mode::Mixed => run.device.profile.is_some(),
    }
}

fn stages<'a>(chapter: &str, runs: Vec<Sourced<'a>>, ids: &mut Ids) -> Vec<StudyStage<'a>> {
    let mut groups: Vec<Vec<Sourced>> = Vec::new();
    for sourced in runs {
        let fits = |group: &&mut Vec<Sourced>| {
            let first = &group[0];
            (&first.run.device, first.simulated) == (&sourced.run.device, sourced.simulated)
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(sourced),
            None => groups.push(vec![sourced]),
        }
    }
    groups
        .into_iter()
        .map(|group| {
            let (first, simulated) = (group[0].run, group[0].simulated);
            let runs: Vec<&Run> = group.iter().map(|sourced| sourced.run).collect();
            let labelled = labels(&runs).into_iter().zip(group);
            let columns: Vec<Column> = labelled
                .map(|(label, Sourced { run, source, seed, .. })| Column {
                    label,
                    run,
                    source,
                    seed,
                })
                .collect();
            let names: Vec<String> = runs.iter().map(|run| label(run, &runs)).collect();
            let parts = parts::parts(first);
            let measures = measure::measures(&columns, &parts);
            StudyStage {
                id: ids.of(&format!("{chapter}-{}", first.device.name())),
                device: &first.device,
                simulated,
                verdict: verdict::verdict(&columns, &measures),
                stopped: stopped::stopped(&columns),
                origins: origin::origins(&columns, &names),
                columns,
                parts,
                measures,
            }
        })
        .collect()
}

/// The names of runs: schedulers as they were asked for, or with the tunables that tell two of the
/// same name apart, and a number if nothing else does.
pub fn labels(runs: &[&Run]) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut labels: Vec<String> = runs.iter().map(|run| label(run, runs)).collect();
    for label in &mut labels {
        let count = seen.entry(label.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *label = format!("{label} ({count})");
        }
    }
    labels
}

fn label(run: &Run, runs: &[&Run]) -> String {
    if let Some(variant) = &run.variant {
        return variant.clone();
    }
    if runs.iter().any(|other| other.scheduler == run.scheduler && other.variant.is_some()) {
        return run.scheduler.clone();
    }
    let twins = || runs.iter().filter(|other| other.scheduler == run.scheduler);
    let differing = run.tunables.iter().filter(|(name, value)| {
        twins().any(|twin| twin.tunables.get(name).is_some_and(|theirs| theirs != *value))
    });
    let settings: Vec<_> = differing.map(|(name, value)| format!("{name}={value}")).collect();
    match settings.is_empty() {
        true => run.scheduler.clone(),
        false => format!("{}:{}", run.scheduler, settings.join(",")),
    }
}

/// Gives out names for links, each once.
#[derive(Default)]
struct Ids(BTreeMap<String, usize>);

impl Ids {
    fn of(&mut self, name: &str) -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let id: String = name.to_ascii_lowercase().chars().map(plain).collect();
        let count = self.0.entry(id.clone()).or_default();
        *count += 1;
        if *count > 1 { format!("{id}-{count}") } else { id }
    }
}

#[cfg(test)]
#[path = "study/tests.rs"]
mod tests;
