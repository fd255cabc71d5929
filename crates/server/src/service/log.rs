// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where log lines go: the journal if systemd runs the server, else stderr.

use std::env;
use std::io;
use std::os::linux::fs::MetadataExt;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::set_global_default;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry;

/// Which lines are written.
pub use tracing::Level;

/// Writes log lines of this level and above from now on. Lines are written as they are where that
/// has been called before.
pub fn start(level: Level) {
    let filter = LevelFilter::from_level(level);
    let journal = is_in_journal().then(tracing_journald::layer).and_then(Result::ok);
    // It can be done once only, which is enough.
    let _ = match journal {
        Some(journal) => set_global_default(registry().with(filter).with(journal)),
        None => {
            let lines = fmt::layer().with_writer(io::stderr).with_target(false).with_ansi(false);
            set_global_default(registry().with(filter).with(lines))
        }
    };
}

/// Whether stderr is the journal: systemd says which file that would be.
fn is_in_journal() -> bool {
    let stream = env::var("JOURNAL_STREAM").unwrap_or_default();
    let stderr = std::fs::metadata("/proc/self/fd/2");
    let is = stderr.map(|file| format!("{}:{}", file.st_dev(), file.st_ino()));
    is.is_ok_and(|is| is == stream)
}
