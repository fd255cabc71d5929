// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `blkparse` prints of a trace of the kernel's, in its default layout:
//!
//! ```text
//! MAJOR,MINOR CPU SEQUENCE SECONDS.NANOSECONDS PID ACTION RWBS SECTOR + SECTORS [COMMAND]
//! ```
//!
//! Of the actions, `Q` (queued), `D` (issued) and `C` (completed) are records; the others, of
//! plugs, merges and the like, are passed over, and so are summaries, at the end or between traces
//! that were put together. Of a completion the process is the interrupted one. The end of a disk's
//! own flush (`C FN`) is passed over: the requests that waited for it end in lines behind it.

use crate::error::Mistake;
use crate::names::{DeviceId, Names};
use crate::parser::{LineFormat, number, place_of_sectors, sectors_of};
use crate::record::{Record, RequestEvent};
use crate::{rwbs, seconds};
use base::{Op, SECTOR_BYTES};

const FORM: &str = "MAJOR,MINOR CPU SEQUENCE SECONDS.NANOSECONDS PID ACTION RWBS SECTOR + SECTORS \
                    [COMMAND]";

/// Actions that are no records.
const OTHERS: [&str; 16] =
    ["I", "M", "F", "G", "S", "P", "U", "UT", "X", "B", "A", "R", "m", "T", "r", "FM"];

/// The state of a parser.
#[derive(Debug, Default)]
pub(crate) struct Blkparse {
    /// The summary has begun.
    in_summary: bool,
    /// The device of the record before: most traces are of one.
    device: Option<(String, DeviceId)>,
}

impl Blkparse {
    fn is_known(&self, device: &str) -> bool {
        self.device.as_ref().is_some_and(|(name, _)| name == device)
    }
}

impl LineFormat for Blkparse {
    fn parse(&mut self, line: &str, names: &mut Names) -> Result<Option<Record>, Mistake> {
        let is_numeric = line.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
        if !is_numeric {
            self.in_summary |= line.starts_with("CPU") || line.starts_with("Total (");
        } else if self.in_summary && is_line(line) {
            // Another trace follows, as if files were put together.
            self.in_summary = false;
        }
        if self.in_summary || !is_numeric && (line.is_empty() || line.starts_with("Input file ")) {
            return Ok(None);
        }
        let (head, rest) = split_head(line)?;
        let [device, _cpu, _sequence, time, pid, action, rwbs] = head;
        if !self.is_known(device) && !is_device(device) {
            return Err(Mistake::new(format!("the device is \"{device}\""), "MAJOR,MINOR"));
        }
        let event = match action {
            "Q" => RequestEvent::Queued,
            "D" => RequestEvent::Issued,
            "C" => RequestEvent::Completed,
            other if OTHERS.contains(&other) => return Ok(None),
            other => {
                let expected = "Q, D, C or another of blkparse's actions";
                return Err(Mistake::new(format!("unknown action \"{other}\""), expected));
            }
        };
        if event == RequestEvent::Completed && rwbs::is_flush_command(rwbs) {
            return Ok(None);
        }
        let pid = number("the process", pid)?;
        let time_ns = seconds::ns(time)?;
        let Ok(known) = rwbs::parse(rwbs) else {
            let what = format!("unknown kind of request \"{rwbs}\"");
            return Err(Mistake::new(what, "letters such as R, WS, RA or FWFSM"));
        };
        let Some((op, flags)) = known else { return Ok(None) };
        let (sector, sectors, rest) = extent(rest)?;
        let is_flush = op == Op::Flush || flags.preflush;
        let ends_behind_flush =
            event == RequestEvent::Completed && op == Op::Write && sector.is_some();
        if sectors == 0 && !is_flush && !ends_behind_flush {
            // A command passed through to the device: its bytes, if any, and what it is.
            return Ok(None);
        }
        let sector = sector.unwrap_or(0);
        let (op, flags) = rwbs::of_sectors(op, flags, sectors);
        let (offset_bytes, length_bytes) = place_of_sectors(sector, sectors)?;
        let device = match &self.device {
            Some((name, id)) if name == device => *id,
            _ => self.device.insert((device.to_owned(), names.device(device))).1,
        };
        Ok(Some(Record {
            time_ns,
            event,
            op,
            flags,
            device,
            process: match event {
                RequestEvent::Queued | RequestEvent::Issued => {
                    Some(names.process(pid, command(rest)))
                }
                RequestEvent::Completed => None,
            },
            offset_bytes,
            length_bytes,
            response_ns: None,
        }))
    }
}

