// SPDX-License-Identifier: MIT OR Apache-2.0
//! The settings of the layer itself, by the kernel's names (`/sys/block/<disk>/queue/...`), and
//! what the device allows.

use crate::free_tags::TagSearch;
use crate::tunable::{NumberError, NumberSyntax};
use base::Op;
use base::suggest::meant_or_all;

/// What the layer has to know of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceLimits {
    /// How many requests it holds at a time; 0 counts as 1.
    pub depth: u32,
    /// Whether it is a rotating disk.
    pub rotational: bool,
    /// The largest read or write it takes, sectors; 0 counts as 1.
    pub max_sectors: u32,
    /// The largest discard it takes, sectors; 0: it cannot discard.
    pub max_discard_sectors: u32,
    /// Its size, in sectors of 512 bytes.
    pub capacity_sectors: u64,
}

impl DeviceLimits {
    /// A device of that depth and kind with no other limits worth the name: requests up to 32 MiB,
    /// discards up to 1 TiB, 2⁶³ sectors.
    pub fn new(depth: u32, rotational: bool) -> DeviceLimits {
        DeviceLimits {
            depth,
            rotational,
            max_sectors: 65536,
            max_discard_sectors: 1 << 31,
            capacity_sectors: 1 << 63,
        }
    }
}

/// How much merging is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum NoMerges {
    /// All of it (0).
    #[default]
    All,
    /// Only the cheap attempts: the tail of the plug, the elevator's one-entry hint (1).
    OneHit,
    /// No merging at all (2).
    Off,
}

/// The settings as asked for; [`QueueSettings::default`] is what the kernel starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueSettings {
    /// Size of the request pool; `None`: 2·min(depth, 128), or the device's depth under an elevator
    /// that uses the device's own tags (none), for which it is also the maximum.
    pub nr_requests: Option<u32>,
    /// The largest read or write, KiB; cut to what the device takes.
    pub max_sectors_kb: u32,
    /// How much merging is tried.
    pub nomerges: NoMerges,
    /// How far a page cache should read ahead, KiB. Kept for it; the layer itself has no
    /// use for it.
    pub read_ahead_kb: u32,
    /// How the pool looks for a free tag. A property of the host, which users cannot set.
    pub tag_search: TagSearch,
    /// Who runs the dispatch loop after a submission. Another one.
    pub submitter_runs: SubmitterRuns,
}

/// Who runs the dispatch loop after a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SubmitterRuns {
    /// A worker, when all that happens at the instant has happened. Requests that come at the same
    /// instant can be merged and sorted before one of them goes to the device.
    #[default]
    Never,
    /// As Linux 6.1, for comparisons with its recordings. A write to a block device goes through a
    /// plug of its own, so that its submitter runs the loop at once; a read leaves that to the
    /// worker. Without a scheduler every request goes straight to the device.
    Linux6_1,
}

impl Default for QueueSettings {
    fn default() -> QueueSettings {
        QueueSettings {
            nr_requests: None,
            max_sectors_kb: 1280,
            nomerges: NoMerges::All,
            read_ahead_kb: 128,
            tag_search: TagSearch::LowestFirst,
            submitter_runs: SubmitterRuns::Never,
        }
    }
}

/// Why settings are not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no such setting.
    #[error("no queue setting `{name}`{}", meant_or_all(name, &names()))]
    Unknown {
        /// The setting name as the caller wrote it.
        name: String,
    },
    /// The value is not a number.
    #[error("{name}={value}: expected a decimal number")]
    NotANumber {
        /// Name of the setting.
        name: &'static str,
        /// The value as the caller wrote it, which is no decimal number.
        value: String,
    },
    /// The value is out of range.
    #[error("{name}={value}: expected a number from {min} to {max} ({unit})")]
    OutOfRange {
        /// Name of the setting.
        name: &'static str,
        /// The value as the caller wrote it, which is outside `min..=max`.
        value: String,
        /// The least value taken.
        min: u32,
        /// The greatest value taken.
        max: u32,
        /// The unit of both.
        unit: &'static str,
    },
    /// A part of the list is not of the form `name=value`.
    #[error("`{0}`: expected name=value")]
    Syntax(String),
}

/// The names of all settings.
fn names() -> Vec<&'static str> {
    SETTINGS.iter().map(|row| row.name).collect()
}

/// A row of the table of settings.
#[derive(Debug)]
pub struct SettingSpec {
    /// Name of the setting.
    pub name: &'static str,
    /// Unit of the value.
    pub unit: &'static str,
    /// The least value taken.
    pub min: u32,
    /// The greatest value taken.
    pub max: u32,
    /// What the setting does, as a phrase for documents.
    pub doc: &'static str,
    /// Reads it; `None`: not set, the default depends on elevator and device.
    pub get: fn(&QueueSettings) -> Option<u32>,
    set: fn(&mut QueueSettings, u32),
}

