//! A model of the page cache, for jobs with `direct=0`.

mod settings;

pub use settings::{
    CACHE_SETTINGS, CacheSettingError, CacheSettingSpec, CacheSettings, DirtyLimit,
};

/// Bytes of a page.
pub const PAGE_BYTES: u64 = 4096;
