// SPDX-License-Identifier: MIT OR Apache-2.0
//! An operation under way: an I/O of a process, and how far it has come in the cache.

use std::ops::Range;

use super::read_ahead::Window;
use crate::io::{Io, IoKind};
use base::PAGE_BYTES;

/// What a call costs that finds everything in the cache, apart from copying.
pub(super) const CALL_NS: u64 = 500;
/// What copying a page between the cache and the process costs: 10 GB/s.
pub(super) const COPY_NS_PER_PAGE: u64 = 400;

/// An operation under way.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub process: u32,
    pub kind: OperationKind,
    /// The pages that are left.
    pub left: Range<u64>,
    /// The byte behind the last one.
    pub end_bytes: u64,
    pub state: OperationState,
    /// How long copying will take, ns.
    pub(super) copy_ns: u64,
    /// What an operation that it waited for said.
    pub result: Result<(), i32>,
}

/// What an operation is.
#[derive(Clone, Debug)]
pub(super) enum OperationKind {
    Read(Reading),
    Write,
    /// fsync, fdatasync, sync: what is dirty is written; then what is being written is waited for.
    Sync {
        whole: Range<u64>,
        /// Pages before this one need not be waited for any more.
        waited: u64,
    },
    Drop {
        whole: Range<u64>,
    },
}

/// A read on its way through the cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// What of a window is still to be asked for.
    pub window: Window,
    /// The window reaches beyond the read.
    pub is_ahead: bool,
    /// The page because of which the last window was asked for.
    pub asked_for: Option<u64>,
    /// It goes on in the page where the last read ended: that page is not used *again*.
    pub goes_on: bool,
}

/// What an operation is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperationState {
    Working,
    /// It will be woken.
    Waiting,
    /// A writer does nothing until then; `again`: and then asks again whether it may go on.
    Pausing {
        until_ns: u64,
        again: bool,
    },
    /// All is there; it is copied until then.
    Copying {
        until_ns: u64,
    },
    /// The device makes durable what was written, and the operation waits for it.
    Flushing,
    /// The device has flushed.
    Flushed,
}

impl Operation {
    fn new(process: u32, kind: OperationKind, left: Range<u64>) -> Operation {
        Operation {
            process,
            kind,
            left,
            end_bytes: 0,
            state: OperationState::Working,
            copy_ns: 0,
            result: Ok(()),
        }
    }

    /// The operation of an I/O; `file` is what a sync is of.
    pub(super) fn of(process: u32, io: &Io, file: Range<u64>) -> Operation {
        let end_bytes = io.offset_bytes + u64::from(io.length_bytes);
        let pages = io.offset_bytes / PAGE_BYTES..end_bytes.div_ceil(PAGE_BYTES);
        let copy_ns = CALL_NS + COPY_NS_PER_PAGE * (pages.end - pages.start);
        let (kind, left) = match io.kind {
            IoKind::Read => (OperationKind::Read(Reading::default()), pages),
            IoKind::Write => (OperationKind::Write, pages),
            IoKind::Trim => (OperationKind::Drop { whole: pages.clone() }, pages),
            IoKind::Fsync | IoKind::Fdatasync => {
                (OperationKind::Sync { whole: file.clone(), waited: file.start }, file)
            }
        };
        Operation { end_bytes, copy_ns, ..Operation::new(process, kind, left) }
    }

    pub(super) fn drop(process: u32, pages: Range<u64>) -> Operation {
        Operation::new(process, OperationKind::Drop { whole: pages.clone() }, pages)
    }

    /// Of all files; it begins when the flusher has written all that was dirty.
    pub(super) fn sync_all(process: u32, span: Range<u64>) -> Operation {
        let operation = Operation::new(
            process,
            OperationKind::Sync { whole: span.clone(), waited: span.start },
            span,
        );
        Operation { state: OperationState::Waiting, ..operation }
    }

    /// What it waited for has come, or failed.
    pub(super) fn woken(&mut self, result: Result<(), i32>) {
        self.fail_with(result);
        self.state = match self.state {
            OperationState::Flushing => OperationState::Flushed,
            _ => OperationState::Working,
        };
    }

    /// The first failure is the operation's.
    pub(super) fn fail_with(&mut self, result: Result<(), i32>) {
        self.result = self.result.and(result);
    }
}
