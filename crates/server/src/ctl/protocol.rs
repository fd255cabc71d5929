// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be asked on the control socket, and how answers look.

use crate::control::ControlError;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the protocol. A server refuses others; what is added to an answer does not
/// change it.
pub const VERSION: u64 = 1;

/// The longest line, in bytes, of a request. Answers may be longer.
pub const MAX_LINE_BYTES: usize = 64 << 10;

/// What can be asked, by `command`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ControlRequest {
    /// What there is to see now; answered by a [`Status`](crate::Status).
    Status,
    /// Gives a tenant another weight.
    Weight {
        /// The name of the tenant in the configuration.
        tenant: String,
        /// The new weight, 1 to 10,000; shares are in proportion to it.
        weight: u32,
    },
    /// Sets a tunable of a disk's scheduler.
    Tunable {
        /// The name of the disk in the configuration or the status.
        disk: String,
        /// The tunable's name, as below `queue/iosched` in sysfs.
        name: String,
        /// Its value, as text.
        value: String,
    },
    /// Gives a disk another scheduler.
    Scheduler {
        /// The name of the disk in the configuration or the status.
        disk: String,
        /// A scheduler with its tunables: `bfq:low_latency=0`.
        scheduler: String,
    },
    /// Serves one more export, until the next reload.
    ExportAdd {
        /// The name that clients ask for.
        name: String,
        /// The keys of its table in a configuration file.
        export: ExportKeys,
    },
    /// Takes no new connections for an export, and closes those there are after a while.
    ExportDrain {
        /// The name that clients ask for.
        name: String,
        /// How long connections may stay; without it, as long as the configuration says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit_ns: Option<u64>,
    },
    /// The same; then it is not served any more.
    ExportRemove {
        /// The name that clients ask for.
        name: String,
        /// How long connections may stay; without it, as long as the configuration says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit_ns: Option<u64>,
    },
    /// Takes connections for a drained export again.
    ExportResume {
        /// The name that clients ask for.
        name: String,
    },
    /// Why the last slow requests of a tenant were slow; answered by a list of
    /// [`SlowRequest`](crate::status::SlowRequest).
    Explain {
        /// The name of the tenant in the configuration.
        tenant: String,
        /// How many requests at most.
        count: usize,
    },
    /// Reads the configuration file again; answered by a list of sentences on what was changed.
    Reload,
    /// Stops the server once the requests in flight have ended or their time is up.
    Stop {
        /// How long requests in flight may take; without it, as long as the configuration says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit_ns: Option<u64>,
    },
}

/// The keys of an export's table in a configuration file; absent ones have their default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExportKeys {
    /// A file or block device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The name of the emulated disk that the export is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<String>,
    /// Its size on that: `1GiB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Whose share it is charged to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Whether clients are refused writes, discards and zeroing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// Who may use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// For people to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What kind of reason it is.
    pub kind: RefusalKind,
    /// The reason, for people.
    pub message: String,
}

/// What kind of reason there is for a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalKind {
    /// The line is no request of this version.
    Request,
    /// There is nothing of that name.
    Unknown,
    /// It was understood, and refused.
    Refused,
    /// The configuration file, or the export that is to be added, is wrong; nothing was changed.
    Configuration,
    /// The server is stopping, or has too many clients.
    Unavailable,
}

impl Refusal {
    /// A refusal for a reason.
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Refusal {
        Refusal { kind, message: message.into() }
    }
}

impl From<ControlError> for Refusal {
    fn from(error: ControlError) -> Refusal {
        let kind = match error {
            ControlError::Unknown { .. } => RefusalKind::Unknown,
            ControlError::Refused(_) => RefusalKind::Refused,
            ControlError::Configuration(_) => RefusalKind::Configuration,
            ControlError::Stopping => RefusalKind::Unavailable,
        };
        Refusal::new(kind, error.to_string())
    }
}

/// What a request comes to.
pub type ControlOutcome = Result<Value, Refusal>;

/// The line of a request, with its end.
pub fn request_line(request: &ControlRequest) -> Result<String, serde_json::Error> {
    versioned(serde_json::to_value(request)?)
}

