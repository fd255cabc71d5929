// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a terminal shows of the disks: a state that keys change, drawn into any buffer.

mod draw;
mod rows;
mod sorting;

use crate::reasons;
use crate::snapshot::{DiskFigures, Snapshot};
use draw::{Shown, View};
use ratatui::Frame;
use rows::{Key, Row};
use sorting::Sorting;
use std::collections::VecDeque;

/// Intervals that the history has.
const MOST_HISTORY: usize = 120;

/// What the user does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A letter that was typed.
    Letter(char),
    /// The key for the end of a line.
    Enter,
    /// The key that leaves.
    Escape,
    /// The key that removes a letter.
    Backspace,
    /// The key for the next disk.
    Tab,
    /// Rows down, or up if negative.
    Move(i32),
    /// A click on this line of the terminal.
    Click(u16),
}

/// What is to be done after an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The screen is drawn again.
    Draw,
    /// The user wants to leave the screen.
    Quit,
}

/// The state of the screen.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    history: VecDeque<Snapshot>,
    disk: usize,
    sorting: Sorting,
    is_tree: bool,
    is_paused: bool,
    shows_help: bool,
    /// What names have to contain.
    filter: String,
    edits_filter: bool,
    /// The row that the user chose, which stays chosen wherever it goes; none: the first.
    chosen: Option<Key>,
    /// Where that was when it was there last.
    last_place: usize,
    shown: Shown,
    has_color: bool,
}

impl Screen {
    /// A screen with or without colours.
    pub fn new(has_color: bool) -> Self {
        Screen { has_color, ..Screen::default() }
    }

    /// An interval has ended. While paused it is not shown.
    pub fn add(&mut self, snapshot: Snapshot) {
        if self.is_paused {
            return;
        }
        if self.history.len() == MOST_HISTORY {
            self.history.pop_front();
        }
        self.disk = self.disk.min(snapshot.disks.len().saturating_sub(1));
        self.history.push_back(snapshot);
    }

    /// How much is kept.
    #[cfg(test)]
    pub(crate) fn entries(&self) -> usize {
        self.history.len()
    }

    /// Takes an input of the user, and tells what to do then.
    pub fn take(&mut self, input: Input) -> Next {
        if self.edits_filter {
            return self.edit_filter(input);
        }
        if std::mem::take(&mut self.shows_help) && input != Input::Letter('q') {
            return Next::Draw;
        }
        match input {
            Input::Letter('q') => return Next::Quit,
            Input::Letter('h' | '?') => self.shows_help = true,
            Input::Letter('p' | ' ') => self.is_paused = !self.is_paused,
            Input::Letter('t') => self.is_tree = !self.is_tree,
            Input::Letter('/') => self.edits_filter = true,
            Input::Letter('j') => self.move_by(1),
            Input::Letter('k') => self.move_by(-1),
            Input::Letter(letter) => self.sorting = Sorting::by_key(letter).unwrap_or(self.sorting),
            Input::Escape if self.filter.is_empty() => self.chosen = None,
            Input::Escape => self.filter.clear(),
            Input::Tab => self.disk = (self.disk + 1) % self.disks().len().max(1),
            Input::Move(rows) => self.move_by(rows),
            Input::Click(line) => {
                if let Some(place) = self.shown.row_at(line) {
                    self.choose(place);
                }
            }
            Input::Enter | Input::Backspace => {}
        }
        Next::Draw
    }

    fn edit_filter(&mut self, input: Input) -> Next {
        match input {
            Input::Letter(letter) => self.filter.push(letter),
            Input::Backspace => {
                self.filter.pop();
            }
            Input::Enter => self.edits_filter = false,
            Input::Escape => {
                self.filter.clear();
                self.edits_filter = false;
            }
            Input::Tab | Input::Move(_) | Input::Click(_) => {}
        }
        Next::Draw
    }

    fn move_by(&mut self, rows: i32) {
        let place = self.place(&self.rows()).unwrap_or(self.last_place);
        self.choose(place.saturating_add_signed(rows as isize));
    }

    /// Chooses a row, or the last one if there are fewer.
    fn choose(&mut self, place: usize) {
        let rows = self.rows();
        let place = place.min(rows.len().saturating_sub(1));
        let key = rows.get(place).map(Row::key);
        (self.chosen, self.last_place) = (key, place);
    }

    /// Where the chosen row is; none if it did nothing in this interval.
    fn place(&self, rows: &[Row<'_>]) -> Option<usize> {
        match &self.chosen {
            None => (!rows.is_empty()).then_some(0),
            Some(key) => rows.iter().position(|row| row.key() == *key),
        }
    }

    fn latest(&self) -> Option<&Snapshot> {
        self.history.back()
    }

    fn disks(&self) -> &[DiskFigures] {
        self.latest().map_or(&[], |snapshot| &snapshot.disks)
    }

    fn rows(&self) -> Vec<Row<'_>> {
        let Some(disk) = self.disks().get(self.disk) else { return Vec::new() };
        let rows = match self.is_tree {
            true => rows::tree(disk, self.sorting),
            false => rows::flat(disk, self.sorting),
        };
        let matches = |row: &Row<'_>| row.name.contains(&self.filter) || row.is_in(&self.filter);
        rows.into_iter().filter(matches).collect()
    }

    /// Draws all that there is.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let used = |snapshot: &Snapshot| {
            let disk = snapshot.disks.get(self.disk);
            disk.map_or(0, |disk| disk.utilisation_percent.round() as u64)
        };
        let rows = self.rows();
        let disk = self.disks().get(self.disk);
        let selected = self.place(&rows);
        // What the user asked for comes first, for the end may be cut off.
        let mut reasons = match (disk, &self.chosen, selected.and_then(|place| rows[place].pid)) {
            (Some(disk), _, Some(pid)) => reasons::of_process(disk, pid),
            (Some(disk), Some(key), None) => key.idle(disk).into_iter().collect(),
            _ => Vec::new(),
        };
        reasons.extend(disk.map(reasons::of_disk).unwrap_or_default());
        let view = View {
            disk,
            reasons,
            place: (self.disk + 1, self.disks().len()),
            interval_s: self.latest().map_or(1.0, |snapshot| snapshot.interval_s),
            lost_events: self.latest().map_or(0, |snapshot| snapshot.lost_events),
            history: self.history.iter().map(used).collect(),
            rows,
            selected,
            first_shown: self.shown.first,
            order: self.sorting.name(),
            is_tree: self.is_tree,
            filter: &self.filter,
            edits_filter: self.edits_filter,
            is_paused: self.is_paused,
            shows_help: self.shows_help,
            has_color: self.has_color,
        };
        let shown = draw::draw(&view, frame);
        self.last_place = selected.unwrap_or(self.last_place);
        self.shown = shown;
    }
}

#[cfg(test)]
mod tests;
