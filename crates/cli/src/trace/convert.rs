// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq trace convert`: a trace in another format.

use super::reading::{ReadingOptions, format};
use crate::failure::Failure;
use crate::note::note;
use crate::output::{self, Draft};
use crate::streams::unwritable;
use ::trace::{Format, Writer};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// The command line of `bfq trace convert`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[arg(value_name = "IN", help = "The trace")]
    input: PathBuf,
    /// The file to write, whole or not at all; compressed if its name ends in .gz
    #[arg(value_name = "OUT", required_unless_present = "output", conflicts_with = "output")]
    positional_output: Option<PathBuf>,
    /// The same as OUT
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format to write: blkparse, iolog2, iolog3, msr, alibaba, tencent or spc
    #[arg(long, value_name = "FORMAT", value_parser = written_format)]
    to: Format,
    #[command(flatten)]
    reading: ReadingOptions,
    /// No progress bar, no notes
    #[arg(long)]
    quiet: bool,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if the trace or the command line is wrong, with 1 if writing fails.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let wanted = arguments.output.as_ref().or(arguments.positional_output.as_ref());
    let path = wanted.ok_or_else(|| Failure::usage("expected a file to write: OUT or -o FILE"))?;
    output::check(Some(path))?;
    output::check_is_no_input(path, [&arguments.input])?;
    if path.extension().is_some_and(|extension| extension == "zst") {
        let path = path.display();
        return Err(Failure::usage(format!(
            "{path}: .zst is only read; expected a name that ends in .gz, or a plain one"
        )));
    }
    let mut reading = arguments.reading.open(&arguments.input, arguments.quiet)?;
    let unwritable = |error: io::Error| unwritable(&path.display().to_string(), error);
    let mut draft = Draft::create(path).map_err(unwritable)?;
    let plain = BufWriter::new(draft.file().try_clone().map_err(unwritable)?);
    let is_gzip = path.extension().is_some_and(|extension| extension == "gz");
    let out = match is_gzip {
        true => Out::Gzip(GzEncoder::new(plain, Compression::default())),
        false => Out::Plain(plain),
    };
    let from = reading.reader.format();
    let Some(mut writer) = Writer::new(out, arguments.to, from) else {
        return Err(Failure::usage(format!("{} is not written", arguments.to.name())));
    };
    let mut requests = 0_u64;
    while let Some(record) = reading.next()? {
        requests += u64::from(record.event == ::trace::Event::Queued);
        writer.write(&record, reading.reader.names()).map_err(unwritable)?;
    }
    let left_out = writer.left_out();
    let out = writer.finish(reading.reader.names()).map_err(unwritable)?;
    out.finish().map_err(unwritable)?;
    draft.finish().map_err(unwritable)?;
    if !arguments.quiet {
        let mut text = format!(
            "{} requests from {} to {}",
            requests - left_out,
            from.name(),
            arguments.to.name()
        );
        for (count, what) in [
            (left_out, "requests without a place in it, left out"),
            (reading.reader.skipped(), "wrong records, passed over"),
        ] {
            if count > 0 {
                text.push_str(&format!("; {what}: {count}"));
            }
        }
        note(&text);
    }
    Ok(())
}

/// What is written to.
enum Out<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
}

impl<W: Write> Out<W> {
    /// Writes all that was held back.
    fn finish(self) -> io::Result<()> {
        match self {
            Out::Plain(mut out) => out.flush(),
            Out::Gzip(out) => out.finish()?.flush(),
        }
    }
}

impl<W: Write> Write for Out<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Plain(out) => out.write(bytes),
            Out::Gzip(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Plain(out) => out.flush(),
            Out::Gzip(out) => out.flush(),
        }
    }
}

/// Reads the name of a format that can be written.
fn written_format(text: &str) -> Result<Format, String> {
    let written = |format: &Format| format.is_written();
    format(text).ok().filter(written).ok_or_else(|| {
        let names = Format::ALL.into_iter().filter(written).map(Format::name);
        format!("expected one of {}", names.collect::<Vec<_>>().join(", "))
    })
}
