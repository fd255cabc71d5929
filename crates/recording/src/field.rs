// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of records as bytes: numbers of any size in as few bytes as they need, and what is
//! made of them.

use crate::{line::RecordLine, problem::Problem};
use bfq::{
    GroupId, OutOfMemory, ProcessId, QueueId, RequestId, Sectors, Service, Span, Time, Weight,
};
use core::num::NonZeroU32;

/// Something that a record can hold.
pub trait Field: Sized {
    /// Appends it to a line.
    fn write(&self, line: &mut RecordLine);

    /// Reads it back.
    ///
    /// # Errors
    /// [`Problem`] if the bytes are none that [`Field::write`] writes.
    fn read(body: &mut Body<'_>) -> Result<Self, Problem>;
}

/// What is left of a record that is being read.
#[derive(Debug)]
pub struct Body<'a> {
    rest: &'a [u8],
    /// The time of the record.
    pub(crate) now_ns: u64,
    /// That of the recording's format.
    pub(crate) version: u8,
}

impl<'a> Body<'a> {
    /// All bytes of a record behind its length.
    pub(crate) fn new(bytes: &'a [u8], version: u8) -> Self {
        Body { rest: bytes, now_ns: 0, version }
    }

    /// How many bytes are not read yet.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next byte of the body.
    pub(crate) fn byte(&mut self) -> Result<u8, Problem> {
        let (&byte, rest) = self.rest.split_first().ok_or(Problem::TooShort)?;
        self.rest = rest;
        Ok(byte)
    }

    /// The next number: seven bits a byte, the lowest first; the highest bit says that there
    /// is another byte.
    pub(crate) fn number(&mut self) -> Result<u64, Problem> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(Problem::Value("a number beyond 64 bits"));
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Problem::Value("a number of more than ten bytes"))
    }

    /// A time that is told by its distance from another.
    pub(crate) fn time_after(&mut self, base_ns: u64) -> Result<u64, Problem> {
        let distance = signed(self.number()?);
        let time = base_ns.checked_add_signed(distance);
        let time = time.filter(|&ns| Time::from_ns(ns).as_ns() == ns);
        time.ok_or(Problem::Value("a time out of range"))
    }
}

impl RecordLine {
    /// Appends a number; see [`Body::number`].
    pub(crate) fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    /// Appends a time by its distance from another.
    pub(crate) fn time_after(&mut self, base_ns: u64, ns: u64) {
        // Times are below 2⁶², so their distance is no surprise for 64 bits.
        self.number(unsigned(ns.wrapping_sub(base_ns) as i64));
    }
}

/// Small numbers of either sign as small numbers: 0, −1, 1, −2, …
const fn unsigned(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

const fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Field for $type {
            fn write(&self, line: &mut RecordLine) {
                line.number(u64::from(*self));
            }

            fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
                let number = body.number()?;
                <$type>::try_from(number).map_err(|_| Problem::Value("a number too large"))
            }
        }
    )*};
}
numbers!(u8 u32 u64);

macro_rules! signed_numbers {
    ($($type:ty)*) => {$(
        impl Field for $type {
            fn write(&self, line: &mut RecordLine) {
                line.number(unsigned(i64::from(*self)));
            }

            fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
                let number = signed(body.number()?);
                <$type>::try_from(number).map_err(|_| Problem::Value("a number too large"))
            }
        }
    )*};
}
signed_numbers!(i8);

impl Field for Service {
    fn write(&self, line: &mut RecordLine) {
        line.number(unsigned(self.units()));
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        let number = signed(body.number()?);
        Service::of_signed(number).ok_or(Problem::Value("a number too large"))
    }
}

impl Field for Weight {
    fn write(&self, line: &mut RecordLine) {
        self.get().write(line);
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        let weight = NonZeroU32::new(u32::read(body)?);
        weight.map(Weight::from).ok_or(Problem::Value("a weight of 0"))
    }
}

impl Field for Sectors {
    fn write(&self, line: &mut RecordLine) {
        line.number(self.count());
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        body.number().map(Sectors::of)
    }
}

