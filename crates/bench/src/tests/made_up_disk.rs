// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk that is made up, for tests.

use host::{DeviceNumber, Disk, SerialNumber, Target, TargetKind};
use std::path::PathBuf;

/// A number of a disk, with the file that tells it.
pub type Number = (&'static str, &'static str);

/// A hard disk without companions.
pub fn disk(serial: Option<Number>) -> Disk {
    let device = DeviceNumber { major: 8, minor: 0 };
    let target = Target { path: "/dev/sda".into(), kind: TargetKind::BlockDevice, device };
    Disk {
        target,
        filesystem: None,
        layers: Vec::new(),
        name: "sda".to_owned(),
        device,
        queue: PathBuf::from("/sys/block/sda/queue"),
        companions: Vec::new(),
        beneath: None,
        model: "ST2000DM008".to_owned(),
        serial: serial.map(|(file, value)| SerialNumber { file, value: value.to_owned() }),
        rotational: true,
        size_bytes: 2_000_000_000_000,
        logical_block_bytes: 512,
        physical_block_bytes: 4096,
        nr_requests: 64,
        hw_queues: 1,
        queue_depth: Some(32),
        max_sectors_kb: 1280,
        read_ahead_kb: 128,
        write_back: true,
        schedulers: vec!["none".to_owned(), "bfq".to_owned()],
        current: "mq-deadline".to_owned(),
    }
}
