// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command that repeats a result, for a shell.

use base::shell::quoted;
use std::ffi::OsString;

/// Options that say where results go, not what they are, and whether a value follows.
const OUTPUT_OPTIONS: [(&str, bool); 7] = [
    ("--output", true),
    ("-o", true),
    ("--output-format", true),
    ("--format", true),
    ("--json", false),
    ("--timeline", true),
    ("--quiet", false),
];

/// The command line of this process, without what says where results go.
pub fn this_command() -> String {
    command(std::env::args_os().skip(1))
}

/// A command line that gives the same results, for a shell.
fn command(mut arguments: impl Iterator<Item = OsString>) -> String {
    let mut words = vec!["bfq".to_owned()];
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        let (name, joined) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (&*text, false),
        };
        match OUTPUT_OPTIONS.iter().find(|(option, _)| *option == name) {
            Some((_, has_value)) => {
                if *has_value && !joined {
                    arguments.next();
                }
            }
            // `-oFILE`
            None if text.starts_with("-o") => {}
            None => words.push(quoted(argument.as_encoded_bytes())),
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_for_a_shell() {
        for (arguments, expected) in [
            (&["sim", "a.fio", "--seed", "7"][..], "bfq sim a.fio --seed 7"),
            (&["sim", "--output", "x.json", "a.fio", "--quiet"], "bfq sim a.fio"),
            (&["sim", "--output-format=json", "a.fio", "--output=x"], "bfq sim a.fio"),
            (&["sim", "-o", "x.json", "a.fio", "-oy", "-o=z"], "bfq sim a.fio"),
            (&["sim", "--json", "a.fio"], "bfq sim a.fio"),
            (&["what-if", "--format", "json", "t.txt"], "bfq what-if t.txt"),
            (&["sim", "my jobs/a.fio", "it's", ""], r"bfq sim 'my jobs/a.fio' 'it'\''s' ''"),
        ] {
            assert_eq!(command(arguments.iter().map(OsString::from)), expected);
        }
    }
}
