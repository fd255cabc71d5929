// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weights: by what service is divided (spec 0.3, 2.1).

use core::{
    fmt::{self, Display, Formatter},
    num::NonZeroU32,
};

/// By what a process or group is served, beside others: twice the weight gets twice the service.
///
/// A *base* weight is what users and priorities give: 1 to 10,000. The *effective* one is that
/// times the coefficient of a raise. None is 0, so one can be divided by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(NonZeroU32);

impl Weight {
    /// The least weight, 1.
    pub const MIN: Weight = Weight(NonZeroU32::MIN);
    /// The largest base weight that the generic weight interface gives a group.
    pub const MAX: Weight = Weight::of_nonzero(10_000);
    /// The largest base weight of the scheduler's own interface (spec 6.2).
    pub const MAX_BFQ: Weight = Weight::of_nonzero(1000);
    /// That of a group which was not given another.
    pub const DEFAULT_GROUP: Weight = Weight::of_nonzero(100);

    /// The base weight of this value, moved into the range.
    #[inline]
    pub const fn of(weight: u32) -> Weight {
        if weight > Weight::MAX.get() { Weight::MAX } else { Weight::of_nonzero(weight) }
    }

    const fn of_nonzero(weight: u32) -> Weight {
        match NonZeroU32::new(weight) {
            Some(weight) => Weight(weight),
            None => Weight::MIN,
        }
    }

    /// The base weight that a user asks for, of those up to `max`.
    ///
    /// # Errors
    /// [`WeightError`], which names the range.
    pub(crate) fn asked(weight: u64, max: Weight) -> Result<Weight, WeightError> {
        let asked = u32::try_from(weight).ok().and_then(NonZeroU32::new).map(Weight);
        asked.filter(|&asked| asked <= max).ok_or(WeightError { weight, max: max.get() })
    }

    /// The weight as a number.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    /// Whether it is one that users and priorities give: not raised beyond these.
    #[inline]
    pub const fn is_base(self) -> bool {
        self.get() <= Weight::MAX.get()
    }

    /// The effective weight by a coefficient, which is 1 or more.
    #[inline]
    pub(crate) fn raised(self, coefficient: u32) -> Weight {
        debug_assert!(self.is_base() && coefficient > 0, "{self} times {coefficient}");
        Weight::of_nonzero(self.get().saturating_mul(coefficient))
    }

    /// How many times a base weight it is: the coefficient that made it.
    #[inline]
    pub(crate) fn over(self, base: Weight) -> u32 {
        self.get() / base.0
    }
}

impl From<NonZeroU32> for Weight {
    /// The weight of this value, be it a base weight or one that is raised.
    fn from(weight: NonZeroU32) -> Weight {
        Weight(weight)
    }
}

impl From<Weight> for u64 {
    #[inline]
    fn from(weight: Weight) -> u64 {
        u64::from(weight.get())
    }
}

impl Display for Weight {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A weight outside its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightError {
    /// What was asked for.
    pub weight: u64,
    /// The largest value allowed; the least is 1.
    pub max: u32,
}

impl Display for WeightError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "weight {} is out of range: expected 1 to {}", self.weight, self.max)
    }
}

impl core::error::Error for WeightError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_weights_have_a_range() {
        let values = [0, 1, 10_000, 10_001, u32::MAX].map(|weight| Weight::of(weight).get());
        assert_eq!(values, [1, 1, 10_000, 10_000, 10_000]);
        for (weight, max, taken) in [
            (0, Weight::MAX, false),
            (1, Weight::MAX, true),
            (1000, Weight::MAX_BFQ, true),
            (1001, Weight::MAX_BFQ, false),
            (u64::from(u32::MAX) + 2, Weight::MAX, false),
        ] {
            let refused = WeightError { weight, max: max.get() };
            let expected = if taken { Ok(Weight::of(weight as u32)) } else { Err(refused) };
            assert_eq!(Weight::asked(weight, max), expected);
        }
    }

    #[test]
    fn a_raise_multiplies() {
        let raised = Weight::MAX.raised(3000);
        assert_eq!((raised.get(), raised.over(Weight::MAX)), (30_000_000, 3000));
        assert!(Weight::MAX.is_base() && !raised.is_base());
    }
}
