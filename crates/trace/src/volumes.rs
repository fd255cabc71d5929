// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of volumes in data centres, with commas between the columns: MSR Cambridge, Alibaba,
//! Tencent, SPC. They know no processes: each volume stands for one.

use crate::error::Mistake;
use crate::names::Names;
use crate::parser::{LineFormat, columns, number, place_of_sectors, sectors_of};
use crate::record::{Flags, Record, RequestEvent};
use crate::seconds;
use base::{Op, SECTOR_BYTES};

/// One of these formats; lines do not depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Volumes {
    /// Times are Windows' (100 ns since 1601), offsets and sizes bytes. A response time of 0 is
    /// none.
    Msr,
    /// Times are µs, offsets and lengths bytes.
    Alibaba,
    /// Times are whole seconds, offsets and sizes sectors.
    Tencent,
    /// Times are seconds, LBAs sectors, sizes bytes. Further columns are passed over.
    Spc,
}

/// A line taken apart.
struct Row<'a> {
    time_ns: u64,
    volume: &'a str,
    op: Op,
    offset_bytes: u64,
    length_bytes: u64,
    response_ns: Option<u64>,
}

impl Volumes {
    const ALL: [Volumes; 4] = [Volumes::Msr, Volumes::Alibaba, Volumes::Tencent, Volumes::Spc];

    /// The columns, as a first line may name them.
    fn columns(self) -> &'static str {
        match self {
            Volumes::Msr => "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
            Volumes::Alibaba => "device_id,opcode,offset,length,timestamp",
            Volumes::Tencent => "timestamp,offset,size,io_type,volume_id",
            Volumes::Spc => "ASU,LBA,size,opcode,timestamp",
        }
    }

    /// The format of a line, if it is one of these.
    pub(crate) fn of_line(line: &str) -> Option<Volumes> {
        let fits = |format: &Volumes| {
            line.eq_ignore_ascii_case(format.columns()) || format.row(line).is_ok()
        };
        Volumes::ALL.into_iter().find(fits)
    }

    fn row(self, line: &str) -> Result<Row<'_>, Mistake> {
        match self {
            Volumes::Msr => msr(line),
            Volumes::Alibaba => alibaba(line),
            Volumes::Tencent => tencent(line),
            Volumes::Spc => spc(line),
        }
    }

    /// A request as a line of the format, without a line's end; its volume has that number where
    /// it has no name. None: it has no place there.
    pub(crate) fn line(self, record: &Record, names: &Names, number: u64) -> Option<String> {
        let volume = &names.devices()[record.device.0 as usize];
        let (offset, length) = (record.offset_bytes, record.length_bytes);
        let letter = match record.op {
            Op::Read => "R",
            Op::Write => "W",
            Op::Discard | Op::Flush => return None,
        };
        Some(match self {
            Volumes::Msr => {
                let (host, disk) = match volume.rsplit_once(',') {
                    Some((host, disk)) if disk.parse::<u32>().is_ok() => (host, disk),
                    _ => (volume.as_str(), "0"),
                };
                let kind = if record.op == Op::Read { "Read" } else { "Write" };
                // 0 is that it is not known.
                let response = record.response_ns.map_or(0, |ns| (ns / 100).max(1));
                // Where commas are between columns, they can't be in a name.
                let host = host.replace(',', ":");
                let time = record.time_ns / 100;
                format!("{time},{host},{disk},{kind},{offset},{length},{response}")
            }
            Volumes::Alibaba => {
                let time_us = record.time_ns / 1000;
                format!("{number},{letter},{offset},{length},{time_us}")
            }
            Volumes::Tencent => {
                let (sector, sectors) = sectors_of(offset, length);
                let kind = u8::from(record.op == Op::Write);
                let time_s = record.time_ns / 1_000_000_000;
                format!("{time_s},{sector},{sectors},{kind},{number}")
            }
            Volumes::Spc => {
                let time = seconds::text(record.time_ns);
                let sector = offset / SECTOR_BYTES;
                // It begins with a sector, and ends where it ends.
                let length = u32::try_from(length.checked_add(offset % SECTOR_BYTES)?).ok()?;
                format!("{number},{sector},{length},{letter},{time}")
            }
        })
    }
}

