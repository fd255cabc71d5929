// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the parts of a configuration fit together.

use super::environment::{Environment, FileKind};
use super::error::Mistake;
use super::values::*;
use crate::disk::space::Space;
use base::SECTOR_BYTES;
use base::suggest::{did_you_mean, nearest};
use device::{Device, Profile};
use std::path::Path;

/// The longest name that a client can ask for, in bytes.
const MAX_NAME_BYTES: usize = 4096;
/// The longest name of a tenant or disk.
const MAX_SHORT_NAME_BYTES: usize = 255;
/// The least memory of a tenant: less could not hold a few large requests.
const MIN_MEMORY_BYTES: u64 = 1 << 20;

/// The longest path of a unix socket: the system's structure has a byte more, which is 0.
const MAX_SOCKET_PATH_BYTES: usize = 107;
/// The smallest file that can be served, and the smallest part of an emulated disk.
const MIN_EXPORT_BYTES: u64 = 4096;

/// All that does not fit.
pub(super) fn check(config: &Config, environment: &dyn Environment) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    listeners(config, &mut mistakes);
    tls(config, environment, &mut mistakes);
    disks(config, environment, &mut mistakes);
    for tenant in &config.tenants {
        check_tenant(config, tenant, &mut mistakes);
    }
    for export in &config.exports {
        mistakes.extend(check_export(config, export, environment));
        mistakes.extend(check_sharing(&config.exports, export, environment));
    }
    for disk in &config.disks {
        mistakes.extend(check_room(config, disk));
    }
    mistakes
}

/// The title of the table of a listener, by its place.
pub(super) fn listener_title(place: usize) -> String {
    if place == 0 { "listen".to_owned() } else { format!("listen {}", place + 1) }
}

/// A mistake, if no socket can have this path.
fn too_long(title: &str, key: &'static str, path: &Path) -> Option<Mistake> {
    let bytes = path.as_os_str().len();
    let found = || format!("`{key}`: a path of {bytes} bytes for a socket, {}", path.display());
    let expected = || format!("at most {MAX_SOCKET_PATH_BYTES}");
    (bytes > MAX_SOCKET_PATH_BYTES).then(|| Mistake::new(title, key, found(), expected()))
}

fn listeners(config: &Config, mistakes: &mut Vec<Mistake>) {
    if let Some(control) = &config.control {
        mistakes.extend(too_long("", "control", control));
    }
    for (place, listener) in config.listeners.iter().enumerate() {
        let title = listener_title(place);
        let same = |other: &Listener| other.address.is_at(&listener.address);
        if config.listeners[..place].iter().any(same) {
            let found = "a second listener at the same address";
            mistakes.push(Mistake::new(&title, None, found, "one"));
        }
        if let Address::Unix { path, .. } = &listener.address {
            mistakes.extend(too_long(&title, "unix", path));
        }
        if let (Address::Unix { path, .. }, Some(control)) = (&listener.address, &config.control)
            && is_same_place(path, control)
        {
            let found = format!("`unix` is the control socket, {}", path.display());
            mistakes.push(Mistake::new(&title, "unix", found, "another path"));
        }
        if listener.tls != TlsPolicy::Off && config.tls.is_none() {
            let found = "a listener that speaks TLS, and no certificate";
            let expected = "a table [tls] with certificate and key";
            mistakes.push(Mistake::new(title, "tls", found, expected));
        }
    }
}

fn tls(config: &Config, environment: &dyn Environment, mistakes: &mut Vec<Mistake>) {
    let Some(tls) = &config.tls else { return };
    let files = [
        ("certificate", Some(&tls.certificate)),
        ("key", Some(&tls.key)),
        ("client_authority", tls.client_authority.as_ref()),
    ];
    let mut are_there = true;
    for (key, path) in files {
        let Some(path) = path else { continue };
        // What is missing has been told.
        are_there &= !path.as_os_str().is_empty();
        if path.as_os_str().is_empty() {
            continue;
        }
        let unfit = unfit("tls", key, path, environment, |kind| kind == FileKind::Data);
        are_there &= unfit.is_none();
        mistakes.extend(unfit);
    }
    if are_there && let Err((key, found)) = environment.tls(tls) {
        let expected = "certificates and the key of the first one, as PEM";
        mistakes.push(Mistake::new("tls", key, format!("`{key}`: {found}"), expected));
    }
}

/// A mistake, if what lies at a path is not fit for a key.
fn unfit(
    title: &str,
    key: &'static str,
    path: &Path,
    environment: &dyn Environment,
    fits: impl Fn(FileKind) -> bool,
) -> Option<Mistake> {
    let path_text = path.display();
    let found = match environment.kind(path) {
        Ok(kind) if fits(kind) => return None,
        Ok(FileKind::Folder) => format!("`{key}`: {path_text} is a folder"),
        Ok(_) => format!("`{key}`: {path_text} is neither a file nor a block device"),
        Err(error) => format!("`{key}`: {path_text}: {error}"),
    };
    Some(Mistake::new(title, key, found, "an existing file"))
}

