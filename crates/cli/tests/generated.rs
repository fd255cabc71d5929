// SPDX-License-Identifier: MIT OR Apache-2.0
//! Manual pages and completions have what the command line has, and nothing that is hidden.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn bfq(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bfq")).args(arguments).env("COLUMNS", "100").output().unwrap()
}

fn said(arguments: &[&str]) -> String {
    let output = bfq(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The names of the subcommands that the help of a command lists.
fn subcommands(command: &[&str]) -> Vec<String> {
    let help = said(&[command, &["-h"]].concat());
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = listed.take_while(|line| line.starts_with("  "));
    // Deeper are the lines on which a text goes on.
    let names = lines.filter(|line| !line.starts_with("   "));
    let names = names.map(|line| line.split_whitespace().next().unwrap().to_owned());
    names.filter(|name| name != "help").collect()
}

/// All commands that are not hidden, as words: bfq itself is none.
fn commands() -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = vec![vec![]];
    let mut looked_at = 0;
    while let Some(above) = found.get(looked_at).cloned() {
        looked_at += 1;
        let words: Vec<_> = above.iter().map(String::as_str).collect();
        found.extend(subcommands(&words).into_iter().map(|name| [&above[..], &[name]].concat()));
    }
    assert!(found.len() > 12, "{found:?}");
    found
}

/// The text of a manual page without its markup.
fn plain(path: &Path) -> String {
    let page = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    ["\\fB", "\\fI", "\\fR"]
        .iter()
        .fold(page, |text, font| text.replace(font, ""))
        .replace('\\', "")
}

#[test]
fn each_command_has_a_page_with_all_its_options_and_their_texts() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("new/man1");
    said(&["generate", "man", folder.to_str().unwrap()]);
    let mut expected = BTreeSet::new();
    for words in commands() {
        let name = format!("{}.1", [vec!["bfq".to_owned()], words.clone()].concat().join("-"));
        let page = plain(&folder.join(&name));
        let words: Vec<_> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = said(&words);
        for option in help.split_whitespace().filter(|word| word.starts_with("--")) {
            let option = option.trim_matches(|sign| "`'.,;:()[]".contains(sign));
            assert!(page.contains(option), "{name}: {option}");
        }
        // An option and its value are a line; what follows is its text.
        let options = page.lines().zip(page.lines().skip(1));
        for (option, text) in options.filter(|(line, _)| line.starts_with("--")) {
            assert!(!text.starts_with('.') && !text.is_empty(), "{name}: {option} has no text");
        }
        for section in ["NAME", "SYNOPSIS", "\"EXIT STATUS\"", "\"SEE ALSO\""] {
            assert!(page.contains(&format!(".SH {section}\n")), "{name}: {section}");
        }
        expected.insert(name);
    }
    let there = fs::read_dir(&folder).unwrap();
    let there = there.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(there.collect::<BTreeSet<_>>(), expected);
}

#[test]
fn pages_are_read_without_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    said(&["generate", "man", folder.path().to_str().unwrap()]);
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let formatted = Command::new("groff")
            .args(["-man", "-Tutf8", "-Kutf8", "-ww", "-z"])
            .arg(&path)
            .output();
        let Ok(formatted) = formatted else {
            eprintln!("groff is not installed: nothing is tested");
            return;
        };
        let complaint = String::from_utf8_lossy(&formatted.stderr);
        assert!(formatted.status.success() && complaint.is_empty(), "{path:?}: {complaint}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let output = bfq(&["generate", "man", file.join("man").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(
        complaint.starts_with("bfq: cannot write ") && complaint.contains("/file/man"),
        "{complaint}"
    );
}

/// What bash offers behind these words, the last of which is being typed.
fn offered(script: &Path, words: &str) -> BTreeSet<String> {
    let ask = format!(
        "source '{}'; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _bfq bfq \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let output = Command::new("bash").args(["--norc", "-c", &ask]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_their_values() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("bfq");
    fs::write(&script, said(&["generate", "completions", "bash"])).unwrap();
    let commands = offered(&script, "bfq ''");
    for name in subcommands(&[]) {
        assert!(commands.contains(&name), "{name} in {commands:?}");
    }
    assert_eq!(offered(&script, "bfq exp"), BTreeSet::from(["explain".to_owned()]));
    assert_eq!(offered(&script, "bfq sim --dev"), BTreeSet::from(["--device".to_owned()]));
    let levels = ["quick", "normal", "thorough"].map(str::to_owned);
    assert_eq!(offered(&script, "bfq bench --level ''"), BTreeSet::from(levels));
    // Of some options only the first of several values by commas, or one that may be a file.
    for (words, value) in [
        ("trace convert x --to io", "iolog3"),
        ("trace info --format blkt", "blktrace"),
        ("sim --device hdd-de", "hdd-desktop"),
        ("what-if --device hdd-de", "hdd-desktop"),
        ("explain --device hdd-de", "hdd-desktop"),
        ("serve --emulate hdd-de", "hdd-desktop"),
        ("run --scheduler tf", "tfq"),
        ("sim --replay ch", "chain"),
        ("bench --emit sysc", "sysctl-like"),
        ("bench --goal med", "media"),
    ] {
        let offered = offered(&script, &format!("bfq {words}"));
        assert!(offered.contains(value), "{words}: {offered:?}");
    }
}

#[test]
fn nothing_that_is_hidden_is_offered() {
    for shell in ["bash", "zsh", "fish"] {
        let script = said(&["generate", "completions", shell]);
        assert!(script.contains("explain"), "{shell}");
        for hidden in ["bench-worker", "generate", "exit-codes"] {
            assert!(!script.contains(hidden), "{shell}: {hidden}");
        }
    }
}

#[test]
fn exit_codes_are_told_and_are_what_they_are_said_to_be() {
    let told = said(&["help", "exit-codes"]);
    assert_eq!(told, said(&["exit-codes"]));
    let codes = told.lines().filter_map(|line| line.split_whitespace().next()?.parse::<i32>().ok());
    assert_eq!(codes.collect::<Vec<_>>(), [0, 1, 2, 3, 141]);
    assert!(said(&["--help"]).contains("bfq help exit-codes"));

    assert_eq!(bfq(&["list", "schedulers"]).status.code(), Some(0));
    assert_eq!(bfq(&["list", "everything"]).status.code(), Some(2));
    assert_eq!(bfq(&["sim", "no-such.fio"]).status.code(), Some(2));
    assert_eq!(bfq(&["generate", "man", "/dev/null/man"]).status.code(), Some(1));
}
