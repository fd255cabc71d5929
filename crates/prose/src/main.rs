// SPDX-License-Identifier: MIT OR Apache-2.0
//! `prose [FOLDER]`: says what is wrong with the prose of the repository in FOLDER.

use clap::Parser;
use prose::{Repository, check};
use std::path::PathBuf;
use std::process::ExitCode;

/// Checks of what people wrote: lines, doc comments, citations, links, structure
#[derive(Parser)]
struct Arguments {
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
    let findings = check(&repository);
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("prose: {} places to mend", findings.len());
    ExitCode::FAILURE
}
