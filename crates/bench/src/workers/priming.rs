// SPDX-License-Identifier: MIT OR Apache-2.0
//! Priming reads: processes whose one read goes before a scenario, so that its load is to bfq what
//! a load is that has been at work for minutes: many processes, none of them raised.
//!
//! Left alone, ten processes that begin at once are taken for one large program. On a disk without
//! queueing they are a large burst, and not raised (spec, 4.7); on flash with queueing each is
//! merged with the one that was created less than 180 ms before (spec, 5.6), and what they have
//! become is raised, as any program is for its first seconds. Whatever starts beside them then is
//! no better off than they are, which says nothing of what users know as a load. None is merged
//! between 180 and 600 ms after the process that was created last: that is who makes the priming
//! read, and then the load is a large burst on any disk.

use super::ioprio;
use base::{Class, IoprioValue};
use disk_io::Target;
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A priority that no load has. A queue of another priority than the last one's becomes the last
/// one at once, however short that one's time was.
const UNUSUAL: IoprioValue = IoprioValue { class: Some(Class::BestEffort), level: 7 };

/// Processes that have read. Their queues stay in the scheduler until this is dropped.
#[derive(Debug, Default)]
pub struct PrimingReads {
    threads: Vec<(Sender<()>, JoinHandle<()>)>,
}

impl PrimingReads {
    /// What has to lie between them and the load: more than 180 ms; and, with the lead that the
    /// load has, more than 600 ms, so that what starts then is not merged with it either.
    pub const GAP: Duration = Duration::from_millis(210);

    /// Reads the first block of the target as a process with the usual priority; before that, as
    /// one with another, so that it makes no difference what came earlier.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(target: &Target) -> io::Result<Self> {
        let mut priming = PrimingReads::default();
        for ioprio in [Some(UNUSUAL), None] {
            priming.send_one(target.clone(), ioprio)?;
        }
        Ok(priming)
    }

    /// Starts a thread, which has an I/O context of its own, and waits until it has read.
    fn send_one(&mut self, target: Target, ioprio: Option<IoprioValue>) -> io::Result<()> {
        let (leave, stay) = channel::<()>();
        let (tell, told) = channel();
        let thread = thread::Builder::new().name("priming-read".to_owned()).spawn(move || {
            let read = ioprio.map_or(Ok(()), ioprio::set).and_then(|()| target.read_first_block());
            if tell.send(read).is_ok() {
                // Until the other end is gone.
                let _ = stay.recv();
            }
        })?;
        self.threads.push((leave, thread));
        told.recv().unwrap_or_else(|_| Err(io::Error::other("a thread that reads has ended")))
    }
}

impl Drop for PrimingReads {
    fn drop(&mut self) {
        for (leave, thread) in self.threads.drain(..) {
            drop(leave);
            // It has nothing left to fail at.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
#[path = "priming_tests.rs"]
mod tests;
