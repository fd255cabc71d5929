//! `bfq trace`: what is in a trace, and the same in another format.

mod convert;
mod info;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use ::trace::{Format, ReadOptions, Reader, TraceError};
use clap::Subcommand;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

/// The command line of `bfq trace`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Formats, known by their content: blkparse, blktrace, iolog2, iolog3, \
                        startup, msr, alibaba, tencent, spc; plain, .gz or .zst.\nTo replay a \
                        trace: bfq sim TRACE --replay chain, or read_iolog=TRACE in a job file.")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what is in traces: requests, processes, sizes, order, think times
    Info(info::Arguments),
    /// Convert a trace into another format
    Convert(convert::Arguments),
}

/// How traces are read.
#[derive(Debug, clap::Args)]
struct ReadingOptions {
    /// The format of the traces, if it is not to be known by their content
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
    /// Pass over records that are wrong, and say how many
    #[arg(long)]
    skip_bad: bool,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if a trace or the command line is wrong, with 1 if reading or writing fails.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Info(arguments) => info::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
    }
}

/// Reads the name of a format. For clap.
fn format(text: &str) -> Result<Format, String> {
    Format::by_name(text).ok_or_else(|| format!("expected one of {}", Format::names()))
}

/// A trace being read: with its progress on a terminal, and until somebody interrupts.
struct Reading<'a> {
    reader: Reader<'a>,
    read_bytes: Rc<Cell<u64>>,
    all_bytes: u64,
    progress: Progress,
    interrupt: Interrupt,
    records: u64,
}

/// Records between two looks at the progress.
const OBSERVED_RECORDS: u64 = 1 << 14;

impl ReadingOptions {
    fn open<'a>(&self, path: &Path, quiet: bool) -> Result<Reading<'a>, Failure> {
        let name = path.display().to_string();
        let missing = |error: io::Error| {
            Failure::usage(format!("{name}: {error}; expected a readable trace"))
        };
        let file = File::open(path).map_err(missing)?;
        let all_bytes = file.metadata().map_err(missing)?.len();
        let read_bytes = Rc::new(Cell::new(0));
        let counted = Counted { file, bytes: Rc::clone(&read_bytes) };
        let options = ReadOptions { format: self.format, skip_bad: self.skip_bad };
        Ok(Reading {
            reader: Reader::new(BufReader::new(counted), &name, options).map_err(failure)?,
            read_bytes,
            all_bytes,
            progress: Progress::new(name, quiet),
            interrupt: Interrupt::listen()?,
            records: 0,
        })
    }
}

impl Reading<'_> {
    /// The next record; none at the end.
    fn next(&mut self) -> Result<Option<::trace::Record>, Failure> {
        self.records += 1;
        if self.records.is_multiple_of(OBSERVED_RECORDS) {
            let mib = |bytes: u64| (bytes >> 20) as usize;
            self.progress.piece(mib(self.read_bytes.get()), mib(self.all_bytes).max(1));
            if self.interrupt.requested() {
                self.progress.clear();
                return Err(Failure::run("interrupted"));
            }
        }
        let next = self.reader.next().transpose();
        if !matches!(next, Ok(Some(_))) {
            self.progress.clear();
        }
        next.map_err(failure)
    }
}

fn failure(error: TraceError) -> Failure {
    Failure::usage(error)
}

/// A file, and how much of it was read.
struct Counted {
    file: File,
    bytes: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.bytes.set(self.bytes.get() + read as u64);
        Ok(read)
    }
}