/// All settings of a queue.
pub const SETTINGS: &[SettingSpec] = &[
    SettingSpec {
        name: "nr_requests",
        unit: "requests",
        min: 1,
        max: 10240,
        doc: "size of the request pool; by default 2·min(device depth, 128), for none the device \
            depth (its maximum there)",
        get: |settings| settings.nr_requests,
        set: |settings, value| settings.nr_requests = Some(value),
    },
    SettingSpec {
        name: "max_sectors_kb",
        unit: "KiB",
        min: 4,
        max: 1 << 20,
        doc: "largest read or write request, by splitting and merging; cut to what the device \
            takes",
        get: |settings| Some(settings.max_sectors_kb),
        set: |settings, value| settings.max_sectors_kb = value,
    },
    SettingSpec {
        name: "nomerges",
        unit: "level",
        min: 0,
        max: 2,
        doc: "0: all merging; 1: only the simple one-hit cache; 2: none",
        get: |settings| Some(settings.nomerges as u32),
        set: |settings, value| {
            settings.nomerges = match value {
                0 => NoMerges::All,
                1 => NoMerges::OneHit,
                _ => NoMerges::Off,
            };
        },
    },
    SettingSpec {
        name: "read_ahead_kb",
        unit: "KiB",
        min: 0,
        max: 1 << 20,
        doc: "how far a page cache reads ahead",
        get: |settings| Some(settings.read_ahead_kb),
        set: |settings, value| settings.read_ahead_kb = value,
    },
];

impl QueueSettings {
    /// Reads `name=value,name=value,...`; what is not named keeps its default.
    ///
    /// # Errors
    /// The first part that is not understood.
    pub fn parse(list: &str) -> Result<QueueSettings, SettingError> {
        let mut settings = QueueSettings::default();
        for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((name, value)) = part.split_once('=') else {
                return Err(SettingError::Syntax(part.to_owned()));
            };
            settings.set(name.trim(), value.trim())?;
        }
        Ok(settings)
    }

    /// Sets one setting.
    ///
    /// # Errors
    /// An unknown name, or a value that is no number or out of range; nothing is changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
        let Some(row) = SETTINGS.iter().find(|row| row.name == name) else {
            return Err(SettingError::Unknown { name: name.to_owned() });
        };
        let out_of_range = || SettingError::OutOfRange {
            name: row.name,
            value: value.to_owned(),
            min: row.min,
            max: row.max,
            unit: row.unit,
        };
        let number = NumberSyntax::Unsigned.parse(value).map_err(|error| match error {
            NumberError::NotANumber => {
                SettingError::NotANumber { name: row.name, value: value.to_owned() }
            }
            NumberError::TooLarge => out_of_range(),
        })?;
        let number = u32::try_from(number).map_err(|_| out_of_range())?;
        if !(row.min..=row.max).contains(&number) {
            return Err(out_of_range());
        }
        (row.set)(self, number);
        Ok(())
    }

    /// The size of the pool on that device, under an elevator that uses the device's tags or not.
    pub fn pool_size(&self, limits: &DeviceLimits, device_tags: bool) -> u32 {
        let depth = limits.depth.max(1);
        if device_tags {
            self.nr_requests.unwrap_or(depth).clamp(1, depth)
        } else {
            self.nr_requests.unwrap_or(2 * depth.min(128)).max(1)
        }
    }

    /// The largest read or write on that device, sectors.
    pub fn max_sectors(&self, limits: &DeviceLimits) -> u32 {
        self.max_sectors_kb.saturating_mul(2).min(limits.max_sectors).max(1)
    }

    /// The largest request of each operation on that device, sectors. A flush has no size.
    pub(crate) fn max_sectors_by_op(&self, limits: &DeviceLimits) -> [u32; Op::ALL.len()] {
        Op::ALL.map(|op| match op {
            Op::Read | Op::Write => self.max_sectors(limits),
            Op::Discard => limits.max_discard_sectors,
            Op::Flush => u32::MAX,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_by_the_kernels_names() {
        let settings =
            QueueSettings::parse("nr_requests=64, max_sectors_kb=1024,nomerges=2,read_ahead_kb=0");
        assert_eq!(
            settings,
            Ok(QueueSettings {
                nr_requests: Some(64),
                max_sectors_kb: 1024,
                nomerges: NoMerges::Off,
                read_ahead_kb: 0,
                ..QueueSettings::default()
            })
        );
        assert_eq!(QueueSettings::parse(""), Ok(QueueSettings::default()));
    }

    #[test]
    fn what_is_wrong_is_said_once_and_clearly() {
        for (list, message) in [
            ("nr_request=64", "no queue setting `nr_request`; did you mean `nr_requests`?"),
            (
                "depth=3",
                "no queue setting `depth`; there are: nr_requests, max_sectors_kb, nomerges, \
                 read_ahead_kb",
            ),
            ("nomerges=3", "nomerges=3: expected a number from 0 to 2 (level)"),
            ("nr_requests=0", "nr_requests=0: expected a number from 1 to 10240 (requests)"),
            ("max_sectors_kb=0x10", "max_sectors_kb=0x10: expected a decimal number"),
            (
                "read_ahead_kb=99999999999999999999",
                "read_ahead_kb=99999999999999999999: expected a number from 0 to 1048576 (KiB)",
            ),
            ("nomerges", "`nomerges`: expected name=value"),
        ] {
            let error = QueueSettings::parse(list).expect_err(list);
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn the_default_pool_follows_the_device() {
        let unset = QueueSettings::default();
        let set = QueueSettings { nr_requests: Some(100), ..unset };
        for (depth, elevator, none, set_elevator, set_none) in [
            (1, 2, 1, 100, 1),
            (32, 64, 32, 100, 32),
            (128, 256, 128, 100, 100),
            (1024, 256, 1024, 100, 100),
        ] {
            let limits = DeviceLimits::new(depth, false);
            assert_eq!(unset.pool_size(&limits, false), elevator, "depth {depth}");
            assert_eq!(unset.pool_size(&limits, true), none, "depth {depth}, none");
            assert_eq!(set.pool_size(&limits, false), set_elevator, "depth {depth}, set");
            assert_eq!(set.pool_size(&limits, true), set_none, "depth {depth}, none, set");
        }
    }
}
