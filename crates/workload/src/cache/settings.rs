// SPDX-License-Identifier: MIT OR Apache-2.0
//! The settings of the page cache: one table, with the kernel's names where the kernel has them
//! (`/proc/sys/vm/…`), and its defaults.

use base::suggest::{did_you_mean, nearest_of_families};

/// A limit on dirty pages: whichever of the two files was written last counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirtyLimit {
    /// Percent of the memory.
    Percent(u8),
    /// A number of bytes.
    Bytes(u64),
}

impl DirtyLimit {
    /// The limit in pages of a memory of that size.
    pub fn pages(self, memory_pages: u64) -> u64 {
        match self {
            DirtyLimit::Percent(percent) => memory_pages * u64::from(percent) / 100,
            DirtyLimit::Bytes(bytes) => bytes.div_ceil(base::PAGE_BYTES),
        }
    }
}

/// The settings; [`CacheSettings::default`] is what Linux starts with, on 8 GiB of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    /// Memory that the cache may fill, MiB; percentages are of it.
    pub memory_mb: u32,
    /// The dirty pages above which the flusher writes.
    pub dirty_background: DirtyLimit,
    /// The most dirty pages and pages being written that there may be: writers wait.
    pub dirty: DirtyLimit,
    /// How long files are dirty before the flusher's next round writes them, 10 ms.
    pub dirty_expire_centisecs: u32,
    /// The time between two rounds of the flusher, 10 ms; 0: no rounds.
    pub dirty_writeback_centisecs: u32,
    /// The pause between two calls of sync(2), ms; 0: there are none.
    pub sync_interval_ms: u32,
}

impl Default for CacheSettings {
    fn default() -> CacheSettings {
        CacheSettings {
            memory_mb: 8192,
            dirty_background: DirtyLimit::Percent(10),
            dirty: DirtyLimit::Percent(20),
            dirty_expire_centisecs: 3000,
            dirty_writeback_centisecs: 500,
            sync_interval_ms: 0,
        }
    }
}

/// A row of the table of settings.
#[derive(Debug)]
pub struct CacheSettingSpec {
    /// Name of the setting.
    pub name: &'static str,
    /// Unit of the value.
    pub unit: &'static str,
    /// The least value taken.
    pub min: u64,
    /// The greatest value taken.
    pub max: u64,
    /// What it is for.
    pub doc: &'static str,
    /// Its value. As in `/proc/sys/vm`, of a limit's two rows the one that is not in force is 0.
    pub get: fn(&CacheSettings) -> u64,
    set: fn(&mut CacheSettings, u64),
}

/// All settings of the cache.
pub const CACHE_SETTINGS: &[CacheSettingSpec] = &[
    CacheSettingSpec {
        name: "memory_mb",
        unit: "MiB",
        min: 1,
        max: 1 << 24,
        doc: "memory that the page cache may fill (ours; percentages are of it)",
        get: |settings| u64::from(settings.memory_mb),
        set: |settings, value| settings.memory_mb = value as u32,
    },
    CacheSettingSpec {
        name: "dirty_background_ratio",
        unit: "%",
        min: 0,
        max: 100,
        doc: "above this amount of dirty data the flusher writes",
        get: |settings| percent(settings.dirty_background),
        set: |settings, value| settings.dirty_background = DirtyLimit::Percent(value as u8),
    },
    CacheSettingSpec {
        name: "dirty_background_bytes",
        unit: "bytes",
        min: 1,
        max: 1 << 44,
        doc: "the same in bytes; the last of the two counts",
        get: |settings| bytes(settings.dirty_background),
        set: |settings, value| settings.dirty_background = DirtyLimit::Bytes(value),
    },
    CacheSettingSpec {
        name: "dirty_ratio",
        unit: "%",
        min: 0,
        max: 100,
        doc: "the most dirty data there may be: writers are slowed down on the way to it",
        get: |settings| percent(settings.dirty),
        set: |settings, value| settings.dirty = DirtyLimit::Percent(value as u8),
    },
    CacheSettingSpec {
        name: "dirty_bytes",
        unit: "bytes",
        min: 8192,
        max: 1 << 44,
        doc: "the same in bytes; the last of the two counts",
        get: |settings| bytes(settings.dirty),
        set: |settings, value| settings.dirty = DirtyLimit::Bytes(value),
    },
    CacheSettingSpec {
        name: "dirty_expire_centisecs",
        unit: "10 ms",
        min: 0,
        max: u32::MAX as u64,
        doc: "a file that has been dirty for so long is written at the flusher's next round",
        get: |settings| u64::from(settings.dirty_expire_centisecs),
        set: |settings, value| settings.dirty_expire_centisecs = value as u32,
    },
    CacheSettingSpec {
        name: "dirty_writeback_centisecs",
        unit: "10 ms",
        min: 0,
        max: u32::MAX as u64,
        doc: "time between two rounds of the flusher; 0: no rounds",
        get: |settings| u64::from(settings.dirty_writeback_centisecs),
        set: |settings, value| settings.dirty_writeback_centisecs = value as u32,
    },
    CacheSettingSpec {
        name: "sync_interval_ms",
        unit: "ms",
        min: 0,
        max: u32::MAX as u64,
        doc: "a process that calls sync(2) again and again, so long after the last has returned; \
              0: none (ours)",
        get: |settings| u64::from(settings.sync_interval_ms),
        set: |settings, value| settings.sync_interval_ms = value as u32,
    },
];

