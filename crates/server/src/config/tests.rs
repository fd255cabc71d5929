// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that are read, and files that are refused.

use super::*;
use base::random::Random;
use base::{Class, IoprioValue};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A machine with every file but those called `missing`; `/folder` and what ends with a slash are
/// folders. What has the same folder called `same` lies on one disk, anything else on its own.
struct Anywhere;

impl Environment for Anywhere {
    fn kind(&self, path: &Path) -> io::Result<FileKind> {
        match path.to_str() {
            Some(path) if path.contains("missing") => Err(io::ErrorKind::NotFound.into()),
            Some(path) if path.starts_with("/folder") => Ok(FileKind::Folder),
            _ => Ok(FileKind::Data),
        }
    }

    fn file_bytes(&self, path: &Path) -> Option<u64> {
        let is_small = path.to_str().is_some_and(|path| path.contains("small"));
        Some(if is_small { 4095 } else { 1 << 30 })
    }

    fn disk(&self, path: &Path) -> Option<String> {
        let shared = path.parent().filter(|folder| folder.ends_with("same"));
        Some(shared.unwrap_or(path).display().to_string())
    }

    fn tls(&self, tls: &Tls) -> Result<(), (&'static str, String)> {
        match tls.key.ends_with("no.key") {
            true => Err(("key", format!("{}: no items found", tls.key.display()))),
            false => Ok(()),
        }
    }

    fn user(&self, name: &str) -> Option<u32> {
        (name == "libvirt-qemu").then_some(64055)
    }

    fn group(&self, name: &str) -> Option<u32> {
        (name == "disk").then_some(6)
    }
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, "f", Path::new("/base"), &Anywhere)
}

#[test]
fn a_file_with_one_export_and_nothing_else_works() {
    let config = parse("[exports.a]\npath = 'a.img'\n").unwrap();
    let export = Export {
        name: "a".to_owned(),
        source: ExportSource::Path(PathBuf::from("/base/a.img")),
        tenant: "a".to_owned(),
        read_only: false,
        allow: vec![Permission::Anyone],
        description: String::new(),
    };
    assert_eq!(config.exports, [export]);
    let tenant = Tenant {
        name: "a".to_owned(),
        parent: None,
        weight: 100,
        ioprio: IoprioValue { class: Some(Class::BestEffort), level: 4 },
        limits: TenantLimits { connections: 64, requests: 256, memory_bytes: 64 << 20 },
    };
    assert_eq!(config.tenants, [tenant]);
    let unix = Address::Unix { path: default_socket(), mode: 0o600 };
    assert_eq!(config.listeners, [Listener { address: unix, tls: TlsPolicy::Off }]);
    assert_eq!(config.control, Some(default_control()));
    assert_eq!((config.http, config.tls), (None, None));
    assert_eq!(config.drain_limit, Duration::from_secs(30));
    let stuck = ServerLimits::STUCK;
    let limits = ServerLimits { connections: 1024, handshake: Duration::from_secs(10), stuck };
    assert_eq!(config.limits, limits);
}

#[test]
fn the_example_in_the_repository_is_read() {
    let text = include_str!("../../../../packaging/serve/serve.toml");
    let config = parse(text).unwrap();
    let weights: Vec<_> =
        config.tenants.iter().map(|one| (one.name.as_str(), one.weight)).collect();
    assert_eq!(weights, [("archive", 100), ("heavy", 300), ("light", 100)]);
    assert_eq!(config.exports.len(), 3);
    assert_eq!(config.exports[0].allow, [Permission::User(64055)]);
    assert_eq!(config.disks[0].rate_bytes_per_s, Some(400_000_000));
}

