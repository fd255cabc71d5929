// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files that there are for a call: texts that it hands over by their names, then those on disk
//! and those built in.

use lab::Files;
use std::env::VarError;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use workload::Environment;

type OnDisk = Files<fn(&Path) -> io::Result<Box<dyn BufRead>>>;

/// Texts in the place of files, and all other files as they are.
pub(crate) struct GivenFiles<'a> {
    texts: &'a [(PathBuf, String)],
    others: OnDisk,
}

impl<'a> GivenFiles<'a> {
    /// These texts, each by its name.
    pub(crate) fn new(texts: &'a [(PathBuf, String)]) -> GivenFiles<'a> {
        GivenFiles { texts, others: Files::plain() }
    }
}

impl Environment for GivenFiles<'_> {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        match self.given(path) {
            Some(text) => Ok(Box::new(text.as_bytes())),
            None => self.others.open(path),
        }
    }

    fn variable(&self, name: &str) -> Result<String, VarError> {
        self.others.variable(name)
    }

    fn places(&self, path: &str, from: &Path) -> Vec<PathBuf> {
        self.others.places(path, from)
    }

    /// Names are compared by the letter: another spelling of the same place means the file on disk.
    fn given(&self, path: &Path) -> Option<&str> {
        let is_it = |(name, _): &&(PathBuf, String)| name.as_os_str() == path.as_os_str();
        self.texts.iter().find(is_it).map(|(_, text)| text.as_str())
    }

    fn can_be_read_twice(&self, path: &Path) -> bool {
        self.given(path).is_some() || self.others.can_be_read_twice(path)
    }
}
