// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a backend has done at once.

use super::*;
use crate::backend::Files;
use crate::config::{Export, ExportSource, Permission, Tenant, TenantLimits};
use crate::disk::{DiskRequest, Operation};
use base::IoprioValue;
use std::fs::File;

const DEPTH: u32 = 2;
const COMMAND_BYTES: u32 = 1 << 20;
const SIZE_BYTES: u64 = 16 << 20;

/// All of it was once done before clients were looked at again.
#[test]
fn what_is_done_at_once_is_done_some_commands_at_a_time() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        return println!("left out: there is no file system in memory");
    };
    let path = folder.path().join("a");
    File::create(&path).and_then(|file| file.set_len(SIZE_BYTES)).expect("a file");
    let backend = Files::new("memory".to_owned(), false, DEPTH, COMMAND_BYTES);
    let mut disk = ServedDisk::new(Box::new(backend), "none", None).expect("a scheduler");
    let limits = TenantLimits { connections: 1, requests: 1, memory_bytes: 1 << 20 };
    let (name, ioprio) = ("a".to_owned(), IoprioValue::UNSET);
    let tenant = Tenant { name: name.clone(), parent: None, weight: 100, ioprio, limits };
    disk.state.add_tenant(0, &tenant).expect("a tenant");
    let export = Export {
        name: name.clone(),
        source: ExportSource::Path(path),
        tenant: name,
        read_only: false,
        allow: vec![Permission::Anyone],
        description: String::new(),
    };
    let key = disk.add_export(&export).expect("an export");
    if !disk.backend.descriptors().is_empty() {
        return println!("left out: the file is not in memory");
    }
    let client = disk.state.connect(0, key).expect("a client");
    let charge = disk.state.admit(client, 0).expect("room");
    let request = DiskRequest {
        cookie: 0,
        operation: Operation::Zero { may_punch: false, only_fast: false },
        offset_bytes: 0,
        length_bytes: SIZE_BYTES,
        durable: false,
    };
    disk.state.submit(0, client, request, charge);
    let mut steps = 1;
    disk.step(0).expect("the disk works");
    while disk.state.take_answer().is_none() {
        assert_eq!(disk.next_event_ns(), Some(0), "it goes on at once");
        disk.step(0).expect("the disk works");
        steps += 1;
    }
    assert_eq!(steps, SIZE_BYTES / u64::from(DEPTH * COMMAND_BYTES));
}
