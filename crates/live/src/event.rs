// SPDX-License-Identifier: MIT OR Apache-2.0
//! An event of the kernel's block layer.

use base::Op;
use std::fmt;
use trace::Flags;

/// The number of a device as the kernel has it: the major number above 20 bits of the minor one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(pub u32);

impl DeviceId {
    /// The device of these numbers.
    pub fn new(major: u32, minor: u32) -> Self {
        DeviceId(major << 20 | minor)
    }

    /// The major number of the device, 12 bits: its driver.
    pub fn major(self) -> u32 {
        self.0 >> 20
    }

    /// The minor number of the device, 20 bits: which of the driver's devices it is.
    pub fn minor(self) -> u32 {
        self.0 & 0xf_ffff
    }
}

/// The name of a thread, as the kernel has it: 15 bytes, and a zero.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Name(pub [u8; 16]);

impl Name {
    /// Of a text, of which the beginning counts.
    pub fn new(text: &str) -> Self {
        let mut bytes = [0; 16];
        let length = text.len().min(15);
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        Name(bytes)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.0.iter().position(|&byte| byte == 0).unwrap_or(self.0.len());
        f.write_str(&String::from_utf8_lossy(&self.0[..end]))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// What can happen to I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockEventKind {
    /// A thread handed I/O to the block layer.
    Queued,
    /// The device was given a request.
    Issued,
    /// The device, or its driver, gave a request back: it will be issued again.
    Requeued,
    /// The device has done a request.
    Completed,
}

/// Something that happened to a part of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEvent {
    /// When, ns, on the monotonic clock.
    pub time_ns: u64,
    /// What has happened there.
    pub kind: BlockEventKind,
    /// The device it happened at. I/O is queued at partitions, too, with sectors of the disk.
    pub device: DeviceId,
    /// The thread that ran; it has to do with the I/O only when that was queued.
    pub thread: u32,
    /// What that thread was called; empty where the event does not tell.
    pub name: Name,
    /// What the I/O does.
    pub op: Op,
    /// What else is known of it.
    pub flags: Flags,
    /// The first of its sectors of 512 bytes, from the start of the device.
    pub sector: u64,
    /// How long it is; 0 for a flush.
    pub sectors: u32,
}