/// A file with each key that there is.
const EVERY_KEY: &str = r#"
control = false
http = "[::1]:9230"
drain_limit = "1.5s"
limits = { connections = 7, handshake = "200ms" }
tls = { certificate = "c.pem", key = "/k.pem", client_authority = "a.pem" }
[[listen]]
unix = "s"
mode = "0660"
tls = "allowed"
[[listen]]
inherited = "nbd"
[disks.slow]
emulate = "ssd-sata:depth=8"
size = "2GiB"
scheduler = "bfq:low_latency=0"
rate = "10MB/s"
depth = 4
[tenants.t]
parent = "p"
weight = 10_000
ioprio = "rt2"
max_connections = 1
max_requests = 2
max_memory = "3MiB"
[tenants.p]
[exports."a b"]
disk = "slow"
size = "1MiB"
tenant = "t"
read_only = true
allow = ["group:disk", "certificate:c"]
description = "d"
[exports.""]
disk = "slow"
allow = ["anyone"]
"#;

#[test]
fn every_key_is_read() {
    let config = parse(EVERY_KEY).unwrap();
    assert_eq!((config.control, config.http), (None, Some("[::1]:9230".parse().unwrap())));
    assert_eq!(config.drain_limit, Duration::from_millis(1500));
    let stuck = ServerLimits::STUCK;
    let limits = ServerLimits { connections: 7, handshake: Duration::from_millis(200), stuck };
    assert_eq!(config.limits, limits);
    let tls = config.tls.unwrap();
    assert_eq!(tls.certificate, Path::new("/base/c.pem"));
    assert_eq!(tls.key, Path::new("/k.pem"));
    assert_eq!(tls.client_authority.as_deref(), Some(Path::new("/base/a.pem")));
    let unix = Address::Unix { path: "/base/s".into(), mode: 0o660 };
    let inherited = Address::Inherited("nbd".to_owned());
    let listeners = [(unix, TlsPolicy::Allowed), (inherited, TlsPolicy::Off)];
    assert_eq!(config.listeners, listeners.map(|(address, tls)| Listener { address, tls }));
    let backing = Backing::Emulated { profile: "ssd-sata:depth=8".to_owned(), size_bytes: 2 << 30 };
    let scheduler = Some("bfq:low_latency=0".to_owned());
    let (rate_bytes_per_s, depth) = (Some(10_000_000), Some(4));
    let disk = DiskConfig { name: "slow".to_owned(), backing, scheduler, rate_bytes_per_s, depth };
    assert_eq!(config.disks, [disk]);
    let tenant = Tenant {
        name: "t".to_owned(),
        parent: Some("p".to_owned()),
        weight: 10_000,
        ioprio: IoprioValue { class: Some(Class::RealTime), level: 2 },
        limits: TenantLimits { connections: 1, requests: 2, memory_bytes: 3 << 20 },
    };
    let names: Vec<_> = config.tenants.iter().map(|tenant| tenant.name.as_str()).collect();
    assert_eq!(names, ["p", "t", "default"]);
    assert_eq!(config.tenants[1], tenant);
    let emulated = |size_bytes| ExportSource::Emulated { disk: "slow".to_owned(), size_bytes };
    let export = Export {
        name: "a b".to_owned(),
        source: emulated(1 << 20),
        tenant: "t".to_owned(),
        read_only: true,
        allow: vec![Permission::Group(6), Permission::Certificate("c".to_owned())],
        description: "d".to_owned(),
    };
    let [unnamed, named] = &config.exports[..] else { panic!("{:?}", config.exports) };
    assert_eq!(named, &export);
    assert_eq!((unnamed.tenant.as_str(), &unnamed.source), ("default", &emulated(2 << 30)));
}

