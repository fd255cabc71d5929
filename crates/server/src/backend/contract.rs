// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a disk asks of the one who does its commands.

use super::held::Held;
use crate::config;
use crate::disk::{DiskState, ExportKey};
use crate::identity::FileId;
use blk::{Command, DeviceLimits, IoError, Tag};
use std::io;
use std::os::fd::BorrowedFd;

/// A command that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Which command it was.
    pub tag: Tag,
    /// Done wholly, or why not.
    pub result: Result<(), IoError>,
}

/// A part of an export and whether anything is stored there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Its length, in bytes.
    pub length_bytes: u64,
    /// It reads as zeros and takes no space.
    pub is_hole: bool,
}

/// What an export is to serve, open and ready. It is closed when it is dropped.
pub struct Opened {
    /// Its size, in bytes.
    pub size_bytes: u64,
    /// Requests are whole blocks of this, in bytes.
    pub block_bytes: u32,
    /// The export of the same disk that this one replaces, if it does: what was in memory stays
    /// if both have the same size.
    pub replaces: Option<ExportKey>,
    pub(super) file: Option<Box<Held>>,
}

impl Opened {
    /// Something of this size that is no file, whose requests are whole blocks of `block_bytes`.
    pub fn new(size_bytes: u64, block_bytes: u32) -> Opened {
        Opened { size_bytes, block_bytes, replaces: None, file: None }
    }

    /// Which file or device it is, if it is one.
    pub(crate) fn is(&self) -> Option<FileId> {
        self.file.as_ref().map(|file| file.is)
    }
}

/// Opens what an export serves, in any thread: it waits for files and for their locks, and the
/// disk's thread has clients. If it cannot be opened, it says so in words for people.
pub type Opener = Box<dyn FnOnce(&config::Export) -> Result<Opened, String> + Send>;

/// What does the commands of a disk. It takes the data of writes from [`DiskState::pieces`] and
/// leaves those of reads with [`DiskState::fill`] before it says that a command has ended; or it
/// has the buffers of their clients themselves, from [`DiskState::lend`] to
/// [`DiskState::take_back`].
pub trait Backend {
    /// What the scheduler has to know.
    fn limits(&self) -> DeviceLimits;

    /// How many commands it takes beyond the depth of its limits, while others hang in it; 0 if
    /// none ever does.
    fn spare(&self) -> u32;

    /// What it is, for people.
    fn description(&self) -> String;

    /// What opens one more export for it.
    fn opener(&self) -> Opener;

    /// Serves what was opened: the export has this key, and begins at this sector.
    ///
    /// # Errors
    /// It cannot be served, and is closed; in words for people.
    fn place(&mut self, key: ExportKey, start_sector: u64, opened: Opened) -> Result<(), String>;

    /// An export is not served any more.
    fn close(&mut self, key: ExportKey);

    /// A command begins. An error ends it at once, without [`Backend::collect`].
    ///
    /// # Errors
    /// It was refused.
    fn submit(
        &mut self,
        now_ns: u64,
        command: Command,
        state: &mut DiskState,
    ) -> Result<(), IoError>;

    /// Hands over what was submitted, and adds what has ended by now to `ended`.
    ///
    /// # Errors
    /// It can never end anything any more.
    fn collect(
        &mut self,
        now_ns: u64,
        state: &mut DiskState,
        ended: &mut Vec<Ended>,
    ) -> io::Result<()>;

    /// When [`Backend::collect`] has something to do whatever its descriptors say.
    fn next_event_ns(&self) -> Option<u64>;

    /// Descriptors that can be read when something has ended.
    fn descriptors(&self) -> Vec<BorrowedFd<'_>>;

    /// What is stored in a part of an export: extents without gaps from `offset_bytes` on,
    /// at most `most`.
    ///
    /// # Errors
    /// The disk cannot say.
    fn extents(
        &self,
        key: ExportKey,
        offset_bytes: u64,
        length_bytes: u64,
        most: usize,
    ) -> io::Result<Vec<Extent>>;
}
