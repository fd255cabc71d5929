// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a trace takes the place of a pattern: `read_iolog`, `replay_*`.

use base::SECTOR_BYTES;

/// When the I/Os of a trace are issued (`replay_mode`, which fio doesn't have).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayMode {
    /// `timed`: at the recorded times, whatever the target does.
    #[default]
    Timed,
    /// `chain`: when what each waited for has completed, and the recorded gap has passed.
    Chain,
    /// `fast`: when what each waited for has completed.
    Fast,
}

impl ReplayMode {
    /// All modes, in the order in which they are listed.
    pub const ALL: [ReplayMode; 3] = [ReplayMode::Timed, ReplayMode::Chain, ReplayMode::Fast];

    /// What it is called in job files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            ReplayMode::Timed => "timed",
            ReplayMode::Chain => "chain",
            ReplayMode::Fast => "fast",
        }
    }

    /// The mode of that name.
    ///
    /// # Errors
    /// If there is none, with what was expected.
    pub fn by_name(name: &str) -> Result<ReplayMode, String> {
        let known = ReplayMode::ALL.into_iter().find(|mode| mode.name() == name);
        known.ok_or_else(|| "expected timed, chain or fast".to_owned())
    }
}

/// How a trace is replayed (`replay_*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaySettings {
    /// `replay_mode`; none: not given. fio's own logs are then replayed as fio does, everything
    /// else is timed.
    pub mode: Option<ReplayMode>,
    /// The format of the trace (`replay_format`); none: known by its content.
    pub format: Option<trace::Format>,
    /// Pass over records that are wrong (`replay_skip_bad`).
    pub skip_bad: bool,
    /// What offsets are divided by (`replay_scale`).
    pub offset_scale: u64,
    /// What offsets are rounded down to, and lengths up, bytes (`replay_align`).
    pub align_bytes: Option<u64>,
    /// Ignore the log's times (`replay_no_stall`).
    pub no_stall: bool,
    /// Speed in percent of the recorded one (`replay_time_scale`).
    pub time_scale_percent: u32,
    /// The file that all of it goes to, instead of the recorded ones (`replay_redirect`).
    pub redirect: Option<String>,
    /// Leave out reads (`replay_skip`).
    pub skip_reads: bool,
    /// Leave out writes (`replay_skip`).
    pub skip_writes: bool,
    /// Leave out syncs (`replay_skip`).
    pub skip_syncs: bool,
    /// Leave out trims (`replay_skip`).
    pub skip_trims: bool,
}

impl Default for ReplaySettings {
    fn default() -> ReplaySettings {
        ReplaySettings {
            mode: None,
            format: None,
            skip_bad: false,
            offset_scale: 1,
            align_bytes: None,
            no_stall: false,
            time_scale_percent: 100,
            redirect: None,
            skip_reads: false,
            skip_writes: false,
            skip_syncs: false,
            skip_trims: false,
        }
    }
}

impl ReplaySettings {
    /// Where an I/O of a trace is replayed. Or what is wrong with it, and what was expected.
    pub(crate) fn placed(
        &self,
        offset_bytes: u64,
        length_bytes: u32,
    ) -> Result<(u64, u32), (String, &'static str)> {
        let wrong = || format!("I/O of {length_bytes} bytes at {offset_bytes}");
        let mut offset = offset_bytes / self.offset_scale.max(1);
        let mut length = u64::from(length_bytes);
        if self.offset_scale > 1 {
            offset -= offset % SECTOR_BYTES;
        }
        if let Some(align_bytes) = self.align_bytes {
            offset -= offset % align_bytes;
            // The sectors that it touches, be it moved or not.
            length = (offset_bytes % SECTOR_BYTES + length).next_multiple_of(SECTOR_BYTES);
        }
        if !offset.is_multiple_of(SECTOR_BYTES) || !length.is_multiple_of(SECTOR_BYTES) {
            return Err((wrong(), "multiples of 512 bytes, or replay_align=512"));
        }
        match u32::try_from(length) {
            Ok(length) if offset.checked_add(u64::from(length)).is_some() => Ok((offset, length)),
            _ => Err((wrong(), "less than 4 GiB, below 2^64")),
        }
    }
}