/// Files, and what is said of them.
const REFUSED: &[(&str, &[&str])] = &[
    ("", &["f:1: nothing is served; expected at least one table [exports.NAME]"]),
    (
        "[exports.a]\npath = 'a'\npath = 'b'\nsize = \n",
        &["f:3: duplicate key", "f:4: string values must be quoted, expected literal string"],
    ),
    (
        "contrl = 'c'\n[exports.a]\npath = 'a'\ntennant = 't'\n",
        &[
            "f:1: unknown key `contrl`; did you mean `control`?",
            "f:4: unknown key `tennant` of [exports.a]; did you mean `tenant`?",
        ],
    ),
    (
        "[exports.a]\npath = 'missing'\n[exports.b]\npath = '/folder'\n[exports.c]\n",
        &[
            "f:2: `path`: /base/missing: entity not found; expected an existing file",
            "f:4: `path`: /folder is a folder; expected an existing file",
            "f:5: [exports.c] does not say what it is; expected one of path, disk",
        ],
    ),
    // What is served is told once.
    (
        "[disks.d]\nbelow = 'missing'\n[exports.a]\npath = 'missing'\n",
        &["f:4: `path`: /base/missing: entity not found; expected an existing file"],
    ),
    (
        "http = 'here'\ndrain_limit = 30\n[exports.a]\npath = 7\n[limits]\nhandshake = '0s'\n",
        &[
            "f:1: `http` is \"here\"; expected an address and port such as \"127.0.0.1:9230\"",
            "f:2: `drain_limit` is an integer; expected a time such as \"30s\"",
            "f:4: `path` is an integer; expected a path",
            "f:6: `handshake` is \"0s\"; expected more than 0",
        ],
    ),
    (
        "[tenants.a]\nparent = 'b'\nweight = 10001\n[tenants.b]\nparent = 'a'\n\
         [tenants.c]\nparent = 'bb'\nioprio = 'be8'\nmax_memory = '1KiB'\n\
         [tenants.'d/e']\n[exports.x]\npath = 'x'\ntenant = 'cc'\n",
        &[
            "f:2: `parent`: a is above itself; expected parents that come to an end",
            "f:3: `weight` is \"10001\"; expected a whole number from 1 to 10000",
            "f:5: `parent`: b is above itself; expected parents that come to an end",
            "f:7: `parent`: no tenant `bb`; expected a table [tenants.bb]; did you mean `b`?",
            "f:8: `ioprio` is \"be8\"; expected be0 to be7, rt0 to rt7 or idle",
            "f:9: `max_memory` of 1024 B; expected at least 1MiB",
            "f:10: the name `d/e`; expected 1 to 255 bytes, no slash, no control character",
            "f:13: `tenant`: no tenant `cc`; expected a table [tenants.cc]; did you mean `c`?",
        ],
    ),
    (
        "[[listen]]\ntcp = '0.0.0.0:1'\ntls = 'allowed'\n[[listen]]\ntcp = '0.0.0.0:1'\n\
         [[listen]]\nunix = 's'\ninherited = 'n'\n[[listen]]\n[[listen]]\nunix = 'u'\n\
         mode = '888'\ntls = 'on'\n[exports.x]\npath = 'x'\n",
        &[
            "f:3: a listener that speaks TLS, and no certificate; expected a table [tls] with \
             certificate and key",
            "f:4: a second listener at the same address; expected one",
            "f:8: [listen 3] has unix and inherited; expected one of unix, tcp, inherited",
            "f:9: [listen 4] does not say what it is; expected one of unix, tcp, inherited",
            "f:12: `mode` is \"888\"; expected permissions such as \"0660\"",
            "f:13: `tls` is \"on\"; expected \"off\", \"allowed\" or \"required\"",
            "f:14: no client may use [exports.x]; expected `allow` with names, or [\"anyone\"], \
             which is not the default where clients come by TCP or an inherited socket",
        ],
    ),
    (
        "[[listen]]\ntcp = '0.0.0.0:1'\n[exports.x]\npath = 'x'\n\
         allow = ['user:libvirt-qemu', 'certificate:c', 'group:nil', 'host:h']\n",
        &[
            "f:5: `allow` has \"group:nil\"; expected a number, or a name in /etc/group",
            "f:5: `allow` has \"host:h\"; expected \"anyone\", \"certificate:NAME\", \
             \"user:NAME\" or \"group:NAME\"",
            "f:5: `allow`: no client can be the user or group 64055; expected a listener on a \
             unix socket",
            "f:5: `allow`: no client can show the certificate `c`; expected a listener with \
             `tls`, and `client_authority` in [tls]",
        ],
    ),
    (
        "control = 's'\n[[listen]]\nunix = 's'\n[tls]\ncertificate = 'missing'\n\
         [exports.x]\npath = 'x'\nallow = 'anyone'\n",
        &[
            "f:3: `unix` is the control socket, /base/s; expected another path",
            "f:4: `key` of [tls] is missing; expected the path of a PEM file",
            "f:5: `certificate`: /base/missing: entity not found; expected an existing file",
            "f:8: `allow` is a string; expected a list of \"anyone\", \"certificate:NAME\", \
             \"user:NAME\" or \"group:NAME\"",
        ],
    ),
    (
        "[[listen]]\nunix = '/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/\
         0123456789/0123456789/012345678/012345678'\ntls = 'allowed'\n[tls]\ncertificate = 'c'\n\
         key = 'no.key'\n[exports.x]\npath = 'small'\n",
        &[
            "f:2: `unix`: a path of 108 bytes for a socket, /0123456789/0123456789/0123456789/\
             0123456789/0123456789/0123456789/0123456789/0123456789/012345678/012345678; expected \
             at most 107",
            "f:6: `key`: /base/no.key: no items found; expected certificates and the key of the \
             first one, as PEM",
            "f:8: `path`: /base/small has 4095 bytes; expected at least 4096",
        ],
    ),
    (
        "[[listen]]\nunix = '/tmp/s'\n[[listen]]\nunix = '/tmp/../tmp/./s'\n\
         [disks.a]\nemulate = 'ssd-sata'\nsize = '100B'\n[exports.x]\ndisk = 'a'\n\
         [exports.y]\ndisk = 'a'\nsize = '513B'\n",
        &[
            "f:3: a second listener at the same address; expected one",
            "f:7: `size` of 100 bytes for [exports.x]; expected at least 4096",
            "f:12: `size` of 513 bytes for [exports.y]; expected at least 4096",
        ],
    ),
    (
        "[disks.a]\nemulate = 'ssd-sata'\nsize = '1TiB'\n[exports.x]\ndisk = 'a'\n\
         size = '1GiB'\n[exports.y]\ndisk = 'a'\n[disks.b]\nemulate = 'none'\n\
         [exports.z]\ndisk = 'b'\n",
        &[
            "f:8: `disk`: it has no room for 1099511627776 bytes more; expected all its exports \
             within",
            "f:10: `emulate` is \"none\"; expected",
        ],
    ),
    (
        "[disks.a]\nbelow = 'same/x'\n[disks.b]\nbelow = 'same/y'\n[disks.c]\nbelow = 'z'\n\
         [exports.x]\npath = 'x'\n",
        &["f:4: `below` of [disks.b] is the disk of [disks.a]; expected one table for it"],
    ),
    (
        "[disks.a]\nbelow = 'd'\nsize = '1MiB'\nscheduler = 'bfg'\n[disks.b]\nbelow = 'd'\n\
         [disks.c]\nemulate = 'ssd'\nrate = '7'\ndepth = 0\n\
         [exports.x]\ndisk = 'a'\n[exports.y]\ndisk = 'aa'\n[exports.z]\npath = 'z'\n\
         size = '1GiB'\n",
        &[
            "f:3: `size` of [disks.a], which is not emulated; expected none",
            "f:4: `scheduler` is \"bfg\"; expected a scheduler with its tunables (no scheduler \
             `bfg`; did you mean `bfq`?)",
            "f:6: `below` of [disks.b] is the disk of [disks.a]; expected one table for it",
            "f:8: `emulate` is \"ssd\"; expected",
            "f:9: `rate` is \"7\"; expected a number with a unit: \"B/s\", \"kB/s\"",
            "f:10: `depth` is \"0\"; expected a whole number from 1 to 1024",
            "f:12: `disk`: a is not emulated; expected `path` for what lies on a real disk",
            "f:14: `disk`: no disk `aa`; expected a table [disks.aa] with `emulate`; did you \
             mean `a`?",
            "f:17: `size` of [exports.z], which has a path; expected none",
        ],
    ),
    (
        "tls = 1\nexports = []\nlisten = [1]\n",
        &[
            "f:1: `tls` is an integer; expected a table",
            "f:2: `exports` is an array; expected a table",
            "f:3: `[listen]` is an integer; expected a table",
        ],
    ),
];

