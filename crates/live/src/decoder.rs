// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the bytes of a trace event to what it says, by the layouts that the kernel tells in
//! `events/block/NAME/format`.

use crate::event::{BlockEvent, BlockEventKind, DeviceId, Name};
use std::collections::BTreeMap;

/// Where a field is in an event.
#[derive(Clone, Copy, Debug)]
struct Field {
    offset: usize,
    length: usize,
}

/// The fields of a kind of event.
#[derive(Clone, Copy, Debug)]
struct Layout {
    kind: BlockEventKind,
    thread: Field,
    device: Field,
    sector: Field,
    sectors: Field,
    letters: Field,
    /// Completions do not tell who ran.
    name: Option<Field>,
}

/// Decodes events of the block layer.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    layouts: BTreeMap<u16, Layout>,
}

/// A layout is not one of an event of the block layer.
#[derive(Debug, thiserror::Error)]
#[error("the kernel's event {event} has no field {field}; expected one of Linux 5.10 or newer")]
pub struct FormatError {
    /// Name of the event.
    pub event: &'static str,
    /// Name of the field that the event lacks.
    pub field: &'static str,
}

impl Decoder {
    /// The events that are decoded: their names in `events/block`, and what they mean.
    pub const EVENTS: [(&'static str, BlockEventKind); 4] = [
        ("block_bio_queue", BlockEventKind::Queued),
        ("block_rq_issue", BlockEventKind::Issued),
        ("block_rq_requeue", BlockEventKind::Requeued),
        ("block_rq_complete", BlockEventKind::Completed),
    ];

    /// By the texts of the files `format`, one for each of [`EVENTS`](Self::EVENTS).
    ///
    /// # Errors
    /// If one of them lacks a field.
    pub fn new(format_of: impl Fn(&str) -> String) -> Result<Self, FormatError> {
        let mut decoder = Decoder::default();
        for (event, kind) in Decoder::EVENTS {
            let text = format_of(event);
            let need = |field| field_of(&text, field).ok_or(FormatError { event, field });
            let number = text.lines().find_map(|line| line.strip_prefix("ID:"));
            let number = number.and_then(|number| number.trim().parse().ok());
            let layout = Layout {
                kind,
                thread: need("common_pid")?,
                device: need("dev")?,
                sector: need("sector")?,
                sectors: need("nr_sector")?,
                letters: need("rwbs")?,
                name: field_of(&text, "comm"),
            };
            decoder.layouts.insert(number.ok_or(FormatError { event, field: "ID" })?, layout);
        }
        Ok(decoder)
    }

    /// What an event says; none if it is of another kind, or no I/O on blocks.
    pub fn decode(&self, time_ns: u64, bytes: &[u8]) -> Option<BlockEvent> {
        let number = u16::from_ne_bytes(*bytes.first_chunk()?);
        let layout = self.layouts.get(&number)?;
        let letters = layout.letters.bytes(bytes)?;
        let end = letters.iter().position(|&byte| byte == 0).unwrap_or(letters.len());
        let letters = std::str::from_utf8(&letters[..end]).ok()?;
        let sectors = layout.sectors.number(bytes)? as u32;
        let (op, flags) = trace::operation(letters, sectors.into())?;
        let mut name = Name::default();
        if let Some(field) = layout.name {
            let bytes = field.bytes(bytes)?;
            let length = bytes.len().min(15);
            name.0[..length].copy_from_slice(&bytes[..length]);
        }
        Some(BlockEvent {
            time_ns,
            kind: layout.kind,
            device: DeviceId(layout.device.number(bytes)? as u32),
            thread: layout.thread.number(bytes)? as u32,
            name,
            op,
            flags,
            sector: layout.sector.number(bytes)?,
            sectors,
        })
    }
}

impl Field {
    fn bytes(self, event: &[u8]) -> Option<&[u8]> {
        event.get(self.offset..self.offset + self.length)
    }

    fn number(self, event: &[u8]) -> Option<u64> {
        let bytes = self.bytes(event)?;
        Some(match bytes.len() {
            8 => u64::from_ne_bytes(*bytes.first_chunk()?),
            4 => u32::from_ne_bytes(*bytes.first_chunk()?).into(),
            _ => u16::from_ne_bytes(*bytes.first_chunk()?).into(),
        })
    }
}

/// A line of a format: `field:TYPE NAME[LENGTH]; offset:8; size:4; signed:0;`.
fn field_of(text: &str, name: &str) -> Option<Field> {
    text.lines().find_map(|line| {
        let mut parts = line.trim().strip_prefix("field:")?.split(';').map(str::trim);
        let declared = parts.next()?.rsplit(' ').next()?;
        if declared.split('[').next()? != name {
            return None;
        }
        let number = |part: &str, key| part.strip_prefix(key)?.parse().ok();
        let offset = number(parts.next()?, "offset:")?;
        Some(Field { offset, length: number(parts.next()?, "size:")? })
    })
}
