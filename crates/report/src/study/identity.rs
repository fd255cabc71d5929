// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which runs are of one scenario, and what tells the names of scenarios apart.

use crate::ordered::OrderedMap;
use crate::results::Run;
use crate::study::chapter::Chapter;
use crate::study::named::NamedResults;
use std::collections::BTreeMap;
use std::path::Path;

/// The names of the job files, or that of the result where those are not known.
pub(super) fn name(source: &NamedResults, run: &Run) -> String {
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

/// Whether two names are of one scenario, which may be built in (`@two-groups`) or be a file.
pub(super) fn same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.split(" + ").map(without_mark).collect::<Vec<_>>().join(" + ");
    one == other || plain(one) == plain(other)
}

fn without_mark(name: &str) -> &str {
    name.strip_prefix('@').unwrap_or(name)
}

/// Whether two runs whose job files are called the same are of one scenario: what the files say of
/// themselves is the same, and so are the jobs.
pub(super) fn same_scenario(one: &Run, other: &Run) -> bool {
    let titles = [one, other].map(|run| run.scenario.as_ref().map(|scenario| &scenario.title));
    let jobs = |run: &Run| -> Vec<(String, u32)> {
        run.summary.jobs.iter().map(|job| (job.jobname.clone(), job.phase)).collect()
    };
    !matches!(titles, [Some(one), Some(other)] if one != other)
        && jobs(one) == jobs(other)
        && match [one, other].map(options) {
            [Some(one), Some(other)] => one == other,
            _ => true,
        }
}

/// The options of all jobs, then those of each; none of an older result, which lacks them.
fn options(run: &Run) -> Option<Vec<&OrderedMap<String>>> {
    let of_jobs = run.summary.jobs.iter().map(|job| &job.options);
    let all: Vec<_> = std::iter::once(&run.fio.global_options).chain(of_jobs).collect();
    all.iter().any(|options| !options.is_empty()).then_some(all)
}

/// Gives each chapter a name and a heading of its own.
pub(super) fn tell_apart(chapters: &mut [Chapter]) {
    let by_path: Vec<String> = chapters.iter().map(path).collect();
    let clashing = clashing(chapters.iter().map(|chapter| chapter.name.as_str()));
    for ((chapter, path), clashes) in chapters.iter_mut().zip(by_path).zip(clashing) {
        if clashes {
            chapter.name = path;
        }
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for chapter in chapters.iter_mut() {
        let count = seen.entry(chapter.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            chapter.name = format!("{} ({count})", chapter.name);
        }
    }
    let clashing = self::clashing(chapters.iter().map(Chapter::title));
    for (chapter, clashes) in chapters.iter_mut().zip(clashing) {
        chapter.heading = match clashes {
            true => format!("{} ({})", chapter.title(), chapter.name),
            false => chapter.title().to_owned(),
        };
    }
}

/// The names of the job files with their folders.
fn path(chapter: &Chapter) -> String {
    let without_ending = |file: &String| Path::new(file).with_extension("").display().to_string();
    match chapter.scenario {
        Some(scenario) => scenario.files.iter().map(without_ending).collect::<Vec<_>>().join(" + "),
        None => chapter.name.clone(),
    }
}

/// Of each name whether another is the same.
fn clashing<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<bool> {
    let count = |name: &str| names.clone().filter(|other| *other == name).count();
    names.clone().map(|name| count(name) > 1).collect()
}