#[test]
fn all_that_is_wrong_is_told_at_once_with_its_line() {
    for (text, expected) in REFUSED {
        let Err(error) = parse(text) else { panic!("{text} is refused") };
        let said = error.to_string();
        let mut lines: Vec<&str> = said.lines().collect();
        lines.sort_by_key(|line| {
            let number = line.split(':').nth(1).unwrap().parse::<u32>().unwrap();
            (number, line.to_owned())
        });
        let fits = lines.iter().zip(*expected).all(|(line, begin)| line.starts_with(begin));
        assert!(fits && lines.len() == expected.len(), "{text}\n{}", lines.join("\n"));
    }
}

/// A text with a few pieces left out, doubled, or replaced by others.
fn mutated(text: &str, random: &mut Random) -> String {
    const PIECES: [&str; 16] = [
        "\n",
        "[",
        "]",
        "\"",
        "'",
        "=",
        ".",
        "{",
        "}",
        ",",
        "#",
        "-1",
        "99999999999999999999",
        "é",
        "\u{0}",
        "[exports.a]\n",
    ];
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let place = random.below(letters.len() as u64 + 1) as usize;
        let end = (place + random.below(20) as usize).min(letters.len());
        let piece: Vec<char> = match random.below(3) {
            0 => Vec::new(),
            1 => letters[place..end].repeat(2),
            _ => PIECES[random.below(PIECES.len() as u64) as usize].chars().collect(),
        };
        letters.splice(place..end, piece);
    }
    letters.into_iter().collect()
}

