// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of the kernel's block tracer, line by line: what a disk was asked, what its scheduler
//! said, and marks that the recording program left there.
//!
//! A line is `COMMAND-PID [CPU] FLAGS SECONDS: DEVICE …`, or a mark instead of what stands
//! behind the time.

/// What the text begins with.
const HEADER: &[u8] = b"# tracer: blk";

/// Whether these bytes are a text of the block tracer.
pub(crate) fn is_trace(bytes: &[u8]) -> bool {
    bytes.starts_with(HEADER)
}

/// A line of the tracer's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TracerLine<'a> {
    pub t_ns: u64,
    /// The process that ran.
    pub pid: &'a str,
    /// It was interrupted by whatever this is about.
    pub in_interrupt: bool,
    pub what: TracerEvent<'a>,
}

/// What a line reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TracerEvent<'a> {
    /// A request or bio came to this point of its way.
    Step {
        /// `Q`, `G`, `I`, `D`, `C`, `R` and others, as the tracer calls it.
        action: &'a str,
        /// The number of its cgroup, where the tracer tells.
        group: Option<&'a str>,
        /// `R`, `WS` and others.
        operation: &'a str,
        sector: u64,
        sectors: u32,
    },
    /// The scheduler said something, of a queue or in general.
    Message { queue: Option<&'a str>, text: &'a str },
    /// A mark of the recording program.
    Mark(&'a str),
    /// The disk gets the scheduler.
    Attached,
    /// The scheduler is about to be told that a cgroup is removed.
    Offline,
}

/// Takes a line apart; `None` if it is not what a line should be.
pub(crate) fn parse(line: &str) -> Option<TracerLine<'_>> {
    let (process, rest) = line.split_once(" [")?;
    let (_, pid) = process.trim_end().rsplit_once('-')?;
    let (_, rest) = rest.split_once(']')?;
    let (time, rest) = rest.trim_start().split_once(": ")?;
    let (flags, time) = time.split_once(' ')?;
    let in_interrupt = flags.as_bytes().get(2).is_some_and(|context| b"hHs".contains(context));
    Some(TracerLine {
        t_ns: nanoseconds(time.trim())?,
        pid,
        in_interrupt,
        what: what(rest.trim())?,
    })
}

/// Seconds with six digits behind the point.
fn nanoseconds(seconds: &str) -> Option<u64> {
    let (whole, micros) = seconds.split_once('.').filter(|(_, micros)| micros.len() == 6)?;
    let whole: u64 = whole.parse().ok()?;
    let micros: u64 = micros.parse().ok()?;
    whole.checked_mul(1_000_000)?.checked_add(micros)?.checked_mul(1000)
}

fn what(text: &str) -> Option<TracerEvent<'_>> {
    if let Some(mark) = text.strip_prefix("tracing_mark_write: ") {
        return Some(TracerEvent::Mark(mark));
    }
    if text.starts_with("attached: ") {
        return Some(TracerEvent::Attached);
    }
    if text.starts_with("offline: ") {
        return Some(TracerEvent::Offline);
    }
    let mut rest = text;
    // The device, and the cgroup if it is known.
    word(&mut rest).filter(|device| device.contains(','))?;
    let mut action = word(&mut rest)?;
    let group = action.split_once(',').map(|(group, _generation)| group);
    if group.is_some() {
        action = word(&mut rest)?;
    }
    let operation = word(&mut rest)?;
    if action == "m" {
        return message(rest);
    }
    if rest.starts_with('[') {
        // Plugging and unplugging have no sectors.
        return Some(TracerEvent::Step { action, group, operation, sector: 0, sectors: 0 });
    }
    let sector = word(&mut rest)?.parse().ok()?;
    word(&mut rest).filter(|&plus| plus == "+")?;
    let sectors = word(&mut rest)?.parse().ok()?;
    Some(TracerEvent::Step { action, group, operation, sector, sectors })
}

