// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file or block device that a run's I/O goes to.
//!
//! Nothing that exists is written to unless that was allowed: otherwise it is opened for reading
//! only, so that the kernel keeps the promise. What is created is gone when the [`Target`] is
//! dropped, however the process ends (see [`create`]).

mod create;
mod error;
mod probe;
#[cfg(test)]
mod tests;

pub use create::Fill;
pub use error::TargetError;

use crate::buffer::{ALIGNMENT_BYTES, Buffer};
use crate::engine::{Engine, EngineError, EngineSettings, Geometry};
use rustix::fs::{Advice, OFlags, SeekFrom, fadvise, seek};
use rustix::io::Errno;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is asked of a target.
#[derive(Debug, Clone)]
pub struct TargetSettings {
    /// File or device.
    pub path: PathBuf,
    /// Bytes to create it with if it does not exist; of one that exists, only the first so
    /// many are used.
    pub size_bytes: Option<u64>,
    /// The jobs write or discard.
    pub writes: bool,
    /// They may do so on a target that exists.
    pub allow_write: bool,
    /// Bypass the page cache where the target allows it.
    pub direct: bool,
    /// Leave the file there if it was created.
    pub keep: bool,
}

/// What a target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageKind {
    /// A file that was there.
    File,
    /// A file made for the run.
    CreatedFile,
    /// A block device.
    BlockDevice,
}

/// What is at a place of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// It reads as zeros and takes no space.
    pub is_hole: bool,
    /// Up to where it is so, in bytes.
    pub until_bytes: u64,
}

/// An open file or block device. A clone is another handle of the same.
#[derive(Debug, Clone)]
pub struct Target {
    path: PathBuf,
    file: Arc<File>,
    kind: StorageKind,
    geometry: Geometry,
    rotational: Option<bool>,
    notes: Vec<String>,
}

impl Target {
    /// Opens the target, or creates it and fills it with data, so that reads have something to
    /// fetch from the disk. `fill` is told how far that has got, and can stop it.
    ///
    /// # Errors
    /// See [`TargetError`]. Whatever had been created is gone again.
    pub fn open(settings: &TargetSettings, fill: &mut dyn Fill) -> Result<Target, TargetError> {
        Target::open_with(settings, fill, Ok)
    }

