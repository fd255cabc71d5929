// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be asked of an export.

/// What a client wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Data are to be sent.
    Read {
        /// In one piece, holes and all.
        whole: bool,
    },
    /// The payload is to be written.
    Write,
    /// Writes that were acknowledged are to be made durable.
    Flush,
    /// The contents are not needed any more.
    Trim,
    /// It will be read soon.
    Cache,
    /// Zeros are to be written.
    WriteZeroes {
        /// A hole will do.
        may_be_hole: bool,
        /// It is to fail with [`ErrorCode::NotSupported`] rather than take as long as a write.
        ///
        /// [`ErrorCode::NotSupported`]: crate::ErrorCode::NotSupported
        only_if_fast: bool,
    },
    /// What is allocated is to be told.
    BlockStatus {
        /// One extent is enough.
        one: bool,
    },
    /// The export is to have the size that the request has for its offset.
    Resize,
}
