// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waits for many descriptors at a time, and for calls of other threads.

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};
use rustix::io::Errno;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// The most events that are taken at a time.
const EVENTS: usize = 256;

/// What a descriptor is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interest {
    /// It can be read.
    pub read: bool,
    /// It can be written.
    pub write: bool,
}

impl Interest {
    /// Only that it can be read.
    pub const READ: Interest = Interest { read: true, write: false };

    fn flags(self) -> EventFlags {
        let mut flags = EventFlags::empty();
        flags.set(EventFlags::IN | EventFlags::RDHUP, self.read);
        flags.set(EventFlags::OUT, self.write);
        flags
    }
}

/// Something that has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readiness {
    /// The number of the descriptor that it happened to.
    pub key: u64,
    /// The other side is gone, which is told whatever was waited for.
    pub hung_up: bool,
}

impl Readiness {
    fn of(event: &epoll::Event) -> Readiness {
        let flags = event.flags;
        let hung_up = flags.intersects(EventFlags::HUP | EventFlags::ERR);
        Readiness { key: event.data.u64(), hung_up }
    }
}

/// Descriptors that are waited for, each under a number of the caller's.
#[derive(Debug)]
pub struct Poller {
    epoll: OwnedFd,
}

impl Poller {
    /// Waits for nothing yet.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> io::Result<Poller> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        Ok(Poller { epoll })
    }

    /// Waits for one more; nothing is changed for one that is there already.
    ///
    /// # Errors
    /// What the system says.
    pub fn add(&self, fd: impl AsFd, key: u64, interest: Interest) -> io::Result<()> {
        match epoll::add(&self.epoll, fd, EventData::new_u64(key), interest.flags()) {
            Err(Errno::EXIST) => Ok(()),
            added => Ok(added?),
        }
    }

    /// Waits for other things of one that is there.
    ///
    /// # Errors
    /// What the system says.
    pub fn change(&self, fd: impl AsFd, key: u64, interest: Interest) -> io::Result<()> {
        Ok(epoll::modify(&self.epoll, fd, EventData::new_u64(key), interest.flags())?)
    }

    /// Waits for one no more.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(&self, fd: impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, fd)?)
    }

    /// Waits until something has happened or the time is over, and adds it to `happened`.
    ///
    /// # Errors
    /// What the system says.
    pub fn wait(&self, timeout: Option<Duration>, happened: &mut Vec<Readiness>) -> io::Result<()> {
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let mut events = [MaybeUninit::uninit(); EVENTS];
        match epoll::wait(&self.epoll, &mut events, timeout.as_ref()) {
            Ok((events, _)) => happened.extend(events.iter().map(Readiness::of)),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Wakes a thread that waits.
#[derive(Debug)]
pub struct Waker(OwnedFd);

impl Waker {
    /// A waker that was not used yet.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> io::Result<Waker> {
        Ok(Waker(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?))
    }

    /// Wakes the thread that waits.
    pub fn wake(&self) {
        // It fails only if it is awake already.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// It is awake, and looks what there is: calls from now on wake it again.
    pub fn clear(&self) {
        // It fails only if there is nothing to read.
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waker_is_told_once_and_again() {
        let poller = Poller::new().expect("epoll");
        let waker = Waker::new().expect("eventfd");
        poller.add(&waker, 7, Interest::READ).expect("added");
        let told = |timeout| -> Vec<u64> {
            let mut events = Vec::new();
            poller.wait(Some(Duration::from_micros(timeout)), &mut events).expect("waited");
            events.iter().map(|event| event.key).collect()
        };
        assert!(told(10).is_empty());
        waker.wake();
        waker.wake();
        assert_eq!(told(1_000_000), [7]);
        waker.clear();
        assert!(told(10).is_empty());
        waker.wake();
        assert_eq!(told(1_000_000), [7]);
    }
}
