// SPDX-License-Identifier: MIT OR Apache-2.0
//! What differs between the algorithm as we run it and the reference (spec 10.2, rows 1–4, 19).

use self::sealed::Sealed;
use core::fmt::Debug;

/// How the choice inside a class tree is made (spec 1.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The eligible entity of least finish time: what the algorithm asks for.
    Exact,
    /// The reference's walk, which may stop at an ancestor of that entity.
    ReferenceWalk,
}

/// How many leaves may be in service at once: [`One`], or [`Several`]. It is a type, so that a
/// program has the code of what it uses.
pub trait InService: Copy + Debug + PartialEq + Sealed {
    /// Whether there may be several.
    const SEVERAL: bool;

    /// Whether service that was folded into the start time of a group is cleared.
    fn clears_group_service(self) -> bool;
}

/// One leaf is in service: it is chosen when none is. So it is in the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct One {
    /// Row 2 of spec 10.2: repositioning a group while it is in service folds its service into its
    /// start time without clearing it, so that it is counted once more at the next requeue.
    pub recounts_group_service: bool,
}

impl InService for One {
    const SEVERAL: bool = false;

    #[inline]
    fn clears_group_service(self) -> bool {
        !self.recounts_group_service
    }
}

/// Any number of leaves are in service; see `several`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Several;

impl InService for Several {
    const SEVERAL: bool = true;

    #[inline]
    fn clears_group_service(self) -> bool {
        true
    }
}

/// No other numbers of leaves in service are possible.
mod sealed {
    pub trait Sealed {}
    impl Sealed for super::One {}
    impl Sealed for super::Several {}
}

/// What differs between the algorithm as policies run it and the reference (spec 10.2,
/// rows 1–4, 19).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules<S: InService = One> {
    /// Row 1 of spec 10.2.
    pub choice: Choice,
    /// How many leaves are in service.
    pub in_service: S,
    /// Row 4: the forward jump of virtual time compares without regard to wrapping.
    pub jump_ignores_wrap: bool,
    /// Row 19: removing the cached last idle entity may lose entities of equal finish time.
    pub forgets_last_idle_among_equals: bool,
}

impl Rules<One> {
    /// One leaf in service, and every quirk of the kernel mended: what the specification means.
    pub const EXACT: Rules<One> = Rules::exact(One { recounts_group_service: false });

    /// The reference as it is.
    #[cfg(test)]
    pub const REFERENCE: Rules<One> = Rules {
        choice: Choice::ReferenceWalk,
        in_service: One { recounts_group_service: true },
        jump_ignores_wrap: true,
        forgets_last_idle_among_equals: true,
    };
}

impl Rules<Several> {
    /// The same as [`Rules::EXACT`], with several leaves in service.
    pub const SEVERAL: Rules<Several> = Rules::exact(Several);
}

impl<S: InService> Rules<S> {
    const fn exact(in_service: S) -> Self {
        Rules {
            choice: Choice::Exact,
            in_service,
            jump_ignores_wrap: false,
            forgets_last_idle_among_equals: false,
        }
    }
}
