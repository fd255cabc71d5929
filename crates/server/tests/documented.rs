// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/generated/serve.md has the keys of configuration files and the metrics that there are. With
//! `BFQ_WRITE_DOCS=1` in the environment the test writes that page.

mod fake;

use server::config::reference;
use server::metrics;
use std::path::Path;

const HEAD: &str = "\
# Reference of bfq serve

Made from the tables of the code by `BFQ_WRITE_DOCS=1 cargo test -p bfq-server --test documented`;
[serve.md](../serve.md) says how to use it.

## Configuration

";

#[test]
fn keys_and_metrics_in_the_documentation_are_those_of_the_code() {
    let metrics = web::metrics::table(&metrics::text(fake::sample(10)).unwrap());
    let documented = format!("{HEAD}{}\n## Metrics\n\n{metrics}", reference());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/serve.md");
    if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
        std::fs::write(&path, documented).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(there == documented, "BFQ_WRITE_DOCS=1 cargo test -p bfq-server --test documented");
}
