// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing of a command in the disk: what it waited for, and until when.
//!
//! At each instant a command waits for one thing, that of its [`Phase`]. Parts follow one another
//! without gaps, so they add up to the whole. Where several things go on for it at the same time,
//! the one that began first has the time until its end; and of a read of several flash pages, the
//! way of the page that arrives last is told, for without it the read would have ended sooner.

use std::collections::BTreeMap;

/// What a command in a disk waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// The disk works on other commands.
    Queue,
    /// The controller works on it.
    Controller,
    /// The arm goes to its track, and settles there.
    Seek,
    /// Its first sector comes round.
    Rotation,
    /// Its sectors pass under the head.
    Media,
    /// The arm writes what the disk had taken into its write cache.
    WriteBack,
    /// The disk's write cache has no room for it.
    CacheFull,
    /// A flush is under way, or it is one.
    Flush,
    /// Its flash die reads pages for others.
    DieBusy,
    /// A flash die programs a page (writes) for others.
    Program,
    /// A flash die collects garbage.
    Collection,
    /// Its flash die reads its page.
    FlashRead,
    /// The channel of its die moves bytes of others.
    ChannelBusy,
    /// Its bytes pass from the die over the channel.
    Channel,
    /// The interface moves bytes of others.
    InterfaceBusy,
    /// Its bytes pass the interface between disk and host.
    Interface,
}

impl Phase {
    /// All of them, in the order in which a command usually meets them.
    pub const ALL: [Phase; 16] = [
        Phase::Queue,
        Phase::Controller,
        Phase::Seek,
        Phase::Rotation,
        Phase::Media,
        Phase::WriteBack,
        Phase::CacheFull,
        Phase::Flush,
        Phase::DieBusy,
        Phase::Program,
        Phase::Collection,
        Phase::FlashRead,
        Phase::ChannelBusy,
        Phase::Channel,
        Phase::InterfaceBusy,
        Phase::Interface,
    ];

    /// Whether it waits for other commands that are in the disk. (Where it waits for what earlier
    /// writes have left to do, those commands have ended.)
    pub fn is_behind_others(self) -> bool {
        use Phase::{ChannelBusy, DieBusy, InterfaceBusy, Queue};
        matches!(self, Queue | DieBusy | ChannelBusy | InterfaceBusy)
    }
}

/// The time of one command in the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTiming {
    from_ns: u64,
    until_ns: u64,
    parts: Vec<TimingPart>,
}

/// A part of a timing. It begins where the one before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimingPart {
    /// What the command waited for.
    pub phase: Phase,
    /// When that was over, in nanoseconds since the start of the run.
    pub until_ns: u64,
}

impl CommandTiming {
    fn new(now_ns: u64) -> Self {
        CommandTiming { from_ns: now_ns, until_ns: now_ns, parts: Vec::new() }
    }

    /// Up to that time the command is in this phase, from where the part before it ended; nothing
    /// if that was later.
    pub(crate) fn until(&mut self, phase: Phase, until_ns: u64) {
        if until_ns <= self.until_ns {
            return;
        }
        self.until_ns = until_ns;
        match self.parts.last_mut().filter(|last| last.phase == phase) {
            Some(last) => last.until_ns = until_ns,
            None => self.parts.push(TimingPart { phase, until_ns }),
        }
    }

    /// When the disk got the command, in nanoseconds since the start of the run.
    pub fn from_ns(&self) -> u64 {
        self.from_ns
    }

    /// When the part ended, ns.
    pub fn until_ns(&self) -> u64 {
        self.until_ns
    }

    /// Its parts in order, none of them empty. The last one ends when the command does.
    pub fn parts(&self) -> &[TimingPart] {
        &self.parts
    }
}

/// The timings of all commands in a disk, if they are watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandTimings(Option<BTreeMap<u32, CommandTiming>>);

impl CommandTimings {
    /// From now on timings are recorded.
    pub fn watch(&mut self) {
        self.0.get_or_insert_default();
    }

    /// Whether timings are recorded.
    #[inline]
    pub fn watched(&self) -> bool {
        self.0.is_some()
    }

    /// A command is accepted. The parts up to the given times are known already.
    #[inline]
    pub fn begin(&mut self, tag: u32, now_ns: u64) {
        if let Some(timings) = &mut self.0 {
            timings.insert(tag, CommandTiming::new(now_ns));
        }
    }

    /// As [`CommandTiming::until`], of the command with that tag.
    #[inline]
    pub fn until(&mut self, tag: u32, phase: Phase, until_ns: u64) {
        if let Some(timing) = self.get(tag) {
            timing.until(phase, until_ns);
        }
    }

    /// The timing of a command so far.
    #[inline]
    pub fn get(&mut self, tag: u32) -> Option<&mut CommandTiming> {
        self.0.as_mut()?.get_mut(&tag)
    }

    /// The timing of a command that has ended; none if it was not watched.
    pub fn take(&mut self, tag: u32) -> Option<CommandTiming> {
        self.0.as_mut()?.remove(&tag)
    }
}

#[cfg(test)]
#[path = "timing_tests.rs"]
mod tests;
