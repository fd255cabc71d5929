// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weights as users write and read them: `io.bfq.weight`, its two v1 forms and `io.weight`
//! (spec 6.2, 6.3).
//!
//! A weight belongs to a cgroup, a [`Scheduler`](crate::Scheduler) to a device. A host keeps a
//! [`GroupWeights`] for each cgroup; when something was written to it, it tells the scheduler of
//! each device concerned the [effective](GroupWeights::effective) weight by
//! [`set_group_weight`](crate::Scheduler::set_group_weight).

use crate::{
    store::arena::{OutOfMemory, append},
    units::{Weight, WeightError},
};
use alloc::vec::Vec;
use core::{
    fmt::{self, Display, Formatter},
    str::FromStr,
};

/// Number of a block device, written `major:minor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// Number of the driver.
    pub major: u32,
    /// Which of its devices.
    pub minor: u32,
}

impl Display for DeviceNumber {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// The text is not of the form `major:minor`, of two decimal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoDeviceNumber;

impl FromStr for DeviceNumber {
    type Err = NoDeviceNumber;

    fn from_str(text: &str) -> Result<Self, NoDeviceNumber> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse().ok()).flatten().ok_or(NoDeviceNumber)
        };
        let (major, minor) = text.split_once(':').ok_or(NoDeviceNumber)?;
        Ok(DeviceNumber { major: number(major)?, minor: number(minor)? })
    }
}

/// A file through which weights are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightFile {
    /// `io.bfq.weight`, and `blkio.bfq.weight_device` of cgroup v1: 1 to 1000, with overrides.
    Bfq,
    /// `blkio.bfq.weight` of cgroup v1: 1 to 1000, a plain number.
    BfqPlain,
    /// The generic `io.weight`: 1 to 10,000, with overrides. It is the same weight: who
    /// writes last decides.
    Generic,
}

impl WeightFile {
    /// The largest weight that it takes.
    pub const fn max(self) -> Weight {
        match self {
            WeightFile::Bfq | WeightFile::BfqPlain => Weight::MAX_BFQ,
            WeightFile::Generic => Weight::MAX,
        }
    }
}

/// How many overrides a cgroup has room for at first; then for twice as many each time.
const FIRST_ROOM: usize = 4;

/// What a user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightChange {
    /// Another weight for the devices without an override.
    Default(Weight),
    /// A weight for one device.
    Override(DeviceNumber, Weight),
    /// No weight of its own for this device any more.
    Remove(DeviceNumber),
}

/// What a device is, as far as weights are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceStatus {
    /// It exists and is scheduled by bfq.
    Scheduled,
    /// It exists, but another scheduler has it.
    ScheduledByOther,
    /// It does not exist (any more), or is a partition.
    Missing,
}

/// Why a weight was not taken; nothing is changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightWriteError {
    /// The weight is out of range.
    Range(WeightError),
    /// Neither a number nor a device with a number.
    Malformed,
    /// There is no such device, or it is a partition.
    NoDevice(DeviceNumber),
    /// The device is not scheduled by bfq.
    OtherScheduler(DeviceNumber),
    /// No memory for one more override.
    OutOfMemory,
}

impl WeightWriteError {
    /// The name of the error code that writing to the file fails with.
    pub const fn code(&self) -> &'static str {
        match self {
            WeightWriteError::Range(_) => "ERANGE",
            WeightWriteError::Malformed => "EINVAL",
            WeightWriteError::NoDevice(_) => "ENODEV",
            WeightWriteError::OtherScheduler(_) => "EOPNOTSUPP",
            WeightWriteError::OutOfMemory => "ENOMEM",
        }
    }
}

impl Display for WeightWriteError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            WeightWriteError::Range(error) => error.fmt(f),
            WeightWriteError::Malformed => f.write_str(
                "expected a weight, `default <weight>`, `<major>:<minor> <weight>` or \
                 `<major>:<minor> default`",
            ),
            WeightWriteError::NoDevice(device) => write!(f, "there is no disk {device}"),
            WeightWriteError::OtherScheduler(device) => {
                write!(f, "the disk {device} is not scheduled by bfq")
            }
            WeightWriteError::OutOfMemory => OutOfMemory.fmt(f),
        }
    }
}

