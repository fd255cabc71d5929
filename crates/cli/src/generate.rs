// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq generate`: manual pages and completions for shells, from what the command line is defined
//! as. Packagers call it (`make man`, `make completions`); it is hidden from everybody else.

use crate::failure::{EXIT_CODES, Failure};
use crate::streams::{print, unwritable};
use crate::version::VERSION;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The command line of `bfq generate`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// The manual pages: bfq.1, bfq-sim.1, …
    Man {
        /// The folder to write them to; it is made if it is not there
        folder: PathBuf,
    },
    /// What a shell needs to complete arguments, to stdout
    Completions {
        /// The shell that they are for
        shell: Shell,
    },
}

/// Runs the command; `command` is all that is to be told of.
///
/// # Errors
/// With exit code 1 if a page or stdout cannot be written.
pub fn run(arguments: &Arguments, command: clap::Command) -> Result<(), Failure> {
    match &arguments.what {
        What::Man { folder } => write_pages(command, folder),
        What::Completions { shell } => {
            let mut script = Vec::new();
            let mut command = visible(command);
            clap_complete::generate(*shell, &mut command, "bfq", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
    }
}

/// The command without what is hidden, which completions would offer.
fn visible(command: clap::Command) -> clap::Command {
    let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned();
    let about = command.get_about().cloned().unwrap_or_default();
    clap::Command::new("bfq").about(about).version(VERSION).subcommands(shown)
}

/// Writes the page of a command, and those of its subcommands.
fn write_pages(command: clap::Command, folder: &Path) -> Result<(), Failure> {
    let refused = |path: &Path, error| unwritable(&path.display().to_string(), error);
    fs::create_dir_all(folder).map_err(|error| refused(folder, error))?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut rest = vec![command];
    while let Some(command) = rest.pop() {
        rest.extend(command.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned());
        let name = command.get_display_name().unwrap_or("bfq").to_owned();
        let path = folder.join(format!("{name}.1"));
        let page = page(command).map_err(|error| refused(&path, error))?;
        fs::write(&path, page).map_err(|error| refused(&path, error))?;
    }
    Ok(())
}

/// The page of a command, in the order that manual pages have.
fn page(command: clap::Command) -> io::Result<Vec<u8>> {
    // A page is the long help: what the short one leaves out would lack its text.
    let command = command.mut_args(|argument| argument.hide_short_help(false));
    let notes = command.get_after_long_help().or_else(|| command.get_after_help());
    let notes = notes.map(ToString::to_string).unwrap_or_default();
    let is_part = command.get_display_name().is_some_and(|name| name != "bfq");
    let has_subcommands = command.get_subcommands().any(|sub| !sub.is_hide_set());
    let has_options = command.get_arguments().any(|argument| !argument.is_hide_set());
    let man = Man::new(command).manual("User Commands").source(format!("bfq {VERSION}"));

    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if has_options {
        man.render_options_section(&mut page)?;
    }
    if has_subcommands {
        man.render_subcommands_section(&mut page)?;
    }
    let mut rest = Roff::new();
    add_notes(&mut rest, &notes);
    add_exit_codes(&mut rest);
    rest.control("SH", ["SEE ALSO"]);
    rest.text([bold(if is_part { "bfq" } else { "fio" }), roman("(1)")]);
    rest.to_writer(&mut page)?;
    Ok(page)
}

/// What a command's help ends with: a paragraph for each line. Exit codes have a section
/// of their own.
fn add_notes(roff: &mut Roff, notes: &str) {
    let lines: Vec<_> = notes.lines().filter(|line| !line.starts_with("Exit codes:")).collect();
    if lines.iter().all(|line| line.trim().is_empty()) {
        return;
    }
    roff.control("SH", ["NOTES"]);
    for line in lines {
        if line.trim().is_empty() {
            roff.control("PP", []);
        } else {
            // What is indented are commands to type.
            let text = line.trim_start();
            roff.control(if text == line { "PP" } else { "br" }, []);
            roff.text([if text == line { roman(text) } else { bold(text) }]);
        }
    }
}

fn add_exit_codes(roff: &mut Roff) {
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXIT_CODES {
        roff.control("TP", []);
        roff.text([bold(code.to_string())]);
        roff.text([roman(meaning)]);
    }
}
