// SPDX-License-Identifier: MIT OR Apache-2.0
//! A user-space block layer: request pool, merging, plugging, dispatch loop, elevator switch.
//!
//! [`BlockLayer`] stands between processes and a device, as the block layer of an operating system
//! does, with a scheduler (an [`Elevator`]) in its middle. It does no I/O and reads no clock: a
//! host (a simulator, a program with real files) tells it what happens and when, in nanoseconds.
//!
//! The host does, for each instant at which something happens:
//!
//! 1. [`complete`](BlockLayer::complete) (or [`requeue`](BlockLayer::requeue)) what the device has
//!    done, [`on_timer`](BlockLayer::on_timer) if [`next_timer_ns`](BlockLayer::next_timer_ns) has
//!    come;
//! 2. let the processes go on whose sleep is over ([`take_woken`](BlockLayer::take_woken)) and
//!    whose bios have ended ([`take_completed`](BlockLayer::take_completed)): each
//!    [`submit`](BlockLayer::submit)s until it gets [`Submission::Sleeping`] or has no more to do,
//!    a batch between [`plug`](BlockLayer::plug) and [`unplug`](BlockLayer::unplug);
//! 3. when nothing more happens at that instant, carry [`next_command`](BlockLayer::next_command)
//!    after `next_command` to the device, until there is none.
//!
//! ```
//! use base::Op;
//! use blk::{Bio, BlockLayer, DeviceLimits, Elevator, Pool, QueueSettings, Tag, TunableError};
//!
//! /// First come, first served.
//! #[derive(Default)]
//! struct Fifo(std::collections::VecDeque<Tag>);
//!
//! impl Elevator for Fifo {
//!     fn name(&self) -> &'static str {
//!         "fifo"
//!     }
//!     fn set_tunable(&mut self, _: u64, name: &str, _: &str) -> Result<(), TunableError> {
//!         Err(TunableError::unknown("fifo", name, []))
//!     }
//!     fn pool_resized(&mut self, _: u64, _: u32, tags: u32) {
//!         self.0.reserve(tags as usize);
//!     }
//!     fn insert(&mut self, _: u64, tag: Tag, at_head: bool, _: &Pool) {
//!         if at_head { self.0.push_front(tag) } else { self.0.push_back(tag) }
//!     }
//!     fn has_work(&self) -> bool {
//!         !self.0.is_empty()
//!     }
//!     fn dispatch(&mut self, _: u64, _: &Pool) -> Option<Tag> {
//!         self.0.pop_front()
//!     }
//!     fn completed(&mut self, _: u64, _: Tag, _: &Pool) {}
//!     fn requeued(&mut self, _: u64, _: Tag, _: &Pool) {}
//! }
//!
//! let limits = DeviceLimits::new(32, false);
//! let mut layer = BlockLayer::new(QueueSettings::default(), limits, Box::<Fifo>::default());
//! let bio = Bio {
//!     token: 7,
//!     op: Op::Read,
//!     sync: true,
//!     metadata: false,
//!     read_ahead: false,
//!     sector: 2048,
//!     sectors: 8,
//!     process: None,
//! };
//! assert_eq!(layer.submit(0, bio), blk::Submission::Queued);
//! let command = layer.next_command(0).expect("the device is idle");
//! assert_eq!((command.op, command.sector, command.sectors), (Op::Read, 2048, 8));
//! assert_eq!(layer.next_command(0), None);
//! layer.complete(80_000, command.tag, Ok(()));
//! let done = layer.take_completed().expect("the bio has ended");
//! assert_eq!((done.token, done.result, done.completed_ns), (7, Ok(()), 80_000));
//! ```
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod bio;
mod bios;
mod counters;
mod elevator;
mod free_tags;
mod identity;
mod ids;
mod layer;
mod merge;
mod merge_index;
mod pool;
mod request;
mod settings;
mod sleepers;
mod statistic;
mod tunable;

pub use bio::{Bio, Command, Done, IoError, Journey, Submission};
pub use elevator::Elevator;
pub use free_tags::TagSearch;
pub use identity::{GroupSpec, IdentityError, ProcessSpec};
pub use ids::{GroupId, ProcessId, Tag};
pub use layer::BlockLayer;
pub use merge::MergeRules;
pub use merge_index::MergeIndex;
pub use pool::Pool;
pub use request::{Merge, MergeKind, Request, TagState};
pub use settings::{
    DeviceLimits, NoMerges, QueueSettings, SETTINGS, SettingError, SettingSpec, SubmitterRuns,
};
pub use statistic::{GroupStatistic, Statistic, StatisticSpec};
pub use tunable::{NumberError, NumberSyntax, Tunable, TunableError, TunableSpec, Values};