fn disks(config: &Config, environment: &dyn Environment, mistakes: &mut Vec<Mistake>) {
    for (place, disk) in config.disks.iter().enumerate() {
        let title = format!("disks.{}", disk.name);
        mistakes.extend(check_short_name(&title, &disk.name));
        let Backing::Below(path) = &disk.backing else { continue };
        let anything = |kind| kind != FileKind::Other;
        // Of a file that is also served, the export says what is wrong.
        if !config.exports.iter().any(|export| export.source == ExportSource::Path(path.clone())) {
            mistakes.extend(unfit(&title, "below", path, environment, anything));
        }
        let this = environment.disk(path);
        let is_same = |other: &&DiskConfig| match &other.backing {
            Backing::Below(other) => {
                other == path || this.is_some() && environment.disk(other) == this
            }
            Backing::Emulated { .. } => false,
        };
        if let Some(twin) = config.disks[..place].iter().find(is_same) {
            let found = format!("`below` of [{title}] is the disk of [disks.{}]", twin.name);
            mistakes.push(Mistake::new(&title, "below", found, "one table for it"));
        }
    }
}

/// Names stand in paths of groups, in labels of metrics and in tables.
fn check_short_name(title: &str, name: &str) -> Option<Mistake> {
    let fits = !name.is_empty()
        && name.len() <= MAX_SHORT_NAME_BYTES
        && !name.contains(|letter: char| letter == '/' || letter.is_control());
    let expected = format!("1 to {MAX_SHORT_NAME_BYTES} bytes, no slash, no control character");
    (!fits).then(|| Mistake::new(title, None, format!("the name `{name}`"), expected))
}

fn check_tenant(config: &Config, tenant: &Tenant, mistakes: &mut Vec<Mistake>) {
    let title = format!("tenants.{}", tenant.name);
    mistakes.extend(check_short_name(&title, &tenant.name));
    if tenant.limits.memory_bytes < MIN_MEMORY_BYTES {
        let found = format!("`max_memory` of {} B", tenant.limits.memory_bytes);
        mistakes.push(Mistake::new(&title, "max_memory", found, "at least 1MiB"));
    }
    let Some(parent) = &tenant.parent else { return };
    if config.tenant(parent).is_none() {
        mistakes.push(unknown_tenant(config, &title, "parent", parent));
    } else if is_above_itself(config, tenant) {
        let found = format!("`parent`: {} is above itself", tenant.name);
        mistakes.push(Mistake::new(title, "parent", found, "parents that come to an end"));
    }
}

fn unknown_tenant(config: &Config, title: &str, key: &'static str, name: &str) -> Mistake {
    let names = || config.tenants.iter().map(|tenant| tenant.name.as_str());
    let near = did_you_mean(nearest(name, names()));
    let found = format!("`{key}`: no tenant `{name}`");
    Mistake::new(title, key, found, format!("a table [tenants.{name}]{near}"))
}

/// Whether the way up from a tenant comes back to it.
fn is_above_itself(config: &Config, tenant: &Tenant) -> bool {
    let parent = |tenant: &Tenant| config.tenant(tenant.parent.as_ref()?);
    let up = std::iter::successors(parent(tenant), |above| parent(above));
    up.take(config.tenants.len()).any(|above| above.name == tenant.name)
}

/// All that does not fit about an export of a configuration, or one that is to be added to it, but
/// for [what it shares](check_sharing) with other exports.
pub fn check_export(
    config: &Config,
    export: &Export,
    environment: &dyn Environment,
) -> Vec<Mistake> {
    let title = format!("exports.{}", export.name);
    let mut mistakes = Vec::new();
    if export.name.len() > MAX_NAME_BYTES || export.name.contains('\0') {
        let expected = format!("at most {MAX_NAME_BYTES} bytes, none of them 0");
        mistakes.push(Mistake::new(&title, None, "the name of an export", expected));
    }
    if config.tenant(&export.tenant).is_none() {
        mistakes.push(unknown_tenant(config, &title, "tenant", &export.tenant));
    }
    mistakes.extend(match &export.source {
        ExportSource::Path(path) => {
            unfit(&title, "path", path, environment, |kind| kind == FileKind::Data)
                .or_else(|| too_small(&title, path, environment))
        }
        ExportSource::Emulated { disk, size_bytes } => not_emulated(config, &title, disk)
            .or_else(|| too_small_a_part(config, &title, disk, *size_bytes)),
    });
    mistakes.extend(check_permissions(config, export, &title));
    mistakes
}

