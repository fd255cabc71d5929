// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace written to a file in another format.

use crate::written::{Draft, WriteError, check_is_no_input, check_writable};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use trace::{Format, OutOfOrder, TraceError, TraceReader, Writer};

/// Records between two questions whether to go on.
const OBSERVED_RECORDS: u64 = 1 << 14;

/// A file to be written, or stdout if there is none, and the format that it shall have.
#[derive(Debug, Clone, Copy)]
pub struct Conversion<'p> {
    path: Option<&'p Path>,
    to: Format,
}

/// What came of the conversion of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Converted {
    /// The format that was read.
    pub from: Format,
    /// The format that was written.
    pub to: Format,
    /// Requests that were written.
    pub requests: u64,
    /// Requests that have no place in the format that was written.
    pub left_out: u64,
    /// Wrong records that were passed over.
    pub skipped: u64,
    /// Records that are earlier than one before them.
    pub out_of_order: Option<OutOfOrder>,
    /// Records of these that are written with a later time than they had.
    pub delayed: u64,
    /// Volumes with another number than their own, which another one had before.
    pub renumbered: u64,
    /// Requests without a response time, in a format that has them: the trace does not tell it.
    pub without_response: u64,
}

/// Why a trace could not be converted.
#[derive(Debug, thiserror::Error)]
pub enum ConversionError {
    /// The file cannot be where it shall be.
    #[error(transparent)]
    Place(WriteError),
    /// The name asks for a compression that is only read.
    #[error("{}: .zst is only read; expected a name that ends in .gz, or a plain one", path.display())]
    Compression {
        /// The file that was to be written.
        path: PathBuf,
    },
    /// The format is only read.
    #[error("{} is only read; expected one of {}", .0.name(), Format::written_names())]
    NotWritten(Format),
    /// The trace is wrong.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The file could not be written to its end.
    #[error(transparent)]
    Write(WriteError),
    /// The caller did not want to go on.
    #[error("interrupted")]
    Interrupted,
}

impl ConversionError {
    /// Whether the input is wrong; if not, something failed on the way.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::Write(_) | Self::Interrupted)
    }
}

impl<'p> Conversion<'p> {
    /// Checks, before anything is read, that the trace at `input` can be written to `path`, or to
    /// stdout; compressed if its name ends in .gz.
    ///
    /// # Errors
    /// If it cannot: there, under that name, or in that format.
    pub fn plan(input: &Path, path: Option<&'p Path>, to: Format) -> Result<Self, ConversionError> {
        if let Some(path) = path {
            check_writable(path).map_err(ConversionError::Place)?;
            check_is_no_input(path, [input]).map_err(ConversionError::Place)?;
            if path.extension().is_some_and(|extension| extension == "zst") {
                return Err(ConversionError::Compression { path: path.to_owned() });
            }
        }
        if !to.is_written() {
            return Err(ConversionError::NotWritten(to));
        }
        Ok(Self { path, to })
    }

    /// Writes what is read; the file is there when all of it is. `go_on` is asked now and then.
    ///
    /// # Errors
    /// If the trace is wrong, writing fails, or the caller does not want to go on.
    pub fn run(
        &self,
        reader: &mut TraceReader<'_>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Converted, ConversionError> {
        let Some(path) = self.path else {
            let unwritable = |source| WriteError { name: "stdout".to_owned(), source };
            return self.write(reader, go_on, Out::Plain(BufWriter::new(io::stdout())), unwritable);
        };
        let unwritable = |source| WriteError::of(path, source);
        let failed = |source| ConversionError::Write(unwritable(source));
        let mut draft = Draft::create(path).map_err(failed)?;
        let out = Out::new(path, draft.file().try_clone().map_err(failed)?);
        let converted = self.write(reader, go_on, out, unwritable)?;
        draft.finish().map_err(failed)?;
        Ok(converted)
    }

    fn write<W: Write>(
        &self,
        reader: &mut TraceReader<'_>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
        out: Out<W>,
        unwritable: impl Fn(io::Error) -> WriteError,
    ) -> Result<Converted, ConversionError> {
        let unwritable = |source| ConversionError::Write(unwritable(source));
        let (from, to) = (reader.format(), self.to);
        let mut writer = Writer::new(out, to, from).ok_or(ConversionError::NotWritten(to))?;
        let mut records = 0_u64;
        while let Some(record) = reader.next().transpose()? {
            records += 1;
            if records.is_multiple_of(OBSERVED_RECORDS) && go_on().is_break() {
                return Err(ConversionError::Interrupted);
            }
            writer.write(&record, reader.names()).map_err(unwritable)?;
        }
        let (requests, left_out) = (writer.requests(), writer.left_out());
        let (delayed, renumbered) = (writer.delayed(), writer.renumbered());
        let without_response = writer.without_response();
        let out = writer.finish(reader.names()).map_err(unwritable)?;
        out.finish().map_err(unwritable)?;
        let (skipped, out_of_order) = (reader.skipped(), reader.out_of_order());
        Ok(Converted {
            from,
            to,
            requests,
            left_out,
            skipped,
            out_of_order,
            delayed,
            renumbered,
            without_response,
        })
    }
}

impl fmt::Display for Converted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from.name(), self.to.name());
        write!(f, "{} requests from {from} to {to}", self.requests)?;
        if let Some(of) = self.out_of_order {
            write!(f, "; records that are earlier than one before them: {of}")?;
        }
        for (count, what) in [
            (self.delayed, "records with a later time than they had"),
            (self.left_out, "requests without a place in it, left out"),
            (self.renumbered, "volumes with another number, as theirs was taken"),
            (self.without_response, "requests whose response time is not known, and is 0 in it"),
            (self.skipped, "wrong records, passed over"),
        ] {
            if count > 0 {
                write!(f, "; {what}: {count}")?;
            }
        }
        Ok(())
    }
}

/// What is written to.
enum Out<W: Write> {
    Plain(BufWriter<W>),
    Gzip(GzEncoder<BufWriter<W>>),
}

impl<W: Write> Out<W> {
    fn new(path: &Path, file: W) -> Self {
        let plain = BufWriter::new(file);
        match path.extension().is_some_and(|extension| extension == "gz") {
            true => Self::Gzip(GzEncoder::new(plain, Compression::default())),
            false => Self::Plain(plain),
        }
    }

    /// Writes all that was held back.
    fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut out) => out.flush(),
            Self::Gzip(out) => out.finish()?.flush(),
        }
    }
}

impl<W: Write> Write for Out<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Gzip(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Gzip(out) => out.flush(),
        }
    }
}
