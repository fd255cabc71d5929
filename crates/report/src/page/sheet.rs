// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario on a device, and how it is drawn: which runs, in which
//! colours, with how much of each.

use crate::alike::Alike;
use crate::results::Run;
use crate::study::{Column, Measure, StudyStage};
use crate::{alike, study};

/// The colour of those who have none of their own.
pub(super) const GREY: usize = 7;

/// What a report may show of each run, so that one of many runs is not too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    /// Slots of time in which throughput is drawn, 48 to 128 for a run.
    pub(super) slots: usize,
    /// Entries of the schedule.
    pub(super) entries: usize,
}

impl Budget {
    /// A report of up to this number of runs has all of it.
    pub(super) const RUNS: usize = 200;

    pub(super) fn of(runs: usize) -> Self {
        let share = |whole: usize| whole * Self::RUNS / runs.max(Self::RUNS);
        Self { slots: share(128).max(48), entries: share(400).max(100) }
    }
}

/// A stage, and how it is drawn.
pub(super) struct Sheet<'a> {
    pub(super) stage: &'a StudyStage<'a>,
    /// The runs that are drawn.
    pub(super) drawn: Vec<Drawn<'a>>,
    /// What there is to say of those that did the same, a sentence each.
    pub(super) same: Vec<String>,
    pub(super) budget: Budget,
    pub(super) colours: Vec<usize>,
}

/// A run that is drawn, for itself and for those that did exactly the same.
pub(super) struct Drawn<'a> {
    /// The names of all of them.
    pub(super) label: String,
    /// The place of the run among the columns of the stage.
    pub(super) place: usize,
    pub(super) column: &'a Column<'a>,
}

impl<'a> Drawn<'a> {
    /// One for each of those that did exactly the same.
    pub(super) fn for_all(stage: &'a StudyStage<'a>, alike: &Alike) -> Drawn<'a> {
        let turns = |place: &usize| {
            let plots = stage.columns[*place].run.plots.as_ref();
            plots.and_then(|plots| Some(plots.timeline.as_ref()?.turns.len())).unwrap_or(0)
        };
        let names = alike.places.iter().map(|&place| stage.columns[place].label.as_str());
        let label = study::listed(&names.collect::<Vec<_>>());
        // The one that tells most of its schedule; of equals the first.
        let place = alike.places.iter().copied().rev().max_by_key(turns);
        let place = place.unwrap_or(alike.first());
        Drawn { label, place, column: &stage.columns[place] }
    }

    pub(super) fn run(&self) -> &'a Run {
        self.column.run
    }

    /// Its value of a measure, if that was measured.
    pub(super) fn of(&self, measure: &Measure) -> Option<f64> {
        measure.values.get(self.place).copied().flatten()
    }
}

impl<'a> Sheet<'a> {
    pub(super) fn of(stage: &'a StudyStage<'a>, budget: Budget) -> Self {
        let runs: Vec<&Run> = stage.columns.iter().map(|column| column.run).collect();
        let labels: Vec<&str> = stage.columns.iter().map(|column| column.label.as_str()).collect();
        let alike = alike(&runs);
        let drawn = alike.iter().map(|alike| Drawn::for_all(stage, alike)).collect();
        let same = alike.iter().filter_map(|alike| alike.sentence(&labels)).collect();
        let mut sheet = Self { stage, drawn, same, budget, colours: Vec::new() };
        let subject = stage.measures.iter().find_map(|measure| measure.part);
        let mut next = 1;
        for part in 0..stage.parts.len() {
            let colour = if Some(part) == subject { 0 } else { next };
            next += usize::from(colour == next);
            sheet.colours.push(colour.min(GREY));
        }
        sheet
    }

    /// The colour of a part, the same in all drawings of the stage.
    pub(super) fn colour(&self, part: usize) -> usize {
        self.colours.get(part).copied().unwrap_or(GREY)
    }

    /// The class of shapes that are filled with the colour of a part.
    pub(super) fn class(&self, part: usize) -> String {
        format!("c{}", self.colour(part))
    }

    /// The parts, those that the scenario is about first.
    pub(super) fn by_interest(&self) -> Vec<usize> {
        let mut parts: Vec<usize> = self.stage.measures.iter().filter_map(|one| one.part).collect();
        parts.extend(
            (0..self.stage.parts.len()).filter(|part| !parts.contains(part)).collect::<Vec<_>>(),
        );
        parts
    }
}
