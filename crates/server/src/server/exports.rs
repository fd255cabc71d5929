// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports come and go.

use super::error::StartError;
use super::registry::{DiskEntry, ExportEntry};
use super::worker::Ended;
use crate::config;
use crate::disk::ExportKey;
use nbd::{BlockSizes, Features};
use std::time::{Duration, Instant};

/// The longest read or write of a client, in bytes.
const LARGEST_PAYLOAD_BYTES: u32 = 32 << 20;

/// How often it is looked whether the last client has left.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Opens an export on its disk, in the place of the one that is `served` under its name. Clients do
/// not see it yet.
///
/// # Errors
/// It cannot be opened.
pub fn open(
    disk: &DiskEntry,
    spec: &config::Export,
    served: Option<&ExportEntry>,
) -> Result<ExportEntry, StartError> {
    let failed = |error| StartError::Export { export: spec.name.clone(), error };
    let gone = |Ended| failed(Ended.to_string());
    let opener = disk.handle.ask(|worker| worker.disk.backend.opener()).map_err(gone)?;
    // In this thread: it may wait for a lock, and the disk has clients.
    let mut opened = opener(spec).map_err(failed)?;
    opened.replaces = served.filter(|there| there.disk.is(disk)).map(|there| there.key);
    let is = opened.is();
    let own = spec.clone();
    let placed = disk.handle.ask(move |worker| {
        let placed = worker.disk.place_export(&own, opened);
        let key = placed.map_err(|error| error.to_string())?;
        worker.watch_backend().map_err(|error| error.to_string())?;
        let limits = worker.disk.backend.limits();
        let (size_bytes, block_bytes) = worker.disk.state.size_of(key);
        Ok((key, size_bytes, block_bytes, limits.rotational))
    });
    let (key, size_bytes, block_bytes, rotational) = placed.map_err(gone)?.map_err(failed)?;
    let mut features = Features::FLUSH
        | Features::FUA
        | Features::TRIM
        | Features::WRITE_ZEROES
        | Features::FAST_ZERO
        | Features::MULTI_CONN
        | Features::CACHE;
    if spec.read_only {
        features = Features::READ_ONLY | Features::MULTI_CONN | Features::CACHE | Features::FLUSH;
    }
    if rotational {
        features = features | Features::ROTATIONAL;
    }
    let sizes = BlockSizes::new(block_bytes, block_bytes.max(4096), LARGEST_PAYLOAD_BYTES);
    let told = nbd::Export {
        size_bytes,
        features,
        block_sizes: sizes.unwrap_or_default(),
        description: spec.description.clone(),
        allocation: true,
    };
    let disk = disk.clone();
    Ok(ExportEntry { spec: spec.clone(), disk, is, key, told, draining: false })
}

/// An export with its disk.
pub type Placed<'a> = (&'a DiskEntry, ExportKey);

/// Takes no new clients for an export, or takes them again.
pub fn set_draining((disk, key): Placed, draining: bool) {
    disk.handle.tell(move |worker| worker.disk.state.set_draining(key, draining));
}

/// An export that goes takes no new clients, and those that it has no more requests.
pub fn let_leave((disk, key): Placed) {
    disk.handle.tell(move |worker| {
        worker.disk.state.set_draining(key, true);
        worker.let_leave(key);
    });
}

/// Waits until the clients of exports that take no new ones have left, and closes them when the
/// time `until` has come, which may change meanwhile; but not those of an export that takes new
/// ones again by then.
pub fn drain(exports: &[Placed], until: impl Fn() -> Instant) {
    while Instant::now() < until() && exports.iter().any(|&export| is_waited_for(export)) {
        std::thread::sleep(LOOK_EVERY);
    }
    exports.iter().for_each(|&export| close_all(export));
}

/// Whether an export takes no new clients, and has some still.
fn is_waited_for((disk, key): Placed) -> bool {
    let asked = disk.handle.ask(move |worker| {
        let state = &worker.disk.state;
        state.is_draining(key) && state.clients_of(key).next().is_some()
    });
    asked.is_ok_and(|waits| waits)
}

/// Closes the clients of an export that takes no new ones.
fn close_all((disk, key): Placed) {
    disk.handle.tell(move |worker| {
        if worker.disk.state.is_draining(key) {
            worker.close_all(key);
        }
    });
}

/// Drains exports that go, and removes each as soon as nothing of it is under way.
pub fn drain_and_remove(mut exports: Vec<Placed>, until: Instant) {
    while !exports.is_empty() {
        let is_over = Instant::now() >= until;
        exports.retain(|&export| {
            if !is_over && is_waited_for(export) {
                return true;
            }
            close_all(export);
            !is_removed(export)
        });
        std::thread::sleep(LOOK_EVERY);
    }
}

/// An export that was drained is not served any more. Requests of clients that were closed are
/// waited for: the disk has them.
pub fn remove(export: Placed) {
    while !is_removed(export) {
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Removes an export, unless the disk has requests of it still; whether it is gone now.
fn is_removed((disk, key): Placed) -> bool {
    let asked = disk.handle.ask(move |worker| {
        let now_ns = worker.now_ns();
        let disk = &mut worker.disk;
        let busy = disk.state.is_busy(key) || disk.state.clients_of(key).next().is_some();
        if !busy && disk.state.remove_export(now_ns, key) {
            disk.backend.close(key);
        }
        busy
    });
    !asked.is_ok_and(|busy| busy)
}
