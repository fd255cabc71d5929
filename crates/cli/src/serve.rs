// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq serve`: a block server whose tenants share a disk by weight.

mod hints;

use crate::failure::Failure;
use crate::streams::print;
use crate::values::completed;
use clap::ValueEnum;
use clap::builder::StringValueParser;
use device::Profile;
use server::config::{Config, ConfigError, Image, Machine, OneOptions};
use server::service::{CaughtSignals, Service, ServiceError, inherited_sockets, log};
use server::{StartError, start};
use std::path::PathBuf;

/// The command line of `bfq serve`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Without --config, IMAGE (or an emulated disk) is the default export on a unix socket of this user, \
and the commands that test or mount it are printed.\n\
docs/serve.md has all keys of a configuration, and a quarter of an hour from nothing to two virtual \
machines that share a disk 1:3. SIGHUP (or bfq ctl reload) reads the configuration again; a bad one \
changes nothing. SIGTERM or Ctrl-C lets requests in flight end and stops; another one, at least a \
second later, ends it at once.\n\
Exit codes: 0 it was told to stop; 1 it failed; 2 the command line or the configuration is wrong.")]
#[command(override_usage = "bfq serve [OPTIONS] IMAGE\n       bfq serve --config FILE")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["config", "image", "emulate", "check"]))]
pub struct Arguments {
    /// What is served, to whom, and how: TOML
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Say what is wrong with a configuration, and serve nothing
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// The file or block device that is served if there is no configuration
    image: Option<PathBuf>,
    /// Serve memory with the timing of a disk: ssd-sata,size=1GiB
    ///
    /// A profile as in bfq sim --device, with its values and a size by commas.
    #[arg(long, value_name = "PROFILE", hide_possible_values = true,
          value_parser = completed(StringValueParser::new(), Profile::builtin_names()))]
    emulate: Option<String>,
    #[command(flatten)]
    one: One,
    /// Which log lines are written, to the journal or stderr
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Level::Info,
          hide_short_help = true)]
    log_level: Level,
}

/// How a single image is served.
#[derive(Debug, clap::Args)]
struct One {
    /// The unix socket [default: nbd.sock in the folder of this user's sockets]
    #[arg(long, value_name = "PATH", conflicts_with_all = ["config", "check"])]
    socket: Option<PathBuf>,
    /// Clients cannot write
    #[arg(long, conflicts_with_all = ["config", "check"])]
    read_only: bool,
    /// The scheduler and its tunables [default: bfq; on flash bfq:slice_idle_us=1000]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["config", "check"])]
    scheduler: Option<String>,
    /// Serve metrics and the live page there: 127.0.0.1:9230
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["config", "check"])]
    http: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl From<Level> for log::Level {
    fn from(level: Level) -> log::Level {
        match level {
            Level::Error => log::Level::ERROR,
            Level::Warn => log::Level::WARN,
            Level::Info => log::Level::INFO,
            Level::Debug => log::Level::DEBUG,
            Level::Trace => log::Level::TRACE,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if the command line or configuration is wrong, with 1 if the server fails.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(file) = &arguments.check {
        let config = Config::load(file, &Machine).map_err(Failure::usage)?;
        return print(&format!("{}: {}\n", file.display(), hints::summary(&config)));
    }
    let config = config(arguments)?;
    log::start(arguments.log_level.into());
    let inherited = inherited_sockets().map_err(Failure::usage)?;
    let signals = CaughtSignals::catch().map_err(Failure::run)?;
    let is_one = arguments.config.is_none();
    let server = start(config.clone(), inherited).map_err(|error| of_start(error, is_one))?;
    let service = Service::start(server, config.clone(), arguments.config.clone(), signals);
    let service = service.map_err(of_service)?;
    if is_one {
        print(&hints::commands(&config, service.http_address()))?;
    }
    service.run();
    Ok(())
}

fn config(arguments: &Arguments) -> Result<Config, Failure> {
    if let Some(file) = &arguments.config {
        return Config::load(file, &Machine).map_err(Failure::usage);
    }
    let image = match (&arguments.image, &arguments.emulate) {
        (Some(path), _) if path.extension().is_some_and(|end| end == "toml") => {
            let path = path.display();
            return Err(Failure::usage(format!(
                "{path} looks like a configuration: --config {path}"
            )));
        }
        (Some(path), _) => Image::Path(path.clone()),
        (None, emulate) => emulated(emulate.as_deref().unwrap_or_default()),
    };
    let One { socket, read_only, scheduler, http } = &arguments.one;
    let options = OneOptions {
        socket: socket.clone(),
        scheduler: scheduler.clone(),
        http: http.clone(),
        read_only: *read_only,
    };
    Config::of_one(&image, &options, &Machine).map_err(|error| Failure::usage(by_options(&error)))
}

/// `PROFILE,size=SIZE,NAME=VALUE,…`: the size is that of the export, the others are the profile's.
fn emulated(text: &str) -> Image {
    let mut parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let mut sizes = parts.extract_if(.., |part| part.starts_with("size="));
    let size = sizes.next().and_then(|part| part.strip_prefix("size=")).map(str::to_owned);
    drop(sizes);
    let (name, values) = parts.split_first().unwrap_or((&"", &[]));
    let colon = if values.is_empty() { "" } else { ":" };
    Image::Emulated(format!("{name}{colon}{}", values.join(",")), size)
}

/// Mistakes of a configuration that came from options, which they name.
fn by_options(error: &ConfigError) -> String {
    let mistakes: Vec<_> = error.mistakes.iter().map(|(_, mistake)| mistake.to_string()).collect();
    mistakes.join("\n")
}

/// Why a server does not start. If it serves one image (`is_one`), its user has given no names.
fn of_start(error: StartError, is_one: bool) -> Failure {
    match error {
        StartError::Disk { error, .. } if is_one => Failure::usage(error),
        StartError::Export { error, .. } if is_one => Failure::usage(error),
        StartError::Io(_) | StartError::Listen { .. } => Failure::run(error),
        _ => Failure::usage(error),
    }
}

fn of_service(error: ServiceError) -> Failure {
    Failure::run(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emulated_disk_is_a_profile_with_values_and_a_size() {
        let image = |profile: &str, size: Option<&str>| {
            Image::Emulated(profile.to_owned(), size.map(str::to_owned))
        };
        assert_eq!(emulated("ssd-sata"), image("ssd-sata", None));
        assert_eq!(emulated("ssd-sata,size=1GiB"), image("ssd-sata", Some("1GiB")));
        assert_eq!(
            emulated("ssd-sata, depth=8,size=2GiB,rotational=1"),
            image("ssd-sata:depth=8,rotational=1", Some("2GiB"))
        );
    }
}
