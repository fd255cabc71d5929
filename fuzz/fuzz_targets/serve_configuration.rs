// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any text as the configuration of the block server, on a machine where files are missing, folders
//! or data, as their names say. What is wrong is told, what is right fits together.
#![no_main]

use libfuzzer_sys::fuzz_target;
use server::config::{Config, FileKind, Environment, Tls};
use std::io;
use std::path::Path;

/// Files and users are there or not by their first letter.
struct ByFirstLetter;

fn first_letter(path: &Path) -> Option<u8> {
    path.file_name()?.as_encoded_bytes().first().copied()
}

impl Environment for ByFirstLetter {
    fn kind(&self, path: &Path) -> io::Result<FileKind> {
        match first_letter(path) {
            Some(b'm') => Err(io::ErrorKind::NotFound.into()),
            Some(b'f') => Ok(FileKind::Folder),
            Some(b'o') => Ok(FileKind::Other),
            _ => Ok(FileKind::Data),
        }
    }

    fn file_bytes(&self, path: &Path) -> Option<u64> {
        Some(if first_letter(path) == Some(b's') { 4095 } else { 1 << 30 })
    }

    fn disk(&self, path: &Path) -> Option<String> {
        first_letter(path).map(|letter| letter.to_string())
    }

    fn tls(&self, tls: &Tls) -> Result<(), (&'static str, String)> {
        match first_letter(&tls.key) {
            Some(b'n') => Err(("key", "no items found".to_owned())),
            _ => Ok(()),
        }
    }

    fn user(&self, name: &str) -> Option<u32> {
        name.starts_with('u').then_some(1000)
    }

    fn group(&self, name: &str) -> Option<u32> {
        name.starts_with('g').then_some(100)
    }
}

fuzz_target!(|text: &str| {
    match Config::parse(text, "fuzzed.toml", Path::new("/"), &ByFirstLetter) {
        Ok(config) => {
            for export in &config.exports {
                assert!(config.tenant(&export.tenant).is_some(), "{} has no tenant", export.name);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
