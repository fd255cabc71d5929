// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of recorded block I/O, in the formats that are in use.
//!
//! * [`TraceReader`] reads any of the formats that [`Format`] lists, plain or compressed, one
//!   [`Record`] at a time: a trace of any size needs no more memory than a few records. The format
//!   is known by its content.
//! * [`Pairing`] finds out which completion belongs to which request.
//! * [`Summary`] has the figures of a trace, [`TraceInfo`] says them as text or JSON; [`Writer`]
//!   writes it in another format.
//! * [`iolog`] has fio's I/O logs line by line, with what only they know: files and waits.
//!
//! What is made of a trace (replay) is the business of `workload`. A trace is never trusted: a
//! mistake in it is a [`TraceError`] that says where it stands and what was expected.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod blkparse;
mod blktrace;
mod detect;
mod distribution;
mod error;
mod format;
mod info;
mod input;
pub mod iolog;
mod lines;
mod names;
mod order;
mod pairing;
mod parser;
mod reader;
mod record;
mod rwbs;
mod seconds;
mod startup;
mod summary;
mod volume_numbers;
mod volumes;
mod writer;

pub use distribution::Distribution;
pub use error::{TraceError, TracePosition};
pub use format::Format;
pub use info::{InfoError, TraceInfo};
pub use names::{DeviceId, Names, ProcessId, TracedProcess};
pub use order::{OutOfOrder, TimeOrder};
pub use pairing::Pairing;
pub use reader::{ReadOptions, TraceReader, identify};
pub use record::{Flags, Record, RequestEvent};
pub use rwbs::operation;
pub use summary::{Amount, Summary, Touched};
pub use writer::Writer;
