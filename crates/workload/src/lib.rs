// SPDX-License-Identifier: MIT OR Apache-2.0
//! What processes do: fio job files, and the I/O that each process of a job issues.
//!
//! * [`load`], [`load_all`] and [`parse()`] read job files into [`Job`]s.
//! * [`lay_out`] gives every process of the jobs its part of the target, [`phases`] says which run
//!   together.
//! * An [`Issuer`] is one process: a state machine that says what it issues and when. It has no
//!   clock, does no I/O, and is a function of its job, region, seed and of what it is told.
//! * [`job_files_in`] lists those of a folder by their titles.
//! * A job can replay a [`Trace`], in any format that the crate `trace` reads.
//!
//! # What differs from fio
//!
//! Everything else means what fio's documentation says; where that is silent, what fio 3.33 does.
//!
//! * I/O is direct unless `direct=0` is given; a missing `direct` leaves a [`Note`].
//! * With `direct=0` it goes through a modelled page cache ([`cache`]). `fadvise_hint` counts if it
//!   is given; fio's default is 1, which makes sequential windows twice as large.
//! * Values are read strictly. `size=1.5g`, of which fio takes the 1, is an error.
//! * Files are stretches of one target (see [`lay_out`]); percentages are of the target.
//! * Random orders come from a computed bijection instead of a map of blocks: with several block
//!   sizes, an I/O may reach over blocks that another begins at. Each pass has an order of its own.
//! * Holes (`rw=read:4k`) end at the end of the region, not of the file.
//! * A sync at the end of the region is done once, not twice. `fsync=N` in a mix comes once behind
//!   each N writes, as fio's manual says; fio does it again behind each read up to the next write.
//! * A process ahead of its `rate` does not wait for what is in flight before it sleeps.
//! * A pause for thinking ends with the runtime.
//! * The times of an I/O log of version 3 are kept for every I/O, the second one too.
//! * I/Os that a process issues at the same instant go through one call of submission, unless
//!   `iodepth_batch` says how many a call has; fio's default is 1.
//! * `random_distribution=normal` has no default deviation. The likely blocks of `zipf` and
//!   `pareto` are scattered by a bijection, so that none has the luck of two.
//! * With a `latency_target` that one I/O at a time misses, and that all are to keep, the process
//!   ends with ETIMEDOUT, as under fio; the others of the run go on.
//! * A process with `direct=0` has one file.
//! * A write behind a trim (`trimwrite`) is as long as the trim was.
//! * Of `verify` there is `crc32c`, with blocks in a format of our own: fio does not know them.
//!   What a process wrote is read back once, after all its loops; `runtime` bounds the writing
//!   only. A write waits for those in flight that it overlaps.
//!
//! ```
//! use workload::{Issuer, IssuerStep, lay_out, parse};
//!
//! let jobs = parse("[reader]\nrw=read\nbs=256k\nsize=1g\ndirect=1\n", "example.fio")?;
//! let plans = lay_out(&jobs, 1 << 40)?;
//! let mut process = Issuer::new(&jobs[0], plans[0].clone, plans[0].region, 1);
//! let IssuerStep::Submit(first) = process.poll(0) else { panic!("it reads at once") };
//! assert_eq!((first.offset_bytes, first.length_bytes), (0, 256 * 1024));
//! assert_eq!(process.poll(0), IssuerStep::Wait);
//! process.completed(3_000_000, first.ticket);
//! assert!(matches!(process.poll(3_000_000), IssuerStep::Submit(_)));
//! # Ok::<(), workload::JobErrors>(())
//! ```
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod advice;
pub mod cache;
mod error;
mod folder;
mod header;
mod io;
mod issuer;
mod job;
mod layout;
mod parse;
mod permutation;
mod random;
mod recorded;

pub use error::{JobError, JobErrors};
pub use folder::{Listed, job_files_in};
pub use header::Header;
pub use io::{Io, IoKind, Ticket};
pub use issuer::{Failure, Issuer, IssuerStep};
pub use job::{
    Batches, BlockSizes, Direction, Distribution, Engine, ExitScope, Extent, FileOrder,
    FileService, Flow, Job, LatencyTarget, Note, OffsetModifier, PerDirection, Rate, Reap, Rw,
    Share, Strides, ThinkTime, UnifiedReporting, Verify, notes,
};
pub use layout::{FilePart, ProcessPlan, Region, lay_out, phases, required_bytes};
pub use parse::{
    Actual, Environment, JobOption, LoadSettings, is_trace, job_options, load, load_all,
    load_all_with, options_without_effect, parse, parse_by, parse_with, unsupported_options,
};
pub use random::process_seed;
pub use recorded::{Due, Entries, TakeOver, Trace, TraceEntry, TraceFile, TraceKind, TraceProcess};
pub use recorded::{ReplayMode, ReplaySettings, remarks_on_replay};
