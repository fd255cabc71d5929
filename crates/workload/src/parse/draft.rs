// SPDX-License-Identifier: MIT OR Apache-2.0
//! A job in the making: the options of a section as they come, and what they add up to.

mod defaults;
mod depth;
mod finish;
mod replayed;
mod verify;

use crate::parse::values::Pattern;
use std::sync::Arc;

use super::lines::Origin;
use super::values::Split;
use crate::advice::Advice;
use crate::job::{ExitScope, Flow, Job, Note, PerDirection, Rate};

/// Values per direction of which some may not be given.
#[derive(Clone, Debug)]
pub(super) struct Given<T> {
    pub(super) values: PerDirection<Option<T>>,
}

impl<T: Clone> Given<T> {
    const fn nothing() -> Given<T> {
        Given { values: PerDirection { read: None, write: None, trim: None } }
    }

    /// Takes over a list for reads, writes and trims. A value that is last in the list also
    /// stands for what follows it; an empty one leaves what was.
    pub(super) fn update(&mut self, list: Vec<Option<T>>) {
        if let Some(Some(read)) = list.first() {
            self.values.read = Some(read.clone());
        }
        if let Some(Some(write)) = list.get(1).or(list.first()) {
            self.values.write = Some(write.clone());
        }
        if let Some(Some(trim)) = list.get(2).or(list.get(1)).or(list.first()) {
            self.values.trim = Some(trim.clone());
        }
    }

    pub(super) fn is_any(&self) -> bool {
        let PerDirection { read, write, trim } = &self.values;
        read.is_some() || write.is_some() || trim.is_some()
    }
}

/// `zonemode` and its kin as written; 0: not given.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Zones {
    pub(super) are_strided: bool,
    pub(super) size_bytes: u64,
    pub(super) range_bytes: u64,
    pub(super) skip_bytes: u64,
}

/// `latency_target` and its kin as written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Latency {
    pub(super) target_ns: u64,
    pub(super) window_ns: u64,
    pub(super) percentile: Option<f64>,
    pub(super) goes_on: bool,
}

/// `iodepth_batch` and its kin as written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Calls {
    pub(super) submit: Option<u32>,
    pub(super) reap_least: Option<u32>,
    pub(super) reap_most: Option<u32>,
    pub(super) low: Option<u32>,
}

/// `verify` and its kin as written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verification {
    pub(super) is_on: bool,
    pub(super) reads_back: bool,
    pub(super) is_fatal: bool,
    pub(super) interval_bytes: Option<u32>,
}

/// A line that set an option.
#[derive(Clone, Debug)]
struct Setting {
    /// The first of its names.
    option: &'static str,
    /// Name as it is written.
    name: String,
    value: Option<String>,
    origin: Origin,
}

/// The options so far.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// Those that need no more than taking over.
    pub(super) job: Job,
    pub(super) name: Option<String>,
    pub(super) filenames: Vec<String>,
    pub(super) pattern: Pattern,
    pub(super) repeats: bool,
    pub(super) block_size: Given<u32>,
    pub(super) block_range: Given<(u32, u32)>,
    pub(super) block_split: Given<Split>,
    pub(super) direct: Option<bool>,
    /// `fadvise_hint`; `Some(None)`: by the pattern.
    pub(super) advice: Option<Option<Advice>>,
    pub(super) exits_all: bool,
    pub(super) exit_scope: ExitScope,
    pub(super) zones: Zones,
    pub(super) latency: Latency,
    pub(super) calls: Calls,
    pub(super) verification: Verification,
    pub(super) flow: Flow,
    pub(super) think_blocks: Option<u64>,
    pub(super) rate: Given<Option<Rate>>,
    pub(super) rate_iops: Given<Option<Rate>>,
    pub(super) prio: Option<u8>,
    pub(super) prio_class: u8,
    pub(super) read_iolog: Option<String>,
    settings: Vec<Setting>,
    /// How many of the settings are from `[global]` sections.
    global_settings: usize,
}

impl Draft {
    /// A job with fio's defaults.
    pub(super) fn new() -> Draft {
        Draft {
            job: defaults::defaults(),
            name: None,
            filenames: Vec::new(),
            pattern: Pattern::default(),
            repeats: false,
            block_size: Given::nothing(),
            block_range: Given::nothing(),
            block_split: Given::nothing(),
            direct: None,
            advice: None,
            exits_all: false,
            exit_scope: ExitScope::Group,
            zones: Zones::default(),
            latency: Latency::default(),
            calls: Calls::default(),
            verification: Verification {
                is_on: false,
                reads_back: true,
                is_fatal: false,
                interval_bytes: None,
            },
            flow: Flow { id: 0, weight: 0, sleep_ns: 0 },
            think_blocks: None,
            rate: Given::nothing(),
            rate_iops: Given::nothing(),
            prio: None,
            prio_class: 0,
            read_iolog: None,
            settings: Vec::new(),
            global_settings: 0,
        }
    }

    /// The beginning of a job's section: what the `[global]` sections above say.
    pub(super) fn of_section(&self) -> Draft {
        let mut draft = self.clone();
        draft.global_settings = draft.settings.len();
        // As under fio, only a job's own section can name it.
        draft.name = None;
        draft
    }

    /// Adds a line that set an option.
    pub(super) fn add(
        &mut self,
        option: &'static str,
        name: &str,
        value: Option<String>,
        origin: Origin,
    ) {
        self.settings.push(Setting { option, name: name.to_string(), value, origin });
    }

    pub(super) fn note(&mut self, origin: &Origin, text: String) {
        self.job.notes.push(Note { file: Arc::clone(&origin.file), line: origin.line, text });
    }
}