fn percent(limit: DirtyLimit) -> u64 {
    match limit {
        DirtyLimit::Percent(percent) => u64::from(percent),
        DirtyLimit::Bytes(_) => 0,
    }
}

fn bytes(limit: DirtyLimit) -> u64 {
    match limit {
        DirtyLimit::Percent(_) => 0,
        DirtyLimit::Bytes(bytes) => bytes,
    }
}

/// The name that was most likely meant, or all.
fn meant_or_all(nearest: Option<&str>) -> String {
    let all = || CACHE_SETTINGS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    if nearest.is_some() { did_you_mean(nearest) } else { format!("; there are: {}", all()) }
}

/// Why settings are not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheSettingError {
    /// There is no such setting.
    #[error("no page cache setting `{name}`{}", meant_or_all(*nearest))]
    Unknown {
        /// The setting's name as the caller wrote it.
        name: String,
        /// The known name that was most likely meant.
        nearest: Option<&'static str>,
    },
    /// The value is not a number in the range.
    #[error("{name}={value}: expected a number from {min} to {max} ({unit})")]
    Value {
        /// Name of the setting.
        name: &'static str,
        /// The value as the caller wrote it.
        value: String,
        /// The least value taken.
        min: u64,
        /// The greatest value taken.
        max: u64,
        /// The unit of both.
        unit: &'static str,
    },
    /// A part of the list is not of the form `name=value`.
    #[error("`{0}`: expected name=value")]
    Syntax(String),
}

impl CacheSettings {
    /// Reads `name=value,name=value,…`; what is not named keeps its default.
    ///
    /// # Errors
    /// The first part that is not understood.
    pub fn parse(list: &str) -> Result<CacheSettings, CacheSettingError> {
        let mut settings = CacheSettings::default();
        for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((name, value)) = part.split_once('=') else {
                return Err(CacheSettingError::Syntax(part.to_owned()));
            };
            settings.set(name.trim(), value.trim())?;
        }
        Ok(settings)
    }

    /// Sets one setting.
    ///
    /// # Errors
    /// An unknown name, or a value that is no number or out of range; nothing is changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), CacheSettingError> {
        let Some(row) = CACHE_SETTINGS.iter().find(|row| row.name == name) else {
            let nearest = nearest_of_families(name, CACHE_SETTINGS.iter().map(|row| row.name));
            return Err(CacheSettingError::Unknown { name: name.to_owned(), nearest });
        };
        let number = value.parse().ok().filter(|number| (row.min..=row.max).contains(number));
        let number = number.ok_or_else(|| CacheSettingError::Value {
            name: row.name,
            value: value.to_owned(),
            min: row.min,
            max: row.max,
            unit: row.unit,
        })?;
        (row.set)(self, number);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_ratio_and_its_bytes_the_last_counts() {
        let settings =
            CacheSettings::parse("dirty_ratio=40, dirty_bytes=1048576,dirty_background_bytes=8192");
        let settings = settings.unwrap();
        let value =
            |name| (CACHE_SETTINGS.iter().find(|row| row.name == name).unwrap().get)(&settings);
        assert_eq!((value("dirty_ratio"), value("dirty_bytes")), (0, 1 << 20));
        assert_eq!((value("dirty_background_ratio"), value("dirty_background_bytes")), (0, 8192));
        assert_eq!(settings.dirty.pages(1000), 256);
        assert_eq!(CacheSettings::default().dirty.pages(1000), 200);
    }

    #[test]
    fn what_is_wrong_is_said_clearly() {
        for (list, message) in [
            ("dirty_rato=3", "no page cache setting `dirty_rato`; did you mean `dirty_ratio`?"),
            ("dirty_ratio=101", "dirty_ratio=101: expected a number from 0 to 100 (%)"),
            ("memory_mb=x", "memory_mb=x: expected a number from 1 to 16777216 (MiB)"),
            ("memory_mb", "`memory_mb`: expected name=value"),
        ] {
            assert_eq!(CacheSettings::parse(list).expect_err(list).to_string(), message);
        }
    }
}
