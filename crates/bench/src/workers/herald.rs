//! A process that reads once before a scenario, so that bfq treats the scenario's load like one
//! that has run for minutes: many processes, none of them raised.
//!
//! Without it bfq takes ten processes that begin at once for one large program. On a disk without
//! queueing they are a large burst, and not raised (spec 4.7); on flash with queueing each is
//! merged with the one that was created less than 180 ms before (spec 5.6), and the merged queue is
//! raised, as any program is for its first seconds. A program that starts beside them then has no
//! advantage, unlike beside a usual load. No queue is merged between 180 and 600 ms after the last
//! process was created: this process is that one, and then the load is a large burst on any disk.

use super::ioprio;
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use uring::Target;
use workload::{IoClass, Ioprio};

/// A priority that no load has. A queue of another priority than the last one's becomes the last
/// one at once, however short that one's time was.
const UNUSUAL: Ioprio = Ioprio { class: IoClass::BestEffort, level: 7 };

/// Processes that have read. Their queues stay in the scheduler until this is dropped.
#[derive(Debug, Default)]
pub struct Heralds {
    threads: Vec<(Sender<()>, JoinHandle<()>)>,
}

impl Heralds {
    /// What has to lie between them and the load: more than 180 ms; and, with the lead that the
    /// load has, more than 600 ms, so that what starts then is not merged with it either.
    pub const GAP: Duration = Duration::from_millis(210);

    /// Reads the first block of the target as a process with the usual priority; before that, as
    /// one with another, so that it makes no difference what came earlier.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(target: &Target) -> io::Result<Self> {
        let mut heralds = Heralds::default();
        for ioprio in [Some(UNUSUAL), None] {
            heralds.send_one(target.clone(), ioprio)?;
        }
        Ok(heralds)
    }

    /// Starts a thread, which has an I/O context of its own, and waits until it has read.
    fn send_one(&mut self, target: Target, ioprio: Option<Ioprio>) -> io::Result<()> {
        let (leave, stay) = channel::<()>();
        let (tell, told) = channel();
        let thread = thread::Builder::new().name("herald".to_owned()).spawn(move || {
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

impl Drop for Heralds {
    fn drop(&mut self) {
        for (leave, thread) in self.threads.drain(..) {
            drop(leave);
            // It has nothing left to fail at.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
#[path = "herald_tests.rs"]
mod tests;
