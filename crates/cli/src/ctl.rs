// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq ctl`: asks a running `bfq serve`, and changes it.

mod tables;

use crate::failure::Failure;
use crate::output::{FormOption, Format, printed};
use crate::streams::print;
use crate::values::{count, whole};
use base::text::printable;
use device::Quantity;
use serde::Serialize;
use serde::de::DeserializeOwned;
use server::Status;
use server::config::control_sockets;
use server::ctl::protocol::{ControlRequest, ExportKeys, RefusalKind};
use server::ctl::{AskError, Client};
use server::status::SlowRequest;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What help says of JSON.
const JSON_HELP: &str = "JSON is the server's answer.";

/// The command line of `bfq ctl`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output_format", |form| printed(form, JSON_HELP).global(true)))]
#[command(mut_arg("json", |json| json.global(true)))]
#[command(after_long_help = "\
Changes last until the server ends or its configuration is read again: what is to stay belongs into \
the file. The socket belongs to the user that runs the server; its protocol is described in \
docs/serve.md.\n\
Exit codes: 0 done; 1 the server cannot be reached, or does not do it; 2 there is nothing of that \
name, or the configuration is wrong.")]
pub struct Arguments {
    /// The control socket [default: that of a server of this user, else of the service]
    #[arg(long, global = true, value_name = "PATH")]
    socket: Option<PathBuf>,
    #[command(flatten)]
    form: FormOption<Format>,
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// The disks, their exports and tenants
    Status,
    /// What each tenant gets, is entitled to and waits for
    Tenants,
    /// Give a tenant another weight
    Weight {
        /// The tenant's name
        tenant: String,
        /// 1 to 10000
        #[arg(value_parser = whole::<u32>(1..=10_000), allow_negative_numbers = true)]
        weight: u32,
    },
    /// Set a tunable of a disk's scheduler
    Tunable {
        /// The disk's name
        disk: String,
        /// The tunable's name (bfq list tunables)
        name: String,
        /// Its value, as the list shows it
        value: String,
    },
    /// Give a disk another scheduler
    Scheduler {
        /// The disk's name
        disk: String,
        /// A scheduler with its tunables: bfq:low_latency=0
        scheduler: String,
    },
    /// Add, drain or remove an export
    #[command(subcommand)]
    Export(Export),
    /// Say why the last slow requests of a tenant were slow
    Explain {
        /// The tenant's name
        tenant: String,
        /// How many requests at most, the slowest first
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = count::<usize>(),
              allow_negative_numbers = true)]
        count: usize,
    },
    /// Read the configuration file again; a bad one changes nothing
    Reload,
    /// Let requests in flight end, and stop the server
    Stop {
        /// How long that may take: 30s [default: drain_limit of the configuration]
        #[arg(long, value_name = "TIME", value_parser = time_ns)]
        limit: Option<u64>,
    },
}

#[derive(Debug, clap::Subcommand)]
enum Export {
    /// Serve one more export, until the configuration is read again
    Add {
        /// The name that clients ask for
        name: String,
        /// Whose share it is charged to
        #[arg(long)]
        tenant: String,
        /// A file or block device
        #[arg(long, value_name = "FILE|DEVICE", required_unless_present = "disk")]
        path: Option<PathBuf>,
        /// An emulated disk of the server, of which it is a part
        #[arg(long, value_name = "DISK", conflicts_with = "path")]
        disk: Option<String>,
        /// Its size on an emulated disk: 1GiB
        #[arg(long, requires = "disk")]
        size: Option<String>,
        /// Clients cannot write
        #[arg(long)]
        read_only: bool,
        /// Who may use it: anyone, certificate:NAME, user:NAME, group:NAME; may be repeated
        #[arg(long, value_name = "WHO")]
        allow: Vec<String>,
        /// For people; nbdinfo shows it
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
    },
    /// Take no new connections, and close those there are
    Drain {
        /// The export's name
        name: String,
        /// How long connections may stay: 30s [default: drain_limit of the configuration]
        #[arg(long, value_name = "TIME", value_parser = time_ns)]
        limit: Option<u64>,
    },
    /// Drain it; then it is not served any more
    Remove {
        /// The export's name
        name: String,
        /// How long connections may stay: 30s [default: drain_limit of the configuration]
        #[arg(long, value_name = "TIME", value_parser = time_ns)]
        limit: Option<u64>,
    },
    /// Take connections for a drained export again
    Resume {
        /// The export's name
        name: String,
    },
}

fn time_ns(text: &str) -> Result<u64, String> {
    Quantity::Time.parse(text).map_err(|expected| format!("expected {expected}"))
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if what is asked for does not exist or is wrong, with 1 if the server cannot
/// be reached or refuses.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.form.is_given_twice() {
        return Err(Failure::usage("--json and --output-format; expected one of them"));
    }
    let sockets = arguments.socket.clone().map_or_else(control_sockets, |socket| vec![socket]);
    let (client, socket) = connect(&sockets)?;
    let json = arguments.form.is_json();
    let mut asking = Asking { client, socket, json };
    let request = request(&arguments.what)?;
    match &arguments.what {
        What::Status => asking.show(&request, tables::status),
        What::Tenants => asking.show(&request, tables::tenants),
        What::Explain { tenant, .. } => {
            let slow: Vec<SlowRequest> = asking.ask(&request)?;
            // Only its status says whether a tenant has parts.
            let status = match slow.is_empty() && !json {
                true => asking.ask(&ControlRequest::Status)?,
                false => Status::default(),
            };
            asking.print(&slow, |slow| tables::slow(tenant, slow, &status))
        }
        What::Reload => asking.show(&request, |said: &Vec<String>| match said.is_empty() {
            true => "Nothing is different.\n".to_owned(),
            false => said.iter().map(|sentence| printable(sentence) + "\n").collect(),
        }),
        _ => asking.show(&request, |_: &()| String::new()),
    }
}

