// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options on where a job works: its files, and which part of them.

use super::super::number::{self, bounded, extent, integer, integer_but_zero};
use super::super::values::{choice, file_service, one_path, paths};
use super::spec::set;
use crate::parse::options::spec::{EXTENT, SIZE, Spec, some, string, text, value};

pub(super) const OPTIONS: &[Spec] = &[
    text(
        &["filename"],
        "path, or PATH:PATH…",
        "the files; jobs that name the same one share it, and /dev/… is the whole target",
        set!(filenames, paths),
    ),
    text(
        &["filename_format"],
        "text with $jobname, $jobnum, $filenum",
        "names files after the job, the process and the file",
        set!(job.filename_format, some(string)),
    ),
    text(&["directory"], "path", "put before filename", set!(job.directory, some(one_path))),
    value(
        &["nrfiles", "nr_files"],
        "1 to 65536",
        "1",
        "files of each process, among which its size is divided",
        set!(job.nr_files, |text| bounded(text, 1, 65_536).map(|n| n as u32)),
    ),
    value(
        &["file_service_type"],
        "roundrobin, random, sequential; :NUMBER",
        "roundrobin",
        "which file is next; a number behind it is how many I/Os each gets in a row",
        set!(job.file_service, file_service),
    ),
    value(&["size"], EXTENT, "", "how much of the target each process uses", |draft, text| {
        draft.job.size = Some(extent(text, 1)?).filter(|&size| size != number::NOTHING);
        Ok(())
    }),
    value(
        &["offset", "fileoffset"],
        EXTENT,
        "0",
        "where in its file a process begins",
        set!(job.offset, |text| extent(text, 0)),
    ),
    value(
        &["offset_increment"],
        EXTENT,
        "0",
        "added to the offset of process k of the job, k times",
        set!(job.offset_increment, |text| extent(text, 0)),
    ),
    value(
        &["offset_align"],
        SIZE,
        "0",
        "what an offset in percent is rounded up to; 0: the smallest block",
        set!(job.offset_align_bytes, integer_but_zero),
    ),
    value(
        &["zonemode"],
        "none, strided",
        "none",
        "strided: the file is gone through zone by zone",
        |draft, text| {
            draft.zones.are_strided = choice(text, &[("none", false), ("strided", true)])?;
            Ok(())
        },
    ),
    value(
        &["zonesize"],
        SIZE,
        "",
        "bytes moved in a zone before the next one comes",
        set!(zones.size_bytes, |text| bounded(text, 1, u64::MAX)),
    ),
    value(
        &["zonerange"],
        SIZE,
        "",
        "length of a zone; zonesize if not given",
        set!(zones.range_bytes, |text| bounded(text, 1, u64::MAX)),
    ),
    value(
        &["zoneskip"],
        SIZE,
        "0",
        "what is left out between two zones",
        set!(zones.skip_bytes, integer),
    ),
];
