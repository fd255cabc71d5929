// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds out how a block device is in use: by mounts, swap, volumes, loop devices.

use super::error::HostError;
use super::files::{names_in, read_if_any};
use super::layers::{Layer, LayerKind};
use super::mounts::{Mounts, is_node};
use super::root::Host;
use super::target::{Target, TargetKind};
use super::usage::Usage;
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
            TargetKind::File => match swapped_to(host, |path| path == target.path)? {
                None => file_of_loop(host, &target.path),
                swap => Ok(swap),
            },
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
        let node = part.node(host);
        let is_it = |source: &Path| is_node(source) && resolved(host, source) == node;
        let mount = mounts.iter().find(|mount| mount.device == part.device || is_it(&mount.source));
        if let Some(mount) = mount {
            return Ok(Some(Usage::Mounted { name, folder: mount.folder.clone() }));
        }
        if let Some(by) = part.holders()?.into_iter().next() {
            return Ok(Some(Usage::Held { name, by }));
        }
        let usage = match swapped_to(host, |path| resolved(host, path) == node)? {
            // A slash in a name is an exclamation mark in sysfs.
            None => file_of_loop(host, &Path::new("/dev").join(name.replace('!', "/")))?,
            swap => swap,
        };
        if usage.is_some() {
            return Ok(usage);
        }
    }
    Ok(None)
}

/// Where a node is, links followed.
fn resolved(host: &Host, node: &Path) -> PathBuf {
    let node = host.path(node);
    node.canonicalize().unwrap_or(node)
}

/// The first swap space that is meant.
fn swapped_to(host: &Host, is_it: impl Fn(&Path) -> bool) -> Result<Option<Usage>, HostError> {
    // Kernels without swap have no table.
    let table = read_if_any(&host.path("/proc/swaps")).unwrap_or_default();
    let mut names = table.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let name = names.find(|name| is_it(Path::new(name)));
    Ok(name.map(|name| Usage::Swap { name: name.to_owned() }))
}

/// The loop device whose file this is.
fn file_of_loop(host: &Host, path: &Path) -> Result<Option<Usage>, HostError> {
    for name in names_in(&host.path("/sys/block"))? {
        if !name.starts_with("loop") {
            continue;
        }
        let layer = Layer::named(host, &name)?;
        if layer.is_some_and(|layer| layer.kind == (LayerKind::Loop { file: path.to_owned() })) {
            return Ok(Some(Usage::Loop { by: format!("/dev/{name}") }));
        }
    }
    Ok(None)
}

#[cfg(test)]
#[path = "in_use_tests.rs"]
mod tests;
