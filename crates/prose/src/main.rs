// SPDX-License-Identifier: MIT OR Apache-2.0
//! `prose [--all] [FOLDER]`: says what is wrong with the prose of the repository in FOLDER.

use clap::Parser;
use prose::{EXEMPT_FOLDERS, Repository, check};
use std::path::PathBuf;
use std::process::ExitCode;

/// Checks of what people wrote: widths of lines, doc comments, citations, links
#[derive(Parser)]
struct Arguments {
    /// Check the folders, too, whose lines may be wide and whose doc comments may be short
    #[arg(long)]
    all: bool,
    /// Where the checkout is
    #[arg(default_value = ".")]
    folder: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let repository = match Repository::read(&arguments.folder) {
        Ok(repository) => repository,
        Err(error) => {
            eprintln!("prose: {error}");
            return ExitCode::from(2);
        }
    };
    let exempt: &[&str] = if arguments.all { &[] } else { &EXEMPT_FOLDERS };
    let findings = check(&repository, exempt);
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("prose: {} places to mend", findings.len());
    ExitCode::FAILURE
}
