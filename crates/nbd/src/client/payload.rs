// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is behind the headers of chunks, but for the data of reads.

use crate::error_code::ErrorCode;
use crate::extent::Extent;
use crate::headers::Headers;
use crate::numbers::{STRING_BYTES, chunk};
use crate::take::Take;
use crate::text;

/// An error as a chunk tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ErrorChunk {
    pub(super) error: ErrorCode,
    pub(super) message: String,
    pub(super) offset_bytes: Option<u64>,
}

impl ErrorChunk {
    /// The error that `data` tell, in a chunk of a `kind` that may be unknown.
    pub(super) fn parse(kind: u16, data: &[u8]) -> Option<Self> {
        let mut take = Take(data);
        let error = take.u32().filter(|error| *error != 0).map(ErrorCode::of_number)?;
        let length = take.u16()?;
        let message = text::string(take.bytes(u32::from(length))?, STRING_BYTES)?.to_owned();
        let offset_bytes = match kind {
            chunk::ERROR_OFFSET => Some(take.u64()?),
            _ => None,
        };
        let is_known = kind == chunk::ERROR || kind == chunk::ERROR_OFFSET;
        (!is_known || take.is_empty()).then_some(Self { error, message, offset_bytes })
    }
}

/// The extents that `data` tell for the context with number `id`.
pub(super) fn extents(headers: Headers, id: u32, data: &[u8]) -> Option<Vec<Extent>> {
    let mut take = Take(data);
    if take.u32()? != id {
        return None;
    }
    let is_extended = headers == Headers::Extended;
    let announced = if is_extended { Some(take.u32()?) } else { None };
    let mut extents = Vec::new();
    while !take.is_empty() {
        let (length, flags) = if is_extended {
            (take.u64()?, u32::try_from(take.u64()?).ok()?)
        } else {
            (u64::from(take.u32()?), take.u32()?)
        };
        if length == 0 {
            return None;
        }
        extents.push(Extent::of_flags(length, flags));
    }
    let counted = u32::try_from(extents.len()).ok()?;
    (counted > 0 && announced.is_none_or(|count| count == counted)).then_some(extents)
}

/// The length of a payload that may be believed: of data of reads, holes, errors and extents.
pub(super) fn is_plausible(kind: u16, length: u64) -> bool {
    match kind {
        chunk::NONE => length == 0,
        chunk::OFFSET_DATA => length > 8,
        chunk::OFFSET_HOLE => length == 12,
        chunk::BLOCK_STATUS | chunk::BLOCK_STATUS_EXT => length <= 8 + 16 * (1 << 20),
        kind => kind & chunk::IS_ERROR != 0 && length <= u64::from(STRING_BYTES) + 64,
    }
}
