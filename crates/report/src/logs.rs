// SPDX-License-Identifier: MIT OR Apache-2.0
//! fio's logs: `write_lat_log`, `write_bw_log`, `write_iops_log`, `log_avg_msec`.

use crate::recorder::{Direction, Recorder};
use std::fmt::Write;

/// Which logs a process keeps: each by the prefix of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSettings {
    /// Prefix of the latency logs (`_slat`, `_clat` and `_lat`).
    pub latency: Option<String>,
    /// Prefix of the bandwidth log.
    pub bandwidth: Option<String>,
    /// Prefix of the log of I/Os per second.
    pub iops: Option<String>,
    /// Entries are means over windows of this many ns; 0: one entry for each I/O.
    pub average_ns: u64,
    /// Whether the process's I/Os have real-time priority (the last column).
    pub high_priority: bool,
}

/// What a log file tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    /// Submission latency, ns.
    SubmissionLatency,
    /// Completion latency, ns.
    CompletionLatency,
    /// Total latency, ns.
    TotalLatency,
    /// Bandwidth, KiB per second.
    Bandwidth,
    /// I/Os per second; 1 for each I/O where there are no windows, as fio has it.
    Iops,
}

impl LogKind {
    const ALL: [Self; 5] = [
        Self::SubmissionLatency,
        Self::CompletionLatency,
        Self::TotalLatency,
        Self::Bandwidth,
        Self::Iops,
    ];

    fn suffix(self) -> &'static str {
        match self {
            Self::SubmissionLatency => "slat",
            Self::CompletionLatency => "clat",
            Self::TotalLatency => "lat",
            Self::Bandwidth => "bw",
            Self::Iops => "iops",
        }
    }

    fn is_latency(self) -> bool {
        !matches!(self, Self::Bandwidth | Self::Iops)
    }

    fn prefix(self, settings: &LogSettings) -> Option<&str> {
        match self {
            Self::Bandwidth => settings.bandwidth.as_deref(),
            Self::Iops => settings.iops.as_deref(),
            _ => settings.latency.as_deref(),
        }
    }
}

/// A completed I/O, or the sum of those of a window: a line of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Time of completion since the recording began.
    pub(crate) time_ns: u64,
    pub(crate) direction: Direction,
    pub(crate) ios: u64,
    pub(crate) bytes: u64,
    pub(crate) slat_ns: Option<u64>,
    pub(crate) clat_ns: u64,
    pub(crate) lat_ns: u64,
    /// The time over which `bytes` are a rate.
    pub(crate) span_ns: u64,
}

impl Entry {
    /// The sum of a window and one more I/O.
    fn plus(self, io: Self) -> Self {
        Self {
            ios: self.ios + io.ios,
            bytes: self.bytes + io.bytes,
            slat_ns: self.slat_ns.zip(io.slat_ns).map(|(sum_ns, one_ns)| sum_ns + one_ns),
            clat_ns: self.clat_ns + io.clat_ns,
            lat_ns: self.lat_ns + io.lat_ns,
            ..io
        }
    }
}

/// One process's log, from which all its files are written.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    settings: LogSettings,
    entries: Vec<Entry>,
    /// Windows that are not over, one a direction.
    open: [Option<Entry>; 3],
    window_start_ns: [u64; 3],
}

impl Log {
    pub(crate) fn new(settings: LogSettings) -> Self {
        Self { settings, entries: Vec::new(), open: [None; 3], window_start_ns: [0; 3] }
    }

    /// Which logs it keeps.
    pub(crate) fn into_settings(self) -> LogSettings {
        self.settings
    }

    /// Takes an I/O.
    pub(crate) fn add(&mut self, io: Entry) {
        if self.settings.average_ns == 0 {
            self.entries.push(io);
            return;
        }
        let index = io.direction as usize;
        let sum = self.open[index].take().map_or(io, |sum| sum.plus(io));
        let span_ns = io.time_ns - self.window_start_ns[index];
        if span_ns >= self.settings.average_ns {
            self.window_start_ns[index] = io.time_ns;
            self.entries.push(Entry { span_ns, ..sum });
        } else {
            self.open[index] = Some(sum);
        }
    }

