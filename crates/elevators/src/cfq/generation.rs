//! The two generations (peers.md §5): A, as in Linux 2.6.32, has one order of all queues; B, as in
//! 2.6.35, divides the disk among groups and kinds of load first.

/// Whose behaviour is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generation {
    /// Generation A.
    Linux2_6_32,
    /// Generation B.
    Linux2_6_35,
}

impl Generation {
    /// What they are called in `cfq:generation=...`.
    const NAMES: [(&str, Generation); 2] =
        [("2.6.32", Generation::Linux2_6_32), ("2.6.35", Generation::Linux2_6_35)];

    /// The generation of that name.
    pub fn from_name(name: &str) -> Option<Generation> {
        let named = |(known, generation)| (known == name).then_some(generation);
        Generation::NAMES.into_iter().find_map(named)
    }

    /// The default of the tunable `quantum`, requests.
    pub fn quantum(self) -> i64 {
        match self {
            Generation::Linux2_6_32 => 4,
            Generation::Linux2_6_35 => 8,
        }
    }
}
