// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the threads of a server share, none of it on the way of a request.

use super::registry::Registry;
use crate::log_limit::{LogLimit, MayLog};
use crate::places::{Held, Places};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the threads of a server share.
pub struct Shared {
    registry: Mutex<Registry>,
    /// Connections of the whole server.
    pub places: Arc<Places>,
    /// Connections in their handshake.
    pub handshakes: AtomicU32,
    /// Connections that were refused or closed by an error.
    pub refused: Arc<AtomicU64>,
    log_limit: Mutex<LogLimit>,
    start: Instant,
}

impl Shared {
    /// Nothing is served yet.
    pub fn new(connections: u32) -> Shared {
        Shared {
            registry: Mutex::default(),
            places: Places::new(connections),
            handshakes: AtomicU32::new(0),
            refused: Arc::default(),
            log_limit: Mutex::default(),
            start: Instant::now(),
        }
    }

    /// How many places are held by connections that have an export, and how many there are. Only
    /// the thread that does handshakes may rely on it.
    pub fn connected(&self) -> Held {
        let Held { taken, most } = self.places.held();
        Held { taken: taken.saturating_sub(self.handshakes.load(Ordering::Relaxed)), most }
    }

    /// Whether a line of this kind about clients from there may be logged now.
    pub fn may_log(&self, kind: &'static str, origin: &str) -> Option<MayLog> {
        self.log_limit().take(self.now_ns(), kind, origin)
    }

    /// Logs how many lines were left out, if that is due. Returns when it is to be called again.
    pub fn tell_left_out(&self) -> Option<Instant> {
        let mut limit = self.log_limit();
        limit.tell(self.now_ns());
        limit.due_ns().map(|due_ns| self.start + Duration::from_nanos(due_ns))
    }

    /// Logs how many lines were left out: there will be no more.
    pub fn tell_all_left_out(&self) {
        self.log_limit().tell_all();
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn log_limit(&self) -> MutexGuard<'_, LogLimit> {
        // It is whole between any two statements, whoever panicked.
        self.log_limit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the table of disks, exports and tenants.
    pub fn registry(&self) -> MutexGuard<'_, Registry> {
        // It is whole between any two statements, whoever panicked.
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
