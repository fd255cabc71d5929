// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong with a request, and with the engine itself.

use rustix::io::Errno;
use std::io;

/// Why a request failed on the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum IoError {
    /// The file system, or the user's quota of it, is full.
    #[error("no space left on the file system")]
    NoSpace,
    /// Past the largest size a file may have: the limit of the user (`ulimit -f`) or of
    /// the file system.
    #[error("the file would be larger than the limit on file sizes (ulimit -f) allows")]
    FileTooLarge,
    /// The file has become shorter since the run began.
    #[error("the target ends before the request does: it has been cut short")]
    UnexpectedEnd,
    /// The target cannot do this operation, a discard most likely.
    #[error("the target does not support this operation")]
    Unsupported,
    /// The target does not accept this offset or length.
    #[error("the target does not accept this offset or length")]
    Misaligned,
    /// The target may not be accessed in this way.
    #[error("not permitted on this target")]
    NotPermitted,
    /// The device has gone.
    #[error("the device has gone")]
    DeviceGone,
    /// The device could not read or write the data.
    #[error("the device failed to read or write the data (I/O error)")]
    Medium,
    /// Interrupted or put off by the kernel again and again without any progress.
    #[error("the request made no progress")]
    NoProgress,
    /// Any other error, by its number.
    #[error("{}", io::Error::from_raw_os_error(*.0))]
    Other(i32),
}

impl From<Errno> for IoError {
    fn from(errno: Errno) -> IoError {
        match errno {
            Errno::NOSPC | Errno::DQUOT => IoError::NoSpace,
            Errno::FBIG => IoError::FileTooLarge,
            Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOTTY => IoError::Unsupported,
            Errno::INVAL => IoError::Misaligned,
            Errno::PERM | Errno::ACCESS | Errno::ROFS | Errno::BADF => IoError::NotPermitted,
            Errno::NODEV | Errno::NXIO | Errno::SHUTDOWN => IoError::DeviceGone,
            Errno::IO | Errno::REMOTEIO | Errno::BADMSG | Errno::ILSEQ | Errno::NODATA => {
                IoError::Medium
            }
            other => IoError::Other(other.raw_os_error()),
        }
    }
}

impl From<IoError> for blk::IoError {
    fn from(error: IoError) -> blk::IoError {
        let errno = match error {
            IoError::NoSpace => return blk::IoError::NoSpace,
            IoError::UnexpectedEnd => return blk::IoError::BeyondEnd,
            IoError::Unsupported => return blk::IoError::NotSupported,
            IoError::DeviceGone => return blk::IoError::DeviceGone,
            IoError::Medium => return blk::IoError::Io,
            IoError::FileTooLarge => Errno::FBIG,
            IoError::Misaligned => Errno::INVAL,
            IoError::NotPermitted => Errno::PERM,
            IoError::NoProgress => Errno::AGAIN,
            IoError::Other(number) => return blk::IoError::Os(number),
        };
        blk::IoError::Os(errno.raw_os_error())
    }
}

/// A request that the engine does not take. The target has not seen it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// As many requests are in flight as the engine was made for.
    #[error("all {depth} places of the engine are taken")]
    Full {
        /// The places there are.
        depth: u32,
    },
    /// Offset or length is not a multiple of the target's block.
    #[error(
        "offset {offset_bytes} and length {length_bytes} must be multiples of the target's block \
         of {block_bytes} bytes"
    )]
    Misaligned {
        /// The offset that was asked for, in bytes from the start of the target.
        offset_bytes: u64,
        /// The length that was asked for.
        length_bytes: u32,
        /// What both must be a multiple of.
        block_bytes: u32,
    },
    /// Longer than the buffers.
    #[error("{length_bytes} bytes in one request, when the engine's buffers hold {longest_bytes}")]
    TooLong {
        /// The length that was asked for.
        length_bytes: u32,
        /// The longest there can be.
        longest_bytes: u32,
    },
    /// A read, write or discard of nothing.
    #[error("a request of 0 bytes")]
    Empty,
    /// Not inside the target.
    #[error(
        "a request for {length_bytes} bytes at {offset_bytes}, when the target has \
         {capacity_bytes} bytes"
    )]
    BeyondEnd {
        /// The offset that was asked for, in bytes from the start of the target.
        offset_bytes: u64,
        /// The length that was asked for.
        length_bytes: u32,
        /// Where the target ends.
        capacity_bytes: u64,
    },
}

/// Why the engine could not be made, or go on.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// io_uring was asked for by name, and this system refuses it.
    #[error("io_uring is refused here ({0})")]
    IoUring(#[source] io::Error),
    /// Not a single thread could be started.
    #[error("no thread could be started to do the I/O: {0}")]
    Threads(#[source] io::Error),
    /// Waiting for completions failed.
    #[error("waiting for completions failed: {0}")]
    Wait(#[source] io::Error),
}