/// As many texts as `BFQ_FUZZ_CASES` says.
#[test]
fn no_text_is_too_much_for_it() {
    let cases = std::env::var("BFQ_FUZZ_CASES").map_or(500, |cases| cases.parse().unwrap());
    let mut random = Random::new(7);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..cases {
        let text = mutated(EVERY_KEY, &mut random);
        let lines = u32::try_from(text.lines().count()).unwrap() + 1;
        match parse(&text) {
            Ok(_) => read += 1,
            Err(error) => {
                refused += 1;
                let told = error
                    .mistakes
                    .iter()
                    .all(|(line, _)| line.is_some_and(|line| (1..=lines).contains(&line)));
                assert!(told && !error.mistakes.is_empty(), "{text}\n{error}");
            }
        }
    }
    assert!(read > 0 && refused > 0, "{read} {refused}");
}

#[test]
fn a_file_that_cannot_be_read_is_told_without_a_line() {
    let error = Config::load(Path::new("/nowhere/f.toml"), &Anywhere).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("/nowhere/f.toml: cannot be read: No such file"), "{said}");
}

#[test]
fn an_export_that_is_added_is_read_by_the_same_keys() {
    let config = parse("[tenants.t]\n[exports.a]\npath = 'a'\n").unwrap();
    let read = |name, keys| config.parse_export(name, keys, &Anywhere);
    let export = read("b", "path = '/b'\ntenant = 't'\n").unwrap();
    assert_eq!((export.name.as_str(), export.tenant.as_str()), ("b", "t"));
    assert_eq!(export.allow, [Permission::Anyone]);
    let said = read("b", "path = '/missing'\ntenant = 'tt'\n").unwrap_err().to_string();
    assert!(said.contains("/missing: entity not found"), "{said}");
    assert!(said.contains("did you mean `t`?"), "{said}");
    // A tenant of its own would have to be made first.
    let said = read("b", "path = '/b'\n").unwrap_err().to_string();
    assert!(said.contains("no tenant `b`"), "{said}");
}

#[test]
fn a_file_is_written_by_one_export() {
    let exports = |a: &str, b: &str| {
        parse(&format!("[exports.a]\npath = 'x'\n{a}\n[exports.b]\npath = 'x'\n{b}\n"))
    };
    let error = exports("", "").unwrap_err().to_string();
    let told = "`path`: /base/x is written by [exports.a], too; expected a file for each, or \
                `read_only = true` for all of them but one";
    assert!(error.contains(told), "{error}");
    for (a, b) in [("read_only = true", ""), ("", "read_only = true")] {
        exports(a, b).unwrap();
    }
}