fn too_small(title: &str, path: &Path, environment: &dyn Environment) -> Option<Mistake> {
    let bytes = environment.file_bytes(path).filter(|bytes| *bytes < MIN_EXPORT_BYTES)?;
    let found = format!("`path`: {} has {bytes} bytes", path.display());
    Some(Mistake::new(title, "path", found, format!("at least {MIN_EXPORT_BYTES}")))
}

/// The size of an export is that of its disk, if it has none of its own.
fn too_small_a_part(config: &Config, title: &str, disk: &str, bytes: u64) -> Option<Mistake> {
    if bytes >= MIN_EXPORT_BYTES {
        return None;
    }
    let is_of_disk = config.emulated_size(disk) == Some(bytes);
    let section = if is_of_disk { format!("disks.{disk}") } else { title.to_owned() };
    let found = format!("`size` of {bytes} bytes for [{title}]");
    Some(Mistake::new(section, "size", found, format!("at least {MIN_EXPORT_BYTES}")))
}

/// A mistake, if one of `exports` (before this one, if it is among them) writes the same file: two
/// guests that mount it destroy it.
pub fn check_sharing(
    exports: &[Export],
    export: &Export,
    environment: &dyn Environment,
) -> Option<Mistake> {
    let ExportSource::Path(path) = &export.source else { return None };
    let mut before = exports.iter().take_while(|other| other.name != export.name);
    let twin = before.find(|other| match &other.source {
        ExportSource::Path(other_path) => {
            !export.read_only && !other.read_only && environment.is_same(path, other_path)
        }
        ExportSource::Emulated { .. } => false,
    })?;
    let title = format!("exports.{}", export.name);
    let found = format!("`path`: {} is written by [exports.{}], too", path.display(), twin.name);
    let expected = "a file for each, or `read_only = true` for all of them but one";
    Some(Mistake::new(title, "path", found, expected))
}

/// The first export that has no room on an emulated disk any more.
fn check_room(config: &Config, disk: &DiskConfig) -> Option<Mistake> {
    let Backing::Emulated { profile, .. } = &disk.backing else { return None };
    // One that is none has been told.
    let profile = Profile::parse_argument(profile).ok()?;
    let capacity_sectors = Device::from_profile(&profile, 0).capacity_sectors();
    let mut space = Space::new(capacity_sectors);
    config.exports.iter().find_map(|export| {
        let ExportSource::Emulated { disk: lies_on, size_bytes } = &export.source else {
            return None;
        };
        if *lies_on != disk.name || space.take(size_bytes / SECTOR_BYTES).is_some() {
            return None;
        }
        let title = format!("exports.{}", export.name);
        let found = format!("`disk`: it has no room for {size_bytes} bytes more");
        let all_bytes = capacity_sectors * SECTOR_BYTES;
        let expected = format!("all its exports within {all_bytes} bytes");
        Some(Mistake::new(title, "disk", found, expected))
    })
}

fn not_emulated(config: &Config, title: &str, disk: &str) -> Option<Mistake> {
    if config.emulated_size(disk).is_some() {
        return None;
    }
    if config.disk(disk).is_some() {
        let found = format!("`disk`: {disk} is not emulated");
        return Some(Mistake::new(title, "disk", found, "`path` for what lies on a real disk"));
    }
    let names = config.disks.iter().map(|disk| disk.name.as_str());
    let near = did_you_mean(nearest(disk, names));
    let found = format!("`disk`: no disk `{disk}`");
    let expected = format!("a table [disks.{disk}] with `emulate`{near}");
    Some(Mistake::new(title, "disk", found, expected))
}

/// An export that no client can use is a mistake, and so is a permission that none can show.
fn check_permissions(config: &Config, export: &Export, title: &str) -> Vec<Mistake> {
    if export.allow.is_empty() {
        let found = format!("no client may use [{title}]");
        let expected = "`allow` with names, or [\"anyone\"], which is not the default where \
                        clients come by TCP or an inherited socket";
        return vec![Mistake::new(title, "allow", found, expected)];
    }
    let listener = |fits: &dyn Fn(&Listener) -> bool| config.listeners.iter().any(fits);
    // A socket that was inherited may be of any kind.
    let is_unix = listener(&|listener| !matches!(listener.address, Address::Tcp(_)));
    let takes_certificates = listener(&|listener| listener.tls != TlsPolicy::Off)
        && config.tls.as_ref().is_some_and(|tls| tls.client_authority.is_some());
    let useless = export.allow.iter().filter_map(|permission| match permission {
        Permission::Certificate(name) if !takes_certificates => Some((
            format!("`allow`: no client can show the certificate `{name}`"),
            "a listener with `tls`, and `client_authority` in [tls]",
        )),
        Permission::User(number) | Permission::Group(number) if !is_unix => Some((
            format!("`allow`: no client can be the user or group {number}"),
            "a listener on a unix socket",
        )),
        _ => None,
    });
    useless.map(|(found, expected)| Mistake::new(title, "allow", found, expected)).collect()
}
