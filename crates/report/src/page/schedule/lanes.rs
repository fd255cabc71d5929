// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lanes of a schedule: a process each, or a part of the jobs each where there are many.

use super::path::Path;
use crate::page::schedule::span::{LANE, Span};
use crate::page::sheet::Sheet;
use crate::timeline::{REASONS, Timeline, Who};
use maud::{Markup, html};
use std::fmt::Write;

/// With more processes than that, the jobs of a part share a lane.
const MOST_LANES: usize = 14;

/// Who is drawn where.
pub(super) struct Lanes {
    pub list: Vec<Lane>,
    /// The part of each job, the colour of each part.
    part_of_job: Vec<usize>,
    colours: Vec<usize>,
    by_part: bool,
}

/// A line of the drawing.
#[derive(Clone)]
pub(super) struct Lane {
    pub name: String,
    /// By job; queues that are shared behind those of one process.
    order: (usize, bool, String),
}

impl Lanes {
    /// The lanes of all who occur in these timelines, in the order of their jobs.
    pub fn of(sheet: &Sheet, timelines: &[&Timeline]) -> Lanes {
        let parts = &sheet.stage.parts;
        let jobs = parts.iter().flat_map(|part| &part.jobs).max().map_or(0, |most| most + 1);
        let part_of = |job| parts.iter().position(|part| part.has(job)).unwrap_or(0);
        let mut lanes = Lanes {
            list: Vec::new(),
            part_of_job: (0..jobs).map(part_of).collect(),
            colours: (0..parts.len()).map(|part| sheet.colour(part)).collect(),
            by_part: false,
        };
        lanes.fill(sheet, timelines);
        if lanes.list.len() > MOST_LANES {
            lanes.by_part = true;
            lanes.list.clear();
            lanes.fill(sheet, timelines);
        }
        lanes.list.sort_by(|one, other| one.order.cmp(&other.order));
        lanes
    }

    /// The lanes of one of the timelines: without queues that are shared in others only.
    pub fn of_one(&self, sheet: &Sheet, timeline: &Timeline) -> Lanes {
        let occurs =
            |lane: &&Lane| timeline.who.iter().any(|who| self.name(sheet, who) == lane.name);
        let list = self.list.iter().filter(|lane| !lane.order.1 || occurs(lane)).cloned().collect();
        Lanes {
            list,
            part_of_job: self.part_of_job.clone(),
            colours: self.colours.clone(),
            by_part: self.by_part,
        }
    }

    fn fill(&mut self, sheet: &Sheet, timelines: &[&Timeline]) {
        for who in timelines.iter().flat_map(|timeline| &timeline.who) {
            let name = self.name(sheet, who);
            if !self.list.iter().any(|lane| lane.name == name) {
                let shared = who.name.contains(['*', '+']);
                let order = (who.job.unwrap_or(usize::MAX), shared, who.name.clone());
                self.list.push(Lane { name, order });
            }
        }
    }

    fn name(&self, sheet: &Sheet, who: &Who) -> String {
        match self.part_of(who).filter(|_| self.by_part) {
            Some(part) => sheet.stage.parts[part].name.clone(),
            None => who.name.clone(),
        }
    }

    fn part_of(&self, who: &Who) -> Option<usize> {
        self.part_of_job.get(who.job?).copied()
    }

    /// The colour of a process or queue.
    pub fn colour_of(&self, who: &Who) -> usize {
        let colour = self.part_of(who).and_then(|part| self.colours.get(part));
        colour.copied().unwrap_or(crate::page::sheet::GREY)
    }

    fn places(&self, sheet: &Sheet, timeline: &Timeline) -> Vec<usize> {
        let place = |who: &Who| {
            let name = self.name(sheet, who);
            self.list.iter().position(|lane| lane.name == name).unwrap_or(0)
        };
        timeline.who.iter().map(place).collect()
    }

    /// What is drawn in the lanes: turns as a tint, service as a bar, the time that requests spend
    /// in the device before it as a thin line, and idling as a dark line.
    pub fn drawn(&self, sheet: &Sheet, timeline: &Timeline, span: &Span, budget: usize) -> Markup {
        let places = self.places(sheet, timeline);
        let middle = |who: usize| (places[who] * LANE + LANE / 2) as i64;
        let colour = |who: usize| self.colour_of(&timeline.who[who]);
        let mut turns = Layers::default();
        for turn in timeline.turns.iter().take(budget) {
            let (from, until) = (span.units(turn.from_ns), span.units(turn.until_ns));
            turns.of(colour(turn.who)).bar(middle(turn.who), from, until);
        }
        let mut queued = Layers::default();
        let mut served = Layers::default();
        let mut free_ns = 0;
        for entry in timeline.requests.iter().take(budget) {
            let from_ns = entry.dispatched_ns.max(free_ns);
            free_ns = entry.ended_ns;
            let y = middle(entry.who);
            let (begin, from, until) =
                (span.units(entry.dispatched_ns), span.units(from_ns), span.units(entry.ended_ns));
            if begin < from {
                queued.of(colour(entry.who)).bar(y, begin, from);
            }
            served.of(colour(entry.who)).bar(y, from, until);
        }
        let mut idle = Path::default();
        for wait in timeline.waits.iter().take(budget) {
            idle.bar(middle(wait.who), span.units(wait.from_ns), span.units(wait.until_ns));
        }
        html! {
            (turns.drawn("turn"))
            (queued.drawn("queued"))
            (served.drawn("served"))
            @if !idle.is_empty() {
                path.idle d=(idle.text()) {}
            }
        }
    }

    /// The turns for the script that reads them out: `from,length,lane,reason;…` in units.
    pub fn turns_for_script(
        &self,
        sheet: &Sheet,
        timeline: &Timeline,
        span: &Span,
        budget: usize,
    ) -> String {
        let places = self.places(sheet, timeline);
        let mut text = String::new();
        for turn in timeline.turns.iter().take(budget) {
            let (from, until) = (span.units(turn.from_ns), span.units(turn.until_ns));
            let reason = reason_number(&turn.reason);
            let _ = write!(text, "{from},{},{},{reason};", until - from, places[turn.who]);
        }
        text
    }
}

/// A path for each colour.
#[derive(Default)]
pub(super) struct Layers(Vec<(usize, Path)>);

impl Layers {
    pub fn of(&mut self, colour: usize) -> &mut Path {
        let place = self.0.iter().position(|(of, _)| *of == colour).unwrap_or_else(|| {
            self.0.push((colour, Path::default()));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }

    pub fn drawn(&self, class: &str) -> Markup {
        html! {
            @for (colour, path) in &self.0 {
                path class={ (class) " s" (colour) } d=(path.text()) {}
            }
        }
    }
}

/// The number of a reason among [`REASONS`].
pub(super) fn reason_number(reason: &str) -> usize {
    REASONS.iter().position(|(name, _)| *name == reason).unwrap_or(0)
}
