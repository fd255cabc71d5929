// SPDX-License-Identifier: MIT OR Apache-2.0
//! One process's log of its I/Os, from which its files are written.

use base::Direction;

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

/// A completed I/O, or the sum of those of a window: a line of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogEntry {
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

impl LogEntry {
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
    pub(crate) settings: LogSettings,
    entries: Vec<LogEntry>,
    /// Windows that are not over, one a direction.
    open: [Option<LogEntry>; 3],
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

    /// Adds an I/O to the log, or to the window that is averaged.
    #[inline(never)]
    pub(crate) fn add(&mut self, io: LogEntry) {
        if self.settings.average_ns == 0 {
            self.entries.push(io);
            return;
        }
        let index = io.direction as usize;
        let sum = self.open[index].take().map_or(io, |sum| sum.plus(io));
        let span_ns = io.time_ns - self.window_start_ns[index];
        if span_ns >= self.settings.average_ns {
            self.window_start_ns[index] = io.time_ns;
            self.entries.push(LogEntry { span_ns, ..sum });
        } else {
            self.open[index] = Some(sum);
        }
    }

    pub(crate) fn file(&self, kind: LogKind) -> String {
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
            let line = format!("{time_ms}, {value}, {direction}, {block_bytes}, {priority}\n");
            text.push_str(&line);
        }
        text
    }
}

/// What a log file tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    /// Submission latency, ns: from the decision to do the I/O until it is submitted.
    SubmissionLatency,
    /// Completion latency, ns: from the submission until the I/O is complete.
    CompletionLatency,
    /// Total latency, ns: from the decision to do the I/O until it is complete.
    TotalLatency,
    /// Bandwidth, KiB per second.
    Bandwidth,
    /// I/Os per second; 1 for each I/O where there are no windows, as fio has it.
    Iops,
}

impl LogKind {
    pub(crate) const ALL: [Self; 5] = [
        Self::SubmissionLatency,
        Self::CompletionLatency,
        Self::TotalLatency,
        Self::Bandwidth,
        Self::Iops,
    ];

    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::SubmissionLatency => "slat",
            Self::CompletionLatency => "clat",
            Self::TotalLatency => "lat",
            Self::Bandwidth => "bw",
            Self::Iops => "iops",
        }
    }

    pub(crate) fn is_latency(self) -> bool {
        !matches!(self, Self::Bandwidth | Self::Iops)
    }

    pub(crate) fn prefix(self, settings: &LogSettings) -> Option<&str> {
        match self {
            Self::Bandwidth => settings.bandwidth.as_deref(),
            Self::Iops => settings.iops.as_deref(),
            _ => settings.latency.as_deref(),
        }
    }
}