impl core::error::Error for WeightWriteError {}

impl From<OutOfMemory> for WeightWriteError {
    fn from(_: OutOfMemory) -> Self {
        WeightWriteError::OutOfMemory
    }
}

impl WeightChange {
    /// Understands what was written to a file. Blanks around it do not count.
    ///
    /// A plain number may be hexadecimal (`0x64`) or octal (`0144`) and stands alone; one behind
    /// `default` or a device is decimal, and text behind it is ignored. A device's weight of 0
    /// is its `default`.
    ///
    /// # Errors
    /// [`WeightWriteError::Range`] or [`WeightWriteError::Malformed`].
    pub fn parse(file: WeightFile, text: &str) -> Result<WeightChange, WeightWriteError> {
        let text = text.trim_ascii();
        let plain = file == WeightFile::BfqPlain;
        if text.is_empty() && !plain {
            return in_range(file, 0).map(WeightChange::Default);
        }
        if let Some(weight) = plain_number(text) {
            return Ok(WeightChange::Default(in_range(file, weight)?));
        }
        if plain {
            return Err(WeightWriteError::Malformed);
        }
        let (target, weight) = text
            .split_once(|c: char| c.is_ascii_whitespace())
            .ok_or(WeightWriteError::Malformed)?;
        let weight = weight.trim_ascii_start();
        if target == "default" {
            let weight = leading_number(weight).ok_or(WeightWriteError::Malformed)?;
            return Ok(WeightChange::Default(in_range(file, weight)?));
        }
        let device = target.parse().map_err(|_| WeightWriteError::Malformed)?;
        if weight == "default" {
            return Ok(WeightChange::Remove(device));
        }
        match leading_number(weight).ok_or(WeightWriteError::Malformed)? {
            0 => Ok(WeightChange::Remove(device)),
            weight => Ok(WeightChange::Override(device, in_range(file, weight)?)),
        }
    }

    /// The device it is for, if it is for one.
    pub const fn device(&self) -> Option<DeviceNumber> {
        match *self {
            WeightChange::Default(_) => None,
            WeightChange::Override(device, _) | WeightChange::Remove(device) => Some(device),
        }
    }
}

/// Memory for overrides, allocated before it is needed: for hosts whose weights change under a lock
/// under which a wait for memory is impossible.
#[derive(Debug)]
pub struct OverrideRoom(Vec<(DeviceNumber, Weight)>);

impl OverrideRoom {
    /// Room for overrides of `count` devices.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(count: usize) -> Result<Self, OutOfMemory> {
        let mut room = Vec::new();
        room.try_reserve_exact(count).map_err(|_| OutOfMemory)?;
        Ok(OverrideRoom(room))
    }
}

/// The weights of a cgroup: the default, and those of single devices.
#[derive(Debug)]
pub struct GroupWeights {
    default: Weight,
    /// In the order of devices.
    overrides: Vec<(DeviceNumber, Weight)>,
}

impl Default for GroupWeights {
    fn default() -> Self {
        GroupWeights::new()
    }
}

impl GroupWeights {
    /// Those of a new cgroup: 100 everywhere.
    pub const fn new() -> Self {
        GroupWeights { default: Weight::DEFAULT_GROUP, overrides: Vec::new() }
    }

    /// The weight on devices without an override: what reading `blkio.bfq.weight` shows.
    pub fn default_weight(&self) -> u32 {
        self.default.get()
    }

    /// The weight on a device.
    pub fn effective(&self, device: DeviceNumber) -> u32 {
        let own = self.position(device).map(|at| self.overrides[at].1);
        own.unwrap_or(self.default).get()
    }

    /// The devices with a weight of their own, in their order.
    pub fn overrides(&self) -> impl Iterator<Item = (DeviceNumber, u32)> {
        self.overrides.iter().map(|&(device, weight)| (device, weight.get()))
    }

