// SPDX-License-Identifier: MIT OR Apache-2.0
//! One request on its way: the kernel may do less than it was asked, and the rest must follow.

use super::error::IoError;
use super::request::Io;
use base::Op;
use rustix::io::Errno;

/// How many times in a row a request is interrupted or put off before it is given up.
const FRUITLESS_ROUNDS_MAX: u32 = 1000;

/// Where a write takes its data from, and where a read leaves them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// From the pattern that all requests share.
    Pattern,
    /// From the slot's own buffer, where reads also leave theirs.
    Buffer,
    /// From buffers that were lent, where reads leave theirs, too.
    Lent,
}

/// A request, and how much of it is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transfer {
    io: Io,
    source: Source,
    done_bytes: u32,
    fruitless_rounds: u32,
}

/// What one system call is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) op: Op,
    pub(super) offset_bytes: u64,
    pub(super) length_bytes: u32,
    /// Where in the request's memory it begins.
    pub(super) buffer_start: usize,
    pub(super) source: Source,
}

/// How a piece ended: bytes done, or the error.
pub(super) struct PieceOutcome {
    pub(super) slot: u32,
    pub(super) result: Result<u32, Errno>,
}

/// What to do with a transfer after a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Do the next piece.
    Continue,
    /// The request has ended.
    Ended(Result<(), IoError>),
}

impl Transfer {
    pub(super) fn new(io: Io, source: Source) -> Transfer {
        Transfer { io, source, done_bytes: 0, fruitless_rounds: 0 }
    }

    pub(super) fn io(&self) -> Io {
        self.io
    }

    /// What is left to do.
    pub(super) fn piece(&self) -> Piece {
        Piece {
            op: self.io.op,
            offset_bytes: self.io.offset_bytes + u64::from(self.done_bytes),
            length_bytes: self.io.length_bytes - self.done_bytes,
            buffer_start: self.done_bytes as usize,
            source: self.source,
        }
    }

    /// The last piece returned this number of bytes, or this error.
    pub(super) fn after(&mut self, outcome: Result<u32, Errno>, block_bytes: u32) -> Next {
        match outcome {
            Ok(_) if matches!(self.io.op, Op::Discard | Op::Flush) => Next::Ended(Ok(())),
            Ok(0) => Next::Ended(Err(match self.io.op {
                Op::Write => IoError::NoSpace,
                _ => IoError::UnexpectedEnd,
            })),
            Ok(bytes) => self.advance(bytes, block_bytes),
            Err(Errno::INTR | Errno::AGAIN) => self.again(),
            Err(errno) => Next::Ended(Err(errno.into())),
        }
    }

    /// Goes on at a block's start: direct I/O accepts no other place.
    fn advance(&mut self, bytes: u32, block_bytes: u32) -> Next {
        let reached = (self.done_bytes + bytes).min(self.io.length_bytes);
        if reached == self.io.length_bytes {
            return Next::Ended(Ok(()));
        }
        let whole_blocks = reached - reached % block_bytes;
        if whole_blocks == self.done_bytes {
            return self.again();
        }
        self.done_bytes = whole_blocks;
        self.fruitless_rounds = 0;
        Next::Continue
    }

    fn again(&mut self) -> Next {
        self.fruitless_rounds += 1;
        if self.fruitless_rounds > FRUITLESS_ROUNDS_MAX {
            return Next::Ended(Err(IoError::NoProgress));
        }
        Next::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u32 = 512;

    fn read_of_8_blocks() -> Transfer {
        let io = Io { op: Op::Read, offset_bytes: 1 << 40, length_bytes: 8 * BLOCK };
        Transfer::new(io, Source::Pattern)
    }

    #[test]
    fn a_short_read_goes_on_where_it_stopped() {
        let mut read = read_of_8_blocks();
        assert_eq!(read.after(Ok(3 * BLOCK), BLOCK), Next::Continue);
        let rest = Piece {
            op: Op::Read,
            offset_bytes: (1 << 40) + u64::from(3 * BLOCK),
            length_bytes: 5 * BLOCK,
            buffer_start: 3 * BLOCK as usize,
            source: Source::Pattern,
        };
        assert_eq!(read.piece(), rest);
        assert_eq!(read.after(Ok(5 * BLOCK), BLOCK), Next::Ended(Ok(())));
    }

    #[test]
    fn a_read_cut_inside_a_block_goes_on_at_the_block() {
        let mut read = read_of_8_blocks();
        assert_eq!(read.after(Ok(2 * BLOCK + 100), BLOCK), Next::Continue);
        assert_eq!(read.piece().buffer_start, 2 * BLOCK as usize);
        // Again and again the same part of a block: that is no progress.
        for _ in 0..FRUITLESS_ROUNDS_MAX {
            assert_eq!(read.after(Ok(100), BLOCK), Next::Continue);
            assert_eq!(read.piece().buffer_start, 2 * BLOCK as usize);
        }
        assert_eq!(read.after(Ok(100), BLOCK), Next::Ended(Err(IoError::NoProgress)));
    }

    #[test]
    fn interruptions_are_repeated_but_not_for_ever() {
        let mut read = read_of_8_blocks();
        for _ in 0..FRUITLESS_ROUNDS_MAX {
            assert_eq!(read.after(Err(Errno::INTR), BLOCK), Next::Continue);
        }
        assert_eq!(read.after(Err(Errno::AGAIN), BLOCK), Next::Ended(Err(IoError::NoProgress)));
    }

    #[test]
    fn how_a_call_ends_a_request() {
        let io = |op| Io { op, offset_bytes: 0, length_bytes: BLOCK };
        let table = [
            (Op::Read, Ok(BLOCK), Ok(())),
            (Op::Read, Ok(0), Err(IoError::UnexpectedEnd)),
            (Op::Write, Ok(0), Err(IoError::NoSpace)),
            (Op::Write, Err(Errno::NOSPC), Err(IoError::NoSpace)),
            (Op::Write, Err(Errno::DQUOT), Err(IoError::NoSpace)),
            (Op::Write, Err(Errno::FBIG), Err(IoError::FileTooLarge)),
            (Op::Write, Err(Errno::ROFS), Err(IoError::NotPermitted)),
            (Op::Read, Err(Errno::IO), Err(IoError::Medium)),
            (Op::Read, Err(Errno::INVAL), Err(IoError::Misaligned)),
            (Op::Read, Err(Errno::NXIO), Err(IoError::DeviceGone)),
            (Op::Read, Err(Errno::NOMEM), Err(IoError::Other(12))),
            (Op::Discard, Ok(0), Ok(())),
            (Op::Discard, Err(Errno::OPNOTSUPP), Err(IoError::Unsupported)),
            (Op::Flush, Ok(0), Ok(())),
            (Op::Flush, Err(Errno::IO), Err(IoError::Medium)),
        ];
        for (op, outcome, ended) in table {
            let mut transfer = Transfer::new(io(op), Source::Pattern);
            assert_eq!(transfer.after(outcome, BLOCK), Next::Ended(ended), "{op:?} {outcome:?}");
        }
    }
}
