// SPDX-License-Identifier: MIT OR Apache-2.0
//! How large and how long scenarios are: by the target and by the time that the user has.

use crate::model::Level;
use std::time::Duration;

impl Level {
    /// The time that it takes if the user names none.
    pub fn usual_time(self) -> Duration {
        Duration::from_secs(match self {
            Level::Quick => 4 * 60,
            Level::Normal => 15 * 60,
            Level::Thorough => 60 * 60,
        })
    }

    /// The size of a scratch file, if there is room for it, bytes.
    pub fn scratch_bytes(self) -> u64 {
        match self {
            Level::Quick => 1 << 30,
            Level::Normal => 4 << 30,
            Level::Thorough => 16 << 30,
        }
    }
}

/// How long what happens in a cell takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How long what is measured goes on.
    pub time: Duration,
    /// How long others are at work before what is measured begins. All of them have to have begun
    /// more than 180 ms earlier, or bfq takes it for a part of the same large program (spec, 4.7);
    /// see also [`PrimingReads::GAP`](crate::workers::PrimingReads::GAP).
    pub lead: Duration,
    /// When to give up what has not ended.
    pub limit: Duration,
}

impl Pace {
    /// That of a level.
    pub fn of(level: Level) -> Self {
        let [time_ms, lead_ms, limit_ms] = match level {
            Level::Quick => [300, 400, 5_000],
            Level::Normal => [1_000, 400, 15_000],
            Level::Thorough => [2_500, 800, 60_000],
        };
        let [time, lead, limit] = [time_ms, lead_ms, limit_ms].map(Duration::from_millis);
        Pace { time, lead, limit }
    }
}

/// The numbers that are filled into the job files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The part of the target that is used, from the beginning, bytes.
    pub used_bytes: u64,
    /// How long what is measured goes on.
    pub time: Duration,
    /// How long others are at work before what is measured begins.
    pub lead: Duration,
    /// When to give up what has not ended.
    pub limit: Duration,
}

/// The target has no room for the scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the target has room for {} MiB; expected at least {} MiB",
        room_bytes >> 20, Scale::LEAST_BYTES >> 20)]
pub struct TooSmall {
    room_bytes: u64,
}

/// The number of parts that the target is divided into: one for each of ten processes, and four
/// for a start-up.
const PARTS: u64 = 16;
const START_UP_PARTS: u64 = 4;
const BULK_PARTS: u64 = 12;

impl Scale {
    /// The smallest target, bytes.
    pub const LEAST_BYTES: u64 = 64 << 20;

    /// What suits a target with room for `room_bytes` bytes, at the pace of a level.
    ///
    /// # Errors
    /// [`TooSmall`].
    pub fn new(pace: Level, room_bytes: u64) -> Result<Self, TooSmall> {
        if room_bytes < Self::LEAST_BYTES {
            return Err(TooSmall { room_bytes });
        }
        let used_bytes = room_bytes - room_bytes % (PARTS << 20);
        let Pace { time, lead, limit } = Pace::of(pace);
        Ok(Scale { used_bytes, time, lead, limit })
    }

    /// Room for the reads of a start-up, bytes.
    pub fn start_up_bytes(&self) -> u64 {
        self.used_bytes / PARTS * START_UP_PARTS
    }

    /// A job file with the numbers in their places:
    ///
    /// | place | what |
    /// |---|---|
    /// | `{part}` | the file of one process of the load, bytes |
    /// | `{bulk}` | a file that many processes share, bytes |
    /// | `{time}` | how long what is measured goes on |
    /// | `{lead}` | how long others are at work before |
    /// | `{limit}` | when to give up |
    pub fn fill_in(&self, text: &str) -> String {
        let ms = |time: Duration| format!("{}ms", time.as_millis());
        [
            ("{part}", (self.used_bytes / PARTS).to_string()),
            ("{bulk}", (self.used_bytes / PARTS * BULK_PARTS).to_string()),
            ("{time}", ms(self.time)),
            ("{lead}", ms(self.lead)),
            ("{limit}", ms(self.limit)),
        ]
        .iter()
        .fold(text.to_owned(), |text, (place, value)| text.replace(place, value))
    }
}
