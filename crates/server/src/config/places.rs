// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where sockets lie if nothing is said of them.

use std::env;
use std::path::{Path, PathBuf};

/// The folder of the sockets of root's servers, and of the service that systemd starts.
const OF_ROOT: &str = "/run/bfq";

/// The folder of this user's sockets: `$XDG_RUNTIME_DIR/bfq`, or `/run/bfq` of root's, or one below
/// `/tmp`. A service manager's `$RUNTIME_DIRECTORY` goes before all of them.
fn folder() -> PathBuf {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(of_service) = variable("RUNTIME_DIRECTORY") {
        return of_service;
    }
    if let Some(of_user) = variable("XDG_RUNTIME_DIR") {
        return of_user.join("bfq");
    }
    let user = rustix::process::geteuid();
    match user.is_root() {
        true => Path::new(OF_ROOT).to_owned(),
        false => env::temp_dir().join(format!("bfq-{}", user.as_raw())),
    }
}

/// The name of a control socket.
const CONTROL: &str = "control.sock";

/// The socket for clients.
pub fn default_socket() -> PathBuf {
    folder().join("nbd.sock")
}

/// The control socket that a server of this user has unless it is told another.
pub fn default_control() -> PathBuf {
    folder().join(CONTROL)
}

/// Where the control socket of a server is looked for if nothing is said of it, the likeliest place
/// first: root's login shells have a folder of their own, and the service is none of theirs.
pub fn control_sockets() -> Vec<PathBuf> {
    let mut sockets = vec![default_control(), Path::new(OF_ROOT).join(CONTROL)];
    sockets.dedup();
    sockets
}
