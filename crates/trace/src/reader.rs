// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading a trace of any format, record by record.

use crate::blkparse::Blkparse;
use crate::blktrace::Blktrace;
use crate::error::{Mistake, TraceError, TracePosition};
use crate::format::Format;
use crate::input::{self, TraceInput};
use crate::iolog;
use crate::lines::Lines;
use crate::names::Names;
use crate::order::{OutOfOrder, TimeOrder};
use crate::parser::{LineFormat, Parser};
use crate::record::Record;
use crate::startup::Startup;
use crate::volumes::Volumes;
use std::io::BufRead;

/// How a trace is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Its format; none: it is known by its content.
    pub format: Option<Format>,
    /// Passes over records that are wrong, and counts them. A trace of nothing else is an error.
    pub skip_bad: bool,
}

/// Reads a trace, plain or compressed, one [`Record`] at a time. After an error that it does not
/// skip it ends.
pub struct TraceReader<'a> {
    parser: Box<dyn Parser + 'a>,
    format: Format,
    name: String,
    names: Names,
    skip_bad: bool,
    skipped: u64,
    /// The first of them.
    first_skipped: Option<TraceError>,
    order: TimeOrder,
    /// Whether any record was right.
    given: bool,
    ended: bool,
}

impl<'a> TraceReader<'a> {
    /// Reads from `source`; `name` is what errors call it.
    ///
    /// # Errors
    /// It cannot be read, or is no trace in a known format.
    pub fn new(
        source: impl BufRead + 'a,
        name: &str,
        options: ReadOptions,
    ) -> Result<TraceReader<'a>, TraceError> {
        let (format, source) = identify(source, name, options.format)?;
        Ok(TraceReader {
            parser: parser(format, source, name)?,
            format,
            name: name.to_owned(),
            names: Names::default(),
            skip_bad: options.skip_bad,
            skipped: 0,
            first_skipped: None,
            order: TimeOrder::default(),
            given: false,
            ended: false,
        })
    }

    /// What errors call the trace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Format of the trace.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The processes and devices that have come up so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The error that the record given last is wrong for the caller's purpose.
    pub fn wrong(&self, what: impl Into<String>, expected: impl Into<String>) -> TraceError {
        Mistake::new(what, expected).at(&self.name, self.parser.place())
    }

    /// Wrong records passed over so far.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The records so far that are earlier than one before them, if there are any. What is made of
    /// a trace in one pass may lose the times of these.
    pub fn out_of_order(&self) -> Option<OutOfOrder> {
        self.order.out_of_order()
    }

    /// The error of a trace that had records, all of which were wrong.
    fn nothing_is_right(&mut self) -> Option<TraceError> {
        let first = self.first_skipped.take().filter(|_| !self.given)?;
        let what = format!("no record is right, {} wrong; the first: {}", self.skipped, first.what);
        Some(TraceError { what, can_be_skipped: false, ..first })
    }
}

/// Takes the compression off a trace, and says which format it has: the one given, or the one that
/// its content shows.
///
/// # Errors
/// It cannot be read, or is no trace in a known format.
pub fn identify<'a>(
    source: impl BufRead + 'a,
    name: &str,
    format: Option<Format>,
) -> Result<(Format, Box<dyn BufRead + 'a>), TraceError> {
    let unreadable = |error: std::io::Error| {
        let mistake = Mistake::new(format!("cannot read: {error}"), "a readable, whole file");
        TraceError { can_be_skipped: false, ..mistake.at(name, TracePosition::File) }
    };
    let source = input::decompressed(Box::new(source)).map_err(unreadable)?;
    let (head, source) = input::peeked(source).map_err(unreadable)?;
    match format.or_else(|| Format::detect(&head)) {
        Some(format) => Ok((format, source)),
        None => {
            let mistake = if head.is_empty() {
                Mistake::new("there is nothing in this trace", "records")
            } else {
                let expected = format!("one of {}, or to be told which", Format::names());
                Mistake::new("the format of this trace is not known", expected)
            };
            Err(TraceError { can_be_skipped: false, ..mistake.at(name, TracePosition::File) })
        }
    }
}

fn parser<'a>(
    format: Format,
    source: TraceInput<'a>,
    name: &str,
) -> Result<Box<dyn Parser + 'a>, TraceError> {
    Ok(match format {
        Format::Blkparse => of_lines(source, name, Blkparse::default()),
        Format::Blktrace => Box::new(Blktrace::new(source, name)),
        Format::Iolog2 | Format::Iolog3 => Box::new(iolog::Records::new(source, name)?),
        Format::Startup => of_lines(source, name, Startup),
        Format::Msr => of_lines(source, name, Volumes::Msr),
        Format::Alibaba => of_lines(source, name, Volumes::Alibaba),
        Format::Tencent => of_lines(source, name, Volumes::Tencent),
        Format::Spc => of_lines(source, name, Volumes::Spc),
    })
}

fn of_lines<'a>(
    source: TraceInput<'a>,
    name: &str,
    format: impl LineFormat + 'a,
) -> Box<dyn Parser + 'a> {
    Box::new(LineParser { lines: Lines::new(source, name), format })
}

impl Iterator for TraceReader<'_> {
    type Item = Result<Record, TraceError>;

    fn next(&mut self) -> Option<Result<Record, TraceError>> {
        while !self.ended {
            match self.parser.next(&mut self.names) {
                Ok(Some(record)) => {
                    self.given = true;
                    self.order.add(record.time_ns, || self.parser.place());
                    return Some(Ok(record));
                }
                Ok(None) => {
                    self.ended = true;
                    return self.nothing_is_right().map(Err);
                }
                Err(error) if self.skip_bad && error.can_be_skipped => {
                    self.skipped += 1;
                    self.first_skipped.get_or_insert(error);
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

/// A format of lines at work.
struct LineParser<'a, F> {
    lines: Lines<'a>,
    format: F,
}

impl<F: LineFormat> Parser for LineParser<'_, F> {
    fn next(&mut self, names: &mut Names) -> Result<Option<Record>, TraceError> {
        while self.lines.advance()? {
            match self.format.parse(&self.lines.text(), names) {
                Ok(None) => {}
                Ok(record) => return Ok(record),
                Err(mistake) => return Err(self.lines.wrong(mistake)),
            }
        }
        Ok(None)
    }

    fn place(&self) -> TracePosition {
        TracePosition::Line(self.lines.number())
    }
}