    /// As [`open`](Self::open), and makes something of the target: a file that was created to be
    /// kept stays only if that could be made.
    ///
    /// # Errors
    /// See [`TargetError`], and those of `make`. Whatever had been created is gone again.
    pub fn open_with<T, E: From<TargetError>>(
        settings: &TargetSettings,
        fill: &mut dyn Fill,
        make: impl FnOnce(Target) -> Result<T, E>,
    ) -> Result<T, E> {
        let path = &settings.path;
        match fs::metadata(path) {
            Ok(found) => make(open_existing(settings, &found, Claim::ForUs, DirectIo::ToBeTried)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match settings.size_bytes {
                Some(size_bytes) => Target::create(settings, size_bytes, fill, make),
                None => Err(TargetError::Missing { path: path.clone() }.into()),
            },
            Err(source) => Err(not_permitted(path, false, source).into()),
        }
    }

    /// Whether a target can have this size, before anything else is done.
    ///
    /// # Errors
    /// [`TargetError::SizeTooSmall`].
    pub fn check_size(size_bytes: u64) -> Result<(), TargetError> {
        create::at_least_a_block(size_bytes).map(|_| ())
    }

    /// Opens a target that exists and that another process holds for us (see
    /// [`descriptor_path`](Self::descriptor_path)): a block device to be written is not claimed
    /// once more, which would fail.
    ///
    /// # Errors
    /// See [`TargetError`].
    pub fn open_shared(settings: &TargetSettings) -> Result<Target, TargetError> {
        open_held(settings, DirectIo::ToBeTried)
    }

    /// As [`open_shared`](Self::open_shared), but without any I/O: which direct I/O the target
    /// takes is what the one who holds it has found out
    /// ([`direct_block_bytes`](Self::direct_block_bytes)).
    ///
    /// # Errors
    /// See [`TargetError`].
    pub fn open_known(
        settings: &TargetSettings,
        direct_block_bytes: Option<u32>,
    ) -> Result<Target, TargetError> {
        open_held(settings, DirectIo::Known(direct_block_bytes))
    }

    /// Another handle of the same, with the size that it has by now. A block device that is written
    /// to is claimed, and could not be opened for that once more.
    ///
    /// # Errors
    /// See [`TargetError`].
    pub fn again(&self) -> Result<Target, TargetError> {
        let size_bytes = create::at_least_a_block(size_of(&self.path, &self.file)?)?;
        let mut again = self.clone();
        again.geometry.capacity_bytes = size_bytes - size_bytes % u64::from(self.block_bytes());
        Ok(again)
    }

    fn create<T, E: From<TargetError>>(
        settings: &TargetSettings,
        size_bytes: u64,
        fill: &mut dyn Fill,
        make: impl FnOnce(Target) -> Result<T, E>,
    ) -> Result<T, E> {
        let path = &settings.path;
        let size_bytes = create::whole_blocks(create::at_least_a_block(size_bytes)?);
        let file = create::create(path, size_bytes, settings.keep, fill)?;
        let kind = StorageKind::CreatedFile;
        let target = Target::new(settings, file, kind, size_bytes, DirectIo::ToBeTried);
        create::kept_with(target.map_err(E::from).and_then(make), path, settings.keep)
    }

    /// Finds out what an open file can do.
    fn new(
        settings: &TargetSettings,
        file: File,
        kind: StorageKind,
        size_bytes: u64,
        direct_io: DirectIo,
    ) -> Result<Target, TargetError> {
        let path = &settings.path;
        let mut notes = Vec::new();
        let direct_block = match direct_io {
            _ if !settings.direct => Ok(None),
            DirectIo::ToBeTried => probe::direct_block_bytes(&file),
            DirectIo::Known(None) => Ok(None),
            DirectIo::Known(known) => probe::turn_direct_on(&file).map(|on| known.filter(|_| on)),
        };
        let direct_block = direct_block.map_err(|source| TargetError::System {
            doing: "reading",
            path: path.clone(),
            source,
        })?;
        if settings.direct && direct_block.is_none() {
            notes.push(format!(
                "O_DIRECT is refused on {}: I/O goes through the page cache, which makes the disk \
                 look faster than it is",
                path.display()
            ));
        }
        let block_bytes = direct_block.unwrap_or(probe::SECTOR_BYTES);
        let capacity_bytes = size_bytes - size_bytes % u64::from(block_bytes);
        let geometry = Geometry { capacity_bytes, block_bytes, direct: direct_block.is_some() };
        let rotational = probe::rotational(&file);
        let path = path.clone();
        Ok(Target { path, file: Arc::new(file), kind, geometry, rotational, notes })
    }

    /// An engine for requests on this target, with the memory and the data that they use.
    ///
    /// # Errors
    /// The kind of engine that was asked for is refused, or no thread can be started.
    pub fn engine(&self, settings: EngineSettings) -> Result<Engine, EngineError> {
        let mut engine = self.small_engine(settings)?;
        engine.make_all();
        Ok(engine)
    }

    /// The same, which takes memory only for what is asked of it: the first requests make it.
    ///
    /// # Errors
    /// As for [`Target::engine`].
    pub fn small_engine(&self, settings: EngineSettings) -> Result<Engine, EngineError> {
        Engine::new(Arc::clone(&self.file), self.geometry, settings)
    }

    /// Its path, as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where other processes of this user can open it while it is open here, even if it
    /// has no name.
    pub fn descriptor_path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd()))
    }

    /// What it is.
    pub fn kind(&self) -> StorageKind {
        self.kind
    }

    /// Bytes there are to use, a multiple of [`Target::block_bytes`].
    pub fn capacity_bytes(&self) -> u64 {
        self.geometry.capacity_bytes
    }

    /// Offsets and lengths must be multiples of this, in bytes.
    pub fn block_bytes(&self) -> u32 {
        self.geometry.block_bytes
    }

    /// I/O bypasses the page cache.
    pub fn direct(&self) -> bool {
        self.geometry.direct
    }

    /// Whether it lies in memory and nowhere else: nothing of it is waited for.
    pub fn in_memory(&self) -> bool {
        self.kind != StorageKind::BlockDevice && probe::in_memory(&self.file)
    }

    /// The smallest block of direct I/O; `None` if all goes through the page cache.
    pub fn direct_block_bytes(&self) -> Option<u32> {
        self.direct().then_some(self.block_bytes())
    }

    /// Whether the disk behind it rotates; `None` if the system does not say.
    pub fn rotational(&self) -> Option<bool> {
        self.rotational
    }

    /// What the user should know about this target: one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Reads the first block, as a request of the thread that calls.
    ///
    /// # Errors
    /// What the system says.
    pub fn read_first_block(&self) -> io::Result<()> {
        let mut buffer = Buffer::zeroed(ALIGNMENT_BYTES);
        let block = &mut buffer[..self.block_bytes() as usize];
        rustix::io::pread(&*self.file, block, 0)?;
        Ok(())
    }

    /// Brings what was written to the disk, and forgets what the page cache holds, so that one
    /// run does not read what another has left in memory.
    ///
    /// # Errors
    /// What was written cannot be brought to the disk.
    pub fn settle(&self) -> io::Result<()> {
        self.file.sync_data()?;
        // Advice: a file system that does not take it is none the worse for it.
        let _ = fadvise(&*self.file, 0, None, Advice::DontNeed);
        Ok(())
    }

    /// Whether something is stored at a place before the end, and where that changes. What cannot
    /// tell holes says that all is stored.
    ///
    /// # Errors
    /// What the system says.
    pub fn stored(&self, at_bytes: u64) -> io::Result<Stored> {
        let end_bytes = self.capacity_bytes();
        let up_to = |place: u64| place.clamp(at_bytes, end_bytes);
        let data = match seek(&*self.file, SeekFrom::Data(at_bytes)) {
            // There are none behind it.
            Err(Errno::NXIO) => return Ok(Stored { is_hole: true, until_bytes: end_bytes }),
            Err(Errno::INVAL | Errno::OPNOTSUPP | Errno::SPIPE) => at_bytes,
            found => found?,
        };
        if data > at_bytes {
            return Ok(Stored { is_hole: true, until_bytes: up_to(data) });
        }
        let hole = seek(&*self.file, SeekFrom::Hole(at_bytes)).unwrap_or(end_bytes);
        Ok(Stored { is_hole: false, until_bytes: up_to(hole) })
    }

    /// Forgets what the page cache holds of a part, unless it has still to be written.
    pub fn forget(&self, start_bytes: u64, length_bytes: u64) {
        // Advice, as above.
        let _ = fadvise(&*self.file, start_bytes, NonZeroU64::new(length_bytes), Advice::DontNeed);
    }
}

