// SPDX-License-Identifier: MIT OR Apache-2.0
//! fio's logs: `write_lat_log`, `write_bw_log`, `write_iops_log`, `log_avg_msec`.

use crate::log::LogKind;
use crate::recorder::Recorder;

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
    use crate::log::LogSettings;
    use crate::recorder::Sample;
    use base::Direction;

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
