// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is to say of a configuration, and how to use what it serves.

use base::shell::quoted;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use server::config::{Address, Config, ExportSource};
use std::fmt::Write;
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
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
        let uri = uri(&export.name, socket);
        // QEMU refuses a disk that it could not write to unless it is told.
        let read_only = if export.read_only { ",readonly=on" } else { "" };
        let drive = format!("file={uri},format=raw,if=virtio{read_only}");
        let _ = write!(
            text,
            "{what} is served. Ctrl-C ends that.\n\n\
             nbdinfo {}\n\
             sudo nbd-client -unix {} /dev/nbd0\n\
             qemu-system-x86_64 -drive {}\n",
            quoted(&uri),
            quoted(socket.as_os_str().as_bytes()),
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

/// What a URI takes as it is in a path. A comma is none: it would end the value of QEMU's option.
const PLAIN: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'_').remove(b'-').remove(b'~');

/// The URI of an export on a unix socket.
fn uri(export: &str, socket: &Path) -> String {
    let socket = percent_encode(socket.as_os_str().as_bytes(), PLAIN);
    format!("nbd+unix:///{}?socket={socket}", percent_encode(export.as_bytes(), PLAIN))
}

/// The option that names a control socket, unless it is the one that is taken anyway.
fn socket_option(control: &Path) -> String {
    match control == server::config::default_control() {
        true => String::new(),
        false => format!("--socket {} ", quoted(control.as_os_str().as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use server::config::{Image, Machine, OneOptions};

    #[test]
    fn uris_are_encoded() {
        let socket = Path::new("/a b/é&?%,~.sock");
        assert_eq!(
            uri("x/y z", socket),
            "nbd+unix:///x/y%20z?socket=/a%20b/%C3%A9%26%3F%25%2C~.sock"
        );
        assert_eq!(uri("", Path::new("/run/n-1_2.sock")), "nbd+unix:///?socket=/run/n-1_2.sock");
    }

    #[test]
    fn qemu_is_told_of_an_image_that_is_only_read() {
        let drive = |read_only: bool| {
            let options = OneOptions {
                socket: Some("/run/x.sock".into()),
                read_only,
                ..OneOptions::default()
            };
            let image = Image::Emulated("ssd-sata".to_owned(), Some("1MiB".to_owned()));
            let config = Config::of_one(&image, &options, &Machine).unwrap();
            commands(&config, None).contains(",format=raw,if=virtio,readonly=on'")
        };
        assert!(drive(true) && !drive(false));
    }
}