/// In milliseconds: the spans of decisions are whole ones.
impl Field for Span {
    fn write(&self, line: &mut RecordLine) {
        line.number(self.as_ms());
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        body.number().map(Span::from_ms)
    }
}

/// A count of which there is at least one, or 0 for none.
impl Field for Option<NonZeroU32> {
    fn write(&self, line: &mut RecordLine) {
        self.map_or(0, NonZeroU32::get).write(line);
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        u32::read(body).map(NonZeroU32::new)
    }
}

/// Names are below this: more processes, groups, queues or requests than any host has, and few
/// enough for a table in memory.
pub const MOST_NAMES: u32 = 1 << 22;

macro_rules! names {
    ($($type:ty)*) => {$(
        impl Field for $type {
            fn write(&self, line: &mut RecordLine) {
                line.number(self.index() as u64);
            }

            fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
                let index = body.number()?;
                let known = u32::try_from(index).ok().filter(|&index| index < MOST_NAMES);
                known.map(|index| <$type>::from_index(index as usize)).ok_or(Problem::Value("a name too large"))
            }
        }
    )*};
}
names!(GroupId ProcessId QueueId RequestId);

impl Field for bool {
    fn write(&self, line: &mut RecordLine) {
        line.byte(u8::from(*self));
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        match body.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Problem::Value("neither yes nor no")),
        }
    }
}

impl Field for () {
    fn write(&self, _: &mut RecordLine) {}

    fn read(_: &mut Body<'_>) -> Result<Self, Problem> {
        Ok(())
    }
}

impl Field for Time {
    fn write(&self, line: &mut RecordLine) {
        line.time_after(line.now_ns, self.as_ns());
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        body.time_after(body.now_ns).map(Time::from_ns)
    }
}

impl Field for OutOfMemory {
    fn write(&self, _: &mut RecordLine) {}

    fn read(_: &mut Body<'_>) -> Result<Self, Problem> {
        Ok(OutOfMemory)
    }
}

impl<T: Field> Field for Option<T> {
    fn write(&self, line: &mut RecordLine) {
        self.is_some().write(line);
        if let Some(value) = self {
            value.write(line);
        }
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        bool::read(body)?.then(|| T::read(body)).transpose()
    }
}

impl<T: Field, E: Field> Field for Result<T, E> {
    fn write(&self, line: &mut RecordLine) {
        self.is_ok().write(line);
        match self {
            Ok(value) => value.write(line),
            Err(error) => error.write(line),
        }
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        Ok(if bool::read(body)? { Ok(T::read(body)?) } else { Err(E::read(body)?) })
    }
}

impl<T: Field> Field for [T; 2] {
    fn write(&self, line: &mut RecordLine) {
        self.iter().for_each(|value| value.write(line));
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        Ok([T::read(body)?, T::read(body)?])
    }
}

/// Structures are their fields in order.
macro_rules! structures {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl $crate::field::Field for $name {
            fn write(&self, line: &mut $crate::line::RecordLine) {
                $($crate::field::Field::write(&self.$field, line);)*
            }

            fn read(body: &mut $crate::field::Body<'_>) -> Result<Self, $crate::problem::Problem> {
                Ok($name { $($field: $crate::field::Field::read(body)?),* })
            }
        }
    )*};
}
pub(crate) use structures;

/// Enumerations are the number of their variant and what it holds.
macro_rules! enumerations {
    ($($name:ident: $what:literal { $($number:literal $variant:ident $(($value:ident))?),* $(,)? })*) => {$(
        impl $crate::field::Field for $name {
            fn write(&self, line: &mut $crate::line::RecordLine) {
                match self {
                    $($name::$variant $(($value))? => {
                        line.byte($number);
                        $($crate::field::Field::write($value, line);)?
                    })*
                }
            }

            fn read(body: &mut $crate::field::Body<'_>) -> Result<Self, $crate::problem::Problem> {
                Ok(match body.byte()? {
                    $($number => $name::$variant $(({
                        let $value = $crate::field::Field::read(body)?;
                        $value
                    }))?,)*
                    _ => return Err($crate::problem::Problem::Value($what)),
                })
            }
        }
    )*};
}
pub(crate) use enumerations;