    fn file(&self, kind: LogKind) -> String {
        let mut text = String::new();
        // Like fio, latencies of a window that the end cut short are still told, rates are not.
        let cut_short = self.open.iter().flatten().filter(|_| kind.is_latency());
        for entry in self.entries.iter().chain(cut_short) {
            let value = match kind {
                LogKind::SubmissionLatency => match entry.slat_ns {
                    Some(slat_ns) => slat_ns / entry.ios,
                    None => continue,
                },
                LogKind::CompletionLatency => entry.clat_ns / entry.ios,
                LogKind::TotalLatency => entry.lat_ns / entry.ios,
                LogKind::Bandwidth => {
                    let span_ns = u128::from(entry.span_ns.max(1));
                    (u128::from(entry.bytes) * 1_000_000_000 / span_ns / 1024) as u64
                }
                LogKind::Iops if self.settings.average_ns == 0 => 1,
                LogKind::Iops => {
                    let span_ns = u128::from(entry.span_ns.max(1));
                    (u128::from(entry.ios) * 1_000_000_000 / span_ns) as u64
                }
            };
            let block_bytes = if self.settings.average_ns == 0 { entry.bytes } else { 0 };
            let (time_ms, direction) = (entry.time_ns / 1_000_000, entry.direction as u8);
            let priority = u8::from(self.settings.high_priority);
            writeln!(text, "{time_ms}, {value}, {direction}, {block_bytes}, {priority}")
                .expect("writing to a string cannot fail");
        }
        text
    }
}

/// The log files of a run: their names and texts, in fio's format (milliseconds, value, direction,
/// block size, priority).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFiles(pub Vec<(String, String)>);

impl LogFiles {
    /// The logs of all processes, in order. Files are called `PREFIX_KIND.NUMBER.log`, the number
    /// that of the process counted from 1; `infix` (empty, or the names that tell several runs
    /// apart) follows the prefix.
    pub fn of<'a>(recorders: impl IntoIterator<Item = &'a Recorder>, infix: &str) -> Self {
        let mut files = Vec::new();
        for (index, recorder) in recorders.into_iter().enumerate() {
            let Some(log) = &recorder.logs else { continue };
            for kind in LogKind::ALL {
                if let Some(prefix) = kind.prefix(&log.settings) {
                    let name = format!("{prefix}{infix}_{}.{}.log", kind.suffix(), index + 1);
                    files.push((name, log.file(kind)));
                }
            }
        }
        Self(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::Sample;

    const MS: u64 = 1_000_000;

    fn logged(average_ns: u64) -> Recorder {
        let settings = LogSettings {
            latency: Some("l".into()),
            bandwidth: Some("b".into()),
            iops: Some("i".into()),
            average_ns,
            ..LogSettings::default()
        };
        let mut recorder = Recorder::new(true, Some(settings));
        recorder.start(10 * MS);
        for (created_ms, done_ms) in [(10, 14), (14, 20), (20, 30), (30, 31)] {
            let sample = Sample {
                direction: Direction::Write,
                bytes: 4096,
                created_ns: created_ms * MS,
                accepted_ns: created_ms * MS + 1000,
            };
            recorder.completed(done_ms * MS, &sample);
        }
        recorder
    }

    #[test]
    fn one_line_for_each_io() {
        let files = LogFiles::of([&Recorder::new(false, None), &logged(0)], "").0;
        let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            ["l_slat.2.log", "l_clat.2.log", "l_lat.2.log", "b_bw.2.log", "i_iops.2.log"]
        );
        assert_eq!(files[0].1.lines().next(), Some("4, 1000, 1, 4096, 0"));
        assert_eq!(files[2].1.lines().nth(2), Some("20, 10000000, 1, 4096, 0"));
        assert_eq!(files[3].1.lines().next(), Some("4, 1000, 1, 4096, 0")); // 4 KiB in 4 ms
        assert_eq!(files[4].1.lines().next(), Some("4, 1, 1, 4096, 0"));
    }

    #[test]
    fn means_over_windows() {
        let files = LogFiles::of([&logged(10 * MS)], "-hdd-bfq").0;
        // 0 to 10 ms: 4 and 6 ms; 10 to 20 ms: 10 ms; then 1 ms, cut short.
        assert_eq!(files[2].0, "l-hdd-bfq_lat.1.log");
        assert_eq!(
            files[2].1,
            "10, 5000000, 1, 0, 0\n20, 10000000, 1, 0, 0\n21, 1000000, 1, 0, 0\n"
        );
        assert_eq!(files[3].1, "10, 800, 1, 0, 0\n20, 400, 1, 0, 0\n");
        assert_eq!(files[4].1, "10, 200, 1, 0, 0\n20, 100, 1, 0, 0\n");
    }
}
