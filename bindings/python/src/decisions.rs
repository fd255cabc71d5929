// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decisions of the scheduler as a table: a row each, with the figures it was taken on.

use crate::figures::{Figure, fields};
use crate::table::{Column, Table};
use bfq::Time;
use bfq::why::{Decision, Observer};
use blk::{IoError, Tag};
use pyo3::PyResult;
use runner::Runner;
use sim::RunObserver;
use std::cell::RefCell;
use std::rc::Rc;

/// Writes decisions down. Clones write to the same table.
#[derive(Clone)]
pub(crate) struct DecisionRecorder(Rc<RefCell<Rows>>);

struct Rows {
    at_ns: Vec<u64>,
    decisions: Vec<&'static str>,
    /// Whose each of them is.
    who: Vec<Option<String>>,
    figures: Vec<(&'static str, Column)>,
    names: Names,
}

impl DecisionRecorder {
    /// `processes` are the names of all processes, in their order.
    pub(crate) fn new(processes: Vec<String>) -> DecisionRecorder {
        DecisionRecorder(Rc::new(RefCell::new(Rows {
            at_ns: Vec::new(),
            decisions: Vec::new(),
            who: Vec::new(),
            figures: Vec::new(),
            names: Names { all: processes, seen: 0, processes: Vec::new(), queues: Vec::new() },
        })))
    }

    /// All that was written down so far, which is taken away.
    pub(crate) fn take(&self) -> PyResult<Table> {
        let mut rows = self.0.borrow_mut();
        let count = rows.at_ns.len();
        let at_ns = Column::counts(std::mem::take(&mut rows.at_ns));
        let decisions = Column::texts(std::mem::take(&mut rows.decisions));
        let who = Column::Texts(std::mem::take(&mut rows.who));
        let figures = std::mem::take(&mut rows.figures);
        let mut columns = vec![("at_ns", at_ns), ("decision", decisions), ("who", who)];
        columns.extend(figures.into_iter().map(|(name, column)| (name, column.up_to(count))));
        Table::new(columns)
    }
}

impl Observer for DecisionRecorder {
    fn decided(&mut self, now: Time, decision: &Decision) {
        self.0.borrow_mut().add(now, decision);
    }
}

impl RunObserver for DecisionRecorder {
    fn ends(&mut self, _: u64, _: Tag, _: Result<(), IoError>, _: &Runner) {}
}

impl Rows {
    fn add(&mut self, now: Time, decision: &Decision) {
        let Rows { at_ns, decisions, who, figures, names } = self;
        let row = at_ns.len();
        names.follow(decision);
        at_ns.push(now.as_ns());
        let (mut queue, mut process) = (None, None);
        decisions.push(fields(decision, &mut |name, figure| {
            match (name, &figure) {
                ("queue", Figure::Count(place)) => queue = Some(*place as usize),
                ("process", Figure::Count(place)) => process = Some(*place as usize),
                _ => {}
            }
            if matches!(figure, Figure::None) {
                return;
            }
            let known = figures.iter().position(|(known, _)| *known == name);
            let place = known.unwrap_or_else(|| {
                figures.push((name, column_for(&figure)));
                figures.len() - 1
            });
            figures[place].1.set(row, figure);
        }));
        who.push(names.who(queue, process));
    }
}

/// What processes and queues are called, by their numbers in the scheduler.
struct Names {
    all: Vec<String>,
    /// How many processes there have been.
    seen: usize,
    /// For each process its place in `all`.
    processes: Vec<Option<usize>>,
    /// For each queue that of the process whose it is, or who used it last.
    queues: Vec<Option<usize>>,
}

impl Names {
    fn follow(&mut self, decision: &Decision) {
        match *decision {
            Decision::ProcessAdded { process, .. } => {
                set(&mut self.processes, process.index(), Some(self.seen));
                self.seen += 1;
            }
            Decision::QueueCreated { queue, process, .. } => {
                let of = process.and_then(|process| self.of_process(process.index()));
                set(&mut self.queues, queue.index(), of);
            }
            Decision::Queued { queue, process: Some(process), .. } => {
                let of = self.of_process(process.index());
                set(&mut self.queues, queue.index(), of);
            }
            _ => {}
        }
    }

    fn of_process(&self, process: usize) -> Option<usize> {
        self.processes.get(process).copied().flatten()
    }

    fn who(&self, queue: Option<usize>, process: Option<usize>) -> Option<String> {
        let of_queue = || queue.and_then(|queue| self.queues.get(queue).copied().flatten());
        let place = process.and_then(|process| self.of_process(process)).or_else(of_queue)?;
        self.all.get(place).cloned()
    }
}

fn set(places: &mut Vec<Option<usize>>, place: usize, value: Option<usize>) {
    if places.len() <= place {
        places.resize(place + 1, None);
    }
    places[place] = value;
}

/// An empty column for figures like this one.
fn column_for(figure: &Figure) -> Column {
    match figure {
        Figure::None | Figure::Count(_) => Column::Counts(Vec::new()),
        Figure::Integer(_) => Column::Integers(Vec::new()),
        Figure::Flag(_) => Column::Flags(Vec::new()),
        Figure::Text(_) => Column::Texts(Vec::new()),
    }
}

impl Column {
    /// Puts a figure into a row behind all that have one.
    fn set(&mut self, row: usize, figure: Figure) {
        match (&mut *self, figure) {
            (Column::Counts(rows), Figure::Count(value)) => put(rows, row, value),
            (Column::Integers(rows), Figure::Integer(value)) => put(rows, row, value),
            // What one kind of decision counts, another may have with a sign.
            (Column::Integers(rows), Figure::Count(value)) => put(rows, row, signed(value)),
            (Column::Counts(counts), Figure::Integer(value)) => {
                let mut rows = counts.iter().map(|count| count.map(signed)).collect();
                put(&mut rows, row, value);
                *self = Column::Integers(rows);
            }
            (Column::Flags(rows), Figure::Flag(value)) => put(rows, row, value),
            (Column::Texts(rows), Figure::Text(value)) => put(rows, row, value),
            _ => debug_assert!(false, "the figures of a name are of one kind"),
        }
    }

    /// With gaps up to that number of rows.
    fn up_to(mut self, count: usize) -> Column {
        match &mut self {
            Column::Counts(rows) => rows.resize(count, None),
            Column::Integers(rows) => rows.resize(count, None),
            Column::Numbers(rows) => rows.resize(count, None),
            Column::Flags(rows) => rows.resize(count, None),
            Column::Texts(rows) => rows.resize(count, None),
        }
        self
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn put<T: Clone>(rows: &mut Vec<Option<T>>, row: usize, value: T) {
    rows.resize(row, None);
    rows.push(Some(value));
}
