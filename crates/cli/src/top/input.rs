// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keys and the mouse, read in a thread of their own.
//!
//! Who reads a terminal may wait for as long as it likes: crossterm asks for the rest of a key that
//! was not sent whole, and reads the end of a terminal that was closed again and again. The screen
//! waits for none of that, and sees signals meanwhile.

use crate::failure::Failure;
use ratatui::crossterm::event::{self, Event};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often the thread looks whether it is still needed.
const LOOK: Duration = Duration::from_millis(50);
/// How long its end is waited for, at most.
const PATIENCE: Duration = Duration::from_millis(100);

/// What is typed and clicked.
///
/// Dropping it waits until the thread takes no more from the terminal, which mostly is 50 ms at
/// most; what is typed until then is taken and lost. It waits for no more than 100 ms: a thread
/// that waits for the rest of a key, or reads a terminal that was closed, may go on until the
/// process ends.
pub struct Inputs {
    events: Receiver<io::Result<Event>>,
    is_needed: Arc<AtomicBool>,
}

impl Inputs {
    /// Begins to read the terminal of stdin.
    ///
    /// # Errors
    /// If no thread can be made.
    pub fn listen() -> Result<Self, Failure> {
        let (sender, events) = channel();
        let is_needed = Arc::new(AtomicBool::new(true));
        let inputs = Inputs { events, is_needed: Arc::clone(&is_needed) };
        let thread = thread::Builder::new().name("input".to_owned());
        thread.spawn(move || read(&sender, &is_needed)).map_err(Failure::run)?;
        Ok(inputs)
    }

    /// The next event, if there is one before `wait` is over.
    ///
    /// # Errors
    /// If the terminal cannot be read.
    pub fn next(&self, wait: Duration) -> Result<Option<Event>, Failure> {
        match self.events.recv_timeout(wait) {
            Ok(event) => event.map(Some).map_err(Failure::run),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Failure::run("the terminal is not read any more"))
            }
        }
    }
}

impl Drop for Inputs {
    fn drop(&mut self) {
        self.is_needed.store(false, Ordering::Relaxed);
        let end = Instant::now() + PATIENCE;
        // Nobody can send any more once the thread has ended.
        while self.events.recv_timeout(end.saturating_duration_since(Instant::now())).is_ok() {}
    }
}

fn read(sender: &Sender<io::Result<Event>>, is_needed: &AtomicBool) {
    while is_needed.load(Ordering::Relaxed) {
        let event = match event::poll(LOOK) {
            Ok(false) => continue,
            Ok(true) => event::read(),
            Err(error) => Err(error),
        };
        let is_last = event.is_err();
        if sender.send(event).is_err() || is_last {
            return;
        }
    }
}

/// Whether the terminal of stdin was closed.
pub fn is_gone() -> bool {
    let stdin = stdin();
    // That a terminal was closed is told without being asked for.
    let mut looked_at = [PollFd::new(&stdin, PollFlags::empty())];
    let now = Timespec::default();
    poll(&mut looked_at, Some(&now)).is_ok()
        && looked_at[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
}
