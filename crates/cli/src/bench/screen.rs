// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run of the bench says, on stderr: lines, and a bar for what goes on in steps.

use crate::interrupt::Interrupt;
use crate::note::note;
use crate::progress::Progress;
use bench::run::Listener;
use std::cell::RefCell;
use std::path::Path;

/// Tells the user, unless it is to be quiet.
pub struct Screen<'a> {
    quiet: bool,
    interrupt: &'a Interrupt,
    bar: RefCell<Option<Progress>>,
}

impl<'a> Screen<'a> {
    pub fn new(quiet: bool, interrupt: &'a Interrupt) -> Self {
        Screen { quiet, interrupt, bar: RefCell::new(None) }
    }

    /// Has the bar of what goes on, called so, show how far that is.
    fn show(&self, what: impl FnOnce() -> String, step: impl FnOnce(&Progress)) {
        let mut bar = self.bar.borrow_mut();
        step(bar.get_or_insert_with(|| Progress::new(what(), self.quiet)));
    }
}

impl Listener for Screen<'_> {
    fn says(&self, text: &str) {
        if !self.quiet {
            note(text);
        }
    }

    fn notes(&self, text: &str) {
        self.says(&format!("note: {text}"));
    }

    fn fills(&self, path: &Path, done_bytes: u64, all_bytes: u64) {
        let mib = |bytes: u64| (bytes >> 20) as usize;
        let what = || format!("filling {} (MiB)", path.display());
        self.show(what, |bar| bar.piece(mib(done_bytes), mib(all_bytes)));
    }

    fn warms_up(&self, done: usize, all: usize) {
        self.show(|| "warming up".to_owned(), |bar| bar.piece(done, all));
    }

    fn measures(&self, done: usize, all: usize, next: String) {
        self.show(|| "measuring".to_owned(), |bar| bar.step(done, all, next));
    }

    fn characterises(&self, disk: &str, done: usize, all: usize) {
        self.show(|| disk.to_owned(), |bar| bar.piece(done, all));
    }

    fn is_over(&self) {
        if let Some(bar) = self.bar.borrow_mut().take() {
            bar.clear();
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupt.requested()
    }
}
