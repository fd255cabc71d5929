// SPDX-License-Identifier: MIT OR Apache-2.0
//! The calls of the page, as texts in JSON: `{"advance": {"until_ns": 5}}` is answered by
//! `{"done": …}`, or by `{"error": "…"}`.

use crate::session::{Session, SessionError};
use crate::setup::Setup;
use device::Profile;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What the page asks for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Call {
    /// What there is to choose from.
    Lists,
    /// A new session, in place of the one before.
    Begin(Setup),
    /// The session goes on.
    Advance { until_ns: u64 },
    /// A group has another weight from now on.
    SetWeight { group: String, weight: u32 },
    /// A job begins now; the session is to be advanced to now again.
    AddJob { section: String },
    /// Why a request waited.
    Why { run: usize, process: String, at_ns: u64 },
    /// The session's setup, with all changes.
    Setup,
    /// The setup's runs from beginning to end, as the command's JSON; the session stays as it is.
    Result(Setup),
}

/// What the page talks to: at most one session.
#[derive(Default)]
pub struct Playground {
    session: Option<Session>,
}

/// A disk or scheduler to choose.
#[derive(Serialize)]
struct Choice {
    name: &'static str,
    about: String,
}

impl Playground {
    /// Answers a call in JSON: `{"done": …}`, or `{"error": …}` with a sentence.
    pub fn call(&mut self, call: &str) -> String {
        let called = serde_json::from_str(call).map_err(|error| error.to_string());
        match called.and_then(|call| self.answer(call)) {
            Ok(done) => json!({ "done": done }),
            Err(error) => json!({ "error": error }),
        }
        .to_string()
    }

    fn answer(&mut self, call: Call) -> Result<Value, String> {
        let told = |error: SessionError| error.to_string();
        match call {
            Call::Lists => Ok(lists()),
            Call::Begin(setup) => {
                self.session = None;
                let session = self.session.insert(Session::begin(setup).map_err(told)?);
                Ok(json!(session.about()))
            }
            Call::Advance { until_ns } => {
                Ok(json!(self.session()?.advance(until_ns).map_err(told)?))
            }
            Call::SetWeight { group, weight } => {
                self.session()?.set_weight(&group, weight).map_err(told)?;
                Ok(Value::Null)
            }
            Call::AddJob { section } => {
                let session = self.session()?;
                session.add_job(&section).map_err(told)?;
                Ok(json!(session.about()))
            }
            Call::Why { run, process, at_ns } => {
                Ok(json!(self.session()?.why(run, &process, at_ns).map_err(told)?))
            }
            Call::Setup => Ok(json!(self.session()?.setup())),
            Call::Result(setup) => {
                Ok(json!(Session::begin(setup).and_then(Session::result).map_err(told)?))
            }
        }
    }

    fn session(&mut self) -> Result<&mut Session, String> {
        self.session.as_mut().ok_or_else(|| "there is no session yet".to_owned())
    }
}

/// All disks and schedulers.
fn lists() -> Value {
    let device = |name: &'static str| {
        let about = Profile::builtin(name).map(|profile| profile.description().to_owned());
        Choice { name, about: about.unwrap_or_default() }
    };
    let scheduler = |scheduler: &'static elevators::Scheduler| Choice {
        name: scheduler.name,
        about: scheduler.doc.to_owned(),
    };
    json!({
        "devices": Profile::builtin_names().map(device).collect::<Vec<_>>(),
        "schedulers": elevators::schedulers().iter().map(scheduler).collect::<Vec<_>>(),
    })
}
