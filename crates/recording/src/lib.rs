// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scheduler was told, what it answered and what it decided, as a stream of bytes: written
//! by a kernel module or any other host, read by tools.
//!
//! [`Recordable`] is a scheduler that is recorded, from its start or at times; the [`Recorder`]
//! writes to a [`Sink`] that the host provides. [`RecordingReader`] returns the [`Record`]s. As the
//! core is deterministic, a recording from attach on is enough to repeat a run: [`Call::perform`]
//! on a fresh scheduler by the same policy gives the same decisions and answers.
//!
//! Nothing here allocates, and nothing panics, whatever bytes are read.
//!
//! # The format, version 2
//!
//! ```text
//! recording = magic "bfqrec\r\n", version byte, record…
//! record    = length byte (of what follows), time, kind byte, fields
//! ```
//!
//! | Part | As bytes |
//! |---|---|
//! | number | seven bits a byte, the lowest first; the highest bit of a byte says that there is another |
//! | number with a sign | as 0, −1, 1, −2, … are the numbers 0, 1, 2, 3, … |
//! | time | nanoseconds, as the (signed) distance from the record before; the first one's from 0 |
//! | time in a field | as its distance from the record's time |
//! | yes or no | a byte, 1 or 0 |
//! | a value that may be missing | a byte, 1 if it is there, and it |
//! | a result | a byte, 1 if it went well, and the value or the error |
//! | names of groups, processes, queues, requests | their number |
//! | text | a byte with its length, and its bytes |
//!
//! | Kinds | |
//! |---|---|
//! | 1 to 23 | calls of the scheduler with their arguments ([`Call`]) |
//! | 40 to 49 | the answer to the last call ([`Answer`]); none if it goes without saying |
//! | 64 to 109 | decisions, taken during the last call ([`bfq::why::Decision`]) |
//! | 128 | the opening, which comes first: the device, the policy, how it was set ([`Opening`]) |
//! | 129, 130 | what the host calls a process or a group |
//! | 131 | how many records were lost here, for want of room |
//!
//! The core's table of calls ([`bfq::Calls`]) and those in `call.rs`, `decision.rs` and `values.rs`
//! are the whole truth; writing and reading come from the same rows. A number in them is never used
//! for something else; any change is a new version.
//!
//! Version 1 is read, too. Its opening names no policy, that was bfq, and has no `strict`.

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

#[cfg(test)]
extern crate std;

mod call;
mod decision;
mod field;
mod format;
mod line;
mod problem;
mod read;
mod record;
mod recordable;
mod recorder;
#[cfg(test)]
mod test_sample;
#[cfg(test)]
mod tests;
mod text;
mod values;

pub use call::{Answer, Call};
pub use format::VERSION;
pub use problem::Problem;
pub use read::{ReadError, RecordingReader, Timed, is_recording};
pub use record::{
    Actuators, Comm, DeviceName, GroupName, Opening, PolicyText, Record, TunableValues,
};
pub use recordable::{AnyRecordable, BeginError, Recordable, Recorded};
pub use recorder::{Recorder, Sink};
pub use text::Text;
