// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a section that replays a trace: which of its options have no effect.

use super::Draft;
use crate::parse::lines::Origin;

/// What the trace says itself: which I/O there is, where, and how much of it.
const OF_THE_TRACE: [&str; 25] = [
    "rw",
    "rw_sequencer",
    "rwmixread",
    "rwmixwrite",
    "bs",
    "bsrange",
    "bssplit",
    "norandommap",
    "random_distribution",
    "size",
    "io_size",
    "loops",
    "time_based",
    "offset",
    "offset_increment",
    "offset_align",
    "zonemode",
    "filename",
    "filename_format",
    "nrfiles",
    "file_service_type",
    "fsync",
    "fdatasync",
    "end_fsync",
    "serialize_overlap",
];

impl Draft {
    /// Notes the options of the section that a replay passes over. Those of `[global]` are for the
    /// jobs beside it, but for names of files.
    pub(super) fn note_passed_over(&mut self, section: &Origin) {
        for option in OF_THE_TRACE {
            let from = if option == "filename" { 0 } else { self.global_settings };
            let mut settings = self.settings[from..].iter().rev();
            let setting = settings.find(|setting| setting.option == option);
            // Set to 0 it says what a replay does.
            if setting.is_none_or(|setting| setting.value.as_deref() == Some("0")) {
                continue;
            }
            let instead = if option == "filename" { "; replay_redirect would" } else { "" };
            let text = format!("option \"{option}\" has no effect with read_iolog{instead}");
            let origin = self.origin_of(option, section).clone();
            self.note(&origin, text);
        }
    }
}
