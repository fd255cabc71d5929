// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/generated/job-options.md has the options that the parser has. With `BFQ_WRITE_DOCS=1` in
//! the environment the test writes that page.

use std::fmt::Write;
use std::path::Path;
use workload::{JobOption, job_options, options_without_effect, unsupported_options};

const HEAD: &str = "\
# Options of job files

Made from the parser's table by `BFQ_WRITE_DOCS=1 cargo test -p bfq-workload --test documented`;
[job-files.md](../job-files.md) says what to know about job files.
";

/// The options as Markdown.
fn documented() -> String {
    let mut text = HEAD.to_owned();
    let mut chapter = "";
    for option in job_options() {
        if option.chapter != chapter {
            chapter = option.chapter;
            let title = chapter[..1].to_uppercase() + &chapter[1..];
            let _ = write!(text, "\n## {title}\n\n| Option | Value (unit) | Default | |\n");
            text.push_str("|---|---|---|---|\n");
        }
        text.push_str(&row(&option));
    }
    text.push_str("\n## Accepted, without effect\n\n");
    for (why, names) in options_without_effect() {
        let _ = writeln!(text, "* {}: {why}", code(&names));
    }
    text.push_str("\n## Not supported\n\n");
    let _ = writeln!(text, "{}", code(&unsupported_options()));
    text
}

fn row(option: &JobOption) -> String {
    let names: Vec<&str> = [&[option.name], option.aliases].concat();
    let cell = |text: &str| text.replace('|', "\\|");
    let default = option.default.map_or_else(String::new, |default| format!("`{default}`"));
    format!("| {} | {} | {default} | {} |\n", code(&names), cell(option.values), cell(option.doc))
}

fn code(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_options_in_the_documentation_are_those_of_the_parser() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/job-options.md");
    if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
        std::fs::write(&path, documented()).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(there == documented(), "BFQ_WRITE_DOCS=1 cargo test -p bfq-workload --test documented");
}
