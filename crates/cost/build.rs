// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tells the program which compiler makes it: `COST_COMPILER` is its release and that of its code
//! generator, on both of which the number of instructions depends.

use std::{env, io, process::Command};

fn main() -> io::Result<()> {
    let rustc = env::var_os("RUSTC").expect("cargo sets it");
    let output = Command::new(rustc).arg("-vV").output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let value = |name: &str| {
        let found = said.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or("unknown")
    };
    let (release, generator) = (value("release"), value("LLVM version"));
    println!("cargo::rustc-env=COST_COMPILER=rustc {release}, LLVM {generator}");
    // Another compiler has cargo run this again, so nothing else need be watched.
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}
