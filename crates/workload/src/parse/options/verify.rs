// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options on the contents of what is written, and whether they are checked.

use super::super::number::{boolean, bounded};
use super::super::values::choice;
use super::spec::set;
use crate::parse::expected::Expected;
use crate::parse::options::spec::{BOOLEAN, SIZE, Spec, value};

pub(super) const OPTIONS: &[Spec] = &[
    value(
        &["verify"],
        "none, crc32c",
        "none",
        "blocks are written with a checksum, and checked when they are read (bfq run)",
        |draft, text| {
            let names = [("none", false), ("0", false), ("crc32c", true)];
            draft.verification.is_on = choice(text, &names)?;
            Ok(())
        },
    ),
    value(
        &["do_verify"],
        BOOLEAN,
        "1",
        "a process that writes with verify reads all of it back at its end",
        set!(verification.reads_back, boolean),
    ),
    value(
        &["verify_fatal"],
        BOOLEAN,
        "0",
        "the first block that is wrong ends the run at once, not at its end",
        set!(verification.is_fatal, boolean),
    ),
    value(
        &["verify_interval"],
        SIZE,
        "",
        "length of a block with a checksum; if not given, what divides every block size",
        |draft, text| {
            draft.verification.interval_bytes = Some(interval(text)?);
            Ok(())
        },
    ),
    value(
        &["serialize_overlap"],
        BOOLEAN,
        "0",
        "in a job that writes, an I/O waits for those in flight that it overlaps",
        set!(job.serialize_overlap, boolean),
    ),
];

/// A multiple of a sector, as every block size is.
fn interval(text: &str) -> Result<u32, Expected> {
    let bytes = bounded(text, 512, 1 << 30)?;
    if bytes.is_multiple_of(512) { Ok(bytes as u32) } else { Err("a multiple of 512".into()) }
}
