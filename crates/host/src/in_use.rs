// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds out how a block device is in use: by mounts, swap, volumes, loop devices.

use super::error::HostError;
use super::files::{names_in, unescaped};
use super::layers::{Layer, LayerKind};
use super::mounts::{Mounts, is_node};
use super::root::Host;
use super::target::{Target, TargetKind};
use super::usage::Usage;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

impl Usage {
    /// How a target is in use, by what the system tells. Folders never are.
    /// What this does not find,
    /// [`Claim::take`](super::Claim::take) does.
    ///
    /// # Errors
    /// If the system's tables cannot be read.
    pub fn of(host: &Host, target: &Target) -> Result<Option<Self>, HostError> {
        match target.kind {
            TargetKind::Directory => Ok(None),
            TargetKind::File => as_file(host, &target.path),
            TargetKind::BlockDevice => match Layer::of(host, target.device)? {
                Some(device) => of_device(host, &device),
                None => Ok(None),
            },
        }
    }
}

/// How a device or one of its partitions is in use.
fn of_device(host: &Host, device: &Layer) -> Result<Option<Usage>, HostError> {
    let mounts = Mounts::read(host)?;
    let mut parts = device.partitions()?;
    parts.insert(0, device.clone());
    for part in &parts {
        let name = part.name.clone();
        let node = part.node();
        let is_it = |source: &Path| is_node(source) && is_same(host, source, &node);
        let mount = mounts.iter().find(|mount| mount.device == part.device || is_it(&mount.source));
        if let Some(mount) = mount {
            return Ok(Some(Usage::Mounted { name, folder: mount.folder.clone() }));
        }
        if let Some(by) = part.holders()?.into_iter().next() {
            return Ok(Some(Usage::Held { name, by }));
        }
        let usage = as_file(host, &node)?;
        if usage.is_some() {
            return Ok(usage);
        }
    }
    Ok(None)
}

/// How a file or node is in use: as swap space, or below a loop device.
fn as_file(host: &Host, path: &Path) -> Result<Option<Usage>, HostError> {
    match swapped_to(host, path) {
        None => file_of_loop(host, path),
        swap => Ok(swap),
    }
}

/// Whether two paths are the same file or device, by whatever names: links and mounts give a file
/// several. Where one of them leads nowhere their texts are compared.
fn is_same(host: &Host, one: &Path, other: &Path) -> bool {
    let look = |path: &Path| fs::metadata(host.path(path)).ok();
    one == other
        || look(one).zip(look(other)).is_some_and(|(one, other)| {
            let is_device = [&one, &other].iter().all(|of| of.file_type().is_block_device());
            (one.dev(), one.ino()) == (other.dev(), other.ino())
                || (is_device && one.rdev() == other.rdev())
        })
}

/// The swap space that this file or node is.
fn swapped_to(host: &Host, path: &Path) -> Option<Usage> {
    // Kernels without swap have no table.
    let table = fs::read(host.path("/proc/swaps")).unwrap_or_default();
    let lines = table.split(|&byte| byte == b'\n').skip(1);
    // Blanks in names are escaped.
    let names = lines.filter_map(|line| line.split(u8::is_ascii_whitespace).next());
    let mut names =
        names.filter(|name| !name.is_empty()).map(|name| PathBuf::from(unescaped(name)));
    let name = names.find(|name| is_same(host, name, path))?;
    Some(Usage::Swap { name: name.display().to_string() })
}

/// The loop device whose file or node this is.
fn file_of_loop(host: &Host, path: &Path) -> Result<Option<Usage>, HostError> {
    for name in names_in(&host.path("/sys/block"))? {
        if !name.starts_with("loop") {
            continue;
        }
        let layer = Layer::named(host, &name)?;
        if let Some(Layer { kind: LayerKind::Loop { file }, .. }) = layer
            && is_same(host, &file, path)
        {
            return Ok(Some(Usage::Loop { by: format!("/dev/{name}") }));
        }
    }
    Ok(None)
}

#[cfg(test)]
#[path = "in_use_tests.rs"]
mod tests;
