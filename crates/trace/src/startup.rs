// SPDX-License-Identifier: MIT OR Apache-2.0
//! The start-up traces of the S benchmark suite: one request a line.
//!
//! ```text
//! NAME-PID DELTA SECTORS SECTOR Seq|Rand DISTANCE RUN RWBS TIME ACTION
//! ```
//!
//! Times are seconds. `START` as the action says that the process takes over from the one of the
//! line before. There is one time for each request, so nothing is known of completions; what is
//! marked as read-ahead (`RA`, and `RM` for that of metadata) was not waited for, `R` was.

use crate::error::Mistake;
use crate::names::Names;
use crate::parser::{LineFormat, columns, number, place_of_sectors};
use crate::record::{Record, RequestEvent};
use crate::{rwbs, seconds};
use base::Op;

const FORM: &str = "NAME-PID DELTA SECTORS SECTOR Seq|Rand DISTANCE RUN RWBS TIME ACTION";

/// The traces do not name their device; there is one.
const DEVICE: &str = "disk";

/// The format; lines do not depend on each other.
#[derive(Debug)]
pub(crate) struct Startup;

impl LineFormat for Startup {
    fn parse(&mut self, line: &str, names: &mut Names) -> Result<Option<Record>, Mistake> {
        if line.is_empty() {
            return Ok(None);
        }
        let words: [&str; 10] = columns(line.split_ascii_whitespace(), FORM)?;
        let [process, delta, sectors, sector, pattern, _distance, _run, rwbs, time, action] = words;
        let Some((name, pid)) = process.rsplit_once('-') else {
            return Err(Mistake::new(format!("the process is \"{process}\""), "NAME-PID"));
        };
        if !matches!(pattern, "Seq" | "Rand") {
            return Err(Mistake::new(format!("the pattern is \"{pattern}\""), "Seq or Rand"));
        }
        seconds::ns(delta)?;
        let Ok(Some((op, mut flags))) = rwbs::parse(rwbs) else {
            let what = format!("unknown kind of request \"{rwbs}\"");
            return Err(Mistake::new(what, "letters such as R, RA, RM or WS"));
        };
        flags.takes_over = action == "START";
        let sectors = number::<u32>("the number of sectors", sectors)?.into();
        if sectors == 0 && !matches!(op, Op::Write | Op::Flush) {
            return Err(Mistake::new("a request of 0 sectors", "at least one"));
        }
        let (op, flags) = rwbs::of_sectors(op, flags, sectors);
        let (offset_bytes, length_bytes) =
            place_of_sectors(number("the sector", sector)?, sectors)?;
        Ok(Some(Record {
            time_ns: seconds::ns(time)?,
            event: RequestEvent::Queued,
            op,
            flags,
            device: names.device(DEVICE),
            process: Some(names.process(number("the process's number", pid)?, name)),
            offset_bytes,
            length_bytes,
            response_ns: None,
        }))
    }
}

/// Whether a line is one of this format.
pub(crate) fn is_line(line: &str) -> bool {
    Startup.parse(line, &mut Names::default()).is_ok_and(|record| record.is_some())
}
