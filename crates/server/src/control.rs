// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be asked of a running server and changed in it; `bfq ctl`, metrics and the live page
//! do it by this trait.

use crate::config::{Config, Export};
use crate::status::{SlowRequest, Status};
use std::time::Duration;

/// A running server. Each method waits for the threads that it concerns, which answer between two
/// requests.
pub trait Control: Send + Sync {
    /// What there is to see now.
    fn status(&self) -> Status;

    /// Gives a tenant another weight, 1 to 10,000.
    ///
    /// # Errors
    /// There is no such tenant, or no such weight.
    fn set_weight(&self, tenant: &str, weight: u32) -> Result<(), ControlError>;

    /// Sets a tunable of a disk's scheduler.
    ///
    /// # Errors
    /// There is no such disk or tunable, or the value is not one of its own.
    fn set_tunable(&self, disk: &str, name: &str, value: &str) -> Result<(), ControlError>;

    /// Gives a disk another scheduler, such as `mq-deadline` or `bfq:slice_idle=0`; nothing is
    /// lost.
    ///
    /// # Errors
    /// There is no such disk or scheduler.
    fn set_scheduler(&self, disk: &str, scheduler: &str) -> Result<(), ControlError>;

    /// Serves one more export.
    ///
    /// # Errors
    /// It cannot be opened, its name is taken, its tenant is unknown, or it would write a file that
    /// another export writes.
    fn add_export(&self, export: Export) -> Result<(), ControlError>;

    /// Takes no new connection for an export, waits for those there are until `limit` is over,
    /// then closes them. With `remove` it is not served any more afterwards; else it can be
    /// opened again by [`Control::resume_export`].
    ///
    /// # Errors
    /// There is no such export, or it was opened again before its connections had ended.
    fn drain_export(&self, name: &str, limit: Duration, remove: bool) -> Result<(), ControlError>;

    /// Takes connections again for a drained export.
    ///
    /// # Errors
    /// There is no such export.
    fn resume_export(&self, name: &str) -> Result<(), ControlError>;

    /// Why the last slow requests of a tenant were slow, the slowest first, at most `count`.
    ///
    /// # Errors
    /// There is no such tenant.
    fn explain(&self, tenant: &str, count: usize) -> Result<Vec<SlowRequest>, ControlError>;

    /// Makes the server what `config` says, without dropping a connection that may stay; all or
    /// nothing. Weights, schedulers, tunables and exports that drain are as it says afterwards,
    /// whatever was done by hand. The answer names what was changed, a sentence each.
    ///
    /// # Errors
    /// Something cannot be as `config` says; nothing was changed.
    fn apply(&self, config: Config) -> Result<Vec<String>, ControlError>;

    /// Stops listening, lets requests in flight end within `limit`, and stops the server. One that
    /// is stopping already takes the limit if it ends sooner.
    fn stop(&self, limit: Duration);
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// There is nothing of that name.
    #[error("no {kind} `{name}`{hint}")]
    Unknown {
        /// What was looked for: a tenant, disk, export, tunable.
        kind: &'static str,
        /// The name that was given.
        name: String,
        /// The nearest name, as `; did you mean …?`, or all there are.
        hint: String,
    },
    /// It was understood, and refused.
    #[error("{0}")]
    Refused(String),
    /// What is to be served does not fit to what is.
    #[error("{0}")]
    Configuration(String),
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
}
