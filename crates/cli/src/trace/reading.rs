// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces that are opened, to be read until that is interrupted.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::values::completed;
use crate::watched_file::files;
use ::trace::{Format, ReadOptions, TraceReader};
use base::suggest::meant_or_all;
use lab::check_known;
use std::path::Path;

/// How traces are read.
#[derive(Debug, clap::Args)]
pub struct ReadingOptions {
    /// The format of the traces, if it is not to be known by their content
    #[arg(long, value_name = "FORMAT", hide_possible_values = true,
          value_parser = completed(format, Format::ALL.map(Format::name)))]
    format: Option<Format>,
    /// Pass over records that are wrong, and say how many
    #[arg(long)]
    skip_bad: bool,
}

/// Reads the name of a format.
pub fn format(text: &str) -> Result<Format, String> {
    let all = Format::ALL.map(Format::name);
    Format::by_name(text).ok_or_else(|| format!("no such format{}", meant_or_all(text, &all)))
}

/// An open trace, and who interrupts its reading.
pub struct Reading<'a> {
    pub reader: TraceReader<'a>,
    pub interrupt: Interrupt,
}

impl ReadingOptions {
    /// Opens a trace. With `quiet` no bar says how far it is read.
    pub fn open<'a>(&self, path: &Path, quiet: bool) -> Result<Reading<'a>, Failure> {
        let name = path.display().to_string();
        check_known(path).map_err(Failure::of)?;
        let file = files(quiet).open_any(path).map_err(|error| {
            Failure::usage(format!("{name}: {error}; expected a readable trace"))
        })?;
        let options = ReadOptions { format: self.format, skip_bad: self.skip_bad };
        let reader = TraceReader::new(file, &name, options).map_err(Failure::usage)?;
        Ok(Reading { reader, interrupt: Interrupt::listen()? })
    }
}
