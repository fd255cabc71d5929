// SPDX-License-Identifier: MIT OR Apache-2.0
//! The numbers of the protocol, under the names that its document gives them, without the prefix.

/// The server's first eight bytes.
pub(crate) const INIT_PASSWORD: u64 = u64::from_be_bytes(*b"NBDMAGIC");
/// What follows them, and begins each option of a client.
pub(crate) const OPTION_MAGIC: u64 = u64::from_be_bytes(*b"IHAVEOPT");
/// Begins each reply to an option.
pub(crate) const OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
/// Begins each request of a client with a length of 32 bits.
pub(crate) const REQUEST_MAGIC: u32 = 0x2560_9513;
/// Begins a request with a length of 64 bits.
pub(crate) const EXTENDED_REQUEST_MAGIC: u32 = 0x21e4_1c71;
/// Begins a simple reply.
pub(crate) const SIMPLE_REPLY_MAGIC: u32 = 0x6744_6698;
/// Begins a chunk of a structured reply.
pub(crate) const STRUCTURED_REPLY_MAGIC: u32 = 0x668e_33ef;
/// Begins a chunk of an extended reply.
pub(crate) const EXTENDED_REPLY_MAGIC: u32 = 0x6e8a_278c;

/// Flags of the handshake; a client answers with the same bits.
pub(crate) mod handshake {
    pub(crate) const FIXED_NEWSTYLE: u16 = 1 << 0;
    pub(crate) const NO_ZEROES: u16 = 1 << 1;
}

/// What a client asks for before it uses an export.
pub(crate) mod option {
    pub(crate) const EXPORT_NAME: u32 = 1;
    pub(crate) const ABORT: u32 = 2;
    pub(crate) const LIST: u32 = 3;
    pub(crate) const STARTTLS: u32 = 5;
    pub(crate) const INFO: u32 = 6;
    pub(crate) const GO: u32 = 7;
    pub(crate) const STRUCTURED_REPLY: u32 = 8;
    pub(crate) const LIST_META_CONTEXT: u32 = 9;
    pub(crate) const SET_META_CONTEXT: u32 = 10;
    pub(crate) const EXTENDED_HEADERS: u32 = 11;
}

/// Kinds of replies to options.
pub(crate) mod option_reply {
    pub(crate) const ACK: u32 = 1;
    pub(crate) const SERVER: u32 = 2;
    pub(crate) const INFO: u32 = 3;
    pub(crate) const META_CONTEXT: u32 = 4;
    pub(crate) const ERROR: u32 = 1 << 31;
    pub(crate) const ERR_UNSUP: u32 = ERROR + 1;
    pub(crate) const ERR_POLICY: u32 = ERROR + 2;
    pub(crate) const ERR_INVALID: u32 = ERROR + 3;
    pub(crate) const ERR_PLATFORM: u32 = ERROR + 4;
    pub(crate) const ERR_TLS_REQD: u32 = ERROR + 5;
    pub(crate) const ERR_UNKNOWN: u32 = ERROR + 6;
    pub(crate) const ERR_SHUTDOWN: u32 = ERROR + 7;
    pub(crate) const ERR_BLOCK_SIZE_REQD: u32 = ERROR + 8;
    pub(crate) const ERR_TOO_BIG: u32 = ERROR + 9;
    pub(crate) const ERR_EXT_HEADER_REQD: u32 = ERROR + 10;
}

/// What can be told about an export.
pub(crate) mod info {
    pub(crate) const EXPORT: u16 = 0;
    pub(crate) const NAME: u16 = 1;
    pub(crate) const DESCRIPTION: u16 = 2;
    pub(crate) const BLOCK_SIZE: u16 = 3;
}

/// What a request asks for.
pub(crate) mod command {
    pub(crate) const READ: u16 = 0;
    pub(crate) const WRITE: u16 = 1;
    pub(crate) const DISC: u16 = 2;
    pub(crate) const FLUSH: u16 = 3;
    pub(crate) const TRIM: u16 = 4;
    pub(crate) const CACHE: u16 = 5;
    pub(crate) const WRITE_ZEROES: u16 = 6;
    pub(crate) const BLOCK_STATUS: u16 = 7;
    pub(crate) const RESIZE: u16 = 8;
}

/// Flags that a request may have.
pub(crate) mod command_flag {
    pub(crate) const FUA: u16 = 1 << 0;
    pub(crate) const NO_HOLE: u16 = 1 << 1;
    pub(crate) const DF: u16 = 1 << 2;
    pub(crate) const REQ_ONE: u16 = 1 << 3;
    pub(crate) const FAST_ZERO: u16 = 1 << 4;
    pub(crate) const PAYLOAD_LEN: u16 = 1 << 5;
}

/// The flag of a reply's last chunk.
pub(crate) const REPLY_FLAG_DONE: u16 = 1 << 0;

/// What a chunk of a structured reply carries.
pub(crate) mod chunk {
    pub(crate) const NONE: u16 = 0;
    pub(crate) const OFFSET_DATA: u16 = 1;
    pub(crate) const OFFSET_HOLE: u16 = 2;
    pub(crate) const BLOCK_STATUS: u16 = 5;
    pub(crate) const BLOCK_STATUS_EXT: u16 = 6;
    pub(crate) const ERROR: u16 = (1 << 15) + 1;
    pub(crate) const ERROR_OFFSET: u16 = (1 << 15) + 2;
    /// All types with this bit are errors.
    pub(crate) const IS_ERROR: u16 = 1 << 15;
}

/// The metadata context of what is allocated.
pub(crate) const ALLOCATION: &str = "base:allocation";
/// The number that a server of ours gives that context.
pub(crate) const ALLOCATION_ID: u32 = 1;
/// Zeros behind the answer to `EXPORT_NAME`.
pub(crate) const EXPORT_NAME_ZEROES: usize = 124;
/// The longest string, in bytes.
pub(crate) const STRING_BYTES: u32 = 4096;
/// A payload up to here is no attack, whatever was announced.
pub(crate) const TOLERATED_PAYLOAD_BYTES: u32 = 1 << 25;
/// Most extents in a chunk.
pub(crate) const CHUNK_EXTENTS: usize = 1 << 20;