    /// Takes what a user wrote to a file, if it is well-formed and its device, which `status`
    /// tells about, is one of ours. Overrides stay when the default changes.
    ///
    /// # Errors
    /// [`WeightWriteError`]; nothing is changed then.
    pub fn write(
        &mut self,
        file: WeightFile,
        text: &str,
        status: impl FnOnce(DeviceNumber) -> DeviceStatus,
    ) -> Result<WeightChange, WeightWriteError> {
        let change = WeightChange::parse(file, text)?;
        if let Some(device) = change.device() {
            match status(device) {
                DeviceStatus::Scheduled => {}
                DeviceStatus::ScheduledByOther => {
                    return Err(WeightWriteError::OtherScheduler(device));
                }
                DeviceStatus::Missing => return Err(WeightWriteError::NoDevice(device)),
            }
        }
        let mut room = OverrideRoom::new(self.room_for(&change))?;
        self.apply(change, &mut room)?;
        Ok(change)
    }

    /// How many overrides there has to be room for before a change: the size of an
    /// [`OverrideRoom`], 0 if the present one will do.
    pub fn room_for(&self, change: &WeightChange) -> usize {
        let (used, room) = (self.overrides.len(), self.overrides.capacity());
        let adds = matches!(change, WeightChange::Override(..));
        if adds && used == room { (2 * used).max(FIRST_ROOM) } else { 0 }
    }

    /// Takes a change whose device is known to be one of ours, as
    /// [`write`](GroupWeights::write) does. Allocates and frees nothing: if `room` is larger
    /// than the present room, the two are exchanged.
    ///
    /// # Errors
    /// No room for one more override; nothing is changed then.
    pub fn apply(
        &mut self,
        change: WeightChange,
        room: &mut OverrideRoom,
    ) -> Result<(), OutOfMemory> {
        self.move_to(room);
        match change {
            WeightChange::Default(weight) => self.default = weight,
            WeightChange::Override(device, weight) => self.set_override(device, weight)?,
            WeightChange::Remove(device) => self.remove_override(device),
        }
        Ok(())
    }

    /// A device has gone: forgets what was written for it.
    pub fn remove_override(&mut self, device: DeviceNumber) {
        if let Ok(at) = self.position(device) {
            self.overrides.remove(at);
        }
    }

    fn move_to(&mut self, OverrideRoom(room): &mut OverrideRoom) {
        if room.capacity() > self.overrides.capacity() {
            room.clear();
            self.overrides.iter().for_each(|&entry| append(room, entry));
            core::mem::swap(&mut self.overrides, room);
        }
    }

    fn set_override(&mut self, device: DeviceNumber, weight: Weight) -> Result<(), OutOfMemory> {
        match self.position(device) {
            Ok(at) => self.overrides[at].1 = weight,
            Err(_) if self.overrides.len() == self.overrides.capacity() => return Err(OutOfMemory),
            Err(at) => {
                append(&mut self.overrides, (device, weight));
                self.overrides[at..].rotate_right(1);
            }
        }
        Ok(())
    }

    fn position(&self, device: DeviceNumber) -> Result<usize, usize> {
        self.overrides.binary_search_by_key(&device, |&(device, _)| device)
    }
}

/// What reading a file with overrides shows.
impl Display for GroupWeights {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "default {}", self.default)?;
        self.overrides().try_for_each(|(device, weight)| writeln!(f, "{device} {weight}"))
    }
}

fn in_range(file: WeightFile, weight: u64) -> Result<Weight, WeightWriteError> {
    Weight::asked(weight, file.max()).map_err(WeightWriteError::Range)
}

/// The number that `text` as a whole is, in the base that it announces. Numbers beyond 64 bits
/// count as the largest one: they are out of range anyway.
fn plain_number(text: &str) -> Option<u64> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, base) = match hexadecimal {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    let all = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base));
    all.then(|| u64::from_str_radix(digits, base).unwrap_or(u64::MAX))
}

/// The decimal number that `text` begins with.
fn leading_number(text: &str) -> Option<u64> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let len = text.bytes().take_while(u8::is_ascii_digit).count();
    (len > 0).then(|| text[..len].parse().unwrap_or(u64::MAX))
}
