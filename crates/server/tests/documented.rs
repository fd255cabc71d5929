// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/generated/serve.md has the keys of configuration files and the metrics that there are. With
//! `BFQ_WRITE_DOCS=1` in the environment the test writes that page.

mod fake;

use server::config::reference;
use server::metrics;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Reference of bfq serve

Made from the tables of the code by `BFQ_WRITE_DOCS=1 cargo test -p bfq-server --test documented`;
[serve.md](../serve.md) says how to use it.

## Configuration

";

/// The metrics as Markdown, from what they say of themselves.
fn metrics() -> String {
    let text = metrics::text(fake::sample(10)).unwrap();
    let mut rows = String::from("| Metric | Kind | |\n|---|---|---|\n");
    let mut helps = text.lines().filter_map(|line| line.strip_prefix("# HELP "));
    let kinds = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    for (name, kind) in kinds.filter_map(|line| line.split_once(' ')) {
        let help = helps.find_map(|line| line.strip_prefix(name)).unwrap().trim();
        let sample = if kind == "counter" { format!("{name}_total") } else { name.to_owned() };
        let first = text.lines().find(|line| line.starts_with(&sample)).unwrap();
        let labels = first.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
        let names = labels.iter().flat_map(|(labels, _)| labels.split("\","));
        let names: Vec<_> = names.filter_map(|label| label.split('=').next()).collect();
        let labels =
            if names.is_empty() { String::new() } else { format!(", by {}", names.join(", ")) };
        let _ = writeln!(rows, "| `{sample}` | {kind} | {help}{labels} |");
    }
    rows
}

#[test]
fn keys_and_metrics_in_the_documentation_are_those_of_the_code() {
    let documented = format!("{HEAD}{}\n## Metrics\n\n{}", reference(), metrics());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/serve.md");
    if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
        std::fs::write(&path, documented).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(there == documented, "BFQ_WRITE_DOCS=1 cargo test -p bfq-server --test documented");
}