/// The seven words that every line begins with, and the rest.
fn split_head(line: &str) -> Result<([&str; 7], &str), Mistake> {
    let mut rest = line;
    let mut head = [""; 7];
    for word in &mut head {
        (*word, rest) = split_word(without_blanks(rest));
    }
    match head[6].is_empty() {
        // Messages and timer plugs need not say a kind.
        true if OTHERS.contains(&head[5]) => Ok((head, rest)),
        true => Err(Mistake::new("the line is too short", FORM)),
        false => Ok((head, without_blanks(rest).trim_end())),
    }
}

/// A text up to its first white space, and the rest.
fn split_word(text: &str) -> (&str, &str) {
    let is_end = |byte: u8| byte <= b' ' && byte.is_ascii_whitespace();
    text.split_at(text.bytes().position(is_end).unwrap_or(text.len()))
}

/// The text without the white space before it, which nearly always is blanks: bytes are looked at
/// faster than letters.
fn without_blanks(text: &str) -> &str {
    let blanks = text.bytes().take_while(|byte| *byte == b' ').count();
    match text.as_bytes().get(blanks) {
        Some(byte) if byte.is_ascii_graphic() => &text[blanks..],
        _ => text.trim_start(),
    }
}

/// `SECTOR + SECTORS`, and what follows; flushes have neither, or a sector alone. Something in
/// parentheses may be behind it, or there in its place.
fn extent(text: &str) -> Result<(Option<u64>, u64, &str), Mistake> {
    if text.is_empty() || text.starts_with(['[', '(']) {
        return Ok((None, 0, text));
    }
    let (sector, behind_sector) = split_word(text.trim_ascii_start());
    let sector = number("the sector", sector)?;
    match split_word(behind_sector.trim_ascii_start()) {
        ("+", rest) => {
            let (sectors, rest) = split_word(rest.trim_ascii_start());
            let sectors: u32 = number("the number of sectors", sectors)?;
            Ok((Some(sector), u64::from(sectors), rest))
        }
        (word, _) if !word.is_empty() && !word.starts_with(['[', '(']) => {
            Err(Mistake::new(format!("\"{word}\" after the sector"), FORM))
        }
        _ => Ok((Some(sector), 0, behind_sector)),
    }
}

/// The command in brackets at the end; it may have brackets and spaces itself.
fn command(rest: &str) -> &str {
    let bracket = rest.bytes().position(|byte| byte == b'[');
    bracket.and_then(|at| rest[at + 1..].strip_suffix(']')).unwrap_or("")
}

fn is_device(word: &str) -> bool {
    let is_number = |part: &str| part.parse::<u32>().is_ok();
    word.split_once(',').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

/// A record as a line of the format, without a line's end. `sequence` is its number.
pub(crate) fn line(record: &Record, sequence: u64, names: &Names) -> String {
    let action = match record.event {
        RequestEvent::Queued => 'Q',
        RequestEvent::Issued => 'D',
        RequestEvent::Completed => 'C',
    };
    let device = &names.devices()[record.device.0 as usize];
    let (major, minor) = match device.split_once(',').filter(|_| is_device(device)) {
        Some((major, minor)) => (major.to_owned(), minor.to_owned()),
        None => ("8".to_owned(), (record.device.0 * 16).to_string()),
    };
    let process = record.process.map(|id| (id.0, &names.processes()[id.0 as usize]));
    let (pid, name) = match process {
        Some((place, process)) => (process.pid.unwrap_or(place + 1), process.name.as_str()),
        None => (0, "0"),
    };
    let place = match record.length_bytes {
        0 if record.offset_bytes == 0 => String::new(),
        0 => format!("{} ", record.offset_bytes / SECTOR_BYTES),
        bytes => {
            let (sector, sectors) = sectors_of(record.offset_bytes, bytes);
            format!("{sector} + {sectors} ")
        }
    };
    let (time, rwbs) = (seconds::text(record.time_ns), rwbs::text(record.op, record.flags));
    format!(
        "{major:>3},{minor:<3}  0 {sequence:>8} {time:>15} {pid:>5} {action:>2} {rwbs:>3} \
         {place}[{name}]"
    )
}

/// Whether a line is one of this format.
pub(crate) fn is_line(line: &str) -> bool {
    match split_head(line) {
        Ok(([device, cpu, _, time, ..], _)) => {
            is_device(device) && cpu.parse::<u32>().is_ok() && seconds::ns(time).is_ok()
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_of_any_kind_stands_before_words() {
        for blanks in ["", " ", "   ", "\t", " \t ", "\u{b}", "\u{a0} ", " \u{2003}"] {
            for rest in ["", "Q", "é", "8,0 1"] {
                let text = format!("{blanks}{rest}");
                assert_eq!(without_blanks(&text), text.trim_start(), "{text:?}");
            }
        }
    }
}