/// `bfq TEXT`, or `bfqPIDS TEXT` and `bfqPIDA TEXT` of a sync and an async queue.
fn message(text: &str) -> Option<TracerEvent<'_>> {
    let mut rest = text.strip_prefix("bfq")?;
    if let Some(text) = rest.strip_prefix(' ') {
        return Some(TracerEvent::Message { queue: None, text });
    }
    let queue = word(&mut rest)?;
    Some(TracerEvent::Message { queue: Some(queue_name(&text[..3 + queue.len()])?), text: rest })
}

/// What a log calls the queue `bfqPIDS`, `bfqPIDA` or `bfqSHARED-S`.
pub(crate) fn queue_name(name: &str) -> Option<&str> {
    match name.strip_prefix("bfq")? {
        "SHARED-S" => Some("shared"),
        name if name.ends_with('A') => Some("async"),
        name => name.strip_suffix('S'),
    }
}

/// Takes the next word.
fn word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_start();
    let (word, behind) = text.split_once(' ').unwrap_or((text, ""));
    *rest = behind.trim_start();
    Some(word).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step<'a>(action: &'a str, operation: &'a str, sector: u64, sectors: u32) -> TracerEvent<'a> {
        TracerEvent::Step { action, group: None, operation, sector, sectors }
    }

    #[test]
    fn lines_are_taken_apart() {
        let said = |queue, text| TracerEvent::Message { queue, text };
        let table = [
            (
                "  wl-41  [000] d....  0.200051: 254,0    Q  RS 0 + 512 [wl]",
                "41",
                200_051,
                step("Q", "RS", 0, 512),
            ),
            (
                " wl-41 [000] d..1. 0.200051: 254,0 2c,0  Q  R 8 + 8 [wl]",
                "41",
                200_051,
                TracerEvent::Step {
                    action: "Q",
                    group: Some("2c"),
                    operation: "R",
                    sector: 8,
                    sectors: 8,
                },
            ),
            (
                " kworker/0:1H-44 [000] d.h.. 12.000001: 254,0  1,0  m   N bfq41S bfqq_served 9 \
                    secs",
                "44",
                12_000_001,
                said(Some("41"), "bfqq_served 9 secs"),
            ),
            (
                " a b-c-7 [001] ..... 1.000000: 8,0 30,2 m N bfq new max_budget = 5",
                "7",
                1_000_000,
                said(None, "new max_budget = 5"),
            ),
            (
                " a-7 [001] ..... 1.000000: 8,0 1,0 m N bfq0A allocated",
                "7",
                1_000_000,
                said(Some("async"), "allocated"),
            ),
            (" a-7 [001] ..... 1.000000: 8,0 P   N [a]", "7", 1_000_000, step("P", "N", 0, 0)),
            (
                " mark-7 [000] ..... 1.000000: tracing_mark_write: weight a 3",
                "7",
                1_000_000,
                TracerEvent::Mark("weight a 3"),
            ),
            (
                " sh-7 [000] ..... 1.000000: attached: (elevator_alloc+0x0/0xb0)",
                "7",
                1_000_000,
                TracerEvent::Attached,
            ),
            (
                " k-7 [000] ..... 1.000000: offline: (blkg_destroy+0x0/0x30)",
                "7",
                1_000_000,
                TracerEvent::Offline,
            ),
        ];
        for (line, pid, micros, what) in table {
            let in_interrupt = line.contains(".h");
            let entry = TracerLine { t_ns: micros * 1000, pid, in_interrupt, what };
            assert_eq!(parse(line), Some(entry), "{line}");
        }
        let malformed = [
            "",
            "# tracer: blk",
            "a-7 [000] ..... 1.0: 8,0 Q R 0 + 8 [a]",
            "a-7 [000] ..... 1.000000: 8,0 Q R x + 8 [a]",
            "a-7 [000] ..... 1.000000: 8,0 m N x",
        ];
        for line in malformed {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
