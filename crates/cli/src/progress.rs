// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress of long work: a bar on a terminal, nothing in a pipe or on one that is dumb.

use crate::streams::terminal_is_dumb;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that counts virtual or real time, or nothing at all.
#[derive(Debug)]
pub struct Progress(ProgressBar);

const TEMPLATE: &str = "{prefix:<32} [{bar:30}] {msg}";
const NO_END_TEMPLATE: &str = "{prefix:<32} {spinner} {msg}";
const NS_PER_MS: u64 = 1_000_000;

impl Progress {
    /// A bar called `what` on stderr, if that is a terminal on which the cursor moves, and `quiet`
    /// is not set.
    pub fn new(what: String, quiet: bool) -> Self {
        let target = match quiet || terminal_is_dumb() {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(None, target).with_prefix(what);
        set_template(&bar, NO_END_TEMPLATE);
        Self(bar)
    }

    /// `now_ns` of `end_ns` (if that is known) have passed.
    pub fn at(&self, now_ns: u64, end_ns: Option<u64>) {
        if self.0.is_hidden() {
            return;
        }
        if let Some(end_ns) = end_ns
            && self.0.length().is_none()
        {
            set_template(&self.0, TEMPLATE);
            self.0.set_length(end_ns / NS_PER_MS);
        }
        self.0.set_position(now_ns / NS_PER_MS);
        self.0.set_message(format!("{:.1} s", now_ns as f64 / 1e9));
    }

    /// `done` of `all` pieces are done.
    pub fn piece(&self, done: usize, all: usize) {
        if self.0.is_hidden() {
            return;
        }
        set_template(&self.0, TEMPLATE);
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
        self.0.set_message(format!("{done} of {all}"));
    }

    /// `done` of `all` steps are done, the next is told in words.
    pub fn step(&self, done: usize, all: usize, what: String) {
        self.piece(done, all);
        self.0.set_message(what);
    }

    /// Prints something else on the terminal meanwhile.
    pub fn beside(&self, print: impl FnOnce()) {
        self.0.suspend(print);
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

fn set_template(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}
