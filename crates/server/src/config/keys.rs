// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of a configuration file: the one table by which files are read and documented.

use base::{MAX_GROUP_WEIGHT, MIN_GROUP_WEIGHT};
use std::fmt::Write;

/// What the value of a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// Text between quotes, described by a phrase.
    Text(&'static str),
    /// A truth value, `true` or `false`.
    Flag,
    /// A whole number from the first to the second.
    Number(u32, u32),
    /// Text that is a size with its unit.
    Size,
    /// Text that is a rate with its unit.
    Rate,
    /// Text that is a time with its unit.
    Time,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of texts, each described by a phrase.
    List(&'static str),
    /// A path, or `false` for none.
    PathOrFalse,
}

impl ValueKind {
    /// What is expected, for messages and documents.
    pub(super) fn expected(self) -> String {
        match self {
            ValueKind::Text(phrase) => phrase.to_owned(),
            ValueKind::Flag => "true or false".to_owned(),
            ValueKind::Number(least, most) => format!("a whole number from {least} to {most}"),
            ValueKind::Size => "a size such as \"64MiB\"".to_owned(),
            ValueKind::Rate => "a rate such as \"200MB/s\"".to_owned(),
            ValueKind::Time => "a time such as \"30s\"".to_owned(),
            ValueKind::Choice(words) => {
                let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
                words.join(", ")
            }
            ValueKind::List(phrase) => format!("a list of {phrase}"),
            ValueKind::PathOrFalse => "a path, or false".to_owned(),
        }
    }
}

/// A key of a table.
#[derive(Debug)]
pub(super) struct Key {
    /// As it is written.
    pub(super) name: &'static str,
    /// What its value is.
    pub(super) kind: ValueKind,
    /// What it is if it is not given: as it would be written in the file, without quotes. Empty if
    /// there is nothing then.
    pub(super) default: &'static str,
    /// In documents in place of `default`, where that depends on something.
    pub(super) otherwise: &'static str,
    /// What the key does, as a phrase for documents.
    pub(super) about: &'static str,
}

const fn key(
    name: &'static str,
    kind: ValueKind,
    default: &'static str,
    otherwise: &'static str,
    about: &'static str,
) -> Key {
    Key { name, kind, default, otherwise, about }
}

/// A kind of table of a file.
#[derive(Debug)]
pub(super) struct Table {
    /// How its head is written.
    pub(super) head: &'static str,
    /// What it is for.
    about: &'static str,
    /// What it may have.
    pub(super) keys: &'static [Key],
}

const PATH: ValueKind = ValueKind::Text("a path");
const NAME: ValueKind = ValueKind::Text("a name");

/// The top of the file. Tables are keys of it, too.
pub(super) const TOP: Table = Table {
    head: "",
    about: "The top of the file. Relative paths begin at the folder of the file.",
    keys: &[
        key(
            "control",
            ValueKind::PathOrFalse,
            "",
            "`control.sock` in the folder of sockets",
            "The socket of `bfq ctl`; its mode is 0600",
        ),
        key(
            "http",
            ValueKind::Text("an address and port such as \"127.0.0.1:9230\""),
            "",
            "off",
            "Where `/metrics` and the live page are served, to whoever can reach it",
        ),
        key(
            "drain_limit",
            ValueKind::Time,
            "30s",
            "",
            "How long requests in flight may take to end when the server is told to stop",
        ),
    ],
};

pub(super) const LISTEN: Table = Table {
    head: "[[listen]]",
    about: "A socket on which clients come: one of `unix`, `tcp` and `inherited`. Without any \
            there is a unix socket, `nbd.sock` in the folder of sockets.",
    keys: &[
        key("unix", PATH, "", "", "The path of a unix socket"),
        key(
            "tcp",
            ValueKind::Text("an address and port such as \"0.0.0.0:10809\" or \"[::]:10809\""),
            "",
            "",
            "An address and port",
        ),
        key(
            "inherited",
            NAME,
            "",
            "",
            "The sockets of the service manager that have this `FileDescriptorName=`",
        ),
        key(
            "mode",
            ValueKind::Text("permissions such as \"0660\""),
            "0600",
            "",
            "The permissions of the unix socket",
        ),
        key(
            "tls",
            ValueKind::Choice(&["off", "allowed", "required"]),
            "off",
            "",
            "Whether clients cannot, may or must use TLS; needs `[tls]`",
        ),
    ],
};

pub(super) const TLS: Table = Table {
    head: "[tls]",
    about: "Certificates, PEM. Needed by listeners that speak TLS.",
    keys: &[
        key("certificate", PATH, "", "", "The server's certificate chain"),
        key("key", PATH, "", "", "Its private key"),
        key(
            "client_authority",
            PATH,
            "",
            "clients need no certificate",
            "Who signs clients' certificates",
        ),
    ],
};

pub(super) const DISKS: Table = Table {
    head: "[disks.NAME]",
    about: "How a disk is scheduled: one of `below` and `emulate`. A disk that is not named is \
            found from the exports that lie on it, and has the defaults.",
    keys: &[
        key("below", PATH, "", "", "The disk below this file, folder or device"),
        key(
            "emulate",
            ValueKind::Text("a profile such as \"ssd-sata\" or \"hdd-desktop:depth=8\""),
            "",
            "",
            "Memory with the timing of a disk: a profile as in `bfq sim --device`",
        ),
        key(
            "size",
            ValueKind::Size,
            "1GiB",
            "",
            "The size of each export on an emulated disk that says no other",
        ),
        key(
            "scheduler",
            ValueKind::Text("a scheduler such as \"bfq\" or \"bfq:low_latency=0\""),
            "",
            "bfq, on flash bfq:slice_idle_us=1000",
            "The scheduler and its tunables, as in `bfq run --scheduler`",
        ),
        key("rate", ValueKind::Rate, "", "as fast as it is", "The disk is held to this rate"),
        key(
            "depth",
            ValueKind::Number(1, 1024),
            "",
            "64, or what the profile has",
            "The most commands that the disk is given at a time",
        ),
    ],
};

pub(super) const TENANTS: Table = Table {
    head: "[tenants.NAME]",
    about: "Who shares the disks. An export that names no tenant has one of its own, with the \
            defaults.",
    keys: &[
        key("parent", NAME, "", "none", "The tenant whose share it takes part in"),
        key(
            "weight",
            ValueKind::Number(MIN_GROUP_WEIGHT, MAX_GROUP_WEIGHT),
            "100",
            "",
            "Its weight among its siblings",
        ),
        key(
            "ioprio",
            ValueKind::Text("be0 to be7, rt0 to rt7 or idle"),
            "be4",
            "",
            "The class and level of its connections; `idle` gets what all others leave, `rt` all \
             that it wants",
        ),
        key("max_connections", ValueKind::Number(1, 100_000), "64", "", "Connections at a time"),
        key(
            "max_requests",
            ValueKind::Number(1, 65_536),
            "256",
            "",
            "Requests taken from its connections and not yet answered",
        ),
        key("max_memory", ValueKind::Size, "64MiB", "", "Data held for it, at least 1 MiB"),
    ],
};

pub(super) const EXPORTS: Table = Table {
    head: "[exports.NAME]",
    about: "What clients can ask for by this name, one of `path` and `disk`; the name `\"\"` is the \
            default export.",
    keys: &[
        key("path", PATH, "", "", "A file or block device"),
        key("disk", NAME, "", "", "An emulated disk, of which it is a part, zeros at first"),
        key("size", ValueKind::Size, "", "that of the disk", "Its size on an emulated disk"),
        key(
            "tenant",
            NAME,
            "",
            "one of the export's own name; `default` for `\"\"`",
            "Whose share its requests are charged to",
        ),
        key("read_only", ValueKind::Flag, "false", "", "Clients cannot write"),
        key(
            "allow",
            ValueKind::List("\"anyone\", \"certificate:NAME\", \"user:NAME\" or \"group:NAME\""),
            "",
            "`[\"anyone\"]`; has to be given if a listener is `tcp` or `inherited`",
            "Who may use it: whoever reaches a listener, who shows a certificate of this name, \
             processes of a user or group on a unix socket",
        ),
        key("description", ValueKind::Text("text"), "", "", "For people; `nbdinfo` shows it"),
    ],
};

pub(super) const LIMITS: Table = Table {
    head: "[limits]",
    about: "Limits of the whole server.",
    keys: &[
        key(
            "connections",
            ValueKind::Number(1, 1_000_000),
            "1024",
            "",
            "Connections at a time, those in their handshake among them; half of them are kept \
             for the tenants, as many for each",
        ),
        key("handshake", ValueKind::Time, "10s", "", "How long a handshake may take"),
    ],
};

/// All tables, in the order in which they are documented.
pub(super) const TABLES: [&Table; 7] = [&TOP, &LISTEN, &TLS, &DISKS, &TENANTS, &EXPORTS, &LIMITS];

/// The tables as keys of the top of the file.
pub(super) const TABLE_NAMES: [&str; 6] =
    ["listen", "tls", "disks", "tenants", "exports", "limits"];

/// Each key with its values, default and meaning, as Markdown.
pub fn reference() -> String {
    let mut text = String::new();
    for table in TABLES {
        if !table.head.is_empty() {
            let _ = write!(text, "### `{}`\n\n", table.head);
        }
        let _ = write!(text, "{}\n\n| Key | Value | Default | |\n|---|---|---|---|\n", table.about);
        for key in table.keys {
            let default = match (key.default, key.otherwise) {
                ("", otherwise) => otherwise.to_owned(),
                (default, _) => format!("`{default}`"),
            };
            let value = key.kind.expected();
            let _ = writeln!(text, "| `{}` | {value} | {default} | {} |", key.name, key.about);
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
