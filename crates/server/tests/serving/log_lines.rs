// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log of all servers of these tests: what an operator reads when a client or disk misbehaves.

use crate::set_up::until;
use std::io;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

static ONCE: Once = Once::new();
static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn lines() -> MutexGuard<'static, Vec<u8>> {
    LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Collector;

impl io::Write for Collector {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lines().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Collects from now on; to be called before what is to be logged.
pub fn collect() {
    ONCE.call_once(|| {
        let log = tracing_subscriber::fmt().with_target(false).with_ansi(false);
        log.with_writer(|| Collector).init();
    });
}

/// Whether a line has all these words.
pub fn has(words: &[&str]) -> bool {
    let has_all = |line: &str| words.iter().all(|word| line.contains(word));
    String::from_utf8_lossy(&lines()).lines().any(has_all)
}

/// Waits until a line has all these words.
pub fn is_logged(words: &[&str]) {
    until(&format!("a line of the log with {words:?}"), || has(words));
}

/// This process logs to standard error instead; to be called before anything else.
pub fn to_stderr() {
    ONCE.call_once(|| {
        let log = tracing_subscriber::fmt().with_target(false).with_ansi(false);
        log.with_writer(io::stderr).init();
    });
}
