// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any of the models behind one face.

use crate::command::{Command, Completion, DeviceFull};
use crate::flash::FlashDisk;
use crate::hdd::HardDisk;
use crate::profile::{Parameters, Profile};
use crate::simple::SimpleDisk;
use crate::statistics::Statistic;
use crate::timing::CommandTiming;
use std::hint::cold_path;

/// A disk: takes commands, says when it will have news, gives back completions.
///
/// Time never runs backwards: each `now_ns` given to it is at least the one before.
///
/// Each call asks which model it is. So the tag is a byte of its own, not a niche in one of them.
#[derive(Clone, Debug)]
#[repr(u8)]
pub enum Device {
    /// Channels and dies of flash.
    Flash(FlashDisk),
    /// Platters and an arm.
    HardDisk(HardDisk),
    /// Servers in front of a bus.
    Simple(SimpleDisk),
}

/// Calls the same method of whichever model it is. Flash comes first: its commands come at the
/// highest rate, so a comparison more counts most there.
macro_rules! each {
    ($device:expr, $disk:ident => $call:expr) => {
        match $device {
            Device::Flash($disk) => $call,
            Device::HardDisk($disk) => {
                cold_path();
                $call
            }
            Device::Simple($disk) => {
                cold_path();
                $call
            }
        }
    };
}

impl Device {
    /// A disk of this profile that nothing has been asked of yet. `seed` decides what of a real
    /// disk is accident (where the platters stand at the start).
    pub fn from_profile(profile: &Profile, seed: u64) -> Device {
        match profile.parameters() {
            Parameters::Simple(parameters) => Device::Simple(SimpleDisk::new(parameters)),
            Parameters::HardDisk(parameters) => Device::HardDisk(HardDisk::new(parameters, seed)),
            Parameters::Flash(parameters) => Device::Flash(FlashDisk::new(parameters)),
        }
    }

    /// Commands that it accepts at once.
    pub fn depth(&self) -> u32 {
        each!(self, disk => disk.depth())
    }

    /// Whether it calls itself rotational.
    pub fn rotational(&self) -> bool {
        each!(self, disk => disk.rotational())
    }

    /// Its size in sectors.
    pub fn capacity_sectors(&self) -> u64 {
        each!(self, disk => disk.capacity_sectors())
    }

    /// Commands accepted whose completion has not been handed out by [`Device::advance`] yet.
    pub fn in_flight(&self) -> u32 {
        each!(self, disk => disk.in_flight())
    }

    /// Accepts a command. A command that makes no sense is accepted too, and completes at once
    /// with an error.
    ///
    /// # Errors
    /// [`DeviceFull`] if `depth` commands are in flight; nothing has changed then.
    #[inline(always)]
    pub fn submit(&mut self, now_ns: u64, command: Command) -> Result<(), DeviceFull> {
        each!(self, disk => disk.submit(now_ns, command))
    }

    /// When [`Device::advance`] has to be called next, if nothing is submitted before; none if the
    /// disk rests. There may be nothing to hand out then: the disk may only have to move its arm.
    pub fn next_event_ns(&self) -> Option<u64> {
        each!(self, disk => disk.upcoming().next_ns())
    }

    /// Lets the disk work within itself as long as no command ends and up to `until_ns`; says when
    /// [`Device::advance`] has to be called next, as [`Device::next_event_ns`] does.
    #[inline(always)]
    pub fn work(&mut self, until_ns: u64) -> Option<u64> {
        each!(self, disk => loop {
            let upcoming = disk.upcoming();
            if upcoming.step_ns >= upcoming.end_ns.min(until_ns) {
                return upcoming.next_ns();
            }
            disk.catch_up(upcoming.step_ns);
        })
    }

    /// Lets time pass up to `now_ns` and appends the completions up to then to `out`, ordered
    /// by their time.
    pub fn advance(&mut self, now_ns: u64, out: &mut Vec<Completion>) {
        self.catch_up(now_ns);
        out.extend(std::iter::from_fn(|| self.take_completion()));
    }

    /// Lets time pass up to `now_ns`; [`Device::take_completion`] hands out what has ended by then.
    #[inline(always)]
    pub fn catch_up(&mut self, now_ns: u64) {
        each!(self, disk => disk.catch_up(now_ns));
    }

    /// The first completion up to the time that [`Device::catch_up`] has let pass, of those not
    /// handed out yet; later ones it does not know.
    #[inline(always)]
    pub fn take_completion(&mut self) -> Option<Completion> {
        each!(self, disk => disk.take_completion())
    }

    /// From now on the disk records the [`CommandTiming`] of each command that it accepts. What it
    /// does, and when, is the same.
    pub fn watch(&mut self) {
        each!(self, disk => disk.timings.watch());
    }

    /// What a command waited for that has been handed out by [`Device::advance`]; none if it was
    /// not watched, or was taken already. Its parts add up to the time from submission to end.
    pub fn take_timing(&mut self, completion: &Completion) -> Option<CommandTiming> {
        let timing = each!(self, disk => disk.timings.take(completion.tag))?;
        assert_eq!(timing.until_ns(), completion.at_ns, "{timing:?} fills the time in the disk");
        Some(timing)
    }

    /// Counters of the model.
    pub fn statistics(&self) -> Vec<Statistic> {
        each!(self, disk => disk.statistics())
    }
}
