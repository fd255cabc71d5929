// SPDX-License-Identifier: MIT OR Apache-2.0
//! The letters in which the kernel's traces say what a request does: `R`, `WS`, `RM`, `FWFS`, …
//!
//! An optional `F` (flush before it), the operation (`R`ead, `W`rite, `D`iscard, `F`lush,
//! `N`one), then `F` (forced unit access), `A` (read-ahead), `S` (sync), `M` (metadata); discards
//! may be secure (`DE`).

use crate::record::Flags;
use base::Op;

/// What the letters mean. None: something else than I/O on blocks.
///
/// # Errors
/// They are no such letters.
pub(crate) fn parse(letters: &str) -> Result<Option<(Op, Flags)>, ()> {
    let bytes = letters.as_bytes();
    let (preflush, rest) = match bytes {
        [b'F', rest @ ..] if matches!(rest.first(), Some(b'R' | b'W' | b'D' | b'F' | b'N')) => {
            (true, rest)
        }
        _ => (false, bytes),
    };
    let (&operation, rest) = rest.split_first().ok_or(())?;
    let op = match operation {
        b'R' => Some(Op::Read),
        b'W' => Some(Op::Write),
        b'D' => Some(Op::Discard),
        b'F' => Some(Op::Flush),
        b'N' if preflush => Some(Op::Flush),
        b'N' => None,
        _ => return Err(()),
    };
    let mut flags = Flags::default();
    for letter in rest {
        match letter {
            b'F' => flags.fua = true,
            b'A' => flags.read_ahead = true,
            b'S' => flags.sync = true,
            b'M' => flags.metadata = true,
            // A barrier (old kernels), an atomic write (new ones): nothing that matters here.
            b'B' | b'U' => {}
            b'E' if op == Some(Op::Discard) => {}
            _ => return Err(()),
        }
    }
    // Reads are waited for whether it is said or not, and so are flushes.
    flags.sync |= matches!(op, Some(Op::Read | Op::Flush));
    flags.preflush = preflush && op != Some(Op::Flush);
    Ok(op.map(|op| (op, flags)))
}

/// Whether it is the command by which a disk is told to flush its cache, as blkparse or the kernel
/// itself has it. Whoever asked for that has requests, and ends of these, of their own.
pub(crate) fn is_flush_command(letters: &str) -> bool {
    ["FN", "FF"].contains(&letters)
}

/// What a request of that length does, by its letters; none if it is no I/O on blocks.
pub fn operation(letters: &str, sectors: u64) -> Option<(Op, Flags)> {
    let (op, flags) = parse(letters).ok().flatten()?;
    Some(of_sectors(op, flags, sectors))
}

/// The same of one whose letters are known. Without sectors, a write is its flush alone.
pub(crate) fn of_sectors(op: Op, flags: Flags, sectors: u64) -> (Op, Flags) {
    match sectors {
        0 => (Op::Flush, Flags { sync: true, preflush: false, ..flags }),
        _ => (op, flags),
    }
}

/// The letters for a request.
pub(crate) fn text(op: Op, flags: Flags) -> String {
    if op == Op::Flush {
        // As the kernel has it: a write of nothing that is flushed and waited for.
        return "FWS".to_owned();
    }
    let mut letters = String::new();
    if flags.preflush {
        letters.push('F');
    }
    letters.push(op.letter());
    // That reads and flushes are waited for goes without saying.
    let sync = flags.sync && matches!(op, Op::Write | Op::Discard);
    let set = [(flags.fua, 'F'), (flags.read_ahead, 'A'), (sync, 'S'), (flags.metadata, 'M')];
    letters.extend(set.iter().filter(|(set, _)| *set).map(|(_, letter)| letter));
    letters
}
