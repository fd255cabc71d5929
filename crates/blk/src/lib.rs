//! A user-space block layer: request pool, merging, plugging, dispatch loop, elevator switch.

mod bio;
mod bios;
mod elevator;
mod identity;
mod ids;
mod merge;
mod merge_index;
mod nearest;
mod pool;
mod request;
mod settings;
mod statistic;
mod tunable;

pub use bio::{Bio, Command, Done, IoClass, IoError, Ioprio, Op, SECTOR_BYTES, Submission};
pub use elevator::Elevator;
pub use identity::{GroupSpec, IdentityError, OutOfMemory, ProcessSpec};
pub use ids::{GroupId, ProcessId, Tag};
pub use merge::MergeRules;
pub use merge_index::MergeIndex;
pub use nearest::nearest;
pub use pool::Pool;
pub use request::{Merge, MergeKind, Request, TagState};
pub use settings::{DeviceLimits, NoMerges, QueueSettings, SETTINGS, SettingError, SettingSpec};
pub use statistic::{Statistic, StatisticSpec};
pub use tunable::{NumberError, NumberSyntax, Tunable, TunableError, TunableSpec};
