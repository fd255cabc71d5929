// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs of others, where they are installed.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Where the system's programs are: they come from there, whatever else is in the path. nbdsh is
/// run by the Python that its library was built for.
const FOLDERS: &str = "/usr/bin:/bin:/usr/sbin:/sbin";

/// The program, if it is installed; else says so, unless it is required.
pub fn tool(name: &str, package: &str) -> Option<Command> {
    let wanted = std::env::var("BFQ_NBD_TOOLS").unwrap_or_default();
    let found = FOLDERS.split(':').map(|folder| PathBuf::from(folder).join(name));
    let found = found.filter(|_| wanted != "none").find(|path| path.is_file());
    let Some(path) = found else {
        assert!(wanted != "required", "{name} is not installed, and BFQ_NBD_TOOLS=required");
        eprintln!("SKIPPED: {name} is not installed (Debian: apt-get install {package})");
        return None;
    };
    let mut command = Command::new(path);
    command.env("PATH", FOLDERS).env("LANG", "C");
    Some(command)
}

/// What a command prints that must work.
pub fn printed(command: &mut Command) -> String {
    let output = output(command);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}\n{errors}", output.status);
    text
}

/// Whether a command says yes.
pub fn succeeds(command: &mut Command) -> bool {
    output(command).status.success()
}

fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}
