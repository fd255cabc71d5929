// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who did I/O in a recording, for those who don't know yet what to ask about.

use crate::look::Look;
use crate::processes::ProgramRow;
use base::text::{size, time, wrapped};
use serde::Serialize;
use std::fmt::Write;

/// What stands at the right of the table of programs: five figures, with blanks before.
const FIGURES_LETTERS: usize = 56;

/// Who did I/O in a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overview {
    /// The version of the program.
    #[serde(rename = "bfq version")]
    pub bfq_version: String,
    /// Name of the device.
    pub device: String,
    /// Its scheduler: `bfq` or `tfq`.
    pub scheduler: String,
    /// How long the recording is, ns.
    pub elapsed_ns: u64,
    /// Whether it begins when the scheduler was attached.
    pub from_attach: bool,
    /// Records that are missing in it, for want of room in the ring.
    pub lost: u64,
    /// The programs, the one with the most requests first.
    pub programs: Vec<ProgramRow>,
}

impl Overview {
    /// The overview as text for people.
    pub fn text(&self, look: Look) -> String {
        let mut text = String::new();
        let since = if self.from_attach { ", from attach on" } else { "" };
        let (device, scheduler) = (&self.device, &self.scheduler);
        let _ = writeln!(text, "{device} under {scheduler}, {}{since}\n", time(self.elapsed_ns));
        if self.programs.is_empty() {
            text.push_str("No process did any I/O.\n");
        } else {
            self.table(&mut text, look);
            text.push_str("\n--job NAME says where the time of one of them went.\n");
        }
        if self.lost > 0 {
            let _ = writeln!(
                text,
                "\nNote: {} records were lost, for want of room in the ring.",
                self.lost
            );
        }
        text
    }

    fn table(&self, text: &mut String, look: Look) {
        let names: Vec<String> = self.programs.iter().map(name).collect();
        let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let width = widest.min(look.columns().saturating_sub(FIGURES_LETTERS)).max(16);
        let _ = writeln!(
            text,
            "{:width$} {:>9} {:>11} {:>11} {:>10} {:>10}",
            "Who did I/O", "requests", "read", "written", "each took", "at most"
        );
        for (row, name) in self.programs.iter().zip(names) {
            let mut name = wrapped(&name, width).into_iter();
            let _ = writeln!(
                text,
                "{:width$} {:>9} {:>11} {:>11} {:>10} {:>10}",
                name.next().unwrap_or_default(),
                row.ios,
                amount(row.read_bytes),
                amount(row.written_bytes),
                time(row.latency_ns / row.ios.max(1)),
                time(row.latency_max_ns)
            );
            for line in name {
                let _ = writeln!(text, "  {line}");
            }
        }
    }

    /// As JSON, with a newline at its end.
    pub fn to_json(&self) -> String {
        // Maps have string keys and there are no floats: it cannot fail.
        serde_json::to_string_pretty(self).expect("an overview is JSON") + "\n"
    }
}

fn name(row: &ProgramRow) -> String {
    let group = row.group.as_ref().map_or(String::new(), |path| format!(" ({path})"));
    match row.processes {
        1 => format!("{}{group}", row.name),
        count => format!("{}, {count} processes{group}", row.name),
    }
}

/// An amount of data; a dash for none.
fn amount(bytes: u64) -> String {
    match bytes {
        0 => "-".to_owned(),
        _ => size(bytes),
    }
}
