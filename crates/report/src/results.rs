// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole of a result: one run for each scheduler and device.

use crate::fairness::Fairness;
use crate::fio::FioOutput;
use crate::json;
use crate::ordered::OrderedMap;
use crate::plots::Plots;
use crate::summary::Summary;
use crate::timeline::Timeline;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that one command measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Results {
    /// Version of this program.
    #[serde(rename = "bfq version")]
    pub bfq_version: String,
    /// How it was measured.
    pub mode: Mode,
    /// The seed of every random choice; of several results put together, that of the first, and
    /// each run has its own.
    pub seed: u64,
    /// Something the reader must know, for instance that the run was interrupted; of several
    /// results put together, with the names of their files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The runs, device by device and in each in the order of the schedulers.
    pub runs: Vec<Run>,
}

/// How a result came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// In virtual time on a model.
    Sim,
    /// In real time on a real target, under our schedulers.
    Run,
    /// In real time on a real device, under the kernel's schedulers.
    Bench,
    /// Several results put together. A run whose device has a profile was simulated, one whose
    /// device has a path was real.
    Mixed,
}

/// One scheduler on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// The scheduler's name.
    pub scheduler: String,
    /// The scheduler as it was asked for, if with tunables: `bfq:low_latency=0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Its tunables and their values during the run.
    pub tunables: OrderedMap<Value>,
    /// What it ran on.
    pub device: DeviceInfo,
    /// The settings of the block layer, by the kernel's names.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub queue: OrderedMap<u64>,
    /// What fio would print.
    pub fio: FioOutput,
    /// How the device was shared.
    pub summary: Summary,
    /// How fairly the device's time was shared, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// Figures of the device.
    pub device_stats: OrderedMap<u64>,
    /// Figures of the scheduler.
    pub scheduler_stats: OrderedMap<u64>,
    /// Figures of each control group, if the scheduler counts by groups: by the group's path, with
    /// the names of cgroup v1 behind `blkio.<scheduler>.`; a number, or one
    /// for each kind of request.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub group_stats: OrderedMap<OrderedMap<Value>>,
    /// Figures of the block layer.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub queue_stats: OrderedMap<u64>,
    /// Figures of the page cache, if jobs went through one.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub page_cache: OrderedMap<u64>,
    /// The seed of its random choices, if several results were put together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What the reader must know of it, or of the result that it was in if several were put
    /// together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What was run, and how to run it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<Scenario>,
    /// What drawings are made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plots: Option<Plots>,
}

/// What was run: job files and what they say of themselves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scenario {
    /// The job files, as the command line named them.
    pub files: Vec<String>,
    /// The first sentence of the comment at the top of the first one; may be empty.
    pub title: String,
    /// Its named paragraphs, as in `Shows: that weights are honoured.`
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub notes: OrderedMap<String>,
    /// The command line, without the options that say where results go.
    pub command: String,
}

/// A device, modelled or real.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceInfo {
    /// Name of the model's profile, in a simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Path of the file or device, in a real run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How many requests it takes at once.
    pub depth: u32,
    /// Whether seeks cost.
    pub rotational: bool,
    /// Its size in bytes.
    pub capacity_bytes: u64,
    /// Values of the profile that the command line changed, as written.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub overrides: OrderedMap<String>,
}

impl DeviceInfo {
    /// What people call it.
    pub fn name(&self) -> &str {
        self.profile.as_deref().or(self.path.as_deref()).unwrap_or("device")
    }

    /// Its name, with the values of its profile that were changed, which tell it from others of
    /// that name: `hdd-desktop:depth=1`.
    pub fn label(&self) -> String {
        let values = self.values();
        let colon = if values.is_empty() { "" } else { ":" };
        format!("{}{colon}{values}", self.name())
    }

    /// The values of its profile that were changed: `depth=1,rpm=5400`.
    pub(crate) fn values(&self) -> String {
        let changed = self.overrides.iter().map(|(name, value)| format!("{name}={value}"));
        changed.collect::<Vec<_>>().join(",")
    }
}

impl Run {
    /// Adds a record of who was served when.
    pub fn set_timeline(&mut self, timeline: Option<Timeline>) {
        if timeline.is_some() {
            self.plots.get_or_insert_default().timeline = timeline;
        }
    }
}

impl Results {
    /// Reads a result that was written by [`Results::to_json`].
    ///
    /// # Errors
    /// If the text is not JSON, or lacks something.
    pub fn from_json(text: &str) -> Result<Results, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// All runs in one result, if there are any, of results with the names of their files. What is
    /// known of one result only, its seed and its note, stands in each of its runs then.
    pub fn joined(all: impl IntoIterator<Item = (String, Results)>) -> Option<Results> {
        let mut all: Vec<(String, Results)> = all.into_iter().collect();
        if all.len() < 2 {
            return all.pop().map(|(_, only)| only);
        }
        let mut notes = Vec::new();
        let mut joined: Option<Results> = None;
        for (name, mut results) in all {
            notes.extend(results.note.iter().map(|note| format!("{name}: {note}")));
            for run in &mut results.runs {
                // Runs of results that were put together before have their own.
                if run.seed.is_none() {
                    run.seed = Some(results.seed);
                    run.note = results.note.clone();
                }
            }
            match &mut joined {
                None => joined = Some(results),
                Some(joined) => {
                    if results.mode != joined.mode {
                        joined.mode = Mode::Mixed;
                    }
                    joined.runs.extend(results.runs);
                }
            }
        }
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        joined.map(|joined| Results { note, ..joined })
    }

    /// The result as JSON, indented, with a line end.
    pub fn to_json(&self) -> String {
        json::to_json(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::samples::{JobSample, run, source};

    #[test]
    fn results_that_are_put_together_keep_their_seeds_and_notes() {
        let of = |name: &str, seed, note: Option<&str>| {
            let job = JobSample::steady("job", &[], 1_000, 4096);
            let mut named = source(name, vec![run("bfq", &[job], &[])]);
            named.results.seed = seed;
            named.results.note = note.map(str::to_owned);
            (named.name, named.results)
        };
        let alone = of("a", 3, Some("interrupted"));
        assert_eq!(Results::joined([alone.clone()]), Some(alone.1));
        let all = [of("a", 3, None), of("b", 7, Some("interrupted"))];
        let joined = Results::joined(all).unwrap();
        assert_eq!((joined.seed, joined.note.as_deref()), (3, Some("out/b.json: interrupted")));
        let of_runs: Vec<_> =
            joined.runs.iter().map(|run| (run.seed, run.note.as_deref())).collect();
        assert_eq!(of_runs, [(Some(3), None), (Some(7), Some("interrupted"))]);
        assert_eq!(Results::joined([]), None);
    }
}
