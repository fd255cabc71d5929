// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the threads of a server share, none of it on the way of a request.

use super::registry::Registry;
use crate::places::Places;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the threads of a server share.
pub struct Shared {
    registry: Mutex<Registry>,
    /// Connections of the whole server.
    pub places: Arc<Places>,
    /// Connections in their handshake.
    pub handshakes: AtomicU32,
    /// Connections that were refused or closed by an error.
    pub refused: Arc<AtomicU64>,
}

impl Shared {
    /// Nothing is served yet.
    pub fn new(connections: u32) -> Shared {
        Shared {
            registry: Mutex::default(),
            places: Places::new(connections),
            handshakes: AtomicU32::new(0),
            refused: Arc::default(),
        }
    }

    /// What is served.
    pub fn registry(&self) -> MutexGuard<'_, Registry> {
        // It is whole between any two statements, whoever panicked.
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
