// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is to say of a configuration, and how to use what it serves.

use server::config::{Address, Config, ExportSource};
use std::fmt::Write;
use std::net::SocketAddr;
use std::path::Path;

/// How many of what there are.
pub(super) fn summary(config: &Config) -> String {
    let count = |number: usize, thing: &str| match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    };
    format!(
        "all right: {}, {}, {}",
        count(config.exports.len(), "export"),
        count(config.tenants.len(), "tenant"),
        count(config.listeners.len(), "listener")
    )
}

/// Commands that test or mount the default export.
pub(super) fn commands(config: &Config, http: Option<SocketAddr>) -> String {
    let mut text = String::new();
    let sockets = config.listeners.iter().filter_map(|listener| match &listener.address {
        Address::Unix { path, .. } => Some(path),
        _ => None,
    });
    for (socket, export) in sockets.zip(&config.exports) {
        let what = match &export.source {
            ExportSource::Path(path) => path.display().to_string(),
            ExportSource::Emulated { .. } => "An emulated disk".to_owned(),
        };
        let uri = format!("nbd+unix:///?socket={}", socket.display());
        let drive = format!("file={uri},format=raw,if=virtio");
        let _ = write!(
            text,
            "{what} is served. Ctrl-C ends that.\n\n\
             nbdinfo {}\n\
             sudo nbd-client -unix {} /dev/nbd0\n\
             qemu-system-x86_64 -drive {}\n",
            quoted(&uri),
            quoted(&socket.display().to_string()),
            quoted(&drive)
        );
    }
    if let Some(control) = &config.control {
        let _ = writeln!(text, "bfq ctl {}tenants", socket_option(control));
    }
    if let Some(http) = http {
        let _ = writeln!(text, "xdg-open http://{http}/");
    }
    text
}

/// The option that names a control socket, unless it is the one that is taken anyway.
fn socket_option(control: &Path) -> String {
    match control == server::config::default_control() {
        true => String::new(),
        false => format!("--socket {} ", quoted(&control.display().to_string())),
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-,+".contains(letter);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_a_shell_takes_them() {
        assert_eq!(quoted("/run/a.sock"), "/run/a.sock");
        assert_eq!(quoted("nbd+unix:///?socket=/x"), "'nbd+unix:///?socket=/x'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
