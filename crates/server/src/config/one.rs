// SPDX-License-Identifier: MIT OR Apache-2.0
//! A configuration without a file: one export, by what the command line says.

use super::environment::Environment;
use super::error::{ConfigError, Mistake};
use super::values::Config;
use std::path::PathBuf;
use toml::{Table, Value};

/// What is served as the default export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// A file or block device.
    Path(PathBuf),
    /// An emulated disk, by its profile, with its size as text; without it by default.
    Emulated(String, Option<String>),
}

/// The rest of what the command line says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OneOptions {
    /// The unix socket for clients; without it, that of this user.
    pub socket: Option<PathBuf>,
    /// The scheduler and its tunables; without it, bfq.
    pub scheduler: Option<String>,
    /// Where metrics and the live page are served, if at all.
    pub http: Option<String>,
    /// Whether clients are refused writes, discards and zeroing.
    pub read_only: bool,
}

/// What of the command line becomes the value of a key: the table, the key, and how users know it.
const OPTIONS: [(&str, &str, &str); 9] = [
    ("", "http", "--http"),
    ("", "control", "--socket"),
    ("listen", "unix", "--socket"),
    ("disks.disk", "below", "IMAGE"),
    ("disks.disk", "emulate", "--emulate"),
    ("disks.disk", "size", "size= of --emulate"),
    ("disks.disk", "scheduler", "--scheduler"),
    ("exports.", "path", "IMAGE"),
    ("exports.", "disk", "--emulate"),
];

/// A mistake in words of the command line: who typed an option knows of no key.
fn by_option(mut mistake: Mistake) -> Mistake {
    let is_meant = |(table, key, _): &&(&str, &str, &str)| {
        mistake.section == *table && mistake.key == Some(*key)
    };
    if let Some((_, key, option)) = OPTIONS.iter().find(is_meant) {
        mistake.found = match mistake.found.strip_prefix(&format!("`{key}`")) {
            Some(rest) => format!("{option}{rest}"),
            None => format!("{option}: {}", mistake.found),
        };
    }
    mistake
}

impl Config {
    /// The configuration that serves one image as the default export. It is read as if it stood in
    /// a file, so that the same is right and wrong.
    ///
    /// # Errors
    /// Something is wrong with it; the mistakes have the names of the command line's options, and
    /// no lines.
    pub fn of_one(
        image: &Image,
        options: &OneOptions,
        environment: &dyn Environment,
    ) -> Result<Config, ConfigError> {
        let text = |path: &PathBuf| Value::from(path.to_string_lossy().into_owned());
        let mut top = Table::new();
        if let Some(http) = &options.http {
            top.insert("http".to_owned(), Value::from(http.clone()));
        }
        if let Some(socket) = &options.socket {
            let mut control = socket.clone().into_os_string();
            control.push(".control");
            top.insert("control".to_owned(), text(&control.into()));
            let listener = Table::from_iter([("unix".to_owned(), text(socket))]);
            top.insert("listen".to_owned(), Value::Array(vec![listener.into()]));
        }
        let (disk, mut export) = match image {
            Image::Path(path) => (
                Table::from_iter([("below".to_owned(), text(path))]),
                Table::from_iter([("path".to_owned(), text(path))]),
            ),
            Image::Emulated(profile, size) => {
                let profile = ("emulate".to_owned(), Value::from(profile.clone()));
                let size = size.iter().map(|size| ("size".to_owned(), Value::from(size.clone())));
                let disk = Table::from_iter([profile].into_iter().chain(size));
                (disk, Table::from_iter([("disk".to_owned(), Value::from("disk"))]))
            }
        };
        let scheduler = options.scheduler.iter().cloned();
        let scheduler = scheduler.map(|name| ("scheduler".to_owned(), Value::from(name)));
        let disk: Table = disk.into_iter().chain(scheduler).collect();
        export.insert("read_only".to_owned(), Value::from(options.read_only));
        let named = |name: &str, table: Table| {
            Value::from(Table::from_iter([(name.to_owned(), Value::from(table))]))
        };
        top.insert("disks".to_owned(), named("disk", disk));
        top.insert("exports".to_owned(), named("", export));
        let here = std::env::current_dir().unwrap_or_default();
        let config = Config::parse(&top.to_string(), "command line", &here, environment);
        config.map_err(|ConfigError { file, mistakes }| {
            let mistakes = mistakes.into_iter().map(|(_, mistake)| (None, by_option(mistake)));
            ConfigError { file, mistakes: mistakes.collect() }
        })
    }
}
