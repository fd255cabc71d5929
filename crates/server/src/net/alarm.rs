// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wakes a thread at a time that keeps moving on.
//!
//! A scheduler that waits for a client's next request moves its deadline with each request. A time
//! limit of the system call that waits would start a timer of the kernel and stop it again each
//! time, and in a virtual machine each of these asks the host. This alarm stays set at the old
//! time, and rings too early then, at most once until the time that was wanted first.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::io;
use std::time::Duration;

/// A descriptor that can be read when it rings.
#[derive(Debug)]
pub struct Alarm {
    timer: OwnedFd,
    /// When it will ring, by the caller's time.
    set_ns: Option<u64>,
}

impl Alarm {
    /// An alarm that is not set.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> io::Result<Alarm> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(Alarm { timer, set_ns: None })
    }

    /// It rings at `at_ns` or before; with `None` it may ring all the same.
    ///
    /// # Errors
    /// What the system says.
    pub fn set(&mut self, now_ns: u64, at_ns: Option<u64>) -> io::Result<()> {
        let Some(at_ns) = at_ns else { return Ok(()) };
        if self.set_ns.is_some_and(|set_ns| set_ns <= at_ns) {
            return Ok(());
        }
        // Zero would mean never.
        let after = Duration::from_nanos(at_ns.saturating_sub(now_ns).max(1));
        let once = Itimerspec {
            it_interval: Timespec::default(),
            it_value: Timespec {
                tv_sec: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: after.subsec_nanos().into(),
            },
        };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once)?;
        self.set_ns = Some(at_ns);
        Ok(())
    }

    /// It has rung, and is not set any more.
    pub fn has_rung(&mut self) {
        // It fails only if there is nothing to read.
        let _ = rustix::io::read(&self.timer, &mut [0; 8]);
        self.set_ns = None;
    }
}

impl AsFd for Alarm {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.timer.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Interest, Poller};
    use std::time::Instant;

    const MS: u64 = 1_000_000;

    /// Waits for it, and says after how many milliseconds it rang.
    fn rings_after_ms(alarm: &mut Alarm, poller: &Poller, start: Instant) -> u64 {
        let mut happened = Vec::new();
        let limit = Duration::from_secs(60);
        while happened.is_empty() && start.elapsed() < limit {
            poller.wait(Some(limit), &mut happened).expect("waited");
        }
        assert_eq!(happened.len(), 1, "it rings once");
        alarm.has_rung();
        u64::try_from(start.elapsed().as_millis()).expect("a short time")
    }

    #[test]
    fn it_rings_at_the_first_time_that_was_wanted() {
        let (mut alarm, poller) = (Alarm::new().expect("a timer"), Poller::new().expect("epoll"));
        poller.add(&alarm, 1, Interest::READ).expect("added");
        // When it is set, to what, and how long it takes then at least, ms.
        let cases: [(&[Option<u64>], u64); 4] = [
            (&[Some(20)], 20),
            (&[Some(20), Some(100_000), None], 20),
            (&[Some(100_000), Some(20)], 20),
            (&[Some(0)], 0),
        ];
        for (wanted, least_ms) in cases {
            let start = Instant::now();
            for at_ms in wanted {
                alarm.set(0, at_ms.map(|at_ms| at_ms * MS)).expect("set");
            }
            let after_ms = rings_after_ms(&mut alarm, &poller, start);
            // Long before the other time.
            assert!((least_ms..90_000).contains(&after_ms), "{wanted:?}: after {after_ms} ms");
            let mut more = Vec::new();
            poller.wait(Some(Duration::ZERO), &mut more).expect("waited");
            assert!(more.is_empty(), "{wanted:?}: it rings on");
        }
    }
}
