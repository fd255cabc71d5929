// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results on stdout and on stderr: besides `note` the only module of the command that writes there
//! (clippy refuses `print!` and its kin). A stream that is full, closed or a pipe without a reader
//! is no reason to panic.

use crate::failure::Failure;
use clap::ColorChoice;
use lab::WriteError;
use rustix::termios::tcgetwinsize;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Prints a result to stdout.
///
/// # Errors
/// If that is not possible; a pipe without a reader is no error for the user.
pub fn print(text: &str) -> Result<(), Failure> {
    write_whole(&mut io::stdout().lock(), text).map_err(|error| unwritable("stdout", error))
}

/// Prints to stderr what the user has asked for, where stdout is taken by something else.
///
/// # Errors
/// As for [`print()`].
pub fn print_aside(text: &str) -> Result<(), Failure> {
    write_whole(&mut io::stderr().lock(), text).map_err(|error| unwritable("stderr", error))
}

/// Prints what clap has to say: help and the version are results, everything else is an error.
///
/// # Errors
/// As for [`print()`], of a result.
pub fn print_of_clap(error: &clap::Error) -> Result<(), Failure> {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(source) if !error.use_stderr() => Err(unwritable("stdout", source)),
        _ => Ok(()),
    }
}

/// Whether a terminal, if there is one, does no more than print lines: it has no colours, and its
/// cursor cannot be moved.
pub fn terminal_is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|name| name.is_empty() || name == "dumb")
}

/// When help and errors of the command line have colours. Left to itself, the library colours them
/// on a dumb terminal, too, wherever `CI` is set.
pub fn colors_of_clap() -> ColorChoice {
    if terminal_is_dumb() { ColorChoice::Never } else { ColorChoice::Auto }
}

/// Whether text on stdout may be coloured: on a terminal that can, unless NO_COLOR says no.
pub fn stdout_has_color() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !terminal_is_dumb() && !refused
}

/// How many letters a line of the terminal that is printed on has, if it is one and tells.
pub fn stdout_columns() -> Option<u16> {
    let columns = tcgetwinsize(io::stdout()).ok()?.ws_col;
    // A serial line may not tell.
    (columns > 0).then_some(columns)
}

/// Why a file or stream could not be written.
pub fn unwritable(name: &str, source: io::Error) -> Failure {
    match source.kind() {
        ErrorKind::BrokenPipe => Failure::NobodyListens,
        _ => Failure::run(WriteError { name: name.to_owned(), source }),
    }
}

fn write_whole(stream: &mut impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}
