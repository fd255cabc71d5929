// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists the files of `jobs/` for the library to include.
//!
//! A macro that embeds a folder does not notice a file that is added; this does. The folder is the
//! one in the repository's root, where people look for it; the link to it beside this file takes it
//! into a package.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("jobs");
    println!("cargo::rerun-if-changed=jobs");
    let mut paths = files(&root)?;
    paths.sort();
    let mut table = String::from("&[\n");
    for path in &paths {
        let name = path.strip_prefix(&root).expect("it was found there");
        let (name, path) = (name.display().to_string(), path.display().to_string());
        let row = format!("    File {{ path: {name:?}, bytes: include_bytes!({path:?}) }},");
        // Writing to a string cannot fail.
        let _ = writeln!(table, "{row}");
    }
    table.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("files.rs"), table)
}

/// All files of a folder and of those in it, but what is written for readers of the repository.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.append(&mut files(&path)?);
        } else if path.extension().is_none_or(|extension| extension != "md") {
            found.push(path);
        }
    }
    Ok(found)
}