impl AsFd for Target {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Who keeps others from writing to a block device that we write to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    ForUs,
    ByAnother,
}

/// Which direct I/O a file takes.
#[derive(Clone, Copy)]
enum DirectIo {
    ToBeTried,
    /// The smallest block, if it takes any.
    Known(Option<u32>),
}

fn open_held(settings: &TargetSettings, direct_io: DirectIo) -> Result<Target, TargetError> {
    let found = fs::metadata(&settings.path)
        .map_err(|source| not_permitted(&settings.path, false, source))?;
    open_existing(settings, &found, Claim::ByAnother, direct_io)
}

fn open_existing(
    settings: &TargetSettings,
    found: &Metadata,
    claim: Claim,
    direct_io: DirectIo,
) -> Result<Target, TargetError> {
    let path = &settings.path;
    let kind = kind_of(path, found.file_type())?;
    if settings.writes && !settings.allow_write {
        return Err(TargetError::WriteNotAllowed { path: path.clone() });
    }
    let claim = claim == Claim::ForUs && settings.writes && kind == StorageKind::BlockDevice;
    let flags = if claim { OFlags::EXCL } else { OFlags::empty() };
    let file = OpenOptions::new()
        .read(true)
        .write(settings.writes)
        .custom_flags(flags.bits() as i32)
        .open(path)
        .map_err(|source| match Errno::from_io_error(&source) {
            Some(Errno::BUSY) if claim => {
                TargetError::InUse { path: path.clone(), by: probe::mounted_on(found.rdev()) }
            }
            _ => not_permitted(path, settings.writes, source),
        })?;
    let size_bytes = size_of(path, &file)?;
    let used_bytes = create::at_least_a_block(settings.size_bytes.unwrap_or(size_bytes))?;
    if used_bytes > size_bytes {
        let path = path.clone();
        let (capacity_bytes, asked_bytes) = (size_bytes, used_bytes);
        return Err(TargetError::TooSmall { path, capacity_bytes, asked_bytes });
    }
    let mut target = Target::new(settings, file, kind, used_bytes, direct_io)?;
    if kind == StorageKind::File && found.blocks() * u64::from(probe::SECTOR_BYTES) < size_bytes {
        target
            .notes
            .push(format!("{} has holes: reading those does not reach the disk", path.display()));
    }
    Ok(target)
}

fn size_of(path: &Path, file: &File) -> Result<u64, TargetError> {
    probe::size_bytes(file).map_err(|source| TargetError::System {
        doing: "finding out the size of",
        path: path.to_path_buf(),
        source,
    })
}

fn kind_of(path: &Path, file_type: FileType) -> Result<StorageKind, TargetError> {
    if file_type.is_file() {
        return Ok(StorageKind::File);
    }
    if file_type.is_block_device() {
        return Ok(StorageKind::BlockDevice);
    }
    let path = path.to_path_buf();
    if file_type.is_dir() {
        return Err(TargetError::Directory { path });
    }
    let what = if file_type.is_char_device() {
        "a character device"
    } else if file_type.is_fifo() {
        "a pipe"
    } else if file_type.is_socket() {
        "a socket"
    } else {
        "of an unknown kind"
    };
    Err(TargetError::NeitherFileNorDevice { path, what })
}

fn not_permitted(path: &Path, writes: bool, source: io::Error) -> TargetError {
    let access = if writes { "opened for writing" } else { "opened for reading" };
    TargetError::NotPermitted { path: path.to_path_buf(), access, source }
}
