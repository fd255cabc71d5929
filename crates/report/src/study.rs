// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results put in order for readers: scenario by scenario, in each device by device, with the
//! schedulers side by side and a verdict in words. What the page, Markdown and CSV have in common.

mod column;
mod jobs;
mod kind;
mod latency;
mod measure;
mod parts;
mod stage;
mod standing;
mod verdict;
mod wanted;

pub use column::Column;
pub use jobs::{NoSuchJob, check_job};
pub use kind::MeasureKind;
pub use latency::Distribution;
pub use measure::Measure;
pub(crate) use measure::{entitled, got};
pub use parts::Participant;
pub use stage::StudyStage;
pub use standing::{Lead, Standing, StandingOutcome};
pub(crate) use verdict::{listed, ratio, subject};
pub use wanted::{Wanted, WrongMeasure};

use crate::comparison::Comparison;
use crate::results::{Mode, Results, Run, Scenario};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

/// A result, and the name of the file that it is from.
#[derive(Clone, Debug)]
pub struct NamedResults {
    /// The name of the file, as people gave it.
    pub name: String,
    /// What is in it.
    pub results: Results,
}

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

/// A scenario with its results.
#[derive(Debug)]
pub struct Chapter<'a> {
    /// Its short name: that of its job file.
    pub name: String,
    /// The year it is of, if the folder of its job files begins with one (`2008-page`); else it
    /// is of today.
    pub year: Option<u32>,
    /// What its job files say of themselves, if the results know it.
    pub scenario: Option<&'a Scenario>,
    /// The commands that its results are from, each once.
    pub commands: Vec<&'a str>,
    /// The devices it ran on.
    pub stages: Vec<StudyStage<'a>>,
}

impl<'a> Study<'a> {
    /// Puts results in order.
    pub fn of(sources: &'a [NamedResults]) -> Self {
        let mut chapters: Vec<Chapter> = Vec::new();
        let mut runs: Vec<Vec<(&Run, bool)>> = Vec::new();
        for source in sources {
            for run in &source.results.runs {
                let name = chapter_name(source, run);
                let place = chapters.iter().position(|chapter| chapter.name == name);
                let place = place.unwrap_or_else(|| {
                    chapters.push(Chapter::new(name, run.scenario.as_ref()));
                    runs.push(Vec::new());
                    chapters.len() - 1
                });
                chapters[place].add_command(run);
                runs[place].push((run, simulated(source.results.mode, run)));
            }
        }
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

impl<'a> Chapter<'a> {
    fn new(name: String, scenario: Option<&'a Scenario>) -> Self {
        let year = scenario.and_then(|scenario| year(scenario.files.first()?));
        Self { name, year, scenario, commands: Vec::new(), stages: Vec::new() }
    }

    fn add_command(&mut self, run: &'a Run) {
        let Some(scenario) = &run.scenario else { return };
        if !self.commands.contains(&scenario.command.as_str()) {
            self.commands.push(&scenario.command);
        }
    }

    /// What people call it.
    pub fn title(&self) -> &str {
        let title = self.scenario.map(|scenario| scenario.title.trim_end_matches('.'));
        title.filter(|title| !title.is_empty()).unwrap_or(&self.name)
    }
}

/// The year that the folder of a job file begins with.
fn year(file: &str) -> Option<u32> {
    let folder = Path::new(file).parent()?.file_name()?.to_str()?;
    let digits = folder.split(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|_| digits.len() == 4)
}

/// The names of the job files, or that of the result where those are not known.
fn chapter_name(source: &NamedResults, run: &Run) -> String {
    let stem = |path: &str| {
        let stem = Path::new(path).file_stem();
        stem.map_or(path.to_owned(), |stem| stem.to_string_lossy().into_owned())
    };
    match &run.scenario {
        Some(scenario) => {
            scenario.files.iter().map(|file| stem(file)).collect::<Vec<_>>().join(" + ")
        }
        None => stem(&source.name),
    }
}

fn simulated(mode: Mode, run: &Run) -> bool {
    match mode {
        Mode::Sim => true,
        Mode::Run | Mode::Bench => false,
        Mode::Mixed => run.device.profile.is_some(),
    }
}

fn stages<'a>(chapter: &str, runs: Vec<(&'a Run, bool)>, ids: &mut Ids) -> Vec<StudyStage<'a>> {
    let mut groups: Vec<Vec<(&Run, bool)>> = Vec::new();
    for (run, simulated) in runs {
        // Runs of different jobs cannot stand side by side, even if their files have one name.
        let fits = |group: &&mut Vec<(&Run, bool)>| {
            let (first, of_model) = group[0];
            (&first.device, of_model) == (&run.device, simulated) && same_jobs(first, run)
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push((run, simulated)),
            None => groups.push(vec![(run, simulated)]),
        }
    }
    groups
        .into_iter()
        .map(|group| {
            let (first, simulated) = group[0];
            let runs: Vec<&Run> = group.into_iter().map(|(run, _)| run).collect();
            let labels = labels(&runs);
            let columns: Vec<Column> =
                labels.into_iter().zip(runs).map(|(label, run)| Column { label, run }).collect();
            let parts = parts::parts(first);
            let measures = measure::measures(&columns, &parts);
            StudyStage {
                id: ids.of(&format!("{chapter}-{}", first.device.name())),
                device: &first.device,
                simulated,
                verdict: verdict::verdict(&columns, &measures),
                columns,
                parts,
                measures,
            }
        })
        .collect()
}

fn same_jobs(one: &Run, other: &Run) -> bool {
    let names = |run: &Run| -> Vec<(String, u32)> {
        run.summary.jobs.iter().map(|job| (job.jobname.clone(), job.phase)).collect()
    };
    names(one) == names(other)
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
