// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the kernels' bfq does something else than we think right: one name for each deviation,
//! chosen when the scheduler is attached (spec 10.2, 11; docs/decisions.md has the reasons).

/// Which behaviour is wanted where ours differs from the kernel's (spec 10.2, 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Behaviour {
    /// The quirks marked as better fixed are fixed.
    #[default]
    Improved,
    /// Linux 6.1, quirks and all: for comparison with its recordings.
    Linux6_1,
    /// Linux 6.12 with its quirks, which differ from those of 6.1.
    Linux6_12,
}

impl Behaviour {
    /// Whether it is that of a kernel.
    pub const fn is_reference(self) -> bool {
        !matches!(self, Behaviour::Improved)
    }
}

/// Something that the kernels do and [`Behaviour::Improved`] does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quirk {
    /// The search for the eligible entity of least finish time may stop at an ancestor of
    /// it (row 1).
    WalkStopsEarly,
    /// Repositioning a group in service counts its service twice (row 2).
    GroupServiceCountsTwice,
    /// The forward jump of virtual time does not see the wrap (row 4).
    JumpIgnoresWrap,
    /// Of idle entities with equal finish times the last one may be lost (row 19).
    LastIdleIsLostAmongEquals,
    /// Turning `low_latency` off ends raises that there are not, and counts them off (row 6).
    EndsSupposedRaises,
    /// A queue's first think time lasts since before the queue was created (row 20).
    FirstThinkTimeWraps,
    /// A completion before the window of rate measurement makes the window endless.
    RateWindowWraps,
    /// The service of a queue whose process ends in its slot is accounted twice (row 22).
    ServiceOfEndedStays,
    /// Sync reads are held to their share of the pool however much of it is free (row 25).
    SyncReadsAlwaysLimited,
    /// What makes a pause of a soft real-time process is the scheduler, too (row 30).
    PausesAreTheSchedulers,
    /// A request without a process is served before all queues.
    NobodyGoesFirst,
    /// In a shared queue, too, a request that is due may lose its turn to one that comes later.
    DueYieldsInSharedQueues,
    /// A queue that changes its group is pending in the new one if it was in the old one.
    PendingMovesAlong,
    /// A queue that changes its group while it is idle continues its old slot there.
    SlotMovesAlong,
    /// A charge that is a guess sets the next budget.
    GuessIsFedBack,
    /// Slots of less than 20 ms are judged by seekiness only.
    ShortSlotsBySeekiness,
    /// A preempted reader that has nothing waiting leaves the trees.
    PreemptedReaderLeaves,
    /// After a split the last completion is that of before the merge.
    SplitRestoresCompletion,
    /// A queue does not count in the symmetry test for a request that is served before all queues.
    DirectRequestsDoNotCount,
    /// A queue that lost its raise while it waited has a slot as long as its old weight says.
    LostRaisesLengthenSlots,
    /// 6.1: groups that were activated, and not those with pending requests, make competitors
    /// unequal.
    ActiveGroupsDiffer,
    /// 6.1: the first request of a queue ends a measurement of another one.
    NewcomerEndsMeasurement,
    /// 6.1: the shared fallback queue can be a waker, and have one.
    FallbackWakes,
    /// 6.1: the depth shown is that of a word of tags.
    DepthOfAWord,
}

impl Quirk {
    /// Those of Linux 6.12, which 6.1 has, too.
    const OF_BOTH: [Quirk; 20] = [
        Quirk::WalkStopsEarly,
        Quirk::GroupServiceCountsTwice,
        Quirk::JumpIgnoresWrap,
        Quirk::LastIdleIsLostAmongEquals,
        Quirk::EndsSupposedRaises,
        Quirk::FirstThinkTimeWraps,
        Quirk::RateWindowWraps,
        Quirk::ServiceOfEndedStays,
        Quirk::SyncReadsAlwaysLimited,
        Quirk::PausesAreTheSchedulers,
        Quirk::NobodyGoesFirst,
        Quirk::DueYieldsInSharedQueues,
        Quirk::PendingMovesAlong,
        Quirk::SlotMovesAlong,
        Quirk::GuessIsFedBack,
        Quirk::ShortSlotsBySeekiness,
        Quirk::PreemptedReaderLeaves,
        Quirk::SplitRestoresCompletion,
        Quirk::DirectRequestsDoNotCount,
        Quirk::LostRaisesLengthenSlots,
    ];
    /// Those that 6.12 has no more.
    const OF_6_1: [Quirk; 4] = [
        Quirk::ActiveGroupsDiffer,
        Quirk::NewcomerEndsMeasurement,
        Quirk::FallbackWakes,
        Quirk::DepthOfAWord,
    ];
}

/// A set of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quirks(u32);

impl Quirks {
    /// Those of a behaviour.
    pub const fn of(behaviour: Behaviour) -> Quirks {
        match behaviour {
            Behaviour::Improved => Quirks(0),
            Behaviour::Linux6_12 => Quirks(0).with(&Quirk::OF_BOTH),
            Behaviour::Linux6_1 => Quirks(0).with(&Quirk::OF_BOTH).with(&Quirk::OF_6_1),
        }
    }

    const fn with(mut self, quirks: &[Quirk]) -> Quirks {
        let mut at = 0;
        while at < quirks.len() {
            self.0 |= 1 << quirks[at] as u32;
            at += 1;
        }
        self
    }

    /// Whether a quirk is among them.
    #[inline(always)]
    pub const fn has(self, quirk: Quirk) -> bool {
        self.0 & 1 << quirk as u32 != 0
    }

    /// The same without one of them.
    pub const fn without(self, quirk: Quirk) -> Quirks {
        Quirks(self.0 & !(1 << quirk as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_quirk_is_of_one_list() {
        let all = Quirk::OF_BOTH.iter().chain(&Quirk::OF_6_1);
        let listed = all.fold(0u32, |listed, &quirk| {
            let bit = 1 << quirk as u32;
            assert_eq!(listed & bit, 0, "{quirk:?} is listed twice");
            listed | bit
        });
        assert_eq!(listed, (1 << (Quirk::DepthOfAWord as u32 + 1)) - 1, "one is not listed");
    }

    #[test]
    fn what_has_which() {
        for (behaviour, both, only_6_1) in [
            (Behaviour::Improved, false, false),
            (Behaviour::Linux6_12, true, false),
            (Behaviour::Linux6_1, true, true),
        ] {
            let quirks = Quirks::of(behaviour);
            let has = |quirk: &Quirk| quirks.has(*quirk);
            assert!(Quirk::OF_BOTH.iter().all(|quirk| has(quirk) == both), "{behaviour:?}");
            assert!(Quirk::OF_6_1.iter().all(|quirk| has(quirk) == only_6_1), "{behaviour:?}");
            assert!(!quirks.without(Quirk::WalkStopsEarly).has(Quirk::WalkStopsEarly));
        }
    }
}