fn request(what: &What) -> Result<ControlRequest, Failure> {
    Ok(match what {
        What::Status | What::Tenants => ControlRequest::Status,
        What::Weight { tenant, weight } => {
            ControlRequest::Weight { tenant: tenant.clone(), weight: *weight }
        }
        What::Tunable { disk, name, value } => {
            ControlRequest::Tunable { disk: disk.clone(), name: name.clone(), value: value.clone() }
        }
        What::Scheduler { disk, scheduler } => {
            ControlRequest::Scheduler { disk: disk.clone(), scheduler: scheduler.clone() }
        }
        What::Export(export) => request_of_export(export)?,
        What::Explain { tenant, count } => {
            ControlRequest::Explain { tenant: tenant.clone(), count: *count }
        }
        What::Reload => ControlRequest::Reload,
        What::Stop { limit } => ControlRequest::Stop { limit_ns: *limit },
    })
}

fn request_of_export(export: &Export) -> Result<ControlRequest, Failure> {
    Ok(match export {
        Export::Add { name, tenant, path, disk, size, read_only, allow, description } => {
            let path =
                path.as_ref().map(std::path::absolute).transpose().map_err(Failure::usage)?;
            let path = path.map(|path| {
                let text = path.into_os_string().into_string();
                text.map_err(|path| Failure::usage(format!("--path {}: not UTF-8", path.display())))
            });
            let export = ExportKeys {
                path: path.transpose()?,
                disk: disk.clone(),
                size: size.clone(),
                tenant: Some(tenant.clone()),
                read_only: *read_only,
                allow: (!allow.is_empty()).then(|| allow.clone()),
                description: description.clone(),
            };
            ControlRequest::ExportAdd { name: name.clone(), export }
        }
        Export::Drain { name, limit } => {
            ControlRequest::ExportDrain { name: name.clone(), limit_ns: *limit }
        }
        Export::Remove { name, limit } => {
            ControlRequest::ExportRemove { name: name.clone(), limit_ns: *limit }
        }
        Export::Resume { name } => ControlRequest::ExportResume { name: name.clone() },
    })
}

/// The server at the first socket that is there: one that has ended may have left its own, and
/// another server is not what was meant then.
fn connect(sockets: &[PathBuf]) -> Result<(Client, PathBuf), Failure> {
    let mut told = Vec::new();
    for socket in sockets {
        let error = match Client::connect(socket) {
            Ok(client) => return Ok((client, socket.clone())),
            Err(error) => error,
        };
        told.push(format!("no server at {}: {error}", socket.display()));
        if error.kind() != std::io::ErrorKind::NotFound {
            break;
        }
    }
    let told = told.join("; ");
    Err(Failure::run(format!("{told} (is bfq serve running? --socket PATH)")))
}

/// A server that is asked, and how its answers are shown.
struct Asking {
    client: Client,
    socket: PathBuf,
    json: bool,
}

impl Asking {
    /// The server's answer.
    fn ask<T: DeserializeOwned>(&mut self, request: &ControlRequest) -> Result<T, Failure> {
        self.client.ask(request).map_err(|error| failure(&self.socket, error))
    }

    /// Prints what `table` makes of an answer, or the answer itself.
    fn print<T: Serialize>(&self, answer: &T, table: impl Fn(&T) -> String) -> Result<(), Failure> {
        match self.json {
            true => print(&(serde_json::to_string_pretty(answer).map_err(Failure::run)? + "\n")),
            false => print(&table(answer)),
        }
    }

    /// Asks, and prints the answer.
    fn show<T: DeserializeOwned + Serialize>(
        &mut self,
        request: &ControlRequest,
        table: impl Fn(&T) -> String,
    ) -> Result<(), Failure> {
        let answer: T = self.ask(request)?;
        self.print(&answer, table)
    }
}

/// What a refusal is to the user: an input that is wrong, or a server that does not do it.
fn failure(socket: &Path, error: AskError) -> Failure {
    match error {
        AskError::Refused(refusal)
            if matches!(refusal.kind, RefusalKind::Unknown | RefusalKind::Configuration) =>
        {
            Failure::usage(refusal)
        }
        // A server of NBD ends a conversation that does not begin as one of its own does.
        AskError::Io(error)
            if matches!(
                error.kind(),
                ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe
            ) =>
        {
            let path = socket.display();
            let control = control_beside(socket).display().to_string();
            Failure::run(format!(
                "{path}: {error} in place of an answer; if it is the NBD socket, \
                 expected the control socket, as in --socket {control}"
            ))
        }
        other => Failure::run(other),
    }
}

/// Where the control socket of the server of an NBD socket probably is: `bfq serve IMAGE` has it
/// beside that; one with a configuration where it is without `--socket`.
fn control_beside(socket: &Path) -> PathBuf {
    let mut beside = socket.as_os_str().to_owned();
    beside.push(".control");
    let beside = PathBuf::from(beside);
    if beside.exists() {
        return beside;
    }
    let sockets = control_sockets();
    let first = sockets.iter().find(|socket| socket.exists()).or(sockets.first());
    first.cloned().unwrap_or(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(time_ns("30s"), Ok(30_000_000_000));
        assert_eq!(time_ns("5m"), Ok(300_000_000_000));
        assert!(time_ns("30").unwrap_err().starts_with("expected a number with a unit"));
    }
}