impl LineFormat for Volumes {
    fn parse(&mut self, line: &str, names: &mut Names) -> Result<Option<Record>, Mistake> {
        if line.is_empty() || line.eq_ignore_ascii_case(self.columns()) {
            return Ok(None);
        }
        let row = self.row(line)?;
        let (offset, length) = (row.offset_bytes, row.length_bytes);
        if length == 0 || offset.checked_add(length).is_none() {
            let what = format!("I/O of {length} bytes at {offset}");
            return Err(Mistake::new(what, "at least one byte, below 2^64"));
        }
        Ok(Some(Record {
            time_ns: row.time_ns,
            event: RequestEvent::Queued,
            op: row.op,
            flags: Flags::PLAIN,
            device: names.device(row.volume),
            process: Some(names.source(row.volume)),
            offset_bytes: offset,
            length_bytes: length,
            response_ns: row.response_ns,
        }))
    }
}

fn msr(line: &str) -> Result<Row<'_>, Mistake> {
    let words: [&str; 7] = columns(line.split(','), Volumes::Msr.columns())?;
    let [time, _host, disk, kind, offset, size, response] = words;
    let hundreds_of_ns = |what: &str, word: &str| {
        let hundreds: u64 = number(what, word)?;
        hundreds.checked_mul(100).ok_or_else(|| {
            Mistake::new(format!("{what} is {hundreds}"), "units of 100 ns, below 2^64 ns")
        })
    };
    number::<u32>("the disk's number", disk)?;
    // The volume is HOST,DISK, as the line has it.
    let start = time.len() + 1;
    let end = line.len() - line.splitn(4, ',').nth(3).map_or(0, str::len) - 1;
    Ok(Row {
        time_ns: hundreds_of_ns("the time", time)?,
        volume: &line[start..end],
        op: match kind {
            _ if kind.eq_ignore_ascii_case("read") => Op::Read,
            _ if kind.eq_ignore_ascii_case("write") => Op::Write,
            _ => return Err(Mistake::new(format!("the type is \"{kind}\""), "Read or Write")),
        },
        offset_bytes: number("the offset", offset)?,
        length_bytes: number::<u32>("the size", size)?.into(),
        response_ns: Some(hundreds_of_ns("the response time", response)?).filter(|&ns| ns > 0),
    })
}

fn alibaba(line: &str) -> Result<Row<'_>, Mistake> {
    let words: [&str; 5] = columns(line.split(','), Volumes::Alibaba.columns())?;
    let [volume, opcode, offset, length, time] = words;
    let time_us: u64 = number("the time", time)?;
    number::<u64>("the volume's number", volume)?;
    Ok(Row {
        time_ns: microseconds_ns(time_us)?,
        volume,
        op: letter(opcode)?,
        offset_bytes: number("the offset", offset)?,
        length_bytes: number::<u32>("the length", length)?.into(),
        response_ns: None,
    })
}

fn tencent(line: &str) -> Result<Row<'_>, Mistake> {
    let words: [&str; 5] = columns(line.split(','), Volumes::Tencent.columns())?;
    let [time, offset, size, kind, volume] = words;
    let time_s: u64 = number("the time", time)?;
    number::<u64>("the volume's number", volume)?;
    let sectors: u32 = number("the size", size)?;
    let (offset_bytes, length_bytes) =
        place_of_sectors(number("the offset", offset)?, sectors.into())?;
    Ok(Row {
        time_ns: microseconds_ns(time_s.saturating_mul(1_000_000))?,
        volume,
        op: match kind {
            "0" => Op::Read,
            "1" => Op::Write,
            _ => return Err(Mistake::new(format!("the type is \"{kind}\""), "0 (read) or 1")),
        },
        offset_bytes,
        length_bytes,
        response_ns: None,
    })
}

fn spc(line: &str) -> Result<Row<'_>, Mistake> {
    let words: [&str; 5] = columns(line.split(',').take(5), Volumes::Spc.columns())?;
    let [unit, lba, size, opcode, time] = words.map(str::trim);
    number::<u64>("the storage unit", unit)?;
    let (offset_bytes, _) = place_of_sectors(number("the LBA", lba)?, 0)?;
    Ok(Row {
        time_ns: seconds::ns(time)?,
        volume: unit,
        op: letter(opcode)?,
        offset_bytes,
        length_bytes: number::<u32>("the size", size)?.into(),
        response_ns: None,
    })
}

fn letter(word: &str) -> Result<Op, Mistake> {
    match word {
        "R" | "r" => Ok(Op::Read),
        "W" | "w" => Ok(Op::Write),
        _ => Err(Mistake::new(format!("the operation is \"{word}\""), "R or W")),
    }
}

fn microseconds_ns(us: u64) -> Result<u64, Mistake> {
    us.checked_mul(1000)
        .ok_or_else(|| Mistake::new("the time is too large".to_owned(), "less than 2^64 ns"))
}