/// The line of an answer, with its end.
pub fn answer_line(outcome: &ControlOutcome) -> Result<String, serde_json::Error> {
    let mut answer = Map::new();
    match outcome {
        Ok(value) => answer.insert("ok".to_owned(), value.clone()),
        Err(refusal) => answer.insert("error".to_owned(), serde_json::to_value(refusal)?),
    };
    versioned(Value::Object(answer))
}

fn versioned(mut value: Value) -> Result<String, serde_json::Error> {
    if let Value::Object(fields) = &mut value {
        fields.insert("version".to_owned(), VERSION.into());
    }
    serde_json::to_string(&value).map(|line| line + "\n")
}

/// Takes an object apart, of which the version has to be ours.
fn of_this_version(line: &[u8]) -> Result<Map<String, Value>, serde_json::Error> {
    let mut fields: Map<String, Value> = serde_json::from_slice(line)?;
    match fields.remove("version") {
        Some(version) if version == VERSION => Ok(fields),
        Some(other) => {
            let text = format!("version {other} of the protocol; expected {VERSION}");
            Err(serde_json::Error::custom(text))
        }
        None => Err(serde_json::Error::custom(format!("no `version`; expected {VERSION}"))),
    }
}

/// Reads the line of a request.
///
/// # Errors
/// It is none of this version.
pub fn read_request(line: &[u8]) -> Result<ControlRequest, Refusal> {
    let request = of_this_version(line).and_then(|fields| serde_json::from_value(fields.into()));
    request.map_err(|error| Refusal::new(RefusalKind::Request, error.to_string()))
}

/// Reads the line of an answer.
///
/// # Errors
/// It is none of this version.
pub fn read_answer(line: &[u8]) -> Result<ControlOutcome, serde_json::Error> {
    let mut fields = of_this_version(line)?;
    match (fields.remove("ok"), fields.remove("error")) {
        (Some(value), None) => Ok(Ok(value)),
        (None, Some(refusal)) => serde_json::from_value(refusal).map(Err),
        _ => Err(serde_json::Error::custom("expected `ok` or `error`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_requests_are_read_again() {
        for (request, line) in [
            (ControlRequest::Status, r#"{"command":"status","version":1}"#),
            (
                ControlRequest::Weight { tenant: "a".to_owned(), weight: 3 },
                r#"{"command":"weight","tenant":"a","version":1,"weight":3}"#,
            ),
            (
                ControlRequest::ExportAdd {
                    name: "b".to_owned(),
                    export: ExportKeys { path: Some("/b".to_owned()), ..Default::default() },
                },
                r#"{"command":"export-add","export":{"path":"/b"},"name":"b","version":1}"#,
            ),
            (ControlRequest::Stop { limit_ns: None }, r#"{"command":"stop","version":1}"#),
        ] {
            assert_eq!(request_line(&request).unwrap(), format!("{line}\n"));
            assert_eq!(read_request(line.as_bytes()), Ok(request));
        }
    }

    #[test]
    fn what_is_no_request_is_refused_with_the_reason() {
        for (line, reason) in [
            ("", "EOF while parsing"),
            ("[]", "expected a map"),
            (r#"{"command":"status"}"#, "no `version`; expected 1"),
            (r#"{"version":2,"command":"status"}"#, "version 2 of the protocol; expected 1"),
            (r#"{"version":1,"command":"statos"}"#, "unknown variant `statos`"),
            (r#"{"version":1,"command":"weight","tenant":"a"}"#, "missing field `weight`"),
            (r#"{"version":1,"command":"export-resume","name":"a","x":1}"#, "unknown field `x`"),
        ] {
            let refusal = read_request(line.as_bytes()).unwrap_err();
            assert_eq!(refusal.kind, RefusalKind::Request);
            assert!(refusal.message.contains(reason), "{line}: {}", refusal.message);
        }
    }

    #[test]
    fn answers_are_read_again() {
        let unknown = ControlError::Unknown {
            kind: "tenant",
            name: "alise".to_owned(),
            hint: "; did you mean `alice`?".to_owned(),
        };
        for outcome in [Ok(Value::from(7)), Err(Refusal::from(unknown))] {
            let line = answer_line(&outcome).unwrap();
            assert_eq!(read_answer(line.as_bytes()).unwrap(), outcome);
        }
        assert!(read_answer(br#"{"version":1}"#).is_err());
    }
}
