// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a request can fail with.

use std::fmt;

/// Why a request failed, as the protocol tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// It is not permitted, such as a write to a read-only export.
    NotPermitted,
    /// The disk reported an error (EIO).
    Io,
    /// There is no memory for it.
    NoMemory,
    /// It makes no sense: out of bounds, unaligned, unknown.
    Invalid,
    /// There is no space for what is to be written.
    NoSpace,
    /// It is too long to be done in one.
    Overflow,
    /// It cannot be done, or not faster than a write.
    NotSupported,
    /// The server is stopping.
    Shutdown,
}

impl ErrorCode {
    const ALL: [Self; 8] = [
        Self::NotPermitted,
        Self::Io,
        Self::NoMemory,
        Self::Invalid,
        Self::NoSpace,
        Self::Overflow,
        Self::NotSupported,
        Self::Shutdown,
    ];

    /// The code on the wire, which is never 0.
    pub const fn number(self) -> u32 {
        match self {
            Self::NotPermitted => 1,
            Self::Io => 5,
            Self::NoMemory => 12,
            Self::Invalid => 22,
            Self::NoSpace => 28,
            Self::Overflow => 75,
            Self::NotSupported => 95,
            Self::Shutdown => 108,
        }
    }

    /// The code for an `errno` of Linux: those that the protocol has not are an I/O error.
    pub fn of_errno(errno: i32) -> Self {
        const EACCES: i32 = 13;
        const EFBIG: i32 = 27;
        const EROFS: i32 = 30;
        const EDQUOT: i32 = 122;
        match errno {
            EACCES | EROFS => Self::NotPermitted,
            EFBIG | EDQUOT => Self::NoSpace,
            _ => u32::try_from(errno).ok().and_then(Self::known).unwrap_or(Self::Io),
        }
    }

    /// The error that a server's `number` tells; an unknown one counts as [`Self::Invalid`].
    pub fn of_number(number: u32) -> Self {
        Self::known(number).unwrap_or(Self::Invalid)
    }

    fn known(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.number() == number)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotPermitted => "operation not permitted",
            Self::Io => "input/output error",
            Self::NoMemory => "cannot allocate memory",
            Self::Invalid => "invalid argument",
            Self::NoSpace => "no space left on device",
            Self::Overflow => "value too large",
            Self::NotSupported => "operation not supported",
            Self::Shutdown => "server is being shut down",
        })
    }
}

impl std::error::Error for ErrorCode {}
