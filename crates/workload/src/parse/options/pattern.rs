// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options on what a job does: the pattern of its I/O, its sizes, its syncs, and how much of it.

use super::super::distribution::distribution;
use super::super::number::{self, boolean, extent, integer, integer_but_zero};
use super::super::values::{advice, choice, list, pattern, percent, size_ranges, size_splits};
use super::spec::set;
use crate::parse::options::spec::{BOOLEAN, COUNT, EXTENT, PERCENT, Spec, flag, on, some, value};

pub(super) const OPTIONS: &[Spec] = &[
    value(
        &["rw", "readwrite"],
        "read, write, rw, trim, trimwrite, each also with rand before it; :NUMBER",
        "read",
        "the pattern; a number behind it leaves holes (bytes) or makes runs (I/Os)",
        set!(pattern, pattern),
    ),
    value(
        &["rw_sequencer"],
        "sequential, identical",
        "sequential",
        "what the number behind a random rw does: I/Os in a row, or again at the same place",
        |draft, text| {
            draft.repeats = choice(text, &[("sequential", false), ("identical", true)])?;
            Ok(())
        },
    ),
    value(
        &["rwmixread"],
        PERCENT,
        "50",
        "share of reads among a mix",
        set!(job.rw_mix_read_percent, percent),
    ),
    value(&["rwmixwrite"], PERCENT, "50", "share of writes among a mix", |draft, text| {
        draft.job.rw_mix_read_percent = 100 - percent(text)?;
        Ok(())
    }),
    value(
        &["bs", "blocksize"],
        "bytes of reads,writes,trims",
        "4k",
        "size of an I/O",
        |draft, text| {
            draft.block_size.update(list(text, number::block)?);
            Ok(())
        },
    ),
    value(
        &["bsrange", "blocksize_range"],
        "LEAST-MOST,…",
        "",
        "sizes drawn from a range, multiples of the least",
        |draft, text| {
            draft.block_range.update(size_ranges(text)?);
            Ok(())
        },
    ),
    value(
        &["bssplit"],
        "SIZE/PERCENT:…,…",
        "",
        "sizes drawn from a list with their shares",
        |draft, text| {
            draft.block_split.update(size_splits(text)?);
            Ok(())
        },
    ),
    flag(
        &["norandommap"],
        "random places are drawn anew each time, rather than each block once a pass",
        set!(job.no_random_map, on),
    ),
    value(
        &["random_distribution"],
        "random, zipf:THETA, pareto:H, normal:DEV, zoned:LIST, zoned_abs:LIST",
        "random",
        "how likely each block is; but for random, places are drawn anew each time",
        set!(job.distribution, distribution),
    ),
    value(
        &["randseed"],
        COUNT,
        "",
        "seed of this job's random numbers, instead of the run's",
        set!(job.rand_seed, some(integer)),
    ),
    value(
        &["fsync"],
        COUNT,
        "0",
        "fsync after this number of writes; 0: never",
        set!(job.fsync_every_writes, integer_but_zero),
    ),
    value(
        &["fdatasync"],
        COUNT,
        "0",
        "fdatasync after this number of writes; 0: never",
        set!(job.fdatasync_every_writes, integer_but_zero),
    ),
    value(&["end_fsync"], BOOLEAN, "0", "fsync after the last write", set!(job.end_fsync, boolean)),
    value(
        &["io_size", "io_limit"],
        EXTENT,
        "",
        "how much is moved in all; size if not given; a percentage is one of size",
        |draft, text| {
            draft.job.io_size = Some(extent(text, 1)?).filter(|&size| size != number::NOTHING);
            Ok(())
        },
    ),
    value(&["number_ios"], COUNT, "", "it ends after this number of I/Os", |draft, text| {
        draft.job.number_ios = Some(integer(text)?).filter(|&ios| ios > 0);
        Ok(())
    }),
    value(
        &["loops"],
        COUNT,
        "1",
        "how often all is done",
        set!(job.loops, |text| integer(text).map(|loops| loops.max(1))),
    ),
    value(
        &["direct"],
        BOOLEAN,
        "",
        "0: through the page cache (bfq sim); direct if not given, unlike fio",
        set!(direct, some(boolean)),
    ),
    value(&["buffered"], BOOLEAN, "", "the opposite of direct", |draft, text| {
        draft.direct = Some(!boolean(text)?);
        Ok(())
    }),
    value(
        &["invalidate"],
        BOOLEAN,
        "1",
        "a process drops its part of the file from the page cache before each pass",
        set!(job.invalidate, boolean),
    ),
    value(
        &["fadvise_hint"],
        "0, 1, random, sequential",
        "0",
        "what the page cache is told of the pattern; 1: the truth (fio's default)",
        set!(advice, some(advice)),
    ),
];
