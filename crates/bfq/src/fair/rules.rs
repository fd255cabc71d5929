// SPDX-License-Identifier: MIT OR Apache-2.0
//! What differs between the algorithm as we run it and the reference (spec 10.2, rows 1–4, 19).

/// How the choice inside a class tree is made (spec 1.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The eligible entity of least finish time: what the algorithm asks for.
    Exact,
    /// The reference's walk, which may stop at an ancestor of that entity.
    ReferenceWalk,
}

/// How many leaves may be in service at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InService {
    /// One: it is chosen when none is. So it is in the reference.
    One {
        /// Row 2 of spec 10.2: repositioning a group while it is in service folds its service into
        /// its start time without clearing it, so that it is counted once more at the next requeue.
        recounts_group_service: bool,
    },
    /// Any number; see `several`.
    Several,
}

/// What differs between the algorithm as policies run it and the reference (spec 10.2,
/// rows 1–4, 19).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Row 1 of spec 10.2.
    pub choice: Choice,
    /// How many leaves are in service.
    pub in_service: InService,
    /// Row 4: the forward jump of virtual time compares without regard to wrapping.
    pub jump_ignores_wrap: bool,
    /// Row 19: removing the cached last idle entity may lose entities of equal finish time.
    pub forgets_last_idle_among_equals: bool,
}

impl Rules {
    /// Whether several leaves may be in service at once.
    #[inline]
    pub fn serves_several(&self) -> bool {
        self.in_service == InService::Several
    }

    /// Whether service that was folded into the start time of a group is cleared.
    #[inline]
    pub fn clears_group_service(&self) -> bool {
        self.in_service != InService::One { recounts_group_service: true }
    }
}

#[cfg(test)]
impl Rules {
    /// The rules with every quirk of the kernel mended: what the specification means, exactly.
    pub const EXACT: Rules = Rules {
        choice: Choice::Exact,
        in_service: InService::One { recounts_group_service: false },
        jump_ignores_wrap: false,
        forgets_last_idle_among_equals: false,
    };

    /// The same, with several leaves in service.
    pub const SEVERAL: Rules = Rules { in_service: InService::Several, ..Rules::EXACT };

    /// The reference as it is.
    pub const REFERENCE: Rules = Rules {
        choice: Choice::ReferenceWalk,
        in_service: InService::One { recounts_group_service: true },
        jump_ignores_wrap: true,
        forgets_last_idle_among_equals: true,
    };
}
