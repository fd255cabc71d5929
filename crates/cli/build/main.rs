// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tells the command which commit it is built from: `BFQ_BUILD` ends what `bfq --version` says.

mod commit;

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-env-changed={}", commit::VARIABLE);
    let folder = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let given = std::env::var(commit::VARIABLE).ok();
    println!("cargo::rustc-env=BFQ_BUILD={}", commit::told(given, &folder));
    for path in commit::depends_on(&folder) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}
