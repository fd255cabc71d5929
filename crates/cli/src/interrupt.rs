//! Ctrl-C: the first asks the command to come to an end, the second ends it.

use crate::failure::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user wants the command to end.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to SIGINT and SIGTERM from now on.
    ///
    /// # Errors
    /// If the system does not let it.
    pub fn listen() -> Result<Self, Failure> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag unset and sets it.
            signal_hook::flag::register_conditional_shutdown(signal, 1, flag.clone())
                .and_then(|_| signal_hook::flag::register(signal, flag.clone()))
                .map_err(Failure::run)?;
        }
        Ok(Self(flag))
    }

    /// Whether a signal has come.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
