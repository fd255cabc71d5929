// SPDX-License-Identifier: GPL-2.0 OR MIT
//! docs/generated/statistics.md has the statistics that each policy of the module has. With
//! `BFQ_WRITE_DOCS=1` in the environment the test writes that page.

use bfq::{AnyScheduler, Config, Time, why::Silent};
use bfq_kernel::policies::POLICIES;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Statistics of a device

What `/sys/kernel/debug/bfq/DEVICE/statistics` of the kernel module and the results of the simulator
tell, by policy. Made from the tables of the code by `BFQ_WRITE_DOCS=1 cargo test -p bfq-kernel
--test documented`.
";

#[test]
fn statistics_in_the_documentation_are_those_of_the_code() {
    let mut documented = HEAD.to_owned();
    for policy in POLICIES {
        writeln!(documented, "\n## {}\n\n| Name | Unit | |\n|---|---|---|", policy.name()).unwrap();
        let config = Config::new(false, 8);
        let scheduler = AnyScheduler::attach(*policy, Time::ZERO, config, Silent).unwrap();
        for (info, _) in bfq::Calls::statistics(&scheduler) {
            writeln!(documented, "| `{}` | {} | {} |", info.name, info.unit, info.doc).unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/statistics.md");
    if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
        std::fs::write(&path, documented).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(there == documented, "BFQ_WRITE_DOCS=1 cargo test -p bfq-kernel --test documented");
}
