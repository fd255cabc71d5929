// SPDX-License-Identifier: MIT OR Apache-2.0
//! Carries out what is asked on the control socket, and reloads the configuration.

use super::protocol::{ControlOutcome, ControlRequest, ExportKeys, Refusal, RefusalKind};
use super::stop::{StopRequest, Unanswered};
use crate::config::{Config, ConfigError, Machine};
use crate::control::{Control, ControlError};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What an operator may do to a running server.
pub struct Operator {
    control: Arc<dyn Control>,
    /// The configuration file, if there is one.
    file: Option<PathBuf>,
    /// What was applied last. Who holds it is the only one that reloads.
    config: Mutex<Config>,
    /// Takes a stop that was asked for.
    stop: Sender<StopRequest>,
}

/// Why a configuration was not taken; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// The server was started without a file.
    #[error("there is no configuration file to read again")]
    NoFile,
    /// The file is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The server cannot be as it says.
    #[error(transparent)]
    Control(#[from] ControlError),
}

impl From<ReloadError> for Refusal {
    fn from(error: ReloadError) -> Refusal {
        match error {
            ReloadError::NoFile => Refusal::new(RefusalKind::Refused, error.to_string()),
            ReloadError::Config(error) => {
                Refusal::new(RefusalKind::Configuration, error.to_string())
            }
            ReloadError::Control(error) => error.into(),
        }
    }
}

impl Operator {
    /// An operator of a server that runs by `config`, which came from `file` if there is one. A
    /// stop that is asked for goes to `stop`.
    pub fn new(
        control: Arc<dyn Control>,
        config: Config,
        file: Option<PathBuf>,
        stop: Sender<StopRequest>,
    ) -> Operator {
        Operator { control, file, config: Mutex::new(config), stop }
    }

    fn config(&self) -> MutexGuard<'_, Config> {
        // It is replaced as a whole: what a panic left is whole.
        self.config.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the configuration file again and applies it. The answer names what was changed.
    ///
    /// # Errors
    /// The file is wrong, or the server cannot be as it says; nothing was changed.
    pub fn reload(&self) -> Result<Vec<String>, ReloadError> {
        let file = self.file.as_ref().ok_or(ReloadError::NoFile)?;
        let mut current = self.config();
        let next = Config::load(file, &Machine)?;
        let mut said = self.control.apply(next.clone())?;
        for (key, changed) in
            [("control", next.control != current.control), ("http", next.http != current.http)]
        {
            if changed {
                said.push(format!("`{key}` changes when the server is started again"));
            }
        }
        *current = next;
        Ok(said)
    }

    /// Carries a request out and gives the outcome to `answer`. A refusal has changed nothing. A
    /// stop begins when it has been answered.
    pub fn carry_out<T>(
        &self,
        request: ControlRequest,
        answer: impl FnOnce(&ControlOutcome) -> T,
    ) -> T {
        let control = &self.control;
        let mut stop = None;
        let outcome = match request {
            ControlRequest::Status => as_json(&control.status()),
            ControlRequest::Weight { tenant, weight } => {
                nothing(control.set_weight(&tenant, weight))
            }
            ControlRequest::Tunable { disk, name, value } => {
                nothing(control.set_tunable(&disk, &name, &value))
            }
            ControlRequest::Scheduler { disk, scheduler } => {
                nothing(control.set_scheduler(&disk, &scheduler))
            }
            ControlRequest::ExportAdd { name, export } => self.add_export(&name, &export),
            ControlRequest::ExportDrain { name, limit_ns } => {
                nothing(control.drain_export(&name, self.limit(limit_ns), false))
            }
            ControlRequest::ExportRemove { name, limit_ns } => {
                nothing(control.drain_export(&name, self.limit(limit_ns), true))
            }
            ControlRequest::ExportResume { name } => nothing(control.resume_export(&name)),
            ControlRequest::Explain { tenant, count } => {
                let found = control.explain(&tenant, count).map_err(Refusal::from);
                found.and_then(|found| as_json(&found))
            }
            ControlRequest::Reload => {
                let said = self.reload().map_err(Refusal::from);
                said.and_then(|said| as_json(&said))
            }
            ControlRequest::Stop { limit_ns } => {
                nothing(self.ask_to_stop(limit_ns).map(|unanswered| {
                    stop = Some(unanswered);
                }))
            }
        };
        let answered = answer(&outcome);
        drop(stop);
        answered
    }

    /// Has the server stopped at once by whoever waits for that; without a limit, by that of the
    /// configuration.
    ///
    /// # Errors
    /// It is not waited for any more: it is stopping.
    pub fn stop(&self, limit_ns: Option<u64>) -> Result<(), ControlError> {
        self.ask_to_stop(limit_ns).map(drop)
    }

    fn ask_to_stop(&self, limit_ns: Option<u64>) -> Result<Unanswered, ControlError> {
        let (request, unanswered) = StopRequest::new(self.limit(limit_ns));
        self.stop.send(request).map_err(|_| ControlError::Stopping)?;
        Ok(unanswered)
    }

    /// The limit that was given, or that of the configuration.
    fn limit(&self, limit_ns: Option<u64>) -> Duration {
        limit_ns.map_or_else(|| self.config().drain_limit, Duration::from_nanos)
    }

    /// An export is read by the code that reads configuration files, so that the same is right and
    /// wrong.
    fn add_export(&self, name: &str, keys: &ExportKeys) -> ControlOutcome {
        let keys = toml::to_string(keys)
            .map_err(|error| Refusal::new(RefusalKind::Refused, error.to_string()))?;
        let export = self.config().parse_export(name, &keys, &Machine);
        let export = export.map_err(|error| {
            let mistakes: Vec<_> =
                error.mistakes.iter().map(|(_, mistake)| mistake.to_string()).collect();
            Refusal::new(RefusalKind::Configuration, mistakes.join("\n"))
        })?;
        nothing(self.control.add_export(export))
    }
}

fn nothing(done: Result<(), ControlError>) -> ControlOutcome {
    done.map(|()| Value::Null).map_err(Refusal::from)
}

fn as_json(value: &impl serde::Serialize) -> ControlOutcome {
    serde_json::to_value(value)
        .map_err(|error| Refusal::new(RefusalKind::Refused, error.to_string()))
}
